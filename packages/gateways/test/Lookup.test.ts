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
import { described, secrets } from "./support/described.ts"
import { startVendor } from "./support/vendor.ts"

const credentials = { username: "SMSGATE", password: Redacted.make("a password") }

interface Case {
  readonly gateway: string
  readonly make: (baseUrl: string) => Effect.Effect<Adapter, unknown, GatewaySuite.Platform>
  readonly asks: string
  readonly arrived: GatewaySuite.VendorAnswer
  readonly lost: GatewaySuite.VendorAnswer
  readonly onItsWay: GatewaySuite.VendorAnswer
}

const smsGateAnswers = {
  asks: "/messages/id-7",
  arrived: json(SmsGateAnswers.state("Delivered")),
  lost: json(SmsGateAnswers.state("Failed")),
  onItsWay: json(SmsGateAnswers.state("Sent")),
}

const cases: ReadonlyArray<Case> = [
  {
    gateway: "alpha-sms",
    make: (baseUrl) => AlphaSms.make({ apiKey: Redacted.make("key"), baseUrl }),
    asks: "/report/request/id-7/?api_key=key",
    arrived: AlphaAnswers.report("Delivered"),
    lost: AlphaAnswers.report("Failed"),
    onItsWay: AlphaAnswers.report("Queued"),
  },
  {
    gateway: "http",
    make: (baseUrl) =>
      HttpGateway.make({
        description: described(baseUrl, {
          poll: {
            request: { method: "GET", url: `${baseUrl}/status/{id}/{ref}` },
            statuses: [
              { when: { path: "state", equals: "going" }, status: "accepted" },
              { when: { path: "state", equals: "there" }, status: "delivered" },
              { when: { path: "state", equals: "lost" }, status: "failed" },
            ],
          },
        }),
        secrets,
      }),
    asks: "/status/id-7/acme.1",
    arrived: json({ state: "there" }),
    lost: json({ state: "lost" }),
    onItsWay: json({ state: "going" }),
  },
  {
    gateway: "smsgate",
    make: (baseUrl) => SmsGate.make({ credentials, baseUrl }),
    ...smsGateAnswers,
  },
  {
    gateway: "smsgate",
    make: (baseUrl) =>
      SmsGate.make({ credentials, signingKey: Redacted.make("signs webhooks"), baseUrl }),
    ...smsGateAnswers,
  },
]

const request = (gateway: string): LookupRequest => {
  const { channel, purpose, ref, sender, phoneNumber, token } = GatewaySuite.message()
  const taken = { gateway, gatewayId: "id-7" }
  return { channel, purpose, ref, sender, phoneNumber, token, taken }
}

for (const { arrived, asks, gateway: name, lost, make, onItsWay } of cases) {
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
        const found = yield* gateway.lookup(request(name))
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
    const { gateway } = yield* AlphaSms.make({
      apiKey: Redacted.make("key"),
      baseUrl: vendor.baseUrl,
    })
    const found = yield* gateway.lookup({ ...request("alpha-sms"), taken: null })
    assert.strictEqual(found._tag, "Unknown")
    assert.strictEqual(vendor.requests.length, 0)
  })
})
