/** Which sends are answered before their outcome is recorded, and what waits for the record. */
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { StoreUnavailable } from "../../src/domain/errors/Errors.ts"
import type { GatewayOutcome } from "../../src/domain/messages/GatewayOutcome.ts"
import type { OrganizationId } from "../../src/domain/values/Ids.ts"
import type { Capabilities } from "../../src/ports/Gateway.ts"
import { Store } from "../../src/ports/Store.ts"
import * as Drain from "../../src/engine/Drain.ts"
import * as Fallback from "../../src/engine/SmsFallback.ts"
import type { Messages } from "../../src/services/Messages.ts"
import { Reports } from "../../src/services/Reports.ts"
import { Settlement } from "../../src/jobs/Settlement.ts"
import type { Verifications } from "../../src/services/verifications/Verifications.ts"
import { engineOver, gatewayLayer } from "../support/engineOver.ts"
import { resend, sendMessage } from "../support/keyed.ts"
import { logOf, moneyOf } from "../support/log.ts"
import { send } from "../support/verifying.ts"
import { effectTest } from "../support/engineTest.ts"

const accepted: GatewayOutcome = { _tag: "Accepted", gatewayId: "gw-1" }

interface Setting {
  readonly outcome?: GatewayOutcome
  /** The gateway answers when this is complete. */
  readonly sent?: Deferred.Deferred<void>
  readonly fallback?: Layer.Layer<never>
  /** Default: reports name messages by their reference. */
  readonly capabilities?: Partial<Capabilities>
  /** How often the store fails before it records an outcome. */
  readonly failures?: number
}

/** An engine whose store records no outcome until `go`. Lists the commands in their order of arrival. */
const holding = Effect.fnUntraced(function* ({
  capabilities = { references: true },
  failures = 0,
  fallback = Layer.empty,
  outcome = accepted,
  sent,
}: Setting = {}) {
  const commands: Array<string> = []
  const gate = yield* Deferred.make<void>()
  const reached = yield* Deferred.make<void>()
  const memory = MemoryStore.make()
  let left = failures
  const store = Store.of({
    ...memory,
    execute: (command, options) =>
      Effect.suspend(() => {
        const isPatient = options?.isUrgent === false
        commands.push(isPatient ? `${command._tag}, not urgent` : command._tag)
        if (command._tag !== "RecordDispatch") return memory.execute(command, options)
        if (left-- > 0)
          return Effect.fail(new StoreUnavailable({ reason: "timeout", retryAfterSeconds: 1 }))
        return Deferred.succeed(reached, undefined).pipe(
          Effect.andThen(Deferred.await(gate)),
          Effect.andThen(memory.execute(command, options)),
        )
      }),
  })
  const gateway = gatewayLayer({
    capabilities,
    send: () =>
      sent === undefined ? Effect.succeed(outcome) : Effect.as(Deferred.await(sent), outcome),
  })
  const scope = yield* Scope.make()
  const layer = Layer.provide(engineOver(gateway, undefined, Layer.succeed(Store, store)), fallback)
  const context = yield* Layer.buildWithScope(layer, scope)
  const on = Effect.provideContext(context)
  const { organization } = yield* on(TestEngine.open())
  commands.length = 0
  return {
    commands,
    on,
    organization,
    reached: Deferred.await(reached),
    go: Deferred.succeed(gate, undefined),
    close: Scope.close(scope, Exit.void),
    log: on(logOf(organization)),
  }
})

const unkeyed = { idempotencyKey: undefined }

type Call = (organization: OrganizationId) => Effect.Effect<void, unknown, Messages | Verifications>

const calls: ReadonlyArray<readonly [string, Call]> = [
  ["a message", (organization) => Effect.asVoid(sendMessage(organization, unkeyed))],
  ["a code", (organization) => Effect.asVoid(send(organization))],
]

describe.each(calls)("%s that the gateway accepts", (_, call) => {
  effectTest("is answered before its outcome is recorded, which is not urgent", function* () {
    const { commands, go, log, on, organization } = yield* holding()
    yield* on(call(organization))
    assert.deepStrictEqual(yield* log, ["pending, open, 1"])
    assert.strictEqual(commands.at(-1), "RecordDispatch, not urgent")
    yield* go
    yield* Effect.yieldNow
    assert.deepStrictEqual(yield* log, ["accepted, open, 1"])
  })

  effectTest("is recorded once, by retries as well, and the close waits for it", function* () {
    const { close, commands, go, log, on, organization } = yield* holding({ failures: 2 })
    yield* on(call(organization))
    const closing = yield* Effect.forkChild(close, { startImmediately: true })
    for (const pause of [50, 100]) yield* TestClock.adjust(pause)
    assert.strictEqual(commands.filter((one) => one.startsWith("RecordDispatch")).length, 3)
    assert.isUndefined(closing.pollUnsafe())
    yield* go
    yield* Fiber.join(closing)
    assert.deepStrictEqual(yield* log, ["accepted, open, 1"])
  })

  effectTest("is answered after its outcome if the engine closes", function* () {
    const sent = yield* Deferred.make<void>()
    const { close, go, log, on, organization, reached } = yield* holding({ sent })
    const answer = yield* Effect.forkChild(on(call(organization)), { startImmediately: true })
    const closing = yield* Effect.forkChild(close, { startImmediately: true })
    yield* Deferred.succeed(sent, undefined)
    yield* reached
    assert.isUndefined(answer.pollUnsafe())
    assert.isUndefined(closing.pollUnsafe())
    yield* go
    yield* Fiber.join(answer)
    yield* Fiber.join(closing)
    assert.deepStrictEqual(yield* log, ["accepted, open, 1"])
  })

  effectTest(
    "lets the host's visit last until its outcome is recorded, and no longer",
    function* () {
      const { go, on, organization } = yield* holding()
      const visits = { extended: 0, ended: 0 }
      const visit: Drain.Visit = {
        extend: () => {
          visits.extended += 1
          return () => void (visits.ended += 1)
        },
      }
      yield* Effect.provideService(on(call(organization)), Drain.Visit, visit)
      assert.deepStrictEqual(visits, { extended: 1, ended: 0 })
      yield* go
      yield* Effect.yieldNow
      assert.deepStrictEqual(visits, { extended: 1, ended: 1 })
    },
  )
})

const waiting: ReadonlyArray<readonly [string, GatewayOutcome]> = [
  ["refuses", { _tag: "Rejected", reason: "recipient", message: "barred" }],
  ["does not send", { _tag: "NotSent", message: "no connection" }],
  ["leaves in doubt", { _tag: "Unknown", message: "silence" }],
]

describe.each(calls)("%s", (_, call) => {
  effectTest.each(waiting)(
    "that the gateway %s is answered after its outcome",
    function* ([, outcome]) {
      const { commands, go, on, organization, reached } = yield* holding({ outcome })
      const answer = yield* Effect.forkChild(Effect.exit(on(call(organization))))
      yield* reached
      yield* Effect.yieldNow
      assert.isUndefined(answer.pollUnsafe())
      assert.strictEqual(commands.at(-1), "RecordDispatch")
      yield* go
      yield* Fiber.join(answer)
    },
  )
})

const delivered: GatewayOutcome = { _tag: "Delivered", gatewayId: "gw-1" }
const day = 24 * 60 * 60 * 1_000

/** What a gateway can do, its outcome, and which sends are answered before that is written. */
const abilities: ReadonlyArray<
  readonly [ability: string, Partial<Capabilities>, GatewayOutcome, ...early: Array<string>]
> = [
  ["recovers nothing", {}, accepted],
  ["recovers nothing and reports nothing", { reports: "none" }, delivered],
  ["looks up by its id", { lookup: true }, accepted],
  ["looks up by the token", { lookup: true, lookupByToken: true }, accepted, "a message", "a code"],
  [
    "looks up by the token and reports nothing",
    { lookup: true, lookupByToken: true, reports: "none" },
    delivered,
    "a message",
    "a code",
  ],
  ["says so and has no look-up", { lookupByToken: true }, accepted],
  ["reports by reference", { references: true }, accepted, "a message", "a code"],
  // No report follows on a message that has arrived.
  ["reports by reference, on what has arrived", { references: true }, delivered],
  ["says so and reports nothing", { references: true, reports: "none" }, accepted],
  // A code that is verified meanwhile is not sent again.
  ["honours tokens for a day", { tokenMillis: day }, accepted, "a message"],
  ["honours tokens for less", { tokenMillis: day - 1 }, accepted],
  ["says that it was recovered", {}, { ...accepted, isRecoverable: true }, "a message", "a code"],
  ["says that it was not", { references: true }, { ...accepted, isRecoverable: false }],
]

describe.each(calls)("%s to a gateway", (kind, call) => {
  effectTest.each(abilities)(
    "that %s waits for its outcome unless that can be recovered",
    function* (row) {
      const [, capabilities, outcome, ...early] = row
      const { commands, go, on, organization, reached } = yield* holding({ capabilities, outcome })
      const answer = yield* Effect.forkChild(on(call(organization)), { startImmediately: true })
      yield* reached
      yield* Effect.yieldNow
      const isEarly = early.includes(kind)
      assert.strictEqual(answer.pollUnsafe() !== undefined, isEarly)
      assert.strictEqual(commands.at(-1), isEarly ? "RecordDispatch, not urgent" : "RecordDispatch")
      yield* go
      yield* Fiber.join(answer)
    },
  )
})

effectTest("a message whose outcome cannot be written is not answered as accepted", function* () {
  const { log, on, organization } = yield* holding({ capabilities: {}, failures: 100 })
  const answer = yield* Effect.forkChild(Effect.flip(on(sendMessage(organization, unkeyed))))
  yield* TestClock.adjust(60_000)
  assert.deepInclude(yield* Fiber.join(answer), { _tag: "SendingFailed", status: "unknown" })
  assert.deepStrictEqual(yield* log, ["pending, open, 1"])
})

describe("a send whose outcome is written after the answer", () => {
  effectTest("waits for its outcome if an SMS may follow, whose time begins there", function* () {
    const { commands, go, on, organization, reached } = yield* holding({
      fallback: Fallback.layer(),
    })
    const code = send(organization, { channel: "whatsapp" })
    const answer = yield* Effect.forkChild(on(code))
    yield* reached
    yield* Effect.yieldNow
    assert.isUndefined(answer.pollUnsafe())
    assert.strictEqual(commands.at(-1), "RecordDispatch")
    yield* go
    yield* Fiber.join(answer)
  })

  effectTest(
    "has given its outcome to the store before the answer to an idempotency key",
    function* () {
      const { commands, go, log, on, organization } = yield* holding()
      const answer = yield* on(sendMessage(organization))
      assert.deepStrictEqual(commands, [
        "HoldMessage",
        "RecordDispatch, not urgent",
        "RecordAnswer",
      ])
      assert.deepStrictEqual(yield* on(sendMessage(organization)), answer)
      yield* go
      yield* Effect.yieldNow
      assert.deepStrictEqual(yield* on(sendMessage(organization)), answer)
      assert.deepStrictEqual(yield* log, ["accepted, open, 1"])
    },
  )

  effectTest("can be sent again at once, by any node", function* () {
    const { go, log, on, organization } = yield* holding()
    const { requestId } = yield* on(send(organization))
    yield* TestClock.adjust(30_000)
    yield* on(resend(organization, requestId, unkeyed))
    assert.deepStrictEqual(yield* log, ["pending, open, 1", "pending, open, 1"])
    yield* go
    yield* Effect.yieldNow
    assert.deepStrictEqual(yield* log, ["accepted, open, 1", "accepted, open, 1"])
  })

  effectTest("gets a report that overtakes its outcome in a later round", function* () {
    const { go, log, on, organization } = yield* holding()
    yield* on(sendMessage(organization, unkeyed))
    const of = { _tag: "GatewayId", gateway: "scripted", gatewayId: "gw-1" } as const
    yield* on(Reports.use((_) => _.receive({ of, status: "delivered", detail: null })))
    yield* go
    yield* Effect.yieldNow
    assert.deepStrictEqual(yield* log, ["accepted, open, 1"])
    yield* TestClock.adjust(60_000)
    yield* on(Settlement.use((_) => _.round))
    assert.deepStrictEqual(yield* log, ["delivered, captured, 1"])
    assert.strictEqual(yield* on(moneyOf(organization)), "99.50 + 0.00 held, 3 entries")
  })
})
