/**
 * An app and the engine on one PGlite: a code that commits with its user, a message for later, and a batch.
 */
import { PGlite } from "@electric-sql/pglite"
import { createCountersign, developmentGateway } from "countersign"
import { drizzle } from "drizzle-orm/pglite"
import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { createTable, purpose, signUp, users } from "./users.ts"

const client = await PGlite.create() // in memory; give it a folder to keep the data
await client.exec("set countersign.may_lose_commits = on") // and omit this line then
const db = drizzle({ client })
await db.execute(createTable)

const gateway = developmentGateway(({ phoneNumber, text }) =>
  console.log(`  to ${phoneNumber}: ${text.replace(/\d{6}/, "******")}`),
)
const countersign = await createCountersign({
  database: { pool: client },
  secret: randomBytes(32).toString("hex"), // one for all starts, if the data is kept
  gateways: [gateway],
})
const { messages, verifications } = countersign

console.log("Salma signs up. Her row and her code are committed together.")
const salma = { name: "Salma", phoneNumber: "+8801712345678" }
const requestId = await signUp(db, countersign, salma)
await verifications.dispatch({ requestId })
const code = gateway.latestCode(salma.phoneNumber)
const verified = await verifications.verify({ requestId, code, purpose })
console.log(`  ${verified.phoneNumber} is verified.`)

console.log("Salma signs up again. The number is taken, so the transaction rolls back.")
await assert.rejects(signUp(db, countersign, salma))
console.log(`  ${await db.$count(users)} user, ${gateway.messages().length} message.`)

console.log("A reminder waits until tomorrow.")
const tomorrow = new Date(Date.now() + 86_400_000)
const text = "Your parcel comes today."
const reminder = messages.prepare({ phoneNumber: salma.phoneNumber, text, sendAt: tomorrow })
await reminder.enqueue()
const { status } = await messages.getQueued({ id: reminder.id })
console.log(`  It is ${status}.`)

console.log("The parcel comes early, so the reminder goes out now.")
const sent = Promise.withResolvers<void>()
const unsubscribe = countersign.subscribe(({ type }) => {
  if (type === "message_settled") sent.resolve()
})
await messages.reschedule({ id: reminder.id, sendAt: new Date() })
await sent.promise
unsubscribe()
console.log(`  It is ${(await messages.getQueued({ id: reminder.id })).status}.`)

console.log("The shop writes to all of its customers. One is listed twice.")
const done = Promise.withResolvers<void>()
countersign.subscribe(({ type }) => {
  if (type === "batch_done") done.resolve()
})
const { batchId, duplicates } = await messages.sendMany({
  recipients: [
    { phoneNumber: salma.phoneNumber, values: { name: "Salma" } },
    { phoneNumber: "+8801712345679", values: { name: "Rafi" } },
    { phoneNumber: "+8801712345679", values: { name: "Rafi" } },
  ],
  text: "Dear {name}, we close at noon tomorrow.",
  pace: 1, // message a second
})
await done.promise
const batch = await countersign.batches.get({ id: batchId })
console.log(`  ${batch.recipients} messages, ${duplicates} duplicate. It is ${batch.status}.`)

await countersign.dispose()
await client.close()
