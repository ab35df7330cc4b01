/**
 * What a lane promises, at the moments at which another node or a lost session comes in between.
 */
import { type PgConnection, PgPool } from "@effect/sql-pg"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import { bounds } from "@countersign/core/domain/limits/Limits"
import { Store } from "@countersign/core/ports/Store"
import * as Samples from "@countersign/testing/Samples"
import { assert, describe, inject, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { eventually } from "../../../../../test/support/eventually.ts"
import { freshDatabase } from "../../../../../test/support/freshDatabase.ts"
import { begin, lend, runBatch, type Statement } from "../../../src/internal/connection/pipeline.ts"
import * as RowArrays from "../../../src/internal/rows/rowArrays.ts"
import * as BatchSql from "../../../src/internal/statements/batchSql.ts"
import * as PostgresClient from "../../../src/PostgresClient.ts"
import * as PostgresStore from "../../../src/PostgresStore.ts"
import { patient } from "../../fixtures/databases.ts"
import { interposed, type Sent, type Through } from "../../fixtures/interposed.ts"
import { rowsOf } from "../../fixtures/watchedPool.ts"

const organization = Samples.organizationId

const database = Effect.map(freshDatabase(inject("postgresUrl")), Redacted.value)

/** A separate node on a database; `each` sees every statement of the store. */
const node = (
  url: string,
  options: PostgresStore.Options = {},
  each: Through = ({ query }) => query,
) =>
  Effect.map(
    Layer.build(
      PostgresStore.layer(options).pipe(
        Layer.provideMerge(interposed(each)),
        Layer.provideMerge(PostgresClient.layer({ ...patient, url: Redacted.make(url) })),
        Layer.provide(SecureRandom.layerWebCrypto),
      ),
    ),
    (context) => ({
      store: Context.get(context, Store),
      pool: Context.get(context, PgPool.PgPool),
    }),
  )

type Node = Effect.Success<ReturnType<typeof node>>

/** Waits until a session waits for a lock, or its work is over. */
const waitsForLock = (
  observer: Node,
  { processId }: PgConnection.PgConnection,
  work: Fiber.Fiber<unknown, unknown>,
) => {
  const queue = rowsOf(
    observer.pool,
    `SELECT FROM pg_stat_activity WHERE pid = ${processId} AND wait_event_type = 'Lock'`,
  )
  return Effect.promise(() =>
    eventually(async () => {
      if (work.pollUnsafe() !== undefined) return
      assert.strictEqual((await Effect.runPromise(queue)).length, 1)
    }),
  )
}

/**
 * Two nodes. What `other` does is done once, next to the second statement that the first node sends on
 * a connection: there a batch has asked for some of its rows, and not yet written.
 */
const interrupted = Effect.fnUntraced(function* (
  place: "before the second read" | "after the second read",
) {
  const url = yield* database
  let other: Effect.Effect<unknown> | undefined
  let firstRead = Latch.makeUnsafe()
  const onNode = yield* node(url, {}, ({ position, query }) =>
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
    }),
  )
  const onOther = yield* node(url)
  yield* onOther.store.createOrganization(Samples.organization())
  yield* onOther.store.execute(Samples.topUp())
  return {
    store: onNode.store,
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

  it.live("never takes older rows for rows of a newer stamp", () =>
    Effect.gen(function* () {
      const { meanwhile, other, store } = yield* interrupted("before the second read")
      yield* other.store.execute(Samples.requestVerification())
      let first: unknown
      meanwhile((store) =>
        Effect.tap(store.execute(wrong), ({ outcome }) =>
          Effect.sync(() => {
            first = outcome
          }),
        ),
      )
      const { outcome } = yield* store.execute(wrong)
      assert.deepStrictEqual(first, { _tag: "WrongCode", attemptsRemaining: 2 })
      assert.deepStrictEqual(outcome, { _tag: "WrongCode", attemptsRemaining: 1 })
      const read = yield* store.verification(organization, Samples.requestId())
      assert.strictEqual(read?.verification.attemptsRemaining, 1)
    }).pipe(Effect.scoped),
  )

  it.live("does not refuse by rows that have changed since", () =>
    Effect.gen(function* () {
      const { meanwhile, store } = yield* interrupted("after the second read")
      meanwhile((store) => store.execute(Samples.holdMessage()))
      const { outcome } = yield* store.execute(Samples.applyReport())
      assert.strictEqual(outcome._tag, "Applied")
    }).pipe(Effect.scoped),
  )

  it.live("does not restore a recipient that retention has dropped", () =>
    Effect.gen(function* () {
      const { meanwhile, other, store } = yield* interrupted("after the second read")
      yield* other.store.execute(Samples.requestVerification())
      const old = Date.now() - 2 * bounds.windowMillis.max
      yield* rowsOf(
        other.pool,
        `UPDATE countersign.recipients SET sends = ARRAY[${old}::int8], pending = '[]'`,
      )
      let dropped: number | undefined
      meanwhile((store) =>
        Effect.tap(
          store.prune({
            organization,
            kind: "recipients",
            keepMillis: 0,
            after: undefined,
            limit: 9,
          }),
          (step) =>
            Effect.sync(() => {
              dropped = step.dropped
            }),
        ),
      )
      yield* store.execute(
        Samples.requestVerification({ requestId: Samples.requestId(2), isCounted: true }),
      )
      assert.strictEqual(dropped, 1)
      const left = yield* rowsOf(other.pool, "SELECT sends FROM countersign.recipients")
      assert.deepStrictEqual(left, [{ sends: [] }])
    }).pipe(Effect.scoped),
  )

  it.live("does not restore a code that was erased", () =>
    Effect.gen(function* () {
      const { meanwhile, other, store } = yield* interrupted("after the second read")
      yield* other.store.execute(Samples.requestVerification())
      const erase = {
        organization,
        kind: "codes",
        keepMillis: 0,
        after: undefined,
        limit: 9,
      } as const
      let erased: number | undefined
      meanwhile((store) =>
        rowsOf(other.pool, "UPDATE countersign.verifications SET expires_at = created_at").pipe(
          Effect.andThen(store.prune(erase)),
          Effect.tap(({ dropped }) =>
            Effect.sync(() => {
              erased = dropped
            }),
          ),
        ),
      )
      const { outcome } = yield* store.execute(wrong)
      assert.strictEqual(erased, 1)
      assert.strictEqual(outcome._tag, "Expired")
      const left = yield* rowsOf(other.pool, "SELECT sealed FROM countersign.verifications")
      assert.deepStrictEqual(left, [{ sealed: null }])
    }).pipe(Effect.scoped),
  )
})

describe("a write that reaches the server after its session was abandoned", () => {
  const lost = new SqlError({
    reason: new ConnectionError({ cause: new Error("lost"), message: "lost", operation: "query" }),
  })

  it.live("does not commit between its look-up and its repeat", () =>
    Effect.gen(function* () {
      const url = yield* database
      const other = yield* node(url)
      yield* other.store.createOrganization(Samples.organization())
      yield* other.store.execute(Samples.topUp())
      let isArmed = false
      let late: Sent | undefined
      let arriving: Fiber.Fiber<unknown, unknown> | undefined
      /** Sends the late statement, and continues when it is done or waits for a lock. */
      const arrive = ({ params, sql }: Sent) =>
        lend(other.pool, (connection) =>
          Effect.gen(function* () {
            const fiber = yield* Effect.forkDetach(Effect.exit(connection.query(sql, params)))
            arriving = fiber
            yield* waitsForLock(other, connection, fiber)
          }),
        )
      const { store } = yield* node(url, {}, (sent) =>
        Effect.suspend(() => {
          if (isArmed && late === undefined && sent.sql.includes("INSERT INTO")) {
            late = sent
            return Effect.fail(lost)
          }
          // The redo begins, looks for the commit, and then asks for the accounts.
          const isRedo = sent.sql.includes("accounts") && arriving === undefined
          return late !== undefined && isRedo
            ? Effect.andThen(arrive(late), sent.query)
            : sent.query
        }),
      )
      isArmed = true
      const { outcome } = yield* store.execute(Samples.holdMessage())
      assert.strictEqual(outcome._tag, "Held")
      if (arriving === undefined) return assert.fail("nothing came late")
      yield* Fiber.await(arriving)
      const account = yield* store.account(organization)
      assert.deepInclude(account, { lastMessage: 1, held: Samples.newMessage().charge })
    }).pipe(Effect.scoped),
  )
})

describe("a statement that locks accounts", () => {
  const rollback = { sql: "ROLLBACK" }
  const sql = BatchSql.make(
    "countersign",
    RowArrays.make(() => ({ oid: 0, arrayOid: 0 })),
  )
  const cases: ReadonlyArray<
    readonly [string, (organizations: ReadonlyArray<string>) => Statement]
  > = [
    ["lockAccounts", (organizations) => sql.lockAccounts(organizations)],
    [
      "joinIfStamped",
      (organizations) =>
        sql.joinIfStamped([sql.signLane("", "", 0)], {
          organizations: organizations.map((organization) => ({ organization, stamp: 0 })),
          now: undefined,
          absent: [],
        }),
    ],
  ]

  it.live.each(cases)("takes them in the order of their names, in any rows: %s", ([, make]) =>
    Effect.gen(function* () {
      const one = yield* node(yield* database, { partitions: 2 })
      const { pool, store } = one
      const names = Array.from({ length: 20 }, (_, index) => `org_${10 + index}`)
      yield* Effect.forEach(names, (name) =>
        store.createOrganization(Samples.organization({ id: OrganizationId(name) })),
      )
      // Two in an order that is not that of their partitions.
      const [pair] = yield* rowsOf(
        one.pool,
        `SELECT one.organization AS first, other.organization AS second
          FROM countersign.accounts_1 one JOIN countersign.accounts_0 other
            ON one.organization < other.organization ORDER BY 1, 2`,
      )
      const both = [String(pair?.["first"]), String(pair?.["second"])]
      const free = yield* lend(pool, (holder) =>
        lend(pool, (connection) =>
          Effect.gen(function* () {
            yield* runBatch(holder, [begin, sql.lockAccounts(both.slice(1))])
            yield* runBatch(connection, [begin])
            const fiber = yield* Effect.forkChild(runBatch(connection, [make(both)]))
            yield* waitsForLock(one, connection, fiber)
            const rows = yield* rowsOf(
              one.pool,
              `SELECT organization FROM countersign.accounts
                WHERE organization IN ('${both.join("', '")}') FOR UPDATE SKIP LOCKED`,
            )
            yield* runBatch(holder, [rollback])
            yield* Fiber.join(fiber)
            yield* runBatch(connection, [rollback])
            return rows
          }),
        ),
      )
      assert.deepStrictEqual(free, [])
    }).pipe(Effect.scoped),
  )
})
