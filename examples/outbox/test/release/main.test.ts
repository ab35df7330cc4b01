/** The story of the example, as it is printed. */
import { assert, test } from "vitest"
import { runExample } from "../../../../test/support/Example.ts"

test("sends what is committed, nothing of a roll-back, a reminder at its time, and a batch", async () => {
  const { code, stderr, stdout } = await runExample("outbox")
  assert.strictEqual(stderr, "")
  assert.deepStrictEqual(stdout.trimEnd().split("\n"), [
    "Salma signs up. Her row and her code are committed together.",
    "  to +8801712345678: ****** is your verification code. Do not share it with anyone.",
    "  +8801712345678 is verified.",
    "Salma signs up again. The number is taken, so the transaction rolls back.",
    "  1 user, 1 message.",
    "A reminder waits until tomorrow.",
    "  It is queued.",
    "The parcel comes early, so the reminder goes out now.",
    "  to +8801712345678: Your parcel comes today.",
    "  It is sent.",
    "The shop writes to all of its customers. One is listed twice.",
    "  to +8801712345678: Dear Salma, we close at noon tomorrow.",
    "  to +8801712345679: Dear Rafi, we close at noon tomorrow.",
    "  2 messages, 1 duplicate. It is done.",
  ])
  assert.strictEqual(code, 0)
})
