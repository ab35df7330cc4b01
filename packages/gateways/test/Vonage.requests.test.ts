import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import * as Samples from "@countersign/testing/Samples"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { createVerify } from "node:crypto"
import { test } from "../../../test/support/gatewayTest.ts"
import * as Vonage from "../src/Vonage.ts"
import { withoutEvidence } from "./support/evidence.ts"
import { jsonOf, readBy, sent } from "./support/vendor.ts"
import {
  applicationId,
  callbackUrl,
  options,
  pem,
  problem,
  publicKey,
  signedRequest,
  taken,
  uuid,
} from "./support/vonage.ts"

const seconds = Samples.now / 1_000

/** The one request for a message. */
const requestFor = (
  own: Partial<Vonage.Options>,
  message: Parameters<typeof GatewaySuite.message>[0] = {},
  answer = taken(),
) =>
  Effect.map(
    sent((baseUrl) => Vonage.make({ ...options, ...own, baseUrl }), answer, message),
    ({ outcome, request }) => ({ body: jsonOf(request), outcome, request }),
  )

const filled = [{ type: "text", text: GatewaySuite.code }]

const payment = { amount: "BDT 500", payee: "Rahim Store" }

describe("Vonage's request", () => {
  test("has the number without its plus, and our reference", function* () {
    const { body, request } = yield* requestFor({})
    assert.strictEqual(request?.method, "POST")
    assert.strictEqual(request?.url, "/v1/messages")
    assert.deepStrictEqual(body, {
      to: "8801712345678",
      channel: "sms",
      client_ref: `acme.1.${GatewaySuite.message().token.slice(-12)}`,
      from: "8809600000000",
      message_type: "text",
      text: GatewaySuite.text,
    })
  })

  test("is signed by the application's key, valid for fifteen minutes", function* () {
    const { request } = yield* requestFor({})
    const [header = "", claims = "", tag = ""] = (request?.headers["authorization"] ?? "")
      .replace("Bearer ", "")
      .split(".")
    const isSigned = createVerify("RSA-SHA256")
      .update(`${header}.${claims}`)
      .verify(publicKey, tag, "base64url")
    assert.isTrue(isSigned)
    assert.deepStrictEqual(JSON.parse(Buffer.from(header, "base64url").toString()), {
      alg: "RS256",
      typ: "JWT",
    })
    const payload: unknown = JSON.parse(Buffer.from(claims, "base64url").toString())
    assert.deepInclude(payload, { application_id: applicationId, iat: seconds, exp: seconds + 900 })
    assert.match(JSON.stringify(payload), /"jti":"[0-9a-f-]{36}"/)
  })

  test("accepts the key on one line, as in environment variables", function* () {
    const privateKey = Redacted.make(pem.replaceAll("\n", String.raw`\n`))
    const { outcome } = yield* requestFor({ auth: { applicationId, privateKey } })
    assert.strictEqual(outcome._tag, "Accepted")
  })

  test("is not made with an invalid key, and the error does not show the key", function* () {
    const secret = "-----BEGIN PRIVATE KEY-----\nnoKeyAtAll\n-----END PRIVATE KEY-----"
    const auth = { applicationId, privateKey: Redacted.make(secret) }
    const exit = yield* Effect.exit(requestFor({ auth }))
    assert.strictEqual(exit._tag, "Failure")
    assert.include(String(exit), "PKCS #8")
    assert.notInclude(String(exit), "noKeyAtAll")
  })

  test("has the callback URL and the time to live if configured", function* () {
    const { body } = yield* requestFor({ callbackUrl, validity: "90 seconds", from: "ACME" })
    assert.deepInclude(body, {
      webhook_url: callbackUrl,
      webhook_version: "v1",
      ttl: 90,
      from: "ACME",
    })
  })

  test("gives a code to the template's text and to its button", function* () {
    const own = { whatsApp: { from: "8801700000000", template: { name: "otp_code" } } }
    const { body } = yield* requestFor(own, { channel: "whatsapp", locale: "bn-bd" })
    assert.deepInclude(body, {
      channel: "whatsapp",
      from: "8801700000000",
      message_type: "custom",
      custom: {
        type: "template",
        template: {
          name: "otp_code",
          language: { policy: "deterministic", code: "bn" },
          components: [
            { type: "body", parameters: filled },
            { type: "button", sub_type: "url", index: "0", parameters: filled },
          ],
        },
      },
    })
  })

  test("is not made without a template, without a code, or for a payment", function* () {
    const own = { whatsApp: { template: { name: "otp_code" } } }
    for (const change of [{ locale: "fr-fr" }, { code: undefined }, { payment }]) {
      const { outcome, request } = yield* requestFor(own, { channel: "whatsapp", ...change })
      assert.deepInclude(outcome, { _tag: "Rejected", reason: "sender" })
      assert.isUndefined(request)
    }
  })

  test("carries a code that approves a payment with its text", function* () {
    for (const channel of ["sms", "whatsapp"] as const) {
      const { body } = yield* requestFor({}, { channel, payment })
      assert.deepInclude(body, { channel, message_type: "text", text: GatewaySuite.text })
    }
  })

  test("uses the host's meaning of a code", function* () {
    const own = { reasons: { 1260: "sender" } } as const
    const { outcome } = yield* requestFor(own, {}, problem(1260, 422))
    assert.deepInclude(outcome, { _tag: "Rejected", reason: "sender" })
  })
})

const outcomeOf = (body: unknown) => {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  return Effect.map(readBy(Vonage.make(options), signedRequest(text, Samples.now)), withoutEvidence)
}

describe("Vonage's report", () => {
  test("has the name of its token, and its text", function* () {
    const report = {
      message_uuid: uuid,
      to: "8801712345678",
      status: "rejected",
      client_ref: "acme.7",
      error: { type: "x#1050", title: 1050, detail: "8801712345678 is barred" },
    }
    const of = { _tag: "Message", organization: OrganizationId("acme"), sequence: 7 } as const
    const detail = "1050: 8801712345678 is barred"
    assert.deepInclude(yield* outcomeOf(report), {
      reports: [{ of, status: "rejected", detail, reason: "recipient", vendorCode: "1050" }],
      once: "c5ba8f24-1a14-4c10-bfdf-3fbe8ce511b5",
    })
  })

  test("has its code, from the title or the type, and none if Vonage names none", function* () {
    const errors = [
      [{ title: "1180", detail: "Absent" }, { vendorCode: "1180" }],
      [{ title: "Absent Subscriber", type: "https://x#1190" }, { vendorCode: "1190" }],
      [{ title: "Absent Subscriber" }, {}],
    ] as const
    for (const [error, code] of errors) {
      const outcome = yield* outcomeOf({ message_uuid: uuid, status: "undeliverable", error })
      const reports = outcome._tag === "Reports" ? outcome.reports : []
      const [{ vendorCode } = { vendorCode: "no report" }] = reports
      assert.deepStrictEqual(vendorCode === undefined ? {} : { vendorCode }, code)
    }
  })

  test("names Vonage's own id if our reference is missing", function* () {
    const outcome = yield* outcomeOf({ message_uuid: uuid, status: "read" })
    const of = { _tag: "GatewayId", gateway: "vonage", gatewayId: uuid } as const
    assert.deepInclude(outcome, { reports: [{ of, status: "delivered", detail: null }] })
  })

  test("ignores incoming messages and unknown statuses", function* () {
    for (const status of [undefined, "teleported"]) {
      const outcome = yield* outcomeOf({ message_uuid: uuid, status, text: "hello" })
      assert.deepInclude(outcome, { _tag: "Reports", reports: [] })
    }
  })

  test("is malformed if it is signed but not a report", function* () {
    for (const body of ["", "{}", "[]", "\u0000"]) {
      assert.strictEqual((yield* outcomeOf(body))._tag, "Malformed")
    }
  })

  test("is not accepted without a secret", function* () {
    const adapter = yield* Vonage.make({ ...options, signatureSecret: undefined })
    assert.isUndefined(adapter.callback)
    assert.strictEqual(adapter.gateway.capabilities.reports, "none")
  })
})
