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
import { described, secrets } from "./support/described.ts"
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

/** Asks an adapter that polls. */
const polled = (adapter: Adapter) =>
  Effect.map(
    adapter.gateway.lookup({
      ...GatewaySuite.message(),
      taken: { gateway: adapter.gateway.name, gatewayId: "id-7" },
    }),
    (found) => (found._tag === "Reported" ? [found] : []),
  )

const credentials = { username: "me", password: Redacted.make(key) }

/** The same text in every field that does not decide the status. */
const adapters = {
  Twilio: Effect.map(Twilio.make(ForTwilio.options), (adapter): Reports => (text) => {
    const fields = { MessageSid: text, ErrorCode: text, ChannelPrefix: text, RawDlrDoneDate: text }
    const others = { MessagingServiceSid: text, Body: text, To: text, EventType: text }
    const url = new URL(ForTwilio.callbackUrl)
    const form = { MessageStatus: "delivered", ...fields, ...others }
    return called(adapter, ForTwilio.signedRequest(url, form))
  }),
  Vonage: Effect.map(Vonage.make(ForVonage.options), (adapter): Reports => (text) => {
    const body = {
      status: "delivered",
      message_uuid: text,
      timestamp: text,
      channel: text,
      to: text,
      text,
      usage: { price: text, currency: text },
      error: { title: text, detail: text },
      destination: { network_code: text },
    }
    return called(adapter, ForVonage.signedRequest(JSON.stringify(body), Samples.now))
  }),
  WhatsAppCloud: Effect.map(
    WhatsAppCloud.make(ForWhatsApp.options),
    (adapter): Reports =>
      (text) => {
        const status = {
          status: "delivered",
          id: text,
          timestamp: text,
          recipient_id: text,
          conversation: { id: text, origin: { type: text } },
          pricing: { category: text, pricing_model: text },
        }
        return called(adapter, ForWhatsApp.signed(ForWhatsApp.notification(status)))
      },
  ),
  "SmsGate's webhooks": Effect.map(
    SmsGate.make({ credentials, signingKey: Redacted.make(SmsGateAnswers.signingKey) }),
    (adapter): Reports =>
      (text) => {
        const payload = {
          messageId: text,
          simNumber: text,
          sentAt: text,
          reason: text,
          recipient: text,
        }
        return called(adapter, SmsGateAnswers.signed(SmsGateAnswers.webhook("sms:failed", payload)))
      },
  ),
  SmsGate: Effect.gen(function* () {
    let text = ""
    const vendor = yield* startVendor(() =>
      json(SmsGateAnswers.state("Failed", { id: text, states: { Sent: text, Delivered: text } })),
    )
    const adapter = yield* SmsGate.make({ credentials, baseUrl: vendor.baseUrl })
    return (given: string) => Effect.suspend(() => ((text = given), polled(adapter)))
  }),
  AlphaSms: Effect.gen(function* () {
    let text = ""
    const vendor = yield* startVendor(() =>
      json({
        error: 0,
        msg: text,
        data: {
          request_id: text,
          request_status: text,
          request_charge: text,
          recipients: [{ number: text, charge: text, status: text }],
        },
      }),
    )
    const { baseUrl } = vendor
    const adapter = yield* AlphaSms.make({ apiKey: Redacted.make(key), baseUrl })
    return (given: string) => Effect.suspend(() => ((text = given), polled(adapter)))
  }),
  HttpGateway: Effect.gen(function* () {
    let text = ""
    const vendor = yield* startVendor(() => json({ state: "there", text }))
    const adapter = yield* Effect.orDie(
      HttpGateway.make({
        description: described(vendor.baseUrl, {
          poll: {
            request: { method: "GET", url: `${vendor.baseUrl}/status/{id}` },
            statuses: [{ when: { path: "state", equals: "there" }, status: "delivered" }],
            evidence: {
              state: { path: "state" },
              text: { path: "text" },
              all: { pattern: "(.*)" },
            },
          },
        }),
        secrets,
      }),
    )
    return (given: string) => Effect.suspend(() => ((text = given), polled(adapter)))
  }),
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
