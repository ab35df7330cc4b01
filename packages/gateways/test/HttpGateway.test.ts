import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import { assert, describe } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { test } from "../../../test/support/gatewayTest.ts"
import * as HttpGateway from "../src/HttpGateway.ts"
import { accepted, json, refused, row, unknown, words } from "./fixtures/answers.ts"
import { apiKey, described, polledBy, secrets, send, taken } from "./support/described.ts"
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
      description: polledBy(vendor.baseUrl, {
        message: { path: "words" },
        evidence: { state: { path: "state" }, words: { path: "words" }, key: { path: "key" } },
        first: "10 seconds",
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
    const words = `${GatewaySuite.message().phoneNumber} has it (${apiKey})`
    answer = json({ state: "there", words, key: apiKey })
    yield* pass("25 seconds")
    const { evidence, ...report } = yield* next
    assert.deepStrictEqual(report, {
      of: reported,
      status: "delivered",
      detail: "+8801712345678 has it ([secret])",
    })
    assert.deepStrictEqual(evidence, { state: "there" })
  })

  test("does not look up a message without the vendor's id", function* () {
    const vendor = yield* startVendor(() => json({ result: "ok" }))
    const description = polledBy(vendor.baseUrl)
    const { gateway } = yield* HttpGateway.make({ description, secrets })
    const { pass, waiting } = yield* listen(gateway)
    yield* gateway.send(GatewaySuite.message())
    yield* pass("1 hour")
    assert.strictEqual(yield* waiting, 0)
    assert.strictEqual(vendor.requests.length, 1)
  })

  /** The gateway of an environment. */
  const madeBy = (values: Readonly<Record<string, string>>) =>
    Layer.build(HttpGateway.layerConfig()).pipe(
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(values)),
    )

  test("reads a description and its placeholders from the environment", function* () {
    const description = described("https://sms.example.com", { values: { user: "", kind: "text" } })
    yield* madeBy({
      HTTP_GATEWAY_DESCRIPTION: JSON.stringify(description),
      HTTP_GATEWAY_API_KEY: apiKey,
      HTTP_GATEWAY_USER: "me",
    })
  })

  test.each([
    ["that is no JSON", "{", "HTTP_GATEWAY_DESCRIPTION is no JSON"],
    ["that makes no sense", "{}", "request"],
  ])("rejects a description in the environment %s", function* ([, text, problem]) {
    const error = yield* Effect.flip(madeBy({ HTTP_GATEWAY_DESCRIPTION: text }))
    assert.include(error.message, problem)
  })
})
