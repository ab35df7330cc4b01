import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Evidence from "@countersign/core/domain/messages/Evidence"
import { test } from "../../../test/support/gatewayTest.ts"
import * as WhatsAppCloud from "../src/WhatsAppCloud.ts"
import { jsonOf, readBy, sent } from "./support/vendor.ts"
import {
  accessToken,
  callbackUrl,
  message,
  notification,
  options,
  problem,
  signed,
  taken,
  verifyToken,
  wamid,
} from "./support/whatsAppCloud.ts"

/** The one request for a message. */
const requestFor = (
  own: Partial<WhatsAppCloud.Options>,
  overrides: Parameters<typeof GatewaySuite.message>[0] = {},
  answer = taken(),
) =>
  Effect.map(
    sent((baseUrl) => WhatsAppCloud.make({ ...options, ...own, baseUrl }), answer, {
      ...message,
      ...overrides,
    }),
    ({ outcome, request }) => ({ body: jsonOf(request), outcome, request }),
  )

const parameters = [{ type: "text", text: GatewaySuite.code }]
const components = [
  { type: "body", parameters },
  { type: "button", sub_type: "url", index: "0", parameters },
]

describe("WhatsApp Cloud's request", () => {
  test("gives the code twice, for the text and for the button", function* () {
    const { body, request } = yield* requestFor({})
    assert.strictEqual(request?.url, "/v25.0/77/messages")
    assert.strictEqual(request?.headers["authorization"], `Bearer ${accessToken}`)
    assert.deepStrictEqual(body, {
      messaging_product: "whatsapp",
      recipient_type: "individual",
      to: "8801712345678",
      biz_opaque_callback_data: `acme.1.${GatewaySuite.message().token.slice(-12)}`,
      type: "template",
      template: { name: "otp_code", language: { code: "en_US" }, components },
    })
  })

  test("has the configured template and language", function* () {
    const template = { name: "kod", languages: { "bn-bd": "bn_BD" } }
    const { body } = yield* requestFor({ template, version: "v26.0" }, { locale: "bn-bd" })
    assert.deepInclude(body, { template: { name: "kod", language: { code: "bn_BD" }, components } })
  })

  test("is not made for SMS, an unknown language, no code, or a payment", function* () {
    const changes = [
      { channel: "sms" },
      { locale: "fr-fr" },
      { code: undefined },
      { payment: { amount: "BDT 500", payee: "Rahim Store" } },
    ] as const
    for (const change of changes) {
      const { outcome, request } = yield* requestFor({}, change)
      assert.deepInclude(outcome, { _tag: "Rejected", reason: "sender" })
      assert.isUndefined(request)
    }
  })

  test("is refused as unreachable only if the number is not on WhatsApp", function* () {
    const said = [
      [131_026, true],
      [131_021, undefined],
      [131_049, undefined],
    ] as const
    for (const [code, unreachable] of said) {
      const { outcome } = yield* requestFor({}, {}, problem(code))
      assert.strictEqual(outcome._tag, "Rejected")
      assert.strictEqual(outcome._tag === "Rejected" ? outcome.unreachable : false, unreachable)
    }
  })

  test("carries a message as text, or with its template", function* () {
    const purpose = "message" as const
    const { body } = yield* requestFor({}, { purpose })
    assert.deepInclude(body, {
      type: "text",
      text: { body: GatewaySuite.text, preview_url: false },
    })
    const messages = { name: "notice", language: "en_US" }
    const templated = yield* requestFor({ messages }, { purpose })
    assert.deepInclude(templated.body, {
      type: "template",
      template: {
        name: "notice",
        language: { code: "en_US" },
        components: [{ type: "body", parameters: [{ type: "text", text: GatewaySuite.text }] }],
      },
    })
  })

  test("is sent from the number of its sender", function* () {
    const { request } = yield* requestFor({ profiles: { profile: "88" } })
    assert.strictEqual(request?.url, "/v25.0/88/messages")
  })
})

const outcomeOf = (
  request: GatewaySuite.CallbackRequest,
  own: Partial<WhatsAppCloud.Options> = {},
) => readBy(WhatsAppCloud.make({ ...options, ...own }), request)

describe("WhatsApp Cloud's report", () => {
  test("of a number that is not on WhatsApp is a refusal of the recipient", function* () {
    const errorOf = (code: number) => ({
      id: wamid,
      status: "failed",
      errors: [{ code, error_data: { details: "8801712345678 is not on WhatsApp" } }],
    })
    const body = notification(errorOf(131_026), errorOf(131_049))
    const outcome = yield* outcomeOf(signed(body))
    const [{ evidence = {}, ...report } = assert.fail(), other] =
      outcome._tag === "Reports" ? outcome.reports : []
    assert.deepStrictEqual(report, {
      of: { _tag: "GatewayId", gateway: "whatsapp-cloud", gatewayId: wamid },
      status: "rejected",
      detail: "131026: 8801712345678 is not on WhatsApp",
      reason: "recipient",
      unreachable: true,
      vendorCode: "131026",
    })
    assert.deepInclude(other, { status: "rejected", reason: "recipient" })
    assert.isUndefined(other?.unreachable)
    assert.strictEqual(
      Evidence.text(evidence),
      JSON.stringify({ id: wamid, status: "failed", "errors[0].code": "131026" }),
    )
  })

  test("may be one of many, in order, and an unreadable one does not affect others", function* () {
    const ref = { biz_opaque_callback_data: "acme.9" }
    const sent = { id: "a", status: "sent", ...ref }
    const seen = { id: "a", status: "read", ...ref }
    const unreadable = [{ status: "delivered" }, "nothing", { id: "b", status: "warped" }]
    const body = notification(sent, ...unreadable, seen)
    const outcome = yield* outcomeOf(signed(body))
    const of = { _tag: "Message", organization: OrganizationId("acme"), sequence: 9 } as const
    const reports = outcome._tag === "Reports" ? outcome.reports : []
    assert.deepStrictEqual(
      reports.map(({ evidence, ...report }) => ({ ...report, evidence: Evidence.text(evidence) })),
      [
        { of, status: "accepted", detail: null, evidence: '{"id":"a","status":"sent"}' },
        { of, status: "delivered", detail: null, evidence: '{"id":"a","status":"read"}' },
      ],
    )
  })

  test("ignores incoming messages", function* () {
    const body = JSON.stringify({
      object: "whatsapp_business_account",
      entry: [{ id: "1", changes: [{ field: "messages", value: { messages: [{ id: "x" }] } }] }],
    })
    assert.deepStrictEqual(yield* outcomeOf(signed(body)), { _tag: "Reports", reports: [] })
  })

  test("is malformed if it is signed but not a notification", function* () {
    for (const body of ["", "{}", "[]", '{"object":"page","entry":[]}']) {
      assert.strictEqual((yield* outcomeOf(signed(body)))._tag, "Malformed")
    }
  })
})

const handshake = (query: Readonly<Record<string, string>>): GatewaySuite.CallbackRequest => ({
  method: "GET",
  url: new URL(`${callbackUrl}?${new URLSearchParams(query).toString()}`),
  headers: {},
  body: new Uint8Array(),
})

describe("WhatsApp Cloud's handshake", () => {
  const right = {
    "hub.mode": "subscribe",
    "hub.verify_token": verifyToken,
    "hub.challenge": "1158201444",
  }

  test("is answered with the challenge", function* () {
    assert.deepStrictEqual(yield* outcomeOf(handshake(right)), {
      _tag: "Reports",
      reports: [],
      answer: { contentType: "text/plain", text: "1158201444" },
    })
  })

  test("is refused if any part is wrong, or no token is configured", function* () {
    const wrong = [
      { "hub.verify_token": "a verify tokem" },
      { "hub.verify_token": "" },
      { "hub.mode": "unsubscribe" },
      { "hub.challenge": "1".repeat(10_000) },
    ]
    for (const change of wrong) {
      assert.strictEqual((yield* outcomeOf(handshake({ ...right, ...change })))._tag, "Refused")
    }
    const outcome = yield* outcomeOf(handshake(right), { verifyToken: undefined })
    assert.strictEqual(outcome._tag, "Refused")
  })
})
