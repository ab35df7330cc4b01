/** A gateway with polling looks up the outcome of accepted messages, also after a restart. */
import type { LookupRequest } from "@countersign/core/ports/Gateway"
import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import { assert, describe } from "@effect/vitest"
import type * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { test } from "../../../test/support/gatewayTest.ts"
import type { Adapter } from "../src/Adapter.ts"
import * as AlphaSms from "../src/AlphaSms.ts"
import * as HttpGateway from "../src/HttpGateway.ts"
import * as SmsGate from "../src/SmsGate.ts"
import * as AlphaAnswers from "./fixtures/alphaSms.ts"
import { json } from "./fixtures/answers.ts"
import * as SmsGateAnswers from "./fixtures/smsGate.ts"
import { apiKey, polledBy, secrets } from "./support/described.ts"
import { startVendor } from "./support/vendor.ts"

const credentials = { username: "SMSGATE", password: Redacted.make("a password") }

const smsGate = (name: string, options: Partial<SmsGate.Options> = {}) =>
  [
    name,
    (baseUrl: string) => SmsGate.make({ credentials, baseUrl, ...options }),
    "/messages/id-7",
    json(SmsGateAnswers.state("Delivered")),
    json(SmsGateAnswers.state("Failed")),
    json(SmsGateAnswers.state("Sent")),
  ] as const

const alphaSms = (baseUrl: string) => AlphaSms.make({ apiKey: Redacted.make("key"), baseUrl })

const cases: ReadonlyArray<
  readonly [
    name: string,
    make: (baseUrl: string) => Effect.Effect<Adapter, unknown, GatewaySuite.Platform>,
    asks: string,
    arrived: GatewaySuite.VendorAnswer,
    lost: GatewaySuite.VendorAnswer,
    onItsWay: GatewaySuite.VendorAnswer,
  ]
> = [
  [
    "Alpha SMS",
    alphaSms,
    "/report/request/id-7/?api_key=key",
    AlphaAnswers.report("Delivered"),
    AlphaAnswers.report("Failed"),
    AlphaAnswers.report("Queued"),
  ],
  [
    "a described vendor",
    (baseUrl) => HttpGateway.make({ description: polledBy(baseUrl), secrets }),
    `/status/id-7?key=${encodeURIComponent(apiKey)}`,
    json({ state: "there" }),
    json({ state: "lost" }),
    json({ state: "going" }),
  ],
  smsGate("SMSGate"),
  smsGate("SMSGate with reports", { signingKey: Redacted.make("signs webhooks") }),
]

const request = (gateway: string): LookupRequest => {
  const {
    code: _code,
    locale: _locale,
    payment: _payment,
    text: _text,
    ...rest
  } = GatewaySuite.message()
  return { ...rest, taken: { gateway, gatewayId: "id-7" } }
}

for (const [name, make, asks, arrived, lost, onItsWay] of cases) {
  describe(`${name}, looking up a message from before its start`, () => {
    const answers = [
      ["arrived", arrived, "Reported delivered"],
      ["failed", lost, "Reported failed"],
      ["is on its way", onItsWay, "Reported accepted"],
      ["is in an answer that cannot be read", json({}, 500), "Unknown"],
      ["it does not know", json({ message: "Not found" }, 404), "Unknown"],
    ] as const
    for (const [title, answer, expected] of answers) {
      test(`that ${title} → ${expected}`, function* () {
        const vendor = yield* startVendor(() => answer)
        const { gateway } = yield* make(vendor.baseUrl)
        assert.isTrue(gateway.capabilities.lookup)
        const found = yield* gateway.lookup(request(gateway.name))
        const outcome = found._tag === "Reported" ? `Reported ${found.status}` : found._tag
        assert.strictEqual(outcome, expected)
        assert.deepStrictEqual(
          vendor.requests.map(({ url }) => url),
          [asks],
        )
      })
    }

    test("answers unknown for a message of another gateway, without a request", function* () {
      const vendor = yield* startVendor(() => arrived)
      const { gateway } = yield* make(vendor.baseUrl)
      assert.strictEqual((yield* gateway.lookup(request("another")))._tag, "Unknown")
      assert.strictEqual(vendor.requests.length, 0)
    })
  })
}

describe("a gateway that looks messages up by its own ids only", () => {
  test("answers unknown for a token", function* () {
    const vendor = yield* startVendor(() => json({}))
    const { gateway } = yield* alphaSms(vendor.baseUrl)
    const found = yield* gateway.lookup({ ...request("alpha-sms"), taken: null })
    assert.strictEqual(found._tag, "Unknown")
    assert.strictEqual(vendor.requests.length, 0)
  })
})
