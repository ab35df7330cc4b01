/** A price is charged for each message or segment, and shown before. */
import assert from "node:assert/strict"
import { createCountersign, developmentGateway } from "countersign"

await using countersign = await createCountersign({
  database: "memory",
  gateways: [developmentGateway()],
  prices: { sms: "0.35", per: "segment", currency: "BDT" },
})
const { account, messages } = countersign

const text = "আপনার পার্সেল আজ বিকেলে পৌঁছাবে। অনুগ্রহ করে ফোনটি কাছে রাখুন, ডেলিভারির আগে কল করা হবে।"
const { currency, price, segments } = await messages.preview({ text })
assert.deepEqual([segments?.segments, price, currency], [2, "0.70", "BDT"])

await account.topUp({ amount: "10" })
await messages.send({ phoneNumber: "+8801712345678", text })
assert.equal((await account.balance()).balance, "9.30")
