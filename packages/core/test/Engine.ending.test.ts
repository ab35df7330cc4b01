/**
 * The close of an engine's scope while messages are under way: what is charged is sent, and its outcome is
 * recorded, before the store and the gateway are closed.
 */
import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import type { Command } from "../src/decide/Command.ts"
import { DispatchPolicy } from "../src/delivery/Dispatcher.ts"
import * as Engine from "../src/Engine.ts"
import * as MemoryStore from "../src/adapters/MemoryStore.ts"
import { Messages } from "../src/services/Messages.ts"
import { Store } from "../src/ports/Store.ts"
import { Verifications } from "../src/services/verifications/Verifications.ts"
import { engineOver, gatewayLayer } from "./support/engineOver.ts"
import { logOf } from "./support/log.ts"
import { effectTest } from "./support/engineTest.ts"

const to = "+8801712345678"

type Step = Command["_tag"] | "gateway.send" | "gateway.sent" | "gateway.close" | "store.close"

/** An engine whose steps are recorded. Its store and its gateway stop at a step until it is let on. */
const recorded = Effect.fnUntraced(function* (stopsAt: Step) {
  const steps: Array<Step> = []
  const reached = yield* Deferred.make<void>()
  const gate = yield* Deferred.make<void>()
  const stop = (step: Step): Effect.Effect<void> =>
    Effect.suspend(() => {
      steps.push(step)
      return step === stopsAt
        ? Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(gate))
        : Effect.void
    })
  const closing = (step: Step) => Effect.addFinalizer(() => Effect.sync(() => steps.push(step)))
  const memory = MemoryStore.make()
  const store = Store.of({
    ...memory,
    execute: (command) => Effect.tap(memory.execute(command), () => stop(command._tag)),
  })
  const gateway = gatewayLayer({
    name: "scripted",
    capabilities: { tokenMillis: 600_000 },
    send: () =>
      stop("gateway.send").pipe(
        Effect.andThen(stop("gateway.sent")),
        Effect.as({ _tag: "Delivered", gatewayId: "g" }),
      ),
  })
  const layer = engineOver(
    Layer.tap(gateway, () => closing("gateway.close")),
    Engine.layerRunning,
    Layer.tap(Layer.succeed(Store, store), () => closing("store.close")),
  )
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(layer, scope)
  const { organization } = yield* TestEngine.open().pipe(Effect.provide(context))
  const version = (yield* memory.organization(organization))?.version ?? 0
  steps.length = 0
  return {
    /** A message that another node has charged, and not sent. */
    abandoned: memory.execute(
      Samples.holdMessage({
        organization,
        version,
        draft: Samples.newMessage({ gateway: "scripted", leaseMillis: 1_000 }),
      }),
    ),
    steps,
    reached: Deferred.await(reached),
    go: Deferred.succeed(gate, undefined),
    close: Scope.close(scope, Exit.void),
    log: logOf(organization).pipe(Effect.provideService(Store, memory)),
    message: Context.get(context, Messages)
      .send({ organization, phoneNumber: to, text: "hello" })
      .pipe(Effect.asVoid, Effect.orDie),
    code: Context.get(context, Verifications)
      .send({ organization, phoneNumber: to })
      .pipe(Effect.asVoid, Effect.orDie),
  }
})

const kinds = ["message", "code"] as const

describe.each(kinds)("the close of the scope while a %s is under way", (kind) => {
  const charge = kind === "message" ? "HoldMessage" : "RequestVerification"
  const ended = (steps: ReadonlyArray<Step>) => {
    assert.deepStrictEqual(steps.slice(0, 4), [
      charge,
      "gateway.send",
      "gateway.sent",
      "RecordDispatch",
    ])
    assert.sameMembers(steps.slice(4), ["gateway.close", "store.close"])
  }

  effectTest.each([charge, "gateway.send", "gateway.sent", "RecordDispatch"] as const)(
    "waits for its outcome (at %s)",
    function* (step) {
      const engine = yield* recorded(step)
      const sent = yield* Effect.forkChild(engine[kind])
      yield* engine.reached
      const close = yield* Effect.forkChild(engine.close, { startImmediately: true })
      yield* engine.go
      assert.isTrue(Exit.isSuccess(yield* Fiber.await(sent)))
      yield* Fiber.join(close)
      ended(engine.steps)
      assert.deepStrictEqual(yield* engine.log, ["delivered, captured, 1"])
    },
  )

  effectTest("waits for its outcome although its caller is interrupted", function* () {
    const engine = yield* recorded("gateway.send")
    const sent = yield* Effect.forkChild(engine[kind])
    yield* engine.reached
    const leaving = yield* Effect.forkChild(Fiber.interrupt(sent), { startImmediately: true })
    const close = yield* Effect.forkChild(engine.close, { startImmediately: true })
    yield* engine.go
    yield* Fiber.join(leaving)
    yield* Fiber.join(close)
    ended(engine.steps)
  })

  it.effect("does not wait beyond its grace period", () =>
    Effect.gen(function* () {
      const engine = yield* recorded("gateway.send")
      const sent = yield* Effect.forkChild(engine[kind])
      yield* engine.reached
      const close = yield* Effect.forkChild(engine.close, { startImmediately: true })
      yield* TestClock.adjust(4_999)
      const before = close.pollUnsafe()
      yield* TestClock.adjust(1)
      const after = close.pollUnsafe()
      yield* engine.go
      yield* Fiber.await(sent)
      assert.isUndefined(before)
      assert.deepStrictEqual(after, Exit.void)
    }).pipe(
      Effect.provideService(DispatchPolicy, {
        leaseMarginMillis: 60_000,
        settleMillis: 60_000,
        graceMillis: 5_000,
      }),
    ),
  )

  effectTest("refuses another before it is charged", function* () {
    const engine = yield* recorded("store.close")
    yield* engine.close
    const late = yield* Effect.exit(engine[kind])
    assert.isTrue(Exit.hasInterrupts(late))
    assert.notInclude(engine.steps, charge)
  })
})

effectTest(
  "the close of the scope waits for a message that was taken over from another node",
  function* () {
    const engine = yield* recorded("ReclaimMessage")
    yield* engine.abandoned
    yield* TestClock.adjust(2_000)
    yield* engine.reached
    const close = yield* Effect.forkChild(engine.close, { startImmediately: true })
    yield* engine.go
    yield* Fiber.join(close)
    assert.deepStrictEqual(engine.steps.slice(0, 5), [
      "CloseMessage",
      "ReclaimMessage",
      "gateway.send",
      "gateway.sent",
      "RecordDispatch",
    ])
    assert.deepStrictEqual(yield* engine.log, ["delivered, captured, 2"])
  },
)
