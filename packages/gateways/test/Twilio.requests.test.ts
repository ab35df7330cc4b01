import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { test } from "../../../test/support/gatewayTest.ts"
import * as Twilio from "../src/Twilio.ts"
import { withoutEvidence } from "./support/evidence.ts"
import { formOf, readBy, sent } from "./support/vendor.ts"
import {
  accountSid,
  authToken,
  callbackUrl,
  created,
  options,
  signedRequest,
  whatsApp,
} from "./support/twilio.ts"

/** The fields of the one request for a message. */
const fieldsFor = (
  own: Partial<Twilio.Options>,
  message: Parameters<typeof GatewaySuite.message>[0] = {},
) =>
  Effect.map(
    sent((baseUrl) => Twilio.make({ ...options, ...own, baseUrl }), created(), message),
    ({ outcome, request }) => ({ fields: formOf(request), outcome, request }),
  )

const payment = { amount: "BDT 500", payee: "Rahim Store" }

describe("Twilio's request", () => {
  test("has the sender, the unchanged text, and our reference in its callback URL", function* () {
    const { fields, request } = yield* fieldsFor({})
    assert.strictEqual(request?.method, "POST")
    assert.strictEqual(request?.url, `/2010-04-01/Accounts/${accountSid}/Messages.json`)
    assert.strictEqual(
      request?.headers["authorization"],
      `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString("base64")}`,
    )
    assert.deepStrictEqual(fields, {
      To: "+8801712345678",
      From: "+8809600000000",
      Body: GatewaySuite.text,
      SmartEncoded: "false",
      StatusCallback: `${callbackUrl}?message=acme.1.${GatewaySuite.message().token.slice(-12)}`,
    })
  })

  test("keeps names and short codes unchanged", function* () {
    for (const sender of ["ACME", "16247"]) {
      const { fields } = yield* fieldsFor({}, { sender, purpose: "message" })
      assert.strictEqual(fields["From"], sender)
      assert.notProperty(fields, "SmartEncoded")
    }
  })

  test("names the messaging service instead of a sender", function* () {
    const { fields } = yield* fieldsFor({ messagingServiceSid: "MG0001", validity: "10 minutes" })
    assert.deepInclude(fields, { MessagingServiceSid: "MG0001", ValidityPeriod: "600" })
    assert.notProperty(fields, "From")
  })

  test("is authenticated by the API key if there is one", function* () {
    const apiKey = { sid: "SK0001", secret: Redacted.make("secret") }
    const { request } = yield* fieldsFor({ apiKey })
    assert.strictEqual(
      request?.headers["authorization"],
      `Basic ${Buffer.from("SK0001:secret").toString("base64")}`,
    )
  })

  test("fills a code into the content template of its language", function* () {
    const own = { whatsApp: { verificationContent: { "en-us": "HX1", "bn-bd": "HX2" } } }
    const { fields } = yield* fieldsFor(own, { ...whatsApp, locale: "bn-bd" })
    assert.deepInclude(fields, {
      To: "whatsapp:+8801712345678",
      From: "whatsapp:+8801700000000",
      ContentSid: "HX2",
      ContentVariables: `{"1":"${GatewaySuite.code}"}`,
    })
    assert.notProperty(fields, "Body")
  })

  test("is not made without a template, without a code, or for a payment", function* () {
    const own = { whatsApp: { verificationContent: { "en-us": "HX1" } } }
    for (const change of [{ locale: "bn-bd" }, { code: undefined }, { payment }]) {
      const { outcome, request } = yield* fieldsFor(own, { ...whatsApp, ...change })
      assert.deepInclude(outcome, { _tag: "Rejected", reason: "sender" })
      assert.isUndefined(request)
    }
  })

  test("carries a code that approves a payment with its text", function* () {
    for (const message of [{}, whatsApp]) {
      const { fields } = yield* fieldsFor({}, { ...message, payment })
      assert.strictEqual(fields["Body"], GatewaySuite.text)
    }
  })

  test("carries a message's text with its template, or unchanged", function* () {
    const message = { ...whatsApp, purpose: "message" } as const
    const own = { whatsApp: { from: "8801711111111", messageContent: "HX3" } }
    const { fields } = yield* fieldsFor(own, message)
    assert.deepInclude(fields, {
      From: "whatsapp:+8801711111111",
      ContentSid: "HX3",
      ContentVariables: JSON.stringify({ "1": GatewaySuite.text }),
    })
    const plain = yield* fieldsFor({}, message)
    assert.strictEqual(plain.fields["Body"], GatewaySuite.text)
  })

  test("has no callback URL if the gateway has none", function* () {
    const { fields } = yield* fieldsFor({ callbackUrl: undefined })
    assert.notProperty(fields, "StatusCallback")
    const adapter = yield* Twilio.make({ ...options, callbackUrl: undefined })
    assert.strictEqual(adapter.gateway.capabilities.reports, "none")
    assert.isUndefined(adapter.callback)
  })
})

const outcomeOf = (url: string, fields: Readonly<Record<string, string>>) =>
  Effect.map(readBy(Twilio.make(options), signedRequest(new URL(url), fields)), withoutEvidence)

describe("Twilio's report", () => {
  test("names Twilio's own id if our reference is missing", function* () {
    const outcome = yield* outcomeOf(callbackUrl, { MessageSid: "SM1", MessageStatus: "read" })
    const of = { _tag: "GatewayId", gateway: "twilio", gatewayId: "SM1" } as const
    assert.deepInclude(outcome, { reports: [{ of, status: "delivered", detail: null }] })
  })

  test("has the error code, its text, and the responsible party", function* () {
    const outcome = yield* outcomeOf(`${callbackUrl}?message=acme.7`, {
      MessageSid: "SM1",
      MessageStatus: "undelivered",
      To: "whatsapp:+8801712345678",
      ErrorCode: "63024",
      ErrorMessage: "01712345678 is not valid",
    })
    const of = { _tag: "Message", organization: OrganizationId("acme"), sequence: 7 } as const
    const detail = "63024: 01712345678 is not valid"
    const report = {
      of,
      status: "undelivered",
      detail,
      reason: "recipient",
      vendorCode: "63024",
    } as const
    assert.deepInclude(outcome, { reports: [report] })
  })

  test("ignores incoming messages and unknown statuses", function* () {
    for (const MessageStatus of ["received", "receiving", "teleported"]) {
      const outcome = yield* outcomeOf(callbackUrl, { MessageSid: "SM1", MessageStatus })
      assert.deepStrictEqual(outcome, { _tag: "Reports", reports: [] })
    }
  })

  test("is malformed without an id", function* () {
    const outcome = yield* outcomeOf(callbackUrl, { MessageStatus: "sent" })
    assert.strictEqual(outcome._tag, "Malformed")
  })
})
