/** The outbox on a server: hosts add to it in their own transactions. */
import { PgClient, PgConnection } from "@effect/sql-pg"
import type { NewQueuedSend } from "@countersign/core/domain/outbox/QueuedSend"
import { Store } from "@countersign/core/ports/Store"
import * as Samples from "@countersign/testing/Samples"
import { afterAll, assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { randomBytes } from "node:crypto"
import { channelOf } from "../src/internal/statements/outboxSql.ts"
import * as PgliteClient from "../src/PgliteClient.ts"
import { database, node, rowsOf, storeLayer, until } from "./fixtures/databases.ts"
import { numberKey } from "./fixtures/numberKey.ts"

const { messageId, organizationId, phoneNumber, queuedSend } = Samples

class Address extends Context.Service<Address, string>()("test/Address") {}

const server = ManagedRuntime.make(Layer.effect(Address, database))
afterAll(() => server.dispose())

let schemas = 0

/** A node with an organization, in a schema of its own, and the sessions of a host. */
const setUp = Effect.fnUntraced(function* (
  { schema = `outbox_${++schemas}`, ...options }: Parameters<typeof node>[1] = {},
  client?: Parameters<typeof node>[2],
) {
  const url = yield* Effect.promise(() => server.runPromise(Address.use(Effect.succeed)))
  const { pool, store } = yield* node(url, { ...options, schema }, client)
  yield* store.createOrganization(Samples.organization())
  const session = Effect.map(PgConnection.make({ url: Redacted.make(url) }), (connection) => {
    const run = (sql: string, values: ReadonlyArray<unknown> = []) =>
      Effect.map(connection.query(sql, values, false), ({ rows }) => rows)
    return { run, add: (send: NewQueuedSend) => run(...statement(store, send)) }
  })
  return { pool, schema, store, session }
})

const statement = (store: Store["Service"], send: NewQueuedSend) => {
  const { text, values } = store.enqueueStatement(send) ?? assert.fail("no statement")
  return [text, values] as const
}

const send = (index: number, overrides: Partial<NewQueuedSend> = {}) =>
  queuedSend({ id: messageId(index), ...overrides })

const queue = { organization: organizationId, queue: "" }

const added = (store: Store["Service"]) =>
  Effect.map(store.queuedPage(queue, undefined, 10), ({ found }) => found.map(({ id }) => id))

const take = (store: Store["Service"]) =>
  Effect.map(store.takeQueued([{ ...queue, limit: 10 }], 60_000), (taken) =>
    taken.map(({ id }) => id),
  )

/** The wake-ups of a store, in their order. */
const wakeupsOf = Effect.fnUntraced(function* (store: Store["Service"]) {
  const woken = yield* Queue.unbounded<void>()
  yield* Effect.forkScoped(
    Stream.runForEach(store.wakeups, () => Queue.offer(woken, undefined)),
    { startImmediately: true },
  )
  return Queue.take(woken)
})

const test = <E>(title: string, body: () => Effect.Effect<void, E, Scope.Scope>) =>
  it.live(title, () => Effect.scoped(body()))

describe("a send that a host adds in its own transaction", () => {
  test(
    "is there after the commit, with every field, and not after a roll-back",
    Effect.fnUntraced(function* () {
      const { session, store } = yield* setUp()
      const { add, run } = yield* session
      yield* run("BEGIN")
      yield* add(send(1))
      yield* run("ROLLBACK")
      assert.isUndefined(yield* store.queued(organizationId, messageId(1)))
      const full = send(2, { orderKey: "user's 7", queue: "b", dueAt: 5, expiresAt: 9 })
      yield* run("BEGIN")
      yield* add(full)
      yield* add(send(3))
      assert.deepStrictEqual(yield* added(store), [])
      yield* run("COMMIT")
      assert.deepInclude(yield* store.queued(organizationId, messageId(2)), { ...full, claim: 0 })
      assert.deepInclude(yield* store.queued(organizationId, messageId(3)), send(3))
      // An id that exists is an error of the host's transaction.
      assert.strictEqual((yield* Effect.flip(add(send(3))))._tag, "SqlError")
    }),
  )

  test(
    "waits with its order key until an earlier transaction has ended",
    Effect.fnUntraced(function* () {
      const { pool, session, store } = yield* setUp()
      const [first, second, third] = [yield* session, yield* session, yield* session]
      for (const { run } of [first, second, third]) yield* run("BEGIN")
      yield* first.add(send(1, { orderKey: "a" }))
      const blocked = yield* Effect.forkChild(second.add(send(2, { orderKey: "a" })))
      const waiting = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
      const passed = Effect.as(Fiber.await(blocked), "the second did not wait")
      const waits = Effect.as(
        until(rowsOf(pool, waiting), (rows) => assert.lengthOf(rows, 1)),
        "waits",
      )
      assert.strictEqual(yield* Effect.raceFirst(waits, passed), "waits")
      // Others do not wait.
      yield* third.add(send(3, { orderKey: "b" }))
      yield* third.run("COMMIT")
      yield* first.run("COMMIT")
      yield* Fiber.join(blocked)
      yield* second.run("COMMIT")
      assert.deepStrictEqual(yield* added(store), [1, 3, 2].map(messageId))
      assert.deepStrictEqual(yield* take(store), [1, 3].map(messageId))
    }),
  )

  test(
    "needs no right but to insert into this one table",
    Effect.fnUntraced(function* () {
      const { schema, session, store } = yield* setUp()
      const role = `host_${randomBytes(6).toString("hex")}`
      const { add, run } = yield* session
      yield* Effect.acquireRelease(run(`CREATE ROLE ${role}`), () =>
        Effect.orDie(
          Effect.forEach(["RESET ROLE", `DROP OWNED BY ${role}`, `DROP ROLE ${role}`], (sql) =>
            run(sql),
          ),
        ),
      )
      yield* run(`GRANT USAGE ON SCHEMA ${schema} TO ${role}`)
      yield* run(`GRANT INSERT ON ${schema}.outbox TO ${role}`)
      yield* run(`SET ROLE ${role}`)
      yield* add(send(1))
      yield* add(send(2, { orderKey: "a" }))
      assert.strictEqual(
        (yield* Effect.flip(run(`SELECT * FROM ${schema}.outbox`)))._tag,
        "SqlError",
      )
      assert.deepStrictEqual(yield* added(store), [1, 2].map(messageId))
    }),
  )

  test(
    "has neither number nor text in plain text, if numbers are encrypted",
    Effect.fnUntraced(function* () {
      const { pool, schema, session, store } = yield* setUp({ numberKeys: [numberKey("1")] })
      const { add } = yield* session
      const plain = send(1, { call: `{"text":"for ${phoneNumber()}, the secret words"}` })
      const [, values] = statement(store, plain)
      yield* add(plain)
      yield* store.enqueue([{ ...plain, id: messageId(2) }])
      const stored = JSON.stringify([
        values,
        yield* rowsOf(pool, `SELECT o::text FROM ${schema}.outbox o`),
      ])
      assert.notInclude(stored, phoneNumber().slice(1))
      assert.notInclude(stored, "secret words")
      for (const index of [1, 2]) {
        const found = yield* store.queued(organizationId, messageId(index))
        assert.deepInclude(found, { phoneNumber: plain.phoneNumber, call: plain.call })
      }
      const result = yield* store.execute(Samples.endQueued({ queued: { id: messageId(1) } }))
      assert.deepStrictEqual(result.result, { _tag: "Ended" })
      assert.deepStrictEqual(yield* take(store), [messageId(2)])
    }),
  )

  test(
    "wakes the nodes when it is committed, also those that had lost their session",
    Effect.fnUntraced(function* () {
      const { pool, schema, session, store } = yield* setUp()
      const woken = yield* wakeupsOf(store)
      // It listens from now on.
      yield* woken
      const { add, run } = yield* session
      const other = yield* session
      yield* run("BEGIN")
      yield* add(send(1))
      yield* other.add(send(2))
      yield* woken
      assert.deepStrictEqual(yield* take(store), [messageId(2)])
      yield* run("COMMIT")
      yield* woken
      assert.deepStrictEqual(yield* take(store), [messageId(1)])
      const ended = yield* rowsOf(
        pool,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND query = 'LISTEN "${channelOf(schema)}"'`,
      )
      assert.lengthOf(ended, 1)
      yield* woken
      yield* add(send(3))
      yield* woken
      assert.deepStrictEqual(yield* take(store), [messageId(3)])
    }),
  )
})

describe("a row that cannot be read", () => {
  test(
    "keeps no other from being sent, and is logged",
    Effect.fnUntraced(function* () {
      const { schema, session, store } = yield* setUp({ numberKeys: [numberKey("1")] })
      const { run } = yield* session
      yield* store.enqueue([1, 2, 3, 4].map((index) => send(index)))
      yield* run(`UPDATE ${schema}.outbox SET phone_number = '01712' WHERE id = $1`, [messageId(1)])
      yield* run(`UPDATE ${schema}.outbox SET phone_number = '$2$x' WHERE id = $1`, [messageId(3)])
      const log: Array<unknown> = []
      const logger = Logger.make(({ message }) => log.push(message))
      const taken = yield* Effect.provide(take(store), Logger.layer([logger]))
      assert.deepStrictEqual(taken, [2, 4].map(messageId))
      const place = { organization: organizationId, id: messageId(1), count: 2 }
      assert.deepInclude(log.flat(), place)
      assert.notInclude(JSON.stringify(log), "01712")
      // Their leases have not ended.
      assert.deepStrictEqual(yield* take(store), [])
    }),
  )
})

describe("a change of the time that has read a send", () => {
  test(
    "takes it from a node that has taken it since",
    Effect.fnUntraced(function* () {
      const { pool, schema, session, store } = yield* setUp()
      yield* store.execute(Samples.topUp())
      yield* store.enqueue([send(1)])
      const other = yield* session
      yield* other.run("BEGIN")
      yield* other.run(`SELECT FROM ${schema}.accounts FOR UPDATE`)
      const queued = { id: messageId(1) }
      const moving = yield* Effect.forkChild(
        store.execute(Samples.moveQueued({ queued, dueAt: 0 })),
      )
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database()
        AND wait_event_type = 'Lock' AND query LIKE 'WITH held%"${schema}".accounts%'`
      yield* until(rowsOf(pool, waiting), (rows) => assert.lengthOf(rows, 1))
      const [taken] = yield* store.takeQueued([{ ...queue, limit: 1 }], 60_000)
      yield* other.run("COMMIT")
      assert.strictEqual((yield* Fiber.join(moving)).result._tag, "Moved")
      const hold = Samples.holdMessage({ queued: { ...queued, claim: taken?.claim } })
      assert.strictEqual((yield* store.execute(hold)).result._tag, "NotQueued")
      const [again] = yield* store.takeQueued([{ ...queue, limit: 1 }], 60_000)
      const held = Samples.holdMessage({ queued: { ...queued, claim: again?.claim } })
      assert.strictEqual((yield* store.execute(held)).result._tag, "Held")
    }),
  )
})

describe("a send that a host adds to PGlite", () => {
  test(
    "wakes the engine when it is committed",
    Effect.fnUntraced(function* () {
      const context = yield* Layer.build(Layer.provideMerge(storeLayer(), PgliteClient.layer()))
      const [store, sql] = [Context.get(context, Store), Context.get(context, PgClient.PgClient)]
      yield* store.createOrganization(Samples.organization())
      const woken = yield* wakeupsOf(store)
      yield* woken
      yield* sql.withTransaction(sql.unsafe(...statement(store, send(1))))
      yield* woken
      assert.deepStrictEqual(yield* take(store), [messageId(1)])
    }),
  )
})

describe("the channel of an outbox", () => {
  it("has a name of its own for each schema, of any length", () => {
    const names = ["countersign", "a".repeat(56), "a".repeat(57), "a".repeat(63), "যাচাই".repeat(4)]
    const channels = names.map(channelOf)
    assert.strictEqual(new Set(channels).size, names.length)
    for (const channel of channels) assert.isAtMost(Buffer.byteLength(channel), 63)
  })

  test(
    "may need quotes",
    Effect.fnUntraced(function* () {
      const { session, store } = yield* setUp({ schema: `it's "odd" যাচাই` })
      const woken = yield* wakeupsOf(store)
      yield* woken
      const { add } = yield* session
      yield* add(send(1))
      yield* woken
      assert.deepStrictEqual(yield* take(store), [messageId(1)])
    }),
  )
})

describe("a pool with a connection for each lane and one for look-ups", () => {
  test(
    "has none to listen with: a node is woken by its own sends only",
    Effect.fnUntraced(function* () {
      const { pool, schema, store } = yield* setUp({}, { maxBatchConnections: 5 })
      const woken = yield* wakeupsOf(store)
      yield* store.enqueue([send(1)])
      yield* woken
      const listening = `SELECT FROM pg_stat_activity WHERE query = 'LISTEN "${channelOf(schema)}"'`
      assert.lengthOf(yield* rowsOf(pool, listening), 0)
    }),
  )
})
