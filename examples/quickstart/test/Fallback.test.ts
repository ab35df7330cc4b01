import { afterAll, assert, beforeAll, describe, test } from "vitest"
import { eventually } from "../../../test/support/eventually.ts"
import { at, type Quickstart } from "../../../test/support/Quickstart.ts"
import { databases } from "./support/onServer.ts"

const { close, start } = databases()

afterAll(close)

const verify = ({ call }: Quickstart, phone_number: string, channel?: string) =>
  call("/verify", { body: { phone_number, ...(channel === undefined ? {} : { channel }) } })

/** What is on a phone, oldest first. */
const phone = async ({ inboxUrl }: Quickstart, to: string): Promise<ReadonlyArray<unknown>> => {
  const messages: unknown = await (
    await fetch(`${inboxUrl}/messages?to=${encodeURIComponent(to)}`)
  ).json()
  return Array.isArray(messages) ? messages.toReversed() : []
}

/** The channels and outcomes of the messages on a phone, oldest first. */
const arrived = async (quickstart: Quickstart, to: string): Promise<ReadonlyArray<string>> =>
  (await phone(quickstart, to)).map(
    (message) => `${String(at(message, "channel"))} ${String(at(message, "outcome"))}`,
  )

/** Presses a button at the newest message on a phone. */
const press = async (quickstart: Quickstart, to: string, status: string): Promise<void> => {
  const id = String(at((await phone(quickstart, to)).at(-1), "id"))
  const { inboxUrl } = quickstart
  const answer = await fetch(`${inboxUrl}/messages/${id}/report?status=${status}`, {
    method: "POST",
  })
  assert.strictEqual(answer.status, 200)
}

/** The newest entries of the log, newest first, in short. */
const logged = async ({ call }: Quickstart, limit: number): Promise<ReadonlyArray<string>> => {
  const entries = at((await call(`/messages?limit=${limit}`)).body, "data")
  return (Array.isArray(entries) ? entries : []).map(
    (one) => `${String(at(one, "status"))} ${String(at(one, "price"))}`,
  )
}

describe("WHATSAPP_FIRST", () => {
  let quickstart: Quickstart

  beforeAll(async () => {
    quickstart = await start({
      env: { WHATSAPP_FIRST: "true", SMS_FALLBACK_SECONDS: "600", DELIVERY: "by-hand" },
    })
  })

  test("a code that fails on WhatsApp appears as an SMS with the same code", async () => {
    const to = "+8801712300001"
    const { body } = await verify(quickstart, to)
    assert.strictEqual(at(body, "data", "channel"), "whatsapp")
    assert.deepStrictEqual(await arrived(quickstart, to), ["whatsapp accepted"])
    await press(quickstart, to, "undelivered")
    await eventually(async () =>
      assert.deepStrictEqual(await arrived(quickstart, to), [
        "whatsapp undelivered",
        "sms accepted",
      ]),
    )
    await press(quickstart, to, "delivered")
    const [first, second] = (await phone(quickstart, to)).map((message) => at(message, "code"))
    assert.match(String(first), /^\d{6}$/)
    assert.strictEqual(second, first)
    const request_id = at(body, "data", "request_id")
    const checked = await quickstart.call("/verify/check", { body: { request_id, code: first } })
    assert.strictEqual(at(checked.body, "data", "status"), "verified")
    await eventually(async () =>
      assert.deepStrictEqual(await logged(quickstart, 2), ["delivered 0.50", "undelivered 0.00"]),
    )
  })

  test("a code that arrives on WhatsApp triggers no SMS", async () => {
    const [to, other] = ["+8801712300002", "+8801712300003"]
    await verify(quickstart, to)
    await press(quickstart, to, "delivered")
    await verify(quickstart, other)
    await press(quickstart, other, "undelivered")
    // What was reported later has its SMS already.
    await eventually(async () => assert.lengthOf(await phone(quickstart, other), 2))
    assert.deepStrictEqual(await arrived(quickstart, to), ["whatsapp delivered"])
  })

  test.each([
    ["+8801555000102", ["sms accepted"]],
    ["+8801555000103", ["whatsapp undelivered", "sms undelivered"]],
    ["+8801555000106", ["whatsapp failed", "sms accepted"]],
  ] as const)("a code for %s ends as documented", async (to, expected) => {
    assert.strictEqual((await verify(quickstart, to)).status, 200)
    await eventually(async () => assert.deepStrictEqual(await arrived(quickstart, to), expected))
  })
})

test("SMS_FALLBACK_SECONDS sets how long a requested WhatsApp code may stay unreported", async () => {
  const quickstart = await start({ env: { SMS_FALLBACK_SECONDS: "1", DELIVERY: "by-hand" } })
  const [silent, plain] = ["+8801712300004", "+8801712300005"]
  await verify(quickstart, plain)
  await verify(quickstart, silent, "whatsapp")
  await eventually(async () =>
    assert.deepStrictEqual(await arrived(quickstart, silent), [
      "whatsapp accepted",
      "sms accepted",
    ]),
  )
  assert.deepStrictEqual(await arrived(quickstart, plain), ["sms accepted"])
})

test("without either setting, a code that fails on WhatsApp triggers no SMS", async () => {
  const quickstart = await start({ env: { DELIVERY: "by-hand" } })
  const to = "+8801712300006"
  await verify(quickstart, to, "whatsapp")
  await press(quickstart, to, "undelivered")
  await eventually(async () =>
    assert.deepStrictEqual(await logged(quickstart, 1), ["undelivered 0.00"]),
  )
  assert.strictEqual((await verify(quickstart, "+8801555000102", "whatsapp")).status, 400)
  assert.deepStrictEqual(await arrived(quickstart, to), ["whatsapp undelivered"])
})
