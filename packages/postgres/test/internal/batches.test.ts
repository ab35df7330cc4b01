import { PgPool } from "@effect/sql-pg"
import { MessageId, OrganizationId } from "@countersign/core/Ids"
import { Store } from "@countersign/core/Store"
import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as SecureRandom from "effect/crypto/SecureRandom"
import type * as PostgresClient from "../../src/PostgresClient.ts"
import * as PostgresStore from "../../src/PostgresStore.ts"
import { server } from "../fixtures/databases.ts"

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

/** The pool, with something done after each statement of its connections. */
const watched = (
  real: PgPool.PgPool,
  after: (sql: string) => Effect.Effect<void>,
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
              Effect.tap(target.query(sql, params, prepare), () => after(sql))
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
        watched(real, (sql) => {
          if (!isArmed || !sql.includes(" AS fits")) return Effect.void
          isArmed = false
          return Effect.die("a bug of the driver")
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
  it.live("sends with its next commits", () =>
    Effect.gen(function* () {
      const share = 64
      const store = yield* storeOver(yield* pool(), { lanes: 1, maxBatchPerOrganization: share })
      const organization = yield* open(store, "acme")
      yield* store.execute(hold(organization, "first"))
      const report = Samples.applyReport({ organization, arrival: Samples.arrival() })
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
      // The first report makes a commit of its own, all others wait for it.
      assert.isBelow(order.indexOf("HoldMessage"), 1 + share)
    }).pipe(Effect.scoped),
  )
})
