/**
 * What a lane promises, at the moments at which another node or a lost session comes in between.
 */
import type { PgConnection, PgPool } from "@effect/sql-pg"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import { bounds } from "@countersign/core/domain/limits/Limits"
import type { Store } from "@countersign/core/ports/Store"
import * as Samples from "@countersign/testing/Samples"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import type { SqlError } from "effect/sql/SqlError"
import { begin, lend, rollback, runBatch } from "../../../src/internal/connection/pipeline.ts"
import * as RowArrays from "../../../src/internal/rows/rowArrays.ts"
import * as BatchSql from "../../../src/internal/statements/batchSql.ts"
import { database, node, rowsOf, until } from "../../fixtures/databases.ts"
import { holding, lockOf, lost, type Sent, storeOver, watched } from "../../fixtures/watchedPool.ts"
import { test } from "../../../../../test/support/testsOver.ts"

const organization = Samples.organizationId

/** Waits until a session waits for a lock, or its work is over. */
const waitsForLock = (
  observer: PgPool.PgPool,
  { processId }: PgConnection.PgConnection,
  work: Fiber.Fiber<unknown, unknown>,
) => {
  const queue = rowsOf(
    observer,
    `SELECT FROM pg_stat_activity WHERE pid = ${processId} AND wait_event_type = 'Lock'`,
  )
  return until(queue, ({ length }) => {
    if (work.pollUnsafe() === undefined) assert.strictEqual(length, 1)
  })
}

/**
 * Two nodes. What `other` does is done once, next to the second statement that the first node sends on
 * a connection: there a batch has asked for some of its rows, and not yet written.
 */
const interrupted = Effect.fnUntraced(function* (
  place: "before the second read" | "after the second read",
) {
  let other: Effect.Effect<unknown> | undefined
  let firstRead = Latch.makeUnsafe()
  const onOther = yield* node(yield* database)
  const around = <A>(query: Effect.Effect<A, SqlError>, _: string, { position }: Sent) =>
    Effect.suspend(() => {
      if (position === 1) {
        const read = Latch.makeUnsafe()
        firstRead = read
        return Effect.ensuring(query, read.open)
      }
      const work = other
      if (position !== 2 || work === undefined) return query
      other = undefined
      return place === "before the second read"
        ? Effect.andThen(firstRead.await, Effect.andThen(work, query))
        : Effect.tap(query, () => work)
    })
  const store = yield* storeOver(watched(onOther.pool, around))
  yield* onOther.store.createOrganization(Samples.organization())
  yield* onOther.store.execute(Samples.topUp())
  return {
    store,
    other: onOther,
    meanwhile: (work: (store: Store["Service"]) => Effect.Effect<unknown, unknown>) => {
      other = Effect.orDie(work(onOther.store))
    },
  }
})

describe("a batch with another node's commit in between", () => {
  const wrong = Samples.checkCode({
    candidates: [Samples.codeOf("wrong")],
    limits: { checksPerOrganization: undefined },
  })
  const step = { organization, keepMillis: 0, after: undefined, limit: 9 } as const

  test.live("never takes older rows for rows of a newer stamp", function* () {
    const { meanwhile, other, store } = yield* interrupted("before the second read")
    yield* other.store.execute(Samples.requestVerification())
    let first: unknown
    meanwhile((store) =>
      Effect.map(store.execute(wrong), ({ result }) => {
        first = result
      }),
    )
    const { result } = yield* store.execute(wrong)
    assert.deepStrictEqual(first, { _tag: "WrongCode", attemptsRemaining: 2 })
    assert.deepStrictEqual(result, { _tag: "WrongCode", attemptsRemaining: 1 })
    const read = yield* store.verification(organization, Samples.requestId())
    assert.strictEqual(read?.verification.attemptsRemaining, 1)
  })

  test.live("does not refuse by rows that have changed since", function* () {
    const { meanwhile, store } = yield* interrupted("after the second read")
    meanwhile((store) => store.execute(Samples.holdMessage()))
    const { result } = yield* store.execute(Samples.applyReport())
    assert.strictEqual(result._tag, "Applied")
  })

  test.live("does not restore a recipient that retention has dropped", function* () {
    const { meanwhile, other, store } = yield* interrupted("after the second read")
    yield* other.store.execute(Samples.requestVerification())
    const old = Date.now() - 2 * bounds.windowMillis.max
    yield* rowsOf(
      other.pool,
      `UPDATE countersign.recipients SET sends = ARRAY[${old}::int8], pending = '[]'`,
    )
    let dropped: number | undefined
    meanwhile((store) =>
      Effect.map(store.prune({ ...step, kind: "recipients" }), (pruned) => {
        dropped = pruned.dropped
      }),
    )
    yield* store.execute(
      Samples.requestVerification({ requestId: Samples.requestId(2), isCounted: true }),
    )
    assert.strictEqual(dropped, 1)
    const left = yield* rowsOf(other.pool, "SELECT sends FROM countersign.recipients")
    assert.deepStrictEqual(left, [{ sends: [] }])
  })

  test.live("does not restore a code that was erased", function* () {
    const { meanwhile, other, store } = yield* interrupted("after the second read")
    yield* other.store.execute(Samples.requestVerification())
    let erased: number | undefined
    meanwhile((store) =>
      rowsOf(other.pool, "UPDATE countersign.verifications SET expires_at = created_at").pipe(
        Effect.andThen(store.prune({ ...step, kind: "codes" })),
        Effect.map(({ dropped }) => {
          erased = dropped
        }),
      ),
    )
    const { result } = yield* store.execute(wrong)
    assert.strictEqual(erased, 1)
    assert.strictEqual(result._tag, "Expired")
    const left = yield* rowsOf(other.pool, "SELECT sealed FROM countersign.verifications")
    assert.deepStrictEqual(left, [{ sealed: null }])
  })
})

describe("a write that reaches the server after its session was abandoned", () => {
  test.live("does not commit between its look-up and its repeat", function* () {
    const other = yield* node(yield* database)
    yield* other.store.createOrganization(Samples.organization())
    yield* other.store.execute(Samples.topUp())
    let isArmed = false
    let late: Sent | undefined
    let arriving: Fiber.Fiber<unknown, unknown> | undefined
    /** Sends the late statement, and continues when it is done or waits for a lock. */
    const arrive = ({ params, sql }: Sent) =>
      lend(other.pool, (connection) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkDetach(
            Effect.exit(runBatch(connection, [{ sql, params }])),
          )
          arriving = fiber
          yield* waitsForLock(other.pool, connection, fiber)
        }),
      )
    const around = <A>(query: Effect.Effect<A, SqlError>, sql: string, sent: Sent) =>
      Effect.suspend(() => {
        if (isArmed && late === undefined && sql.includes("INSERT INTO")) {
          late = sent
          return Effect.fail(lost)
        }
        // The redo begins, looks for the commit, and then asks for the accounts.
        const isRedo = sql.includes("accounts") && arriving === undefined
        return late !== undefined && isRedo ? Effect.andThen(arrive(late), query) : query
      })
    const store = yield* storeOver(watched(other.pool, around))
    isArmed = true
    const { result } = yield* store.execute(Samples.holdMessage())
    assert.strictEqual(result._tag, "Held")
    if (arriving === undefined) return assert.fail("nothing came late")
    yield* Fiber.await(arriving)
    const account = yield* store.account(organization)
    assert.deepInclude(account, { lastMessage: 1, held: Samples.newMessage().charge })
  })
})

describe("a statement that locks accounts", () => {
  const sql = BatchSql.make(
    "countersign",
    RowArrays.make(() => ({ oid: 0, arrayOid: 0 })),
  )
  const cases = [
    ["lockAccounts", sql.lockAccounts],
    [
      "joinIfStamped",
      (organizations: ReadonlyArray<string>) =>
        sql.joinIfStamped([sql.signLane("", "", 0)], {
          organizations: organizations.map((organization) => ({ organization, stamp: 0 })),
          now: undefined,
          absent: [],
          taken: [],
        }),
    ],
  ] as const

  test.live.each(cases)(
    "takes them in the order of their names, in any rows: %s",
    function* ([, make]) {
      const { pool, store } = yield* node(yield* database, { partitions: 2 })
      const names = Array.from({ length: 20 }, (_, index) => `org_${10 + index}`)
      yield* Effect.forEach(names, (name) =>
        store.createOrganization(Samples.organization({ id: OrganizationId(name) })),
      )
      // Two in an order that is not that of their partitions.
      const [pair] = yield* rowsOf(
        pool,
        `SELECT one.organization AS first, other.organization AS second
          FROM countersign.accounts_1 one JOIN countersign.accounts_0 other
            ON one.organization < other.organization ORDER BY 1, 2`,
      )
      const both = [String(pair?.["first"]), String(pair?.["second"])] as const
      const free = yield* lend(pool, (connection) =>
        Effect.gen(function* () {
          yield* runBatch(connection, [begin])
          const held = Effect.gen(function* () {
            const fiber = yield* Effect.forkChild(runBatch(connection, [make(both)]))
            yield* waitsForLock(pool, connection, fiber)
            const rows = yield* rowsOf(
              pool,
              `SELECT organization FROM countersign.accounts
                WHERE organization IN ('${both.join("', '")}') FOR UPDATE SKIP LOCKED`,
            )
            return { fiber, rows }
          })
          const { fiber, rows } = yield* holding(pool, lockOf(both[1]), held)
          yield* Fiber.join(fiber)
          yield* runBatch(connection, [rollback])
          return rows
        }),
      )
      assert.deepStrictEqual(free, [])
    },
  )
})
