import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import { test } from "../../../test/support/gatewayTest.ts"
import { logged, recording } from "../../../test/support/observed.ts"
import { testsOver } from "../../../test/support/testsOver.ts"
import * as AlphaSms from "../src/AlphaSms.ts"
import { failure, report, success } from "./fixtures/alphaSms.ts"
import { accepted, coded, json, refused, row, unknown } from "./fixtures/answers.ts"
import { listen, reported } from "./support/polled.ts"
import { formOf, sent, startVendor } from "./support/vendor.ts"

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
  test.each([
    ["the message's own sender", undefined, "8809600000000"],
    ["the host's sender", "ACME", "ACME"],
    ["no sender, for the account's own", null, undefined],
  ] as const)("sends a form with %s", function* ([, senderId, sender_id]) {
    const { request } = yield* sent(
      (baseUrl) => AlphaSms.make({ ...options, senderId, baseUrl }),
      success,
    )
    assert.strictEqual(request?.url, "/sendsms")
    assert.deepStrictEqual(formOf(request), {
      api_key: apiKey,
      msg: GatewaySuite.text,
      to: GatewaySuite.message().phoneNumber.slice(1),
      ...(sender_id && { sender_id }),
    })
  })

  test.each([
    ["Sent, when all is complete", "delivered", report("Sent")],
    ["Delivered", "delivered", report("Delivered", "Processing")],
    ["Undelivered", "undelivered", report("Undelivered")],
    ["Failed", "failed", report("Failed")],
    ["Sent, while it goes on", "accepted", report("Sent", "Processing")],
    ["an undocumented word", "accepted", report("Queued")],
  ] as const)("asks for a report, and takes %s as %s", function* ([, status, answer]) {
    const vendor = yield* startVendor(({ method }) => (method === "POST" ? success : answer))
    const { gateway } = yield* AlphaSms.make({ ...options, baseUrl: vendor.baseUrl })
    const { next, pass } = yield* listen(gateway)
    yield* gateway.send(GatewaySuite.message())
    yield* vendor.nextRequest
    yield* pass("7 seconds")
    const { url } = yield* vendor.nextRequest
    assert.strictEqual(url, `/report/request/123456/?api_key=${apiKey}`)
    assert.deepInclude(yield* next, { of: reported, status })
  })

  test("keeps polling if Sent is not final for the host", function* () {
    let word = "Sent"
    const vendor = yield* startVendor(({ method }) => (method === "POST" ? success : report(word)))
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
  })

  const { layer, lines } = logged()
  const { layer: tracing, written } = recording()
  const everything = Layer.succeed(References.MinimumLogLevel, "All")

  testsOver(Layer.mergeAll(GatewaySuite.platform, layer, tracing, everything)).effect(
    "keeps its key, which is in the URL, out of logs and spans",
    function* () {
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
      for (const text of [lines.join("\n"), written()]) assert.notInclude(text, apiKey)
    },
  )
})
