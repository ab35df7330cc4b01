/** Commands that are not urgent: which commit takes them, and which reads wait for it. */
import type { Command } from "@countersign/core/decide/Command"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import type { Store } from "@countersign/core/ports/Store"
import * as Samples from "@countersign/testing/Samples"
import { assert, describe } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { Delay } from "../../../src/internal/batches/batches.ts"
import type * as PostgresStore from "../../../src/PostgresStore.ts"
import {
  hold,
  holding,
  lockOf,
  open,
  pool,
  storeOver,
  watched,
} from "../../fixtures/watchedPool.ts"
import { test } from "../../../../../test/support/testsOver.ts"

/** Timers that run out when the test says so. */
const manualTimers = () => {
  const running = new Set<{ readonly millis: number; readonly run: () => void }>()
  const delay = (millis: number, run: () => void) => {
    const timer = { millis, run }
    running.add(timer)
    return () => running.delete(timer)
  }
  return {
    delay,
    running: () => [...running].map(({ millis }) => millis),
    elapse: (elapsed: number) => {
      for (const timer of running) {
        if (timer.millis <= elapsed && running.delete(timer)) timer.run()
      }
    },
  }
}

/** A store with two organizations. Each has a message whose outcome is not recorded. */
const setup = Effect.fnUntraced(function* (
  {
    lockTimeout = "1 minute",
    ...options
  }: PostgresStore.Options & {
    readonly lockTimeout?: "1 minute" | "300 milliseconds"
  } = {},
  around: (sql: string) => Effect.Effect<void> = () => Effect.void,
) {
  const timers = manualTimers()
  const real = yield* pool({ lockTimeout })
  const seen = { commits: 0 }
  const counted = watched(real, (query, sql) => {
    if (sql.includes(" AS fits") || sql === "COMMIT") seen.commits += 1
    return Effect.andThen(around(sql), query)
  })
  const store = yield* Effect.provideService(storeOver(counted, options), Delay, timers.delay)
  const acme = yield* open(store, "acme")
  const other = yield* open(store, "other")
  yield* store.execute(hold(acme, "1"))
  yield* store.execute(hold(other, "1"))
  seen.commits = 0
  return { store, real, timers, seen, acme, other }
})

/** Holds each commit back until the test releases it. */
const holdingCommits = Effect.gen(function* () {
  const held = yield* Deferred.make<void>()
  const released = yield* Deferred.make<void>()
  let isArmed = false
  const made = yield* setup({}, (sql) =>
    isArmed && sql.includes(" AS fits")
      ? Effect.andThen(Deferred.succeed(held, undefined), Deferred.await(released))
      : Effect.void,
  )
  isArmed = true
  return { ...made, held, released }
})

const record = (organization: OrganizationId) => Samples.recordDispatch({ organization })

const topUp = (organization: OrganizationId) =>
  Samples.topUp({ organization, amount: Samples.money("1") })

/** Executes a command for which no caller waits. It is in the queue when this returns. */
const patiently = (store: Store["Service"], command: Command<"RecordDispatch">) =>
  Effect.forkChild(store.execute(command, { isUrgent: false }), { startImmediately: true })

const statusOf = (store: Store["Service"], organization: OrganizationId) =>
  Effect.map(store.message({ organization, sequence: 1 }), (found) => found?.message?.status)

/** Fails instead of waiting for a command that is forgotten. */
const outcomeOf = (fiber: Effect.Success<ReturnType<typeof patiently>>) =>
  Effect.map(Effect.timeout(Fiber.join(fiber), "10 seconds"), ({ result }) => result._tag)

describe("a command that is not urgent", () => {
  test.live("begins no commit, and has one after 10 ms", function* () {
    const { acme, other, seen, store, timers } = yield* setup()
    for (const organization of [acme, other]) {
      const waiting = yield* patiently(store, record(organization))
      assert.deepStrictEqual(timers.running(), [10])
      timers.elapse(9)
      yield* store.organization(organization)
      assert.strictEqual(seen.commits, 0)
      assert.isUndefined(waiting.pollUnsafe())
      timers.elapse(10)
      assert.strictEqual(yield* outcomeOf(waiting), "Recorded")
      assert.strictEqual(seen.commits, 1)
      assert.deepStrictEqual(timers.running(), [])
      seen.commits = 0
    }
  })

  test.live("is in the next commit of its own or another organization", function* () {
    const { acme, other, seen, store } = yield* setup()
    const waiting = [yield* patiently(store, record(acme)), yield* patiently(store, record(other))]
    yield* store.execute(topUp(acme))
    assert.deepStrictEqual(yield* Effect.forEach(waiting, outcomeOf), ["Recorded", "Recorded"])
    assert.strictEqual(seen.commits, 1)
  })

  test.live("has a time of its own after an earlier one was committed with others", function* () {
    const { acme, other, store, timers } = yield* setup()
    const first = yield* patiently(store, record(acme))
    yield* store.execute(topUp(acme))
    yield* Fiber.join(first)
    const second = yield* patiently(store, record(other))
    assert.deepStrictEqual(timers.running(), [10])
    timers.elapse(10)
    assert.strictEqual(yield* outcomeOf(second), "Recorded")
  })

  test.live("is committed when the store closes, at once after that", function* () {
    const scope = yield* Scope.make()
    const { acme, other, store, timers } = yield* Scope.provide(setup(), scope)
    const late = yield* patiently(store, record(acme))
    yield* Scope.close(scope, Exit.void)
    assert.strictEqual(yield* outcomeOf(late), "Recorded")
    assert.deepStrictEqual(timers.running(), [])
    const tooLate = yield* patiently(store, record(other))
    assert.isTrue(Exit.isFailure(yield* Fiber.await(tooLate)))
    assert.deepStrictEqual(timers.running(), [])
  })

  test.live("has no overtaking: a later command of its organization sees it", function* () {
    const { acme, store } = yield* setup()
    const first = yield* patiently(store, record(acme))
    const report = Samples.applyReport({ organization: acme, source: Samples.reportSource() })
    const { result } = yield* store.execute(report)
    assert.deepInclude(result, { _tag: "Applied", status: "delivered" })
    assert.strictEqual(yield* outcomeOf(first), "Recorded")
    const { message } = (yield* store.message({ organization: acme, sequence: 1 })) ?? {}
    assert.deepInclude(message, { status: "delivered", gatewayId: "gw-1" })
  })

  test.live("that fails ends alone, and reads no longer wait for it", function* () {
    const { acme, other, store, timers } = yield* setup()
    const faulty = yield* patiently(store, { ...record(acme), messageSequence: Number.NaN })
    const sound = yield* patiently(store, record(other))
    timers.elapse(10)
    assert.isTrue(Exit.hasDies(yield* Fiber.await(faulty)))
    assert.strictEqual(yield* outcomeOf(sound), "Recorded")
    assert.strictEqual(yield* statusOf(store, acme), "pending")
    assert.deepStrictEqual(timers.running(), [])
  })

  test.live(
    "fails like others when a lock is held for too long, without another timer",
    function* () {
      const { acme, other, real, store, timers } = yield* setup({ lockTimeout: "300 milliseconds" })
      const waiting = yield* patiently(store, record(acme))
      const free = yield* patiently(store, record(other))
      yield* holding(
        real,
        lockOf("acme"),
        Effect.gen(function* () {
          timers.elapse(10)
          assert.strictEqual(yield* outcomeOf(free), "Recorded")
          const failure = yield* Effect.flip(Fiber.join(waiting))
          assert.strictEqual(failure.reason, "timeout")
          assert.deepStrictEqual(timers.running(), [])
        }),
      )
      const again = yield* patiently(store, record(acme))
      timers.elapse(10)
      assert.strictEqual(yield* outcomeOf(again), "Recorded")
    },
  )
})

describe("a read", () => {
  test.live("of its own organization commits and includes what is not urgent", function* () {
    const { acme, other, seen, store, timers } = yield* setup()
    const waiting = yield* patiently(store, record(acme))
    assert.strictEqual(yield* statusOf(store, other), "pending")
    assert.strictEqual(seen.commits, 0)
    assert.strictEqual(yield* statusOf(store, acme), "accepted")
    assert.strictEqual(seen.commits, 1)
    assert.strictEqual(yield* outcomeOf(waiting), "Recorded")
    assert.deepStrictEqual(timers.running(), [])
  })

  test.live("waits for the commands before it only", function* () {
    const { acme, held, released, store, timers } = yield* holdingCommits
    const first = yield* patiently(store, record(acme))
    const read = yield* Effect.forkChild(statusOf(store, acme), { startImmediately: true })
    yield* Deferred.await(held)
    const second = yield* patiently(store, record(acme))
    yield* Deferred.succeed(released, undefined)
    assert.strictEqual(yield* Fiber.join(read), "accepted")
    assert.strictEqual(yield* outcomeOf(first), "Recorded")
    assert.isUndefined(second.pollUnsafe())
    // A read after the first commit waits for the second command.
    assert.strictEqual(yield* statusOf(store, acme), "accepted")
    assert.isDefined(second.pollUnsafe())
    assert.deepStrictEqual(timers.running(), [])
  })

  test.live("ends after a second if the commit does not, with the older state", function* () {
    const { acme, held, released, store, timers } = yield* holdingCommits
    const waiting = yield* patiently(store, record(acme))
    const read = yield* Effect.forkChild(statusOf(store, acme), { startImmediately: true })
    const interrupted = yield* Effect.forkChild(statusOf(store, acme), {
      startImmediately: true,
    })
    yield* Deferred.await(held)
    assert.deepStrictEqual(timers.running(), [1_000, 1_000])
    yield* Fiber.interrupt(interrupted)
    assert.deepStrictEqual(timers.running(), [1_000])
    timers.elapse(999)
    assert.isUndefined(read.pollUnsafe())
    timers.elapse(1_000)
    assert.strictEqual(yield* Fiber.join(read), "pending")
    yield* Deferred.succeed(released, undefined)
    assert.strictEqual(yield* outcomeOf(waiting), "Recorded")
    assert.strictEqual(yield* statusOf(store, acme), "accepted")
  })
})
