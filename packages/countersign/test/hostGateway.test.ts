import type { LookupRequest } from "@countersign/core/ports/Gateway"
import { MessageId, OrganizationId } from "@countersign/core/domain/values/Ids"
import { fromE164 } from "@countersign/core/domain/values/PhoneNumber"
import * as Telemetry from "@countersign/core/engine/Telemetry"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe, it } from "vitest"
import type { Gateway, GatewayOutcome } from "../src/index.ts"
import * as HostGateway from "../src/internal/gateways/hostGateway.ts"
import { untyped } from "./support/values.ts"

const message: LookupRequest = {
  token: MessageId("msg_1"),
  ref: { organization: OrganizationId("acme"), sequence: 7 },
  purpose: "message",
  class: "transactional",
  channel: "sms",
  phoneNumber: fromE164("+8801712345678"),
  sender: "ACME",
  taken: null,
}

const silent: Gateway = {
  name: "own",
  send: () => Promise.reject(new Error("is not asked to send")),
}

describe("the ids of a gateway", () => {
  const counting = { ...silent, idLifetime: "1 minute" } as const

  it.each([
    ["the gateway's own time", HostGateway.member(counting), 60_000],
    ["ever, where the gateway says nothing", HostGateway.member(silent), Infinity],
    ["the shorter time of two", HostGateway.pair({ sms: counting, whatsapp: silent }), 60_000],
  ])("are unique for %s", (_, { capabilities }, idMillis) => {
    assert.strictEqual(capabilities.idMillis, idMillis)
  })
})

it("a gateway beside one with more time keeps its own time limit", async () => {
  const quick: Gateway = { name: "quick", timeout: "2 seconds", send: () => new Promise(() => {}) }
  const { send } = HostGateway.pair({ sms: quick, whatsapp: silent })
  const outcome = await Effect.runPromise(
    Effect.gen(function* () {
      const sending = yield* Effect.forkChild(send({ ...message, text: Redacted.make("hello") }))
      yield* TestClock.adjust("2 seconds")
      return sending.pollUnsafe()
    }).pipe(Effect.provide(TestClock.layer())),
  )
  assert.deepEqual(
    outcome,
    Exit.succeed({
      gateway: "quick",
      _tag: "Unknown",
      message: "The gateway did not answer in time",
    }),
  )
})

describe("an outcome that is lost", () => {
  const lookup: Gateway["lookup"] = async () => ({ status: "unknown", message: "" })
  const accepting: Gateway = {
    name: "own",
    reports: true,
    send: async () => ({ status: "accepted", gatewayId: "g" }),
  }
  const byToken = { ...accepting, lookup, lookupByToken: true }
  const byReference = { ...accepting, reportsByReference: true }
  const tokens = { ...accepting, honoursToken: true }

  it.each([
    ["reports by its own ids", HostGateway.member(accepting), false],
    ["looks up, perhaps by its own ids", HostGateway.member({ ...accepting, lookup }), false],
    ["looks up by tokens", HostGateway.member(byToken), true],
    ["reports by reference", HostGateway.member(byReference), true],
    ["honours tokens", HostGateway.member(tokens), true],
    ["reports by reference, in a pair", HostGateway.pair({ sms: byReference }), true],
    [
      "looks up by tokens, beside another",
      HostGateway.pair({ sms: byToken, whatsapp: accepting }),
      true,
    ],
    [
      "reports by its own ids, beside another",
      HostGateway.pair({ sms: accepting, whatsapp: byToken }),
      false,
    ],
    // The engine repeats no message if one of the two ignores tokens.
    [
      "honours tokens, beside another",
      HostGateway.pair({ sms: tokens, whatsapp: accepting }),
      false,
    ],
    ["honours tokens, beside its like", HostGateway.pair({ sms: tokens, whatsapp: tokens }), true],
  ])("is recovered only by a gateway that can: one that %s", async (_, gateway, isRecoverable) => {
    const outcome = await Effect.runPromise(
      gateway.send({ ...message, text: Redacted.make("hello") }),
    )
    assert.deepInclude(outcome, { _tag: "Accepted", gatewayId: "g", gateway: "own", isRecoverable })
  })
})

describe("a message without a known outcome", () => {
  it("is looked up by its reference if the gateway supports it", async () => {
    const lookups: Array<unknown> = []
    const gateway = HostGateway.member({
      ...silent,
      lookup: async (about) => {
        lookups.push(about)
        return { status: "not_sent", message: "The vendor has never had it" }
      },
    })
    assert.isTrue(gateway.capabilities.lookup)
    const outcome = await Effect.runPromise(gateway.lookup(message))
    assert.deepInclude(outcome, { _tag: "NotSent", message: "The vendor has never had it" })
    const { ref, taken: _, ...about } = message
    assert.deepStrictEqual(lookups, [{ ...about, ...ref, gatewayId: null }])
  })

  it("is looked up by the gateway's id if the id is known", async () => {
    const gateway = HostGateway.member({
      ...silent,
      lookup: async ({ gatewayId }) => ({
        status: "undelivered",
        message: `no trace of ${gatewayId}`,
      }),
    })
    const taken = { gateway: "own", gatewayId: "v-1" }
    assert.deepStrictEqual(await Effect.runPromise(gateway.lookup({ ...message, taken })), {
      _tag: "Reported",
      status: "undelivered",
      detail: "no trace of v-1",
    })
  })

  it("stays unknown if the gateway does not support look-ups, or throws", async () => {
    const mute = HostGateway.pair({ sms: silent })
    assert.isFalse(mute.capabilities.lookup)
    const throwing = HostGateway.pair({
      whatsapp: silent,
      sms: { ...silent, lookup: () => Promise.reject(new Error("secret words")) },
    })
    for (const gateway of [mute, throwing]) {
      const outcome = await Effect.runPromise(gateway.lookup(message))
      assert.strictEqual(outcome._tag, "Unknown")
      assert.notInclude(JSON.stringify(outcome), "secret words")
    }
  })
})

it("an unknown outcome keeps what the vendor has said", async () => {
  const outcome = { status: "unknown", message: "busy", vendorCode: "7" } as const
  const gateway = HostGateway.member({ ...silent, send: async () => outcome })
  const sent = await Effect.runPromise(gateway.send({ ...message, text: Redacted.make("hello") }))
  assert.deepInclude(sent, { _tag: "Unknown", message: "busy", vendorCode: "7" })
})

/** As hosts in JavaScript have answered. */
const unreadable: ReadonlyArray<readonly [unknown, string]> = [
  [undefined, "the answer must be an object"],
  ["accepted", "the answer must be an object"],
  [{}, "status must be one of accepted, delivered, rejected, throttled, not_sent, unknown"],
  [{ status: "sent", gatewayId: "g" }, "status must be one of"],
  [{ status: "accepted" }, "gatewayId must be"],
  [{ status: "delivered", gatewayId: 4711 }, "gatewayId must be"],
  [{ status: "rejected", reason: "blocked", message: "no" }, "reason must be one of"],
  [{ status: "rejected", reason: "content", message: 7 }, "message must be a text"],
  [
    { status: "throttled", message: "", retryAfter: 3 },
    "retryAfter must be a number with its unit: write ",
  ],
  [{ status: "not_sent" }, "message must be a text"],
]

const couldNotBeRead = { _tag: "Unknown", message: "The gateway's answer could not be read" }

/** Collects the log lines, as of a process that has not logged anything yet. */
const logging = async <A>(effect: Effect.Effect<A>) => {
  const lines: Array<unknown> = []
  const answer = await effect.pipe(
    Effect.provide(Logger.layer([Logger.make(({ message }) => lines.push(message))])),
    Effect.provideService(Telemetry.LoggedSources, new Map()),
    Effect.runPromise,
  )
  return { answer, lines }
}

describe("an unreadable answer", () => {
  it.each(unreadable)("to a dispatch is unknown and logged: %j: %s", async (given, problem) => {
    const gateway = HostGateway.member({ ...silent, send: async () => untyped(given) })
    const { answer, lines } = await logging(
      gateway.send({ ...message, text: Redacted.make("hello") }),
    )
    assert.deepStrictEqual<unknown>(answer, { ...couldNotBeRead, gateway: "own" })
    assert.include(JSON.stringify(lines), problem)
    assert.include(JSON.stringify(lines), '"gateway":"own"')
  })

  it.each([
    ...unreadable.slice(3),
    [{ status: "undelivered", message: 7 }, "message must be a text"],
  ] as const)("to a look-up is unknown and logged: %j: %s", async (given, problem) => {
    const gateway = HostGateway.member({ ...silent, lookup: async () => untyped(given) })
    const { answer, lines } = await logging(gateway.lookup(message))
    assert.deepStrictEqual<unknown>(answer, couldNotBeRead)
    assert.include(JSON.stringify(lines), problem)
  })

  it("is not assumed for a function that returns no promise", async () => {
    const send = () => untyped<Promise<GatewayOutcome>>({ status: "accepted", gatewayId: "g" })
    const gateway = HostGateway.member({ ...silent, reports: true, send })
    const { answer, lines } = await logging(
      gateway.send({ ...message, text: Redacted.make("hello") }),
    )
    assert.deepInclude(answer, { _tag: "Accepted", gatewayId: "g" })
    assert.deepStrictEqual(lines, [])
  })
})
