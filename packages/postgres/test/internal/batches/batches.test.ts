import type { Command } from "@countersign/core/decide/Command"
import { Records } from "@countersign/core/domain/organizations/RecordOptions"
import type { Store } from "@countersign/core/ports/Store"
import * as Samples from "@countersign/testing/Samples"
import { assert, describe, vi } from "@effect/vitest"
import * as Call from "@countersign/core/engine/Call"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { inspect } from "node:util"
import * as Batches from "../../../src/internal/batches/batches.ts"
import { RowCache } from "../../../src/internal/batches/rowCache.ts"
import { makeLane } from "../../../src/internal/batches/transactions.ts"
import { makeQuery, makeReader } from "../../../src/internal/connection/query.ts"
import type { Database } from "../../../src/internal/database.ts"
import { plainForms } from "../../../src/internal/numbers/cipher.ts"
import * as RowArrays from "../../../src/internal/rows/rowArrays.ts"
import * as BatchSql from "../../../src/internal/statements/batchSql.ts"
import { makeStoreClock } from "../../../src/internal/storeClock.ts"
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

/** Gives up a lock soon. */
const impatient = { lockTimeout: "300 milliseconds" } as const

describe("a defect after a commit was sent", () => {
  test.live("repeats nothing: the commit is looked up as after a lost connection", function* () {
    let isArmed = false
    const real = yield* pool()
    const store = yield* storeOver(
      watched(real, (query, sql) => {
        if (!isArmed || !sql.includes(" AS fits")) return query
        isArmed = false
        return Effect.andThen(query, Effect.die("a bug of the driver"))
      }),
    )
    const organization = yield* open(store, "acme")
    isArmed = true
    const { result } = yield* store.execute(hold(organization, "one"))
    assert.isFalse(isArmed)
    assert.strictEqual(result._tag, "Held")
    assert.strictEqual((yield* store.account(organization))?.lastMessage, 1)
  })
})

describe("a commit without an answer", () => {
  test.live("is looked up after 15 seconds, on another connection", function* () {
    const real = yield* pool()
    const sent = yield* Deferred.make<void>()
    let isArmed = false
    const store = yield* storeOver(
      watched(real, (query, sql) => {
        if (!isArmed || !sql.includes(" AS fits")) return query
        isArmed = false
        return Effect.andThen(
          query,
          Effect.andThen(Deferred.succeed(sent, undefined), Effect.never),
        )
      }),
    )
    const organization = yield* open(store, "acme")
    isArmed = true
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true })
    yield* Effect.addFinalizer(() => Effect.sync(() => vi.useRealTimers()))
    const held = yield* Effect.forkChild(store.execute(hold(organization, "one")))
    yield* Deferred.await(sent)
    vi.advanceTimersByTime(14_000)
    assert.isUndefined(held.pollUnsafe())
    vi.advanceTimersByTime(1_000)
    assert.strictEqual((yield* Fiber.join(held)).result._tag, "Held")
    assert.strictEqual((yield* store.account(organization))?.lastMessage, 1)
  })
})

describe("a caller that fails when it gets its result", () => {
  test.live("concerns no other: the lane goes on", function* () {
    const real = yield* pool()
    const organization = yield* open(yield* storeOver(real), "acme")
    const query = makeReader(makeQuery(real))
    const arrays = yield* RowArrays.open("countersign", query.query)
    const sql = BatchSql.make("countersign", arrays)
    const database: Database = {
      ...query,
      schema: "countersign",
      arrays,
      sql,
      clock: yield* makeStoreClock(undefined),
      nextStamp: () => 7,
      records: yield* Records,
      forms: plainForms,
    }
    const lane = makeLane(real, sql, "a lane", Context.empty())
    const bounds = { max: 9, maxPerOrganization: 9, hotSize: 9, maxOrganizations: 9, maxWaiting: 9 }
    const batches = yield* Batches.make(database, [lane], new RowCache(0), bounds).pipe(
      Effect.provide(Logger.layer([])),
    )
    const tags = yield* Effect.callback<ReadonlyArray<string>>((resume) => {
      const found: Array<string> = []
      for (const id of ["one", "two", "three"]) {
        Call.begin(batches.execute(hold(organization, id)), Context.empty(), (exit) => {
          found.push(Exit.isSuccess(exit) ? exit.value.result._tag : exit._tag)
          if (found.length === 3) resume(Effect.succeed(found))
          throw new Error("a bug of the caller")
        })
      }
    })
    assert.deepStrictEqual(tags, ["Held", "Held", "Held"])
    assert.strictEqual((yield* batches.execute(hold(organization, "four"))).result._tag, "Held")
  })
})

describe("a commit during which a test sets the time", () => {
  test.effect("waits for the database in real time", function* () {
    const real = yield* pool()
    const reached = yield* Deferred.make<void>()
    const gate = yield* Deferred.make<void>()
    let isArmed = false
    const store = yield* storeOver(
      watched(real, (query, sql) =>
        isArmed && sql.includes(" AS fits")
          ? Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(gate)).pipe(
              Effect.andThen(query),
            )
          : query,
      ),
    )
    const organization = yield* open(store, "acme")
    isArmed = true
    const held = yield* Effect.forkChild(store.execute(hold(organization, "one")))
    yield* Deferred.await(reached)
    yield* TestClock.adjust("1 hour")
    yield* Deferred.succeed(gate, undefined)
    assert.strictEqual((yield* Fiber.join(held)).result._tag, "Held")
  })
})

describe("a lock that is held for a long time", () => {
  /** Executes commands at once, and says what each came to. */
  const resultsOf = (store: Store["Service"], commands: ReadonlyArray<Command>) =>
    Effect.forEach(
      commands,
      (command) =>
        Effect.match(store.execute(command), {
          onFailure: ({ reason }): string => reason,
          onSuccess: ({ result }) => result._tag,
        }),
      { concurrency: "unbounded" },
    )

  const organizations = (store: Store["Service"]) =>
    Effect.all([open(store, "first"), open(store, "locked"), open(store, "quick")])

  for (const lanes of [1, 4]) {
    test.live(`delays its own organization only, with lanes: ${lanes}`, function* () {
      const real = yield* pool(impatient)
      let timeouts = 0
      const counted = watched(real, (query) =>
        Effect.tapError(query, ({ reason }) =>
          Effect.sync(() => {
            if (reason._tag === "LockTimeoutError") timeouts += 1
          }),
        ),
      )
      const store = yield* storeOver(counted, { lanes })
      const [first, locked, quick] = yield* organizations(store)
      const round = [hold(first, "1"), hold(locked, "2"), hold(quick, "3"), hold(quick, "4")]
      yield* holding(
        real,
        lockOf("locked"),
        Effect.gen(function* () {
          // The first one has its own commit, the others share the next.
          const answers = yield* resultsOf(store, [...round, hold(locked, "5"), hold(quick, "6")])
          assert.deepStrictEqual(answers, ["Held", "timeout", "Held", "Held", "timeout", "Held"])
          assert.strictEqual(timeouts, 2, "once with others, and once alone")
          for (const known of [3, 4]) {
            assert.deepStrictEqual(yield* resultsOf(store, round), [
              "Held",
              "timeout",
              "Held",
              "Held",
            ])
            assert.strictEqual(timeouts, known, "alone from then on")
          }
        }),
      )
      assert.deepStrictEqual(yield* resultsOf(store, round), ["Held", "Held", "Held", "Held"])
      assert.strictEqual((yield* store.account(locked))?.lastMessage, 1)
      assert.strictEqual((yield* store.account(quick))?.lastMessage, 9)
    })
  }

  test.live("leaves lanes to other organizations, for any number of locked ones", function* () {
    const real = yield* pool(impatient)
    const reached = yield* Deferred.make<void>()
    const gate = yield* Deferred.make<void>()
    let isArmed = false
    const gated = watched(real, (query, sql, params) =>
      isArmed && sql.includes("FOR UPDATE") && inspect(params, { depth: null }).includes("locked")
        ? Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(gate)).pipe(
            Effect.andThen(query),
          )
        : query,
    )
    const store = yield* storeOver(gated, { lanes: 4 })
    const [first, , quick] = yield* organizations(store)
    const names = ["locked-1", "locked-2", "locked-3", "locked-4"]
    const locked = yield* Effect.forEach(names, (name) => open(store, name))
    const sends = locked.map((organization) => hold(organization, "1"))
    const timeouts = ["timeout", "timeout", "timeout", "timeout"]
    yield* holding(
      real,
      "SELECT FROM countersign.accounts WHERE organization LIKE 'locked-%' FOR UPDATE",
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* resultsOf(store, sends), timeouts)
        isArmed = true
        const waits = yield* Effect.forkChild(resultsOf(store, sends))
        yield* Deferred.await(reached)
        const others = [hold(quick, "2"), hold(first, "3"), hold(quick, "4")]
        assert.deepStrictEqual(yield* resultsOf(store, others), ["Held", "Held", "Held"])
        assert.isUndefined(waits.pollUnsafe())
        yield* Deferred.succeed(gate, undefined)
        assert.deepStrictEqual(yield* Fiber.join(waits), timeouts)
      }).pipe(Effect.ensuring(Deferred.succeed(gate, undefined))),
    )
  })

  test.live("on another row delays only the commands that need the row", function* () {
    const real = yield* pool(impatient)
    const store = yield* storeOver(real)
    const [first, sender, quick] = yield* organizations(store)
    const amount = Samples.money("1")
    const commands = [
      Samples.topUp({ organization: first, amount }),
      hold(sender, "1"),
      Samples.topUp({ organization: quick, amount }),
    ]
    const answers = yield* holding(
      real,
      "LOCK TABLE countersign.messages IN EXCLUSIVE MODE",
      resultsOf(store, commands),
    )
    assert.deepStrictEqual(answers, ["Posted", "timeout", "Posted"])
  })
})
