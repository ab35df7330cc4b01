import { assert, it } from "vitest"
import { hosts } from "./support/host.ts"

const { host } = hosts()

it("a statement has the balances before and after a period, and its entries", async () => {
  const { engine } = await host({ database: "memory" })
  await engine.account.topUp({ amount: "10" })
  await engine.account.adjust({ amount: "-1.5", note: "fee" })
  const to = new Date(Date.now() + 3_600_000)
  const none = { count: 0, amount: "0.00" }
  assert.deepStrictEqual(await engine.account.statement({ from: new Date(0), to }), {
    from: new Date(0),
    to,
    currency: "BDT",
    opening: { balance: "0.00", held: "0.00" },
    entries: {
      "top-up": { count: 1, amount: "10.00" },
      adjustment: { count: 1, amount: "-1.50" },
      hold: none,
      capture: none,
      release: none,
    },
    closing: { balance: "8.50", held: "0.00" },
  })
  const later = new Date(to.getTime() + 3_600_000)
  const csv = await engine.account.statementCsv({ from: to, to: later })
  const period = `${to.toISOString()},${later.toISOString()},BDT`
  assert.deepStrictEqual(csv.trimEnd().split("\r\n"), [
    "from,to,currency,item,entries,balance,held",
    `${period},opening,,8.50,0.00`,
    `${period},top-up,0,0.00,0.00`,
    `${period},adjustment,0,0.00,0.00`,
    `${period},hold,0,0.00,0.00`,
    `${period},capture,0,0.00,0.00`,
    `${period},release,0,0.00,0.00`,
    `${period},closing,,8.50,0.00`,
  ])
  await engine.dispose()
})
