import { assert } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import {
  held,
  logOf,
  open,
  present,
  run,
  type StoreService,
  type Test,
  times,
  transcript,
} from "./support.ts"

const { now, organizationId, requestId } = Samples

const year = 365 * 86_400_000

/** Moves the wall clock forward, without elapsed time. */
const setAhead = (millis: number): Effect.Effect<void> =>
  Effect.map(Clock.Clock, (clock) => {
    const { currentTimeMillisUnsafe } = clock
    const ahead = () => currentTimeMillisUnsafe() + millis
    Object.assign(clock, {
      currentTimeMillisUnsafe: ahead,
      currentTimeMillis: Effect.sync(ahead),
    })
  })

/** Runs an effect while the clock is ahead. */
const ahead = <A, E>(effect: Effect.Effect<A, E>, millis = 10 * year): Effect.Effect<A, E> =>
  Effect.andThen(setAhead(millis), Effect.ensuring(effect, setAhead(-millis)))

const unknownRequest = Samples.checkCode({ requestId: requestId(99) })

const logTimes = (store: StoreService) =>
  Effect.map(logOf(store), ({ messages }) => messages.map(({ createdAt }) => createdAt - now))

const repaired = Effect.fnUntraced(function* (store: StoreService, limit: number) {
  let messages = 0
  let after: string | undefined
  do {
    const step = present(yield* store.repairTime({ organization: organizationId, after, limit }))
    messages += step.messages
    after = step.next
  } while (after !== undefined)
  return messages
})

export const timeSection = (test: Test): void => {
  test("reading a request commits the store's time", function* (store) {
    yield* open(store)
    yield* run(store, Samples.requestVerification())
    yield* TestClock.adjust(12_345)
    assert.strictEqual((yield* store.verification(organizationId, requestId()))?.now, now + 12_345)
  })

  test("a clock that goes back does not restore an expired request", function* (store) {
    yield* open(store)
    yield* run(store, Samples.requestVerification())
    yield* TestClock.adjust(300_000)
    assert.strictEqual((yield* run(store, Samples.checkCode()))._tag, "Expired")
    yield* TestClock.setTime(now + 1_000)
    assert.strictEqual((yield* run(store, Samples.checkCode()))._tag, "Expired")
    assert.strictEqual((yield* store.verification(organizationId, requestId()))?.now, now + 300_000)
  })

  test("a clock that goes back makes no message or entry older than the one before it", function* (store) {
    yield* open(store)
    for (const [index, after] of [0, 50, 20, 60, -3_600_000].entries()) {
      yield* TestClock.setTime(now + after)
      yield* run(store, held(index))
    }
    const { messages } = yield* logOf(store)
    assert.deepStrictEqual(
      messages.map(({ createdAt }) => createdAt - now),
      [60, 60, 50, 50, 0],
    )
    const entries = yield* store.entries(organizationId, 0, 9)
    assert.deepStrictEqual(
      entries.map(({ at }) => at - now),
      [0, 0, 50, 50, 60, 60],
    )
  })

  test("a change of the settings uses the organization's time, and advances it", function* (store) {
    const seen: Array<number> = []
    const look = store.changeOrganization(organizationId, (same, at) => {
      seen.push(at - now)
      return same
    })
    yield* open(store)
    yield* TestClock.adjust(100)
    yield* look
    yield* TestClock.setTime(now + 50)
    yield* look
    assert.deepStrictEqual([...new Set(seen)], [100])
    assert.strictEqual((yield* store.account(organizationId))?.lastAt, now + 100)
  })

  test("organizations have their own time: a future time of one does not advance another", function* (store) {
    const other = Samples.otherOrganizationId
    yield* open(store)
    yield* TestClock.adjust(3_600_000)
    yield* run(store, Samples.topUp())
    yield* TestClock.setTime(now)
    yield* store.createOrganization(Samples.organization({ id: other }))
    yield* run(store, Samples.topUp({ organization: other }))
    assert.strictEqual((yield* store.account(other))?.lastAt, now)
    assert.strictEqual((yield* store.account(organizationId))?.lastAt, now + 3_600_000)
  })
}

export const wrongClockSection = (test: Test): void => {
  test("a clock that is ten years ahead for one commit blocks no checks and no codes", function* (store) {
    yield* open(store)
    yield* ahead(run(store, unknownRequest))
    for (let minute = 0; minute < 10; minute++) {
      yield* TestClock.adjust(61_000)
      assert.deepStrictEqual(
        yield* transcript(
          store,
          times(4, () => unknownRequest),
        ),
        ["NotFound", "NotFound", "NotFound", "NotFound"],
      )
    }
    assert.strictEqual((yield* store.account(organizationId))?.lastAt, now + 610_000)
  })

  test("a price that is held under a clock far ahead becomes due as early as any other", function* (store) {
    yield* open(store)
    yield* ahead(run(store, held(1)))
    yield* TestClock.adjust(Samples.newMessage().leaseMillis)
    assert.strictEqual((yield* store.due(9)).length, 1)
  })

  test("nothing is dropped under a clock far ahead", function* (store) {
    yield* open(store)
    yield* run(store, Samples.requestVerification())
    yield* run(store, Samples.applyReport({ status: "delivered" }))
    yield* run(store, Samples.checkCode())
    const step = {
      organization: organizationId,
      keepMillis: 86_400_000,
      after: undefined,
      limit: 9,
    }
    const prune = Effect.forEach(["messages", "verifications", "recipients"] as const, (kind) =>
      store.prune({ ...step, kind }),
    )
    for (const { dropped } of yield* ahead(prune)) assert.strictEqual(dropped, 0)
  })

  test("reading a request that is pending or ended does not advance the time", function* (store) {
    yield* open(store)
    yield* run(store, Samples.requestVerification())
    yield* TestClock.adjust(1_000)
    yield* store.verification(organizationId, requestId())
    assert.strictEqual((yield* store.account(organizationId))?.lastAt, now)
    yield* run(store, Samples.checkCode())
    yield* TestClock.adjust(300_000)
    yield* store.verification(organizationId, requestId())
    assert.strictEqual((yield* store.account(organizationId))?.lastAt, now + 1_000)
  })

  for (const limit of [1, 2, 500]) {
    test(`a repair brings an organization back from the future, ${limit} messages in a step`, function* (store) {
      yield* open(store)
      yield* run(store, held(1))
      yield* run(store, held(2))
      yield* run(store, Samples.applyReport({ messageSequence: 2, status: "delivered" }))
      // The clock is wrong from the start of the store, so there is no reference to compare it with.
      yield* TestClock.adjust(year)
      yield* transcript(store, [unknownRequest, held(3), held(4), Samples.requestVerification()])
      yield* run(store, Samples.reclaimMessage({ messageSequence: 1 }))
      yield* TestClock.setTime(now + 1_000)
      assert.strictEqual(yield* repaired(store, limit), 4)
      assert.deepStrictEqual(yield* logTimes(store), [1_000, 1_000, 1_000, 0, 0])
      assert.strictEqual((yield* store.account(organizationId))?.lastAt, now + 1_000)
      assert.strictEqual((yield* run(store, Samples.checkCode()))._tag, "Expired")
      assert.strictEqual((yield* run(store, held(5)))._tag, "Held")
      yield* TestClock.adjust(86_400_000)
      assert.deepStrictEqual(
        (yield* store.due(9)).map(({ sequence }) => sequence).toSorted(),
        [1, 3, 4, 5, 6],
      )
      assert.strictEqual(yield* repaired(store, limit), 0)
    })
  }

  test("a repair changes neither a valid time nor another organization", function* (store) {
    yield* open(store)
    yield* run(store, held(1))
    assert.strictEqual(yield* repaired(store, 9), 0)
    assert.deepStrictEqual(yield* logTimes(store), [0])
    const other = { organization: Samples.otherOrganizationId, after: undefined, limit: 9 }
    assert.isUndefined(yield* store.repairTime(other))
  })
}
