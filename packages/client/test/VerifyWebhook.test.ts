import { Webhook } from "standardwebhooks"
import { assert, describe, expect, expectTypeOf, it } from "vitest"
import { verifyWebhook, type WebhookProblem, WebhookVerificationError } from "../src/index.ts"

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const other = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
const at = 1_767_225_600
const now = () => at * 1_000
const id = "evt_acme_7"
const event = {
  type: "verified",
  timestamp: "2026-01-01T00:00:00.000Z",
  data: { sequence: 7, previous: 6, note: "ক" },
}
const body = JSON.stringify(event)

const signed = (text = body, signedAt = at, by = secret): Record<string, string> => ({
  "webhook-id": id,
  "webhook-timestamp": String(signedAt),
  "webhook-signature": new Webhook(by).sign(id, new Date(signedAt * 1_000), text),
})

const problemOf = async (
  headers: Record<string, unknown>,
  text: string | Uint8Array = body,
  by: string | ReadonlyArray<string> = secret,
): Promise<WebhookProblem | undefined> => {
  try {
    await verifyWebhook({ headers, body: text }, by, { now })
    return undefined
  } catch (error) {
    assert.instanceOf(error, WebhookVerificationError)
    return error.problem
  }
}

describe("verifyWebhook", () => {
  it("accepts what the library of Standard Webhooks signs, in every form of a request", async () => {
    const expected = { ...event, id, timestamp: new Date(event.timestamp) }
    const headers = signed()
    const url = "https://receiver.test"
    const requests = [
      { headers, body },
      { headers: new Headers(headers), body: new TextEncoder().encode(body) },
      { headers, body: Buffer.from(body) },
      new Request(url, { method: "POST", headers, body }),
    ]
    for (const request of requests) {
      assert.deepStrictEqual<unknown>(await verifyWebhook(request, secret, { now }), expected)
    }
  })

  it("gives the fields of each type", async () => {
    const data = { organization: "acme", sequence: 7, previous: null, webhookId: "whk_1" }
    const text = JSON.stringify({
      ...event,
      type: "webhook_failing",
      data: { ...data, reason: "gone" },
    })
    const verified = await verifyWebhook({ headers: signed(text), body: text }, secret, { now })
    if (verified.type !== "webhook_failing") return assert.fail()
    assert.strictEqual(verified.data.reason, "gone")
    expectTypeOf(verified.data.reason).toEqualTypeOf<"failed" | "gone">()
    expectTypeOf(verified.data.previous).toEqualTypeOf<number | null>()
  })

  it("agrees with the library on the time that it accepts now", async () => {
    const seconds = Math.floor(Date.now() / 1_000)
    for (const late of [0, 60, -60, 400, -400]) {
      const headers = signed(body, seconds - late)
      const verified = verifyWebhook({ headers, body }, secret).then(
        () => true,
        () => false,
      )
      const oracle = (): boolean => {
        try {
          new Webhook(secret).verify(body, headers)
          return true
        } catch {
          return false
        }
      }
      const isAccepted = Math.abs(late) < 300
      assert.deepStrictEqual([await verified, oracle()], [isAccepted, isAccepted])
    }
  })

  const tagged = (signature: string) => ({ ...signed(), "webhook-signature": signature })
  const good = signed()["webhook-signature"] ?? ""
  const bad = signed(body, at, other)["webhook-signature"] ?? ""

  it.each([
    ["several signatures, one of them right", tagged(`${bad} ${good}`), undefined],
    ["a signature of another version beside", tagged(`v1a,${good.slice(3)} ${good}`), undefined],
    ["a signature of another version only", tagged(good.replace("v1", "v1a")), "signature"],
    ["no version", tagged(good.slice(3)), "signature"],
    ["another secret", tagged(bad), "signature"],
    ["a signature that is cut", tagged(good.slice(0, -4)), "signature"],
    ["text after the signature", tagged(`${good}!`), "signature"],
    ["another id", { ...signed(), "webhook-id": "evt_acme_8" }, "signature"],
    ["another time", { ...signed(), "webhook-timestamp": String(at + 1) }, "signature"],
    ["a time that is late by five minutes", signed(body, at - 300), undefined],
    ["a time that is later", signed(body, at - 301), "timestamp"],
    ["a time that is early", signed(body, at + 301), "timestamp"],
    ["a time that is no number", { ...signed(), "webhook-timestamp": "soon" }, "headers"],
    ["a time with a sign", { ...signed(), "webhook-timestamp": `+${at}` }, "headers"],
    ["no id", { ...signed(), "webhook-id": undefined }, "headers"],
    ["no time", { ...signed(), "webhook-timestamp": "" }, "headers"],
    ["no signature", { ...signed(), "webhook-signature": undefined }, "headers"],
    ["a repeated header", { ...signed(), "webhook-id": [id, id] }, "headers"],
  ] as const)("judges %s", async (_, headers, problem) => {
    assert.strictEqual(await problemOf(headers), problem)
  })

  it.each([
    ["another body", `${body} `, signed(), "signature"],
    ["no JSON", "a", signed("a"), "body"],
    ["a list", "[]", signed("[]"), "body"],
    ["no type", '{"timestamp":"2026-01-01","data":{}}', undefined, "body"],
    ["no data", '{"type":"a","timestamp":"2026-01-01"}', undefined, "body"],
    ["no time", '{"type":"a","timestamp":"soon","data":{}}', undefined, "body"],
  ] as const)("judges a body with %s", async (_, text, headers, problem) => {
    assert.strictEqual(await problemOf(headers ?? signed(text), text), problem)
  })

  it("accepts either secret during a rotation, and none of others", async () => {
    for (const by of [secret, other]) {
      const headers = signed(body, at, by)
      assert.isUndefined(await problemOf(headers, body, [secret, other]))
    }
    assert.strictEqual(await problemOf(signed(), body, []), "signature")
  })

  it("refuses an unknown option", async () => {
    const options = { now, tolerence: "10 seconds" }
    await expect(verifyWebhook({ headers: signed(), body }, secret, options)).rejects.toThrow(
      "verifyWebhook: tolerence is not an option; the options are tolerance, now",
    )
  })

  it("accepts deliveries within its tolerance, which has a unit", async () => {
    const verify = (tolerance: "1 minute" | "2 minutes") =>
      verifyWebhook({ headers: signed(body, at - 90), body }, secret, { now, tolerance })
    assert.strictEqual((await verify("2 minutes")).type, "verified")
    await expect(verify("1 minute")).rejects.toThrow("too old")
    const options = JSON.parse('{"tolerance":90}')
    await expect(verifyWebhook({ headers: signed(), body }, secret, options)).rejects.toThrow(
      'tolerance must be a number with its unit: write "90 seconds"',
    )
  })

  it.each(["", "whsec_", "whsec_***", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whpk_abcd"])(
    "rejects a secret of another format as a mistake of the host: %s",
    async (wrong) => {
      await expect(verifyWebhook({ headers: signed(), body }, wrong, { now })).rejects.toThrow(
        TypeError,
      )
    },
  )
})
