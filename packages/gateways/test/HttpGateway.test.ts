import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import { test } from "../../../test/support/gatewayTest.ts"
import * as HttpGateway from "../src/HttpGateway.ts"
import { accepted, json, refused, row, unknown, words } from "./fixtures/answers.ts"
import { apiKey, described, secrets, send, taken } from "./support/described.ts"
import { listen, reported } from "./support/polled.ts"
import { startVendor } from "./support/vendor.ts"

const failure = (code: unknown, message = "refused") => json({ error: { code, message } })

GatewaySuite.suite("any vendor", {
  make: (baseUrl) => Effect.orDie(HttpGateway.make({ description: described(baseUrl), secrets })),
  secrets: [apiKey],
  documentedFailures: [503],
  refusal: (text) => failure(1, text),
  accepted: row("a documented answer", taken, { _tag: "Accepted", gatewayId: "4711", segments: 2 }),
  answers: [
    row(
      "an answer without an id and without parts",
      json({ result: "ok" }),
      accepted(GatewaySuite.message().token),
    ),
    row("an arrival", json({ result: "there" }), { _tag: "Delivered" }),
    row("a status that was named for what is there already", json({ result: "again" }, 409), {
      _tag: "Accepted",
    }),
    row("success under a status that was not named", json({ result: "ok" }, 400), unknown),
    row("too many requests", json({}, 429), { _tag: "Throttled", retryAfterMillis: 30_000 }),
    row(
      "a wait that the vendor names",
      { ...json({ result: "slow" }), headers: { "retry-after": "7" } },
      { _tag: "Throttled", retryAfterMillis: 7_000 },
    ),
    row("one of two codes", failure(2), refused("recipient")),
    row("a code that is text", failure("3"), refused("content")),
    row("a code that fits a pattern", failure("snd-9"), refused("sender")),
    row("words", words("Error: Invalid API key"), refused("account")),
    row("something at a path", json({ errors: [{}, { reason: "not now" }] }), { _tag: "NotSent" }),
    row("what was named unknown", json({ result: "lost" }), unknown),
    row("an undocumented code", failure(99), unknown),
    row("a key of every object", json({ error: { constructor: 1 } }), unknown),
  ],
})

describe("HttpGateway", () => {
  test("has the capabilities of its description", function* () {
    const { callback, gateway } = yield* HttpGateway.make({
      description: described("https://sms.example.com", {
        name: "acme",
        tokenLifetime: "1 hour",
        idLifetime: "1 day",
        timeout: "20 seconds",
      }),
      secrets,
    })
    assert.isUndefined(callback)
    assert.strictEqual(gateway.name, "acme")
    assert.deepInclude(gateway.capabilities, {
      tokenMillis: 3_600_000,
      idMillis: 86_400_000,
      reports: "none",
      segments: true,
      timeoutMillis: 20_000,
    })
  })

  test("supports WhatsApp if its description says so", function* () {
    const { outcome } = yield* send(
      (baseUrl) => described(baseUrl, { channels: ["sms", "whatsapp"] }),
      { channel: "whatsapp" },
    )
    assert.strictEqual(outcome._tag, "Accepted")
  })

  test("looks a message up by the vendor's id", function* () {
    let answer = json({ state: "going" })
    const vendor = yield* startVendor(({ method }) => (method === "POST" ? taken : answer))
    const { gateway } = yield* HttpGateway.make({
      description: described(vendor.baseUrl, {
        poll: {
          request: { method: "GET", url: `${vendor.baseUrl}/status/{id}?key={api_key}` },
          statuses: [
            { when: { path: "state", equals: "going" }, status: "accepted" },
            { when: { path: "state", equals: "there" }, status: "delivered" },
          ],
          message: { path: "words" },
          evidence: { state: { path: "state" }, words: { path: "words" }, key: { path: "key" } },
          first: "10 seconds",
        },
      }),
      secrets,
    })
    assert.strictEqual(gateway.capabilities.reports, "polled")
    const { next, pass } = yield* listen(gateway)
    yield* gateway.send(GatewaySuite.message())
    yield* vendor.nextRequest
    yield* pass("13 seconds")
    assert.strictEqual((yield* next).status, "accepted")
    const { url } = yield* vendor.nextRequest
    assert.strictEqual(url, `/status/4711?key=${encodeURIComponent(apiKey)}`)
    answer = json({
      state: "there",
      words: `${GatewaySuite.message().phoneNumber} has it (${apiKey})`,
      key: apiKey,
    })
    yield* pass("25 seconds")
    const words = `${GatewaySuite.message().phoneNumber} has it (${apiKey})`
    const { evidence, ...report } = yield* next
    assert.deepStrictEqual(report, {
      of: reported,
      status: "delivered",
      detail: "+8801712345678 has it ([secret])",
    })
    assert.notInclude(JSON.stringify(evidence), words)
    assert.deepStrictEqual(evidence, { state: "there" })
  })

  test("does not look up a message without the vendor's id", function* () {
    const vendor = yield* startVendor(() => json({ result: "ok" }))
    const { gateway } = yield* HttpGateway.make({
      description: described(vendor.baseUrl, {
        poll: {
          request: { method: "GET", url: `${vendor.baseUrl}/status/{id}?key={api_key}` },
          statuses: [{ when: { path: "state", equals: "there" }, status: "delivered" }],
        },
      }),
      secrets,
    })
    const { pass, waiting } = yield* listen(gateway)
    yield* gateway.send(GatewaySuite.message())
    yield* pass("1 hour")
    assert.strictEqual(yield* waiting, 0)
    assert.strictEqual(vendor.requests.length, 1)
  })

  const environment = (values: Readonly<Record<string, string>>) =>
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(values))

  it.effect("reads a description and its placeholders from the environment", () =>
    Layer.build(Layer.provide(HttpGateway.layerConfig(), FetchHttpClient.layer)).pipe(
      Effect.asVoid,
      environment({
        HTTP_GATEWAY_DESCRIPTION: JSON.stringify(
          described("https://sms.example.com", { values: { user: "", kind: "text" } }),
        ),
        HTTP_GATEWAY_API_KEY: apiKey,
        HTTP_GATEWAY_USER: "me",
      }),
    ),
  )

  const broken = [
    { title: "that is no JSON", text: "{", problem: "HTTP_GATEWAY_DESCRIPTION is no JSON" },
    { title: "that makes no sense", text: "{}", problem: "request" },
  ] as const
  for (const { problem, text, title } of broken) {
    it.effect(`rejects a description in the environment ${title}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(
          Layer.build(Layer.provide(HttpGateway.layerConfig(), FetchHttpClient.layer)),
        )
        assert.include(error.message, problem)
      }).pipe(environment({ HTTP_GATEWAY_DESCRIPTION: text })),
    )
  }
})
