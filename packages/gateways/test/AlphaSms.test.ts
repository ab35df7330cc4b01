import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"
import * as AlphaSms from "../src/AlphaSms.ts"
import { failure, report, success } from "./fixtures/alphaSms.ts"
import { accepted, coded, json, refused, row, unknown } from "./fixtures/answers.ts"
import { listen, reported } from "./support/polled.ts"
import { startVendor } from "./support/vendor.ts"

const apiKey = "alpha-key-of-an-account"
const options = { apiKey: Redacted.make(apiKey) } as const

GatewaySuite.suite("Alpha SMS", {
  make: (baseUrl) => AlphaSms.make({ ...options, baseUrl }),
  secrets: [apiKey],
  refusal: (text) => failure(416, text),
  accepted: row("a message with an id", success, accepted("123456")),
  undocumented: ["throttled"],
  answers: [
    ...coded([400, 412, 414, 415, 418, 420], failure, refused("content")),
    ...coded([403, 404, 405, 410, 411, 417, 421], failure, refused("account")),
    ...coded([413], failure, refused("sender")),
    ...coded([416], failure, refused("recipient")),
    row("an error of its server", failure(409), unknown),
    row("an undocumented error", failure(499), unknown),
    row(
      "a success without an id",
      json({ error: 0, msg: "Request successfully submitted" }),
      unknown,
    ),
  ],
})

describe("AlphaSms", () => {
  const senders = [
    { title: "the message's own sender", senderId: undefined, sent: "8809600000000" },
    { title: "the host's sender", senderId: "ACME", sent: "ACME" },
    { title: "no sender, for the account's own", senderId: null, sent: null },
  ] as const
  for (const { senderId, sent, title } of senders) {
    it.effect(`sends a form with ${title}`, () =>
      Effect.gen(function* () {
        const vendor = yield* startVendor(() => success)
        const { baseUrl } = vendor
        const { gateway } = yield* AlphaSms.make({ ...options, senderId, baseUrl })
        yield* gateway.send(GatewaySuite.message())
        assert.strictEqual(vendor.requests[0]?.url, "/sendsms")
        const form = new URLSearchParams(vendor.requests[0]?.body)
        assert.strictEqual(form.get("sender_id"), sent)
        assert.strictEqual(form.get("to"), GatewaySuite.message().phoneNumber.slice(1))
        assert.strictEqual(form.get("msg"), GatewaySuite.text)
        assert.strictEqual(form.get("api_key"), apiKey)
      }).pipe(Effect.provide(FetchHttpClient.layer)),
    )
  }

  const words = [
    { title: "Sent, when all is complete", answer: report("Sent"), status: "delivered" },
    { title: "Delivered", answer: report("Delivered", "Processing"), status: "delivered" },
    { title: "Undelivered", answer: report("Undelivered"), status: "undelivered" },
    { title: "Failed", answer: report("Failed"), status: "failed" },
    { title: "Sent, while it goes on", answer: report("Sent", "Processing"), status: "accepted" },
    { title: "an undocumented word", answer: report("Queued"), status: "accepted" },
  ] as const
  for (const { answer, status, title } of words) {
    it.effect(`asks for a report, and takes ${title} as ${status}`, () =>
      Effect.gen(function* () {
        const vendor = yield* startVendor(({ method }) => (method === "POST" ? success : answer))
        const { gateway } = yield* AlphaSms.make({ ...options, baseUrl: vendor.baseUrl })
        const { next, pass } = yield* listen(gateway)
        yield* gateway.send(GatewaySuite.message())
        yield* vendor.nextRequest
        yield* pass("7 seconds")
        const { url } = yield* vendor.nextRequest
        assert.strictEqual(url, `/report/request/123456/?api_key=${apiKey}`)
        assert.deepInclude(yield* next, {
          of: reported,
          status,
        })
      }).pipe(Effect.provide(FetchHttpClient.layer)),
    )
  }

  it.effect("keeps polling if Sent is not final for the host", () =>
    Effect.gen(function* () {
      let word = "Sent"
      const vendor = yield* startVendor(({ method }) =>
        method === "POST" ? success : report(word),
      )
      const { gateway } = yield* AlphaSms.make({
        ...options,
        sentIsDelivered: false,
        baseUrl: vendor.baseUrl,
      })
      const { next, pass } = yield* listen(gateway)
      yield* gateway.send(GatewaySuite.message())
      yield* pass("7 seconds")
      assert.strictEqual((yield* next).status, "accepted")
      word = "Delivered"
      yield* pass("13 seconds")
      assert.strictEqual((yield* next).status, "delivered")
    }).pipe(Effect.provide(FetchHttpClient.layer)),
  )

  it.effect("ignores an unreadable answer, and polls again", () =>
    Effect.gen(function* () {
      const answers = [json({ error: 409, msg: "Server error" }), json([], 500), report("Failed")]
      const vendor = yield* startVendor(({ method }) =>
        method === "POST" ? success : (answers.shift() ?? success),
      )
      const { gateway } = yield* AlphaSms.make({ ...options, baseUrl: vendor.baseUrl })
      const { next, pass } = yield* listen(gateway)
      yield* gateway.send(GatewaySuite.message())
      yield* vendor.nextRequest
      for (const wait of ["7 seconds", "13 seconds", "25 seconds"] as const) {
        yield* pass(wait)
        yield* vendor.nextRequest
      }
      assert.strictEqual((yield* next).status, "failed")
    }).pipe(Effect.provide(FetchHttpClient.layer)),
  )

  it.effect("keeps its key, which is in the URL, out of logs and spans", () => {
    const seen: Array<string> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        const attribute = span.attribute.bind(span)
        span.attribute = (name, value) => {
          seen.push(`${name}=${String(value)}`)
          attribute(name, value)
        }
        return span
      },
    })
    const logger = Logger.make((options) => {
      seen.push(Logger.formatJson.log(options))
    })
    return Effect.gen(function* () {
      const vendor = yield* startVendor(({ method }) =>
        method === "POST" ? success : { status: 500, body: apiKey },
      )
      const { gateway } = yield* AlphaSms.make({ ...options, baseUrl: vendor.baseUrl })
      const { pass, waiting } = yield* listen(gateway)
      yield* Effect.withSpan(gateway.send(GatewaySuite.message()), "send")
      yield* vendor.nextRequest
      yield* pass("7 seconds")
      assert.include((yield* vendor.nextRequest).url, apiKey)
      assert.strictEqual(yield* waiting, 0)
      assert.notInclude(seen.join("\n"), apiKey)
    }).pipe(
      Effect.provide(
        Layer.mergeAll(
          FetchHttpClient.layer,
          Logger.layer([logger]),
          Layer.succeed(References.MinimumLogLevel, "All"),
          Layer.succeed(Tracer.Tracer, tracer),
        ),
      ),
    )
  })
})
