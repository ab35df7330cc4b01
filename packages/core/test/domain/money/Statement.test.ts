import { assert, describe, it } from "vitest"
import type { Entry } from "../../../src/domain/money/Account.ts"
import { OrganizationId } from "../../../src/domain/values/Ids.ts"
import * as Money from "../../../src/domain/values/Money.ts"
import * as Statement from "../../../src/domain/money/Statement.ts"

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
      "top-up": { count: 1, amount: 500_000n },
      adjustment: { count: 1, amount: -10_000n },
      hold: { count: 2, amount: 7_500n },
      capture: { count: 1, amount: 5_000n },
      release: { count: 1, amount: 2_500n },
    })
    assert.deepStrictEqual(Statement.add(entries, Statement.noEntries), entries)
    assert.deepInclude(Statement.add(entries, entries).hold, { count: 4, amount: 15_000n })
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
  it("lists entries as CSV that no spreadsheet evaluates", () => {
    const entry: Entry = {
      organization: OrganizationId("acme"),
      sequence: 7,
      kind: "top-up",
      amount: money("5"),
      balance: money("6.5"),
      held: money("0.5"),
      messageSequence: null,
      note: '=1+1 "paid", in cash\nor so',
      paymentId: "-p",
      actor: "host",
      at: 0,
    }
    const capture = { messageSequence: 3, note: null, paymentId: null, actor: null } as const
    assert.strictEqual(
      Statement.entriesToCsv([entry, { ...entry, ...capture, kind: "capture" }], "BDT"),
      '7,1970-01-01T00:00:00.000Z,BDT,top-up,5.00,5.00,0.00,6.50,0.50,,"\'-p","\'=1+1 ""paid"", in cash\nor so","host"\r\n' +
        "7,1970-01-01T00:00:00.000Z,BDT,capture,5.00,0.00,-5.00,6.50,0.50,3,,,\r\n",
    )
  })
})
