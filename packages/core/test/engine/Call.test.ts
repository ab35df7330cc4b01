import { assert, describe } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Call from "../../src/engine/Call.ts"
import * as Drain from "../../src/engine/Drain.ts"
import { test } from "../../../../test/support/testsOver.ts"

/** An effect that the test ends, without a fiber. */
const pending = <A>() => {
  let end: Call.Done<A> = () => assert.fail("Not started")
  let interrupts = 0
  const effect = Call.direct<A>((_, done) => {
    end = done
    return () => void (interrupts += 1)
  })
  return { effect, end: (exit: Exit.Exit<A>) => end(exit), interrupts: () => interrupts }
}

/** The exits of an effect that is started without a fiber. */
const started = <A, E>(effect: Effect.Effect<A, E>) => {
  const exits: Array<Exit.Exit<A, E>> = []
  const interrupt = Call.begin(effect, Context.empty(), (exit) => exits.push(exit))
  return { exits, interrupt: () => interrupt?.() }
}

const drainIn = Effect.gen(function* () {
  const scope = yield* Scope.fork(yield* Effect.scope)
  const drain = yield* Scope.provide(Drain.make(), scope)
  return { drain, close: Scope.close(scope, Exit.void) }
})

describe("a call", () => {
  test.effect("goes on with values, and ends with the first failure", function* () {
    const sum = Call.make<number, string>((call, done) =>
      call.andThen(Effect.succeed(1), done, (one) =>
        call.andThen(
          Effect.promise(async () => 2),
          done,
          (two) => {
            if (one + two === 3) call.andThen(Effect.fail("too much"), done, () => assert.fail())
          },
        ),
      ),
    )
    assert.deepStrictEqual(yield* Effect.exit(sum), Exit.fail("too much"))
    const nested = Call.map(
      Call.map(Effect.succeed(1), (one) => one + 1),
      String,
    )
    assert.deepStrictEqual(started(nested).exits, [Exit.succeed("2")])
    const handled = Call.make<string>((call, done) =>
      call.andThen(
        sum,
        Call.catching<string, string>(done, (error) => done(Exit.succeed(error))),
        () => assert.fail(),
      ),
    )
    assert.strictEqual(yield* handled, "too much")
  })

  test.effect("ends once: with a defect of any of its steps, also after a wait", function* () {
    const { effect, end } = pending<void>()
    const { drain, close } = yield* drainIn
    const defect = new Error("a defect")
    const failing = Call.make<void>((call, done) =>
      call.hold(drain, done, (ended) =>
        call.andThen(effect, ended, () => {
          throw defect
        }),
      ),
    )
    const { exits } = started(failing)
    end(Exit.void)
    assert.deepStrictEqual(exits, [Exit.die(defect)])
    // The drain does not wait for it any more.
    yield* close
    const thrown = Call.make<void>(() => {
      throw defect
    })
    assert.deepStrictEqual(yield* Effect.exit(thrown), Exit.die(defect))
  })

  test.effect("is interrupted, and passes the interruption on", function* () {
    const { effect, end, interrupts } = pending<void>()
    const after: Array<string> = []
    const call = Call.make<void>((call, done) =>
      call.andThen(effect, done, () => {
        after.push("step")
        call.andThen(
          Effect.sync(() => after.push("effect")),
          done,
          () => done(Exit.void),
        )
      }),
    )
    const fiber = yield* Effect.forkChild(call, { startImmediately: true })
    const interrupting = yield* Effect.forkChild(Fiber.interrupt(fiber), { startImmediately: true })
    assert.strictEqual(interrupts(), 1)
    // It waits for the effect, and starts no further one.
    assert.isUndefined(fiber.pollUnsafe())
    end(Exit.void)
    yield* Fiber.join(interrupting)
    assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
    assert.deepStrictEqual(after, ["step"])
  })

  test.effect("is interrupted by what it starts itself", function* () {
    const begun = yield* Deferred.make<void>()
    const effect = Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
    const call = Call.make<void>((call, done) => call.run(effect, done))
    const fiber = yield* Effect.forkChild(call)
    yield* Deferred.await(begun)
    yield* Fiber.interrupt(fiber)
    assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
  })

  test.effect(
    "goes on without its caller while a drain holds it, which waits for it",
    function* () {
      const { effect, end, interrupts } = pending<string>()
      const { drain, close } = yield* drainIn
      const written: Array<string> = []
      const call = Call.make<void>((call, done) =>
        call.hold<void, never>(drain, done, (ended) =>
          call.andThen(effect, ended, (value) =>
            call.andThen(
              Effect.sync(() => written.push(value)),
              ended,
              () => ended(Exit.void),
            ),
          ),
        ),
      )
      const { exits, interrupt } = started(call)
      interrupt()
      const closing = yield* Effect.forkChild(close, { startImmediately: true })
      assert.deepStrictEqual([interrupts(), closing.pollUnsafe(), exits], [0, undefined, []])
      end(Exit.succeed("a charge"))
      yield* Fiber.join(closing)
      assert.deepStrictEqual([written, exits], [["a charge"], [Exit.void]])
      assert.isTrue(Exit.hasInterrupts(yield* Effect.exit(call)))
    },
  )
})
