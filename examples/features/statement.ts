/** A statement sums up the ledger of a month. */
import assert from "node:assert/strict"
import { createCountersign, developmentGateway } from "countersign"

await using countersign = await createCountersign({
  database: "memory",
  gateways: [developmentGateway()],
  prices: { sms: "0.50" },
})
const { account, messages } = countersign
await account.topUp({ amount: "100" })
await messages.send({ phoneNumber: "+8801712345678", text: "hello" })

const month = { from: new Date(0), to: new Date(Date.now() + 60_000) }
const { closing, entries, opening } = await account.statement(month)
assert.equal(opening.balance, "0.00")
assert.deepEqual(entries.hold, { count: 1, amount: "0.50" })
assert.equal(closing.balance, "99.50")

const lines = (await account.statementCsv(month)).split("\r\n")
assert.deepEqual(
  lines.map((line) => line.replace(/^\S+Z,/, "")), // without the period, which begins each line
  [
    "from,to,currency,item,entries,balance,held",
    "BDT,opening,,0.00,0.00",
    "BDT,top-up,1,100.00,0.00",
    "BDT,adjustment,0,0.00,0.00",
    "BDT,hold,1,-0.50,0.50",
    "BDT,capture,1,0.00,-0.50",
    "BDT,release,0,0.00,0.00",
    "BDT,closing,,99.50,0.00",
    "",
  ],
)
