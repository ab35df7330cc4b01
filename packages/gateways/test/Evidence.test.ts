/** The evidence of reports contains no secret, no code and no whole number, for any text of a vendor. */
import type { DeliveryReport } from "@countersign/core/domain/messages/DeliveryReport"
import * as Evidence from "@countersign/core/domain/messages/Evidence"
import * as Arbitraries from "@countersign/testing/Arbitraries"
import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import * as Samples from "@countersign/testing/Samples"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { test } from "../../../test/support/gatewayTest.ts"
import type { Adapter, CallbackRequest } from "../src/Adapter.ts"
import * as AlphaSms from "../src/AlphaSms.ts"
import * as HttpGateway from "../src/HttpGateway.ts"
import { receiptOf } from "../src/internal/smpp/receipt.ts"
import * as Kannel from "../src/Kannel.ts"
import * as SmsGate from "../src/SmsGate.ts"
import * as Twilio from "../src/Twilio.ts"
import * as Vonage from "../src/Vonage.ts"
import * as WhatsAppCloud from "../src/WhatsAppCloud.ts"
import { json } from "./fixtures/answers.ts"
import * as SmsGateAnswers from "./fixtures/smsGate.ts"
import { polledBy, secrets } from "./support/described.ts"
import { shortMessage } from "./support/pdus.ts"
import * as ForTwilio from "./support/twilio.ts"
import { startVendor } from "./support/vendor.ts"
import * as ForVonage from "./support/vonage.ts"
import * as ForWhatsApp from "./support/whatsAppCloud.ts"

/** What must not be kept, and texts of a vendor in which it stands. */
interface Planted {
  readonly hidden: string
  readonly text: string
}

const key = "a key of the account"

const planted: fc.Arbitrary<Planted> = fc.oneof(
  Arbitraries.bangladeshiNumber.chain((number) =>
    fc
      .constantFrom(number, number.slice(1), `0${number.slice(4)}`, `to:${number}`)
      .map((text) => ({ hidden: number.slice(4), text })),
  ),
  fc
    .stringMatching(/^[1-9]\d{3,9}$/)
    .chain((code) =>
      fc
        .constantFrom(`Your code is ${code}`, `code=${code}`, `G-${code}`, `${code} is your code`)
        .map((text) => ({ hidden: code, text })),
    ),
  fc.constant({ hidden: key, text: `refused ${key}` }),
)

const plants = fc.sample(planted, { numRuns: 60, seed: 13 })

type Reports = (text: string) => Effect.Effect<ReadonlyArray<Pick<DeliveryReport, "evidence">>>

/** Reads a request as the adapter does. */
const called = (adapter: Adapter, request: CallbackRequest) =>
  Effect.map(adapter.callback?.(request) ?? Effect.die("no callback"), (outcome) =>
    outcome._tag === "Reports" ? outcome.reports : [],
  )

/** The reports of an adapter with a callback. */
const pushed = <E, R>(
  made: Effect.Effect<Adapter, E, R>,
  requestOf: (text: string) => CallbackRequest,
) =>
  Effect.map(
    made,
    (adapter): Reports =>
      (text) =>
        called(adapter, requestOf(text)),
  )

/** The reports of an adapter that polls. */
const polled = <E, R>(
  make: (baseUrl: string) => Effect.Effect<Adapter, E, R>,
  answerOf: (text: string) => unknown,
) =>
  Effect.gen(function* () {
    let text = ""
    const { baseUrl } = yield* startVendor(() => json(answerOf(text)))
    const { gateway } = yield* Effect.orDie(make(baseUrl))
    const taken = { gateway: gateway.name, gatewayId: "id-7" }
    const found = Effect.map(gateway.lookup({ ...GatewaySuite.message(), taken }), (found) =>
      found._tag === "Reported" ? [found] : [],
    )
    return (given: string) => Effect.suspend(() => ((text = given), found))
  })

const credentials = { username: "me", password: Redacted.make(key) }

/** The same text in every field that does not decide the status. */
const adapters = {
  Twilio: pushed(Twilio.make(ForTwilio.options), (text) => {
    const fields = { MessageSid: text, ErrorCode: text, ChannelPrefix: text, RawDlrDoneDate: text }
    const others = { MessagingServiceSid: text, Body: text, To: text, EventType: text }
    const form = { MessageStatus: "delivered", ...fields, ...others }
    return ForTwilio.signedRequest(new URL(ForTwilio.callbackUrl), form)
  }),
  Vonage: pushed(Vonage.make(ForVonage.options), (text) => {
    const plain = { message_uuid: text, timestamp: text, channel: text, to: text, text }
    const usage = { price: text, currency: text }
    const error = { title: text, detail: text }
    const destination = { network_code: text }
    const body = { status: "delivered", ...plain, usage, error, destination }
    return ForVonage.signedRequest(JSON.stringify(body), Samples.now)
  }),
  WhatsAppCloud: pushed(WhatsAppCloud.make(ForWhatsApp.options), (text) => {
    const plain = { id: text, timestamp: text, recipient_id: text }
    const conversation = { id: text, origin: { type: text } }
    const pricing = { category: text, pricing_model: text }
    const status = { status: "delivered", ...plain, conversation, pricing }
    return ForWhatsApp.signed(ForWhatsApp.notification(status))
  }),
  "SmsGate's webhooks": pushed(
    SmsGate.make({ credentials, signingKey: Redacted.make(SmsGateAnswers.signingKey) }),
    (text) => {
      const plain = { messageId: text, simNumber: text, sentAt: text, reason: text }
      const payload = { ...plain, recipient: text }
      return SmsGateAnswers.signed(SmsGateAnswers.webhook("sms:failed", payload))
    },
  ),
  SmsGate: polled(
    (baseUrl) => SmsGate.make({ credentials, baseUrl }),
    (text) => SmsGateAnswers.state("Failed", { id: text, states: { Sent: text, Delivered: text } }),
  ),
  AlphaSms: polled(
    (baseUrl) => AlphaSms.make({ apiKey: Redacted.make(key), baseUrl }),
    (text) => {
      const recipients = [{ number: text, charge: text, status: text }]
      const plain = { request_id: text, request_status: text, request_charge: text }
      return { error: 0, msg: text, data: { ...plain, recipients } }
    },
  ),
  HttpGateway: polled(
    (baseUrl) =>
      HttpGateway.make({
        description: polledBy(baseUrl, {
          evidence: { state: { path: "state" }, text: { path: "text" }, all: { pattern: "(.*)" } },
        }),
        secrets,
      }),
    (text) => ({ state: "there", text }),
  ),
  Kannel: Effect.gen(function* () {
    const vendor = yield* startVendor(() => ({ status: 202, body: "0: Accepted for delivery" }))
    const adapter = yield* Kannel.make({
      url: vendor.baseUrl,
      ...credentials,
      callbackUrl: "https://sms.example.com/callbacks/kannel",
      callbackSecret: Redacted.make("a secret of the host"),
    })
    yield* adapter.gateway.send(GatewaySuite.message({ purpose: "message" }))
    const template = vendor.requests[0]?.headers["x-kannel-dlr-url"] ?? ""
    return (text: string) => {
      const receipt = `id:${text} submit date:${text} stat:DELIVRD err:${text} text:${text}`
      const filled = template.replaceAll("%d", "1").replaceAll("%A", encodeURIComponent(receipt))
      const url = new URL(filled.replaceAll("%%", "%"))
      return called(adapter, { method: "GET", url, headers: {}, body: new Uint8Array() })
    }
  }),
  Smpp: Effect.succeed<Reports>((text) => {
    const receipt = `id:${text} sub:${text} done date:${text} stat:DELIVRD err:${text} text:${text}`
    const message = Uint8Array.from(Buffer.from(receipt, "latin1"))
    const [pdu] = fc.sample(shortMessage, { numRuns: 1, seed: 13 })
    const read = pdu && receiptOf({ ...pdu, esmClass: 0x04, message, tlvs: [] })
    return Effect.succeed(read === undefined ? [] : [read])
  }),
}

describe("The evidence of a report", () => {
  for (const [name, made] of Object.entries(adapters)) {
    test(`of ${name} has no secret, no code and no whole number`, function* () {
      yield* TestClock.setTime(Samples.now)
      const reports: Reports = yield* made
      for (const { hidden, text } of plants) {
        const found = yield* reports(text)
        assert.strictEqual(found.length, 1, text)
        const kept = found.map(({ evidence }) => Evidence.text(evidence)).join("")
        assert.notInclude(kept.replace(/[^\w ]/g, ""), hidden, text)
      }
    })
  }

  test("has the fields that the vendor documents", function* () {
    yield* TestClock.setTime(Samples.now)
    const adapter = yield* Vonage.make(ForVonage.options)
    const body = {
      status: "rejected",
      message_uuid: ForVonage.uuid,
      timestamp: "2026-11-21T17:57:37Z",
      channel: "sms",
      usage: { price: "0.0333", currency: "EUR" },
      error: { title: 1120, detail: "Illegal sender" },
      destination: { network_code: "47001" },
    }
    const request = ForVonage.signedRequest(JSON.stringify(body), Samples.now)
    const [report] = yield* called(adapter, request)
    assert.deepStrictEqual(JSON.parse(Evidence.text(report?.evidence) ?? ""), {
      message_uuid: ForVonage.uuid,
      status: "rejected",
      timestamp: "2026-11-21T17:57:37Z",
      channel: "sms",
      "error.title": "1120",
      "usage.price": "0.0333",
      "usage.currency": "EUR",
      "destination.network_code": "47001",
    })
  })
})
