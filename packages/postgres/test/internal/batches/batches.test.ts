import { PgPool } from "@effect/sql-pg"
import type { Command } from "@countersign/core/decide/Command"
import { MessageId, OrganizationId } from "@countersign/core/domain/Ids"
import { Store } from "@countersign/core/ports/Store"
import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as SecureRandom from "effect/crypto/SecureRandom"
import type { SqlError } from "effect/sql/SqlError"
import { inspect } from "node:util"
import { begin, lend, runBatch } from "../../../src/internal/connection/pipeline.ts"
import type * as PostgresClient from "../../../src/PostgresClient.ts"
import * as PostgresStore from "../../../src/PostgresStore.ts"
import { server } from "../../fixtures/databases.ts"

/** Gives up a lock soon. */
const impatient = { lockTimeout: "300 millis" } as const

/** A store over the pool given. */
const storeOver = (pool: PgPool.PgPool, options: PostgresStore.Options = {}) =>
  Effect.map(
    Layer.build(
      PostgresStore.layer(options).pipe(
        Layer.provide(Layer.succeed(PgPool.PgPool, pool)),
        Layer.provide(SecureRandom.layerWebCrypto),
        Layer.provide(Logger.layer([])),
      ),
    ),
    (context) => Context.get(context, Store),
  )

const pool = (options: Omit<PostgresClient.Options, "url"> = {}) =>
  Effect.map(Layer.build(server(options)), (context) => Context.get(context, PgPool.PgPool))

const open = Effect.fnUntraced(function* (store: Store["Service"], name: string) {
  const organization = OrganizationId(name)
  yield* store.createOrganization(Samples.organization({ id: organization }))
  yield* store.execute(Samples.topUp({ organization, amount: Samples.money("1000") }))
  return organization
})

const hold = (organization: OrganizationId, id: string) =>
  Samples.holdMessage({ organization, draft: Samples.draft({ id: MessageId(id) }) })

/** The pool, with something done around each statement of its connections. */
const watched = (
  real: PgPool.PgPool,
  around: <A>(
    query: Effect.Effect<A, SqlError>,
    sql: string,
    params: ReadonlyArray<unknown> | undefined,
  ) => Effect.Effect<A, SqlError>,
): PgPool.PgPool => ({
  ...real,
  use: (f) =>
    real.use((connection) =>
      f(
        new Proxy(connection, {
          get: (target, key) => {
            const value: unknown = Reflect.get(target, key)
            if (key !== "query") return typeof value === "function" ? value.bind(target) : value
            const query: typeof target.query = (sql, params, prepare) =>
              around(target.query(sql, params, prepare), sql, params)
            return query
          },
        }),
      ),
    ),
})

describe("a defect after a commit was sent", () => {
  it.live("repeats nothing: the commit is looked up as after a lost connection", () =>
    Effect.gen(function* () {
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
      const { outcome } = yield* store.execute(hold(organization, "one"))
      assert.isFalse(isArmed)
      assert.strictEqual(outcome._tag, "Held")
      assert.strictEqual((yield* store.account(organization))?.lastMessage, 1)
    }).pipe(Effect.scoped),
  )
})

describe("an organization with a backlog of reports", () => {
  it.live("sends in its next commits", () =>
    Effect.gen(function* () {
      const share = 64
      const store = yield* storeOver(yield* pool(), { lanes: 1, maxBatchPerOrganization: share })
      const organization = yield* open(store, "acme")
      yield* store.execute(hold(organization, "first"))
      const report = Samples.applyReport({ organization, source: Samples.reportSource() })
      const order: Array<string> = []
      const commands = [
        ...Array.from({ length: 1_000 }, () => report),
        hold(organization, "second"),
      ]
      yield* Effect.forEach(
        commands,
        (command) => Effect.map(store.execute(command), () => order.push(command._tag)),
        { concurrency: "unbounded" },
      )
      // The first report has its own commit, all others wait for it.
      assert.isBelow(order.indexOf("HoldMessage"), 1 + share)
    }).pipe(Effect.scoped),
  )
})

describe("a lock that is held for a long time", () => {
  /** Holds a lock for as long as `use` takes. */
  const holding = <A, E>(real: PgPool.PgPool, lock: string, use: Effect.Effect<A, E>) =>
    lend(real, (connection) =>
      Effect.andThen(runBatch(connection, [begin, { sql: lock }]), use).pipe(
        Effect.ensuring(Effect.ignore(runBatch(connection, [{ sql: "ROLLBACK" }]))),
      ),
    )
  const lockOf = (organization: string) =>
    `SELECT FROM countersign.accounts WHERE organization = '${organization}' FOR UPDATE`

  /** Executes commands at once, and says what each came to. */
  const resultsOf = (store: Store["Service"], commands: ReadonlyArray<Command>) =>
    Effect.forEach(
      commands,
      (command) =>
        Effect.match(store.execute(command), {
          onFailure: ({ reason }): string => reason,
          onSuccess: ({ outcome }) => outcome._tag,
        }),
      { concurrency: "unbounded" },
    )

  const organizations = (store: Store["Service"]) =>
    Effect.all([open(store, "first"), open(store, "locked"), open(store, "quick")])

  for (const lanes of [1, 4]) {
    it.live(`delays its own organization only, with lanes: ${lanes}`, () =>
      Effect.gen(function* () {
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
      }).pipe(Effect.scoped),
    )
  }

  it.live("leaves lanes to other organizations, for any number of locked ones", () =>
    Effect.gen(function* () {
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
    }).pipe(Effect.scoped),
  )

  it.live("on another row delays only the commands that need the row", () =>
    Effect.gen(function* () {
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
    }).pipe(Effect.scoped),
  )
})
