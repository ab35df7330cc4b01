/** Problems in the background are lines of JSON, without phone numbers and with repeats counted. */
import assert from "node:assert/strict"
import { createCountersign, type LogRecord } from "countersign"

const lines: Array<LogRecord> = []
const countersign = await createCountersign({
  database: "memory",
  gateways: [
    {
      name: "acme",
      send: async () => {
        throw new Error("A mistake in this gateway, with +8801712345678 in its text")
      },
    },
  ],
  logging: { level: "warn", repeats: 1 },
  log: (line) => lines.push(line), // without it: to the console
})

const message = { phoneNumber: "+8801712345678", text: "Hello" }
for (let count = 0; count < 3; count++) {
  await assert.rejects(countersign.messages.send(message))
}
await countersign.dispose()

const [first] = lines
assert.equal(first?.level, "error")
assert.equal(first.fields["gateway"], "acme")
const same = lines.filter(({ event }) => event === first.event)
assert.deepEqual(
  same.map(({ repeated }) => repeated),
  [undefined, 2],
)
assert.ok(!JSON.stringify(lines).includes("1712345678"))
