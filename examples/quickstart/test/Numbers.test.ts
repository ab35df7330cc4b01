import { specialNumbers } from "@countersign/inbox"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, test } from "vitest"
import { eventually } from "../../../test/support/eventually.ts"
import { at, type Quickstart, startQuickstart } from "../../../test/support/Quickstart.ts"

let quickstart: Quickstart

beforeAll(async () => {
  quickstart = await startQuickstart({
    env: { GATEWAY_TIMEOUT_MS: "300", SETTLE_AFTER_SECONDS: "2" },
  })
})

afterAll(() => quickstart.stop())

const send = (to: string, channel: string) =>
  quickstart.call("/messages", { body: { to, channel, message: `A text for ${to}` } })

const balance = async () => at((await quickstart.call("/balance")).body, "data", "balance")

/** The newest log entry for a number, in short. */
const logged = async (to: string): Promise<string> => {
  const { body } = await quickstart.call("/messages?limit=200")
  const entries = at(body, "data")
  const entry = Array.isArray(entries)
    ? entries.find((one) => at(one, "recipient") === to.slice(1))
    : undefined
  return `${at(entry, "status")} ${at(entry, "price")}`
}

/** What the phone's side says became of the newest message. */
const arrived = async (to: string) => {
  const response = await fetch(`${quickstart.inboxUrl}/messages?to=${encodeURIComponent(to)}`)
  return at(await response.json(), 0, "outcome")
}

const delivered = { status: 200, says: "delivered" } as const
const failed = { status: 500, says: "failed" } as const

// number, channel, the answer, the log at once, the log in the end, on the phone's side in the end
test.each([
  ["+8801555000101", "sms", failed, "rejected 0.00", "rejected 0.00", "rejected"],
  ["+8801555000101", "whatsapp", failed, "rejected 0.00", "rejected 0.00", "rejected"],
  ["+8801555000102", "sms", delivered, "delivered 0.50", "delivered 0.50", "delivered"],
  ["+8801555000103", "sms", delivered, "accepted 0.50", "undelivered 0.00", "undelivered"],
  ["+8801555000103", "whatsapp", delivered, "accepted 0.00", "undelivered 0.00", "undelivered"],
  [
    "+8801555000104",
    "sms",
    { status: 500, says: "unknown" },
    "unknown 0.50",
    "unknown 0.00",
    "unknown",
  ],
  ["+8801555000105", "sms", delivered, "accepted 0.50", "delivered 0.50", "delivered"],
  ["+8801555000106", "sms", delivered, "delivered 0.50", "delivered 0.50", "delivered"],
  ["+8801555000107", "sms", delivered, "accepted 0.50", "unknown 0.00", "accepted"],
  ["+8801555000106", "whatsapp", failed, "failed 0.00", "failed 0.00", "failed"],
  ["+8801712345678", "sms", delivered, "delivered 0.50", "delivered 0.50", "delivered"],
  ["+8801712345678", "whatsapp", delivered, "delivered 0.00", "delivered 0.00", "delivered"],
] as const)(
  "a message to %s over %s ends as documented",
  async (to, channel, answer, now, later, phone) => {
    const before = await balance()
    const sent = await send(to, channel)
    const says = at(sent.body, "data", "status") ?? at(sent.body, "status")
    assert.deepStrictEqual({ status: sent.status, says }, answer)
    // A report may already have come when this process was slow.
    assert.include([now, later], await logged(to))
    await eventually(async () => assert.strictEqual(await logged(to), later))
    const paid = Number(later.split(" ")[1])
    assert.strictEqual(await balance(), Number(before) - paid)
    assert.strictEqual(await arrived(to), phone)
  },
)

test("a number that is not on WhatsApp is refused before anything is sent or charged", async () => {
  const before = await balance()
  const { body, status } = await send("+8801555000102", "whatsapp")
  assert.strictEqual(status, 400)
  assert.match(String(at(body, "error")), /not on WhatsApp/)
  assert.strictEqual(await balance(), before)
})

describe("a verification", () => {
  test.each([
    ["+8801555000101", "sms", 500, undefined],
    ["+8801555000102", "whatsapp", 400, undefined],
    ["+8801555000103", "sms", 200, "pending"],
    ["+8801555000104", "sms", 200, "pending"],
    ["+8801555000105", "sms", 200, "pending"],
    ["+8801555000106", "whatsapp", 500, undefined],
    ["+8801555000106", "sms", 200, "pending"],
    ["+8801555000107", "sms", 200, "pending"],
  ] as const)("of %s over %s answers %i", async (phone_number, channel, status, says) => {
    const answer = await quickstart.call("/verify", { body: { phone_number, channel } })
    assert.strictEqual(answer.status, status)
    assert.strictEqual(at(answer.body, "data", "status"), says)
  })
})

test("the guide has a row for every special number, and for no other", () => {
  const guide = readFileSync(
    join(import.meta.dirname, "../../../docs/guides/test-your-app.md"),
    "utf8",
  )
  const rows = [...guide.matchAll(/^\| `(\+88015550001\d\d)` +\|/gm)].map(([, number]) => number)
  assert.deepStrictEqual(
    rows,
    specialNumbers.map(({ number }) => number),
  )
})
