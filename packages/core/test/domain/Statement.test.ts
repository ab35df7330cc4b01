import { assert, describe, it } from "vitest"
import * as Money from "../../src/domain/Money.ts"
import * as Statement from "../../src/domain/Statement.ts"

const money = Money.make

const entries = Statement.sumsOf([
  { kind: "top-up", amount: money("50") },
  { kind: "hold", amount: money("0.5") },
  { kind: "hold", amount: money("0.25") },
  { kind: "capture", amount: money("0.5") },
  { kind: "release", amount: money("0.25") },
  { kind: "adjustment", amount: money("-1") },
])

describe("Statement", () => {
  it("counts and adds up entries by kind", () => {
    assert.deepStrictEqual(entries, {
      "top-up": { count: 1, amount: money("50") },
      adjustment: { count: 1, amount: money("-1") },
      hold: { count: 2, amount: money("0.75") },
      capture: { count: 1, amount: money("0.5") },
      release: { count: 1, amount: money("0.25") },
    })
    assert.deepStrictEqual(Statement.add(entries, Statement.noEntries), entries)
    assert.deepInclude(Statement.add(entries, entries).hold, { count: 4, amount: money("1.5") })
  })

  it("is CSV whose columns add up to the closing balances", () => {
    const statement: Statement.Statement = {
      from: Date.UTC(2026, 0, 1),
      to: Date.UTC(2026, 1, 1),
      opening: { balance: money("10"), held: Money.zero },
      entries,
      closing: { balance: money("58.5"), held: Money.zero },
    }
    const period = "2026-01-01T00:00:00.000Z,2026-02-01T00:00:00.000Z,BDT"
    assert.deepStrictEqual(Statement.toCsv(statement, "BDT").split("\r\n"), [
      "from,to,currency,item,entries,balance,held",
      `${period},opening,,10.00,0.00`,
      `${period},top-up,1,50.00,0.00`,
      `${period},adjustment,1,-1.00,0.00`,
      `${period},hold,2,-0.75,0.75`,
      `${period},capture,1,0.00,-0.50`,
      `${period},release,1,0.25,-0.25`,
      `${period},closing,,58.50,0.00`,
      "",
    ])
  })
})
