/** A payment is booked once, however often its provider calls. */
import assert from "node:assert/strict"
import { createCountersign, developmentGateway } from "countersign"

await using countersign = await createCountersign({
  database: "memory",
  gateways: [developmentGateway()],
  prices: { sms: "0.50" },
})
const { account, messages } = countersign

/** Called by the provider for each payment. An error makes it call again. */
const webhook = ({ amount, id }: { readonly id: string; readonly amount: string }) =>
  account.topUp({ amount, paymentId: id, note: "paid online" })

const first = await webhook({ id: "9F3KQ1", amount: "100" })
await messages.send({ phoneNumber: "+8801712345678", text: "hello" })
const repeat = await webhook({ id: "9F3KQ1", amount: "100" })
assert.deepEqual([first.balance, first.isRepeat], ["100.00", false])
assert.deepEqual([repeat.balance, repeat.isRepeat], ["99.50", true])
assert.deepEqual(repeat.entry, first.entry)

const ledger = (await account.entries()).items.map(({ amount, kind }) => `${kind} ${amount}`)
assert.deepEqual(ledger, ["top-up 100.00", "hold 0.50", "capture 0.50"])
