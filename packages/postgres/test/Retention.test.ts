/**
 * The limits of dropping rows on a server under concurrent work. Its required effects are in
 * the contract of every store.
 */
import type { PgClient } from "@effect/sql-pg"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import type { Command } from "@countersign/core/decide/Command"
import { bounds } from "@countersign/core/domain/limits/Limits"
import type { Kind } from "@countersign/core/decide/maintenance/Pruning"
import type { Store } from "@countersign/core/ports/Store"
import * as Invariants from "@countersign/testing/Invariants"
import * as Samples from "@countersign/testing/Samples"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { database, node, until } from "./fixtures/databases.ts"
import { test } from "../../../test/support/testsOver.ts"

const limits = { checksPerOrganization: undefined }
const organization = Samples.organizationId

type Service = Store["Service"]

/** Messages that are final, each with a request that is over, and a gateway's id that leads to it. */
const fill = Effect.fnUntraced(function* (store: Service, messages: number) {
  yield* store.createOrganization(Samples.organization())
  yield* store.execute(Samples.topUp({ amount: Samples.money("100000") }))
  const all = Array.from({ length: messages }, (_, index) => index + 1)
  const each = (commands: (index: number) => readonly [Command, Command]) =>
    Effect.forEach(all, (index) => Effect.forEach(commands(index), (one) => store.execute(one)), {
      concurrency: "unbounded",
    })
  yield* each((index) => [
    Samples.requestVerification({
      requestId: Samples.requestId(index),
      phoneNumber: Samples.phoneNumber(index),
      draft: Samples.newMessage({ id: Samples.messageId(index) }),
    }),
    Samples.checkCode({ requestId: Samples.requestId(index), limits }),
  ])
  yield* each((index) => [
    Samples.recordDispatch({
      messageSequence: index,
      outcome: { _tag: "Accepted", gatewayId: `gw-${index}` },
    }),
    Samples.applyReport({ messageSequence: index }),
  ])
})

/** Drops all rows from before now, the present millisecond included. */
const step = (store: Service, kind: Kind, limit: number, after?: string) =>
  store.prune({ organization, kind, keepMillis: -1, after, limit })

/** Steps until there is nothing more; gives how many rows went. */
const drain = Effect.fnUntraced(function* (store: Service, kind: Kind, limit: number) {
  let rows = 0
  let after: string | undefined
  do {
    const { dropped, next } = yield* step(store, kind, limit, after)
    rows += dropped
    after = next
  } while (after !== undefined)
  return rows
})

const sound = Effect.fnUntraced(function* (store: Service) {
  const snapshot = yield* Invariants.read(store, organization)
  if (snapshot === undefined) return assert.fail("the organization is gone")
  const anyTime = { ...Invariants.standardBounds, droppedBefore: Infinity }
  assert.deepStrictEqual(Invariants.problems(snapshot, anyTime), [])
  return snapshot
})

const numbersOf = (sql: PgClient.PgClient, statement: string) =>
  Effect.map(sql.unsafe<{ readonly n: bigint }>(statement), (rows) =>
    rows.map(({ n }) => Number(n)),
  )

/** Does something while rows are locked, in the transaction that holds the locks. */
const whileLocked = <A, E, R>(
  sql: PgClient.PgClient,
  body: Effect.Effect<A, E, R>,
  table = "accounts",
) =>
  sql.withTransaction(
    Effect.andThen(sql.unsafe(`SELECT * FROM countersign.${table} FOR UPDATE`), body),
  )

const waiters = `FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`

/** Waits until a session waits for a lock. */
const sessionWaits = (sql: PgClient.PgClient) =>
  until(numbersOf(sql, `SELECT count(*) AS n ${waiters}`), (counts) =>
    assert.notDeepEqual(counts, [0]),
  )

/** Two nodes, of which the first has messages. */
const filled = Effect.fnUntraced(function* (messages: number) {
  const url = yield* database
  const { store } = yield* node(url)
  const { sql } = yield* node(url)
  yield* fill(store, messages)
  return { url, store, sql }
})

/** Takes a step that waits for the organization's lock. Its holder executes a statement meanwhile. */
const waitingStep = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  store: Service,
  kind: Kind,
  meanwhile: string,
) {
  const dropping = yield* whileLocked(
    sql,
    Effect.gen(function* () {
      const fiber = yield* Effect.forkScoped(step(store, kind, 10))
      yield* sessionWaits(sql)
      yield* sql.unsafe(meanwhile)
      return fiber
    }),
  )
  return (yield* Fiber.join(dropping)).dropped
})

describe("a step that waits for the organization's lock", () => {
  test.live("holds no lock that the holder of the account's lock may need", function* () {
    const { sql, store } = yield* filled(10)
    // As a batch would that has a late report for each of them.
    const late = "UPDATE countersign.messages SET anomalies = anomalies + 1"
    assert.strictEqual(yield* waitingStep(sql, store, "messages", late), 10)
    const { account, messages } = yield* sound(store)
    assert.deepInclude(account, { firstMessage: 11, lastMessage: 10 })
    assert.deepStrictEqual(messages, [])
  })

  test.live("keeps a number that was used again meanwhile", function* () {
    const { sql, store } = yield* filled(3)
    const old = Date.now() - 2 * bounds.windowMillis.max
    yield* sql.unsafe(
      `UPDATE countersign.recipients SET sends = ARRAY[${old}::int8], pending = '[]'`,
    )
    const again = `UPDATE countersign.recipients SET sends = sends || ${Date.now()}::int8
        WHERE phone_number = '${Samples.phoneNumber(2)}'`
    assert.strictEqual(yield* waitingStep(sql, store, "recipients", again), 2)
    const left = yield* sql.unsafe("SELECT phone_number FROM countersign.recipients")
    assert.deepStrictEqual(left, [{ phone_number: Samples.phoneNumber(2) }])
  })

  const addReport = `INSERT INTO countersign.reports
      (organization, message_sequence, position, received_at, gateway, status)
    VALUES ('${organization}', 3, 9, 0, 'simulated', 'failed')`
  const reports = "SELECT count(*) AS n FROM countersign.reports"

  test.live("leaves no report behind that the holder has added", function* () {
    const { sql, store } = yield* filled(5)
    assert.strictEqual(yield* waitingStep(sql, store, "messages", addReport), 5)
    assert.deepStrictEqual(yield* numbersOf(sql, reports), [0])
  })

  test.live("drops the leftovers of a node that died in the previous step", function* () {
    const { sql, store } = yield* filled(8)
    yield* step(store, "messages", 4)
    yield* sql.unsafe(addReport)
    yield* step(store, "messages", 4)
    assert.deepStrictEqual(yield* numbersOf(sql, reports), [0])
  })

  test.live("ends with 'timeout', and has dropped nothing", function* () {
    const { sql, url } = yield* filled(5)
    const { store } = yield* node(url, {}, { lockTimeout: "50 milliseconds" })
    const refused = yield* whileLocked(
      sql,
      Effect.forEach(["messages", "verifications"] as const, (kind) =>
        Effect.flip(step(store, kind, 10)),
      ),
    )
    assert.deepStrictEqual(
      refused.map((error) => error._tag === "StoreUnavailable" && error.reason),
      ["timeout", "timeout"],
    )
    assert.strictEqual((yield* sound(store)).verifications.length, 5)
  })
})

describe("two nodes that drop rows while both send", () => {
  test.live("never block each other, and lose and repeat nothing", function* () {
    const url = yield* database
    const nodes = [yield* node(url), yield* node(url)] as const
    const [{ sql, store }] = nodes
    yield* fill(store, 400)
    const old = (yield* numbersOf(sql, "SELECT max(created_at) AS n FROM countersign.messages"))[0]
    const sending = Effect.forEach(
      Array.from({ length: 600 }, (_, index) => index),
      (index) => {
        const { store } = nodes[index % 2 === 0 ? 0 : 1]
        // A report on every message that is being dropped, in the opposite order.
        const report = Samples.applyReport({
          messageSequence: 1 + ((600 - index) % 400),
          status: "failed",
          source: Samples.reportSource(),
        })
        const requestId = Samples.requestId(1 + (index % 400))
        return Effect.all(
          [
            store.execute(
              Samples.holdMessage({
                draft: Samples.newMessage({ id: Samples.messageId(1_000 + index) }),
              }),
            ),
            store.execute(report),
            store.execute(Samples.checkCode({ requestId, limits })),
          ],
          { concurrency: "unbounded" },
        )
      },
      { concurrency: 30 },
    )
    const dropping = Effect.forEach(
      nodes,
      ({ store }) =>
        Effect.all([drain(store, "messages", 7), drain(store, "verifications", 9)], {
          concurrency: 2,
        }),
      { concurrency: 2 },
    )
    const [answers, dropped] = yield* Effect.all([sending, dropping], { concurrency: 2 })
    for (const [held, report, checked] of answers) {
      assert.strictEqual(held.result._tag, "Held")
      assert.include(["Applied", "NotFound"], report.result._tag)
      assert.include(["Verified", "NotFound"], checked.result._tag)
    }
    // A round of either node may end where the other one was quicker.
    yield* drain(store, "messages", 500)
    yield* drain(store, "verifications", 500)
    assert.isAtMost(
      dropped.flat().reduce((sum, rows) => sum + rows, 0),
      800,
    )
    const { account, messages } = yield* sound(store)
    assert.deepInclude(account, { firstMessage: 401, lastMessage: 1_000 })
    assert.strictEqual(messages.length, 600)
    assert.isTrue(messages.every(({ createdAt }) => createdAt >= (old ?? Infinity)))
    const gone = yield* numbersOf(
      sql,
      `SELECT count(*) AS n FROM countersign.messages WHERE sequence <= 400 UNION ALL
          SELECT count(*) FROM countersign.gateway_ids UNION ALL
          SELECT count(*) FROM countersign.reports UNION ALL
          SELECT count(*) FROM countersign.verifications UNION ALL
          SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`,
    )
    assert.deepStrictEqual(gone, [0, 0, 0, 0, 0])
  })
})

describe("a session that ends in the middle of a step", () => {
  const cases = [
    ["before it has the organization's lock", "accounts"],
    ["when messages are dropped already", "gateway_ids"],
  ] as const

  for (const [name, table] of cases) {
    test.live(`leaves a log without gaps ${name}, and the next steps finish it`, function* () {
      const { sql, store } = yield* filled(10)
      yield* step(store, "messages", 4)
      const refused = yield* whileLocked(
        sql,
        Effect.gen(function* () {
          const fiber = yield* Effect.forkScoped(Effect.flip(step(store, "messages", 4)))
          yield* sessionWaits(sql)
          yield* sql.unsafe(`SELECT pg_terminate_backend(pid) ${waiters}`)
          return yield* Fiber.join(fiber)
        }),
        table,
      )
      assert.strictEqual(refused._tag === "StoreUnavailable" && refused.reason, "connection")
      assert.strictEqual((yield* sound(store)).account.firstMessage, 5)
      yield* drain(store, "messages", 4)
      assert.strictEqual((yield* sound(store)).account.firstMessage, 11)
    })
  }
})

describe("organizations with similar names", () => {
  test.live("keep their rows", function* () {
    const { sql, store } = yield* filled(2)
    for (const name of ["acm", "acme-", "acme0"]) {
      const id = OrganizationId(name)
      yield* store.createOrganization(Samples.organization({ id }))
      yield* store.execute(Samples.topUp({ organization: id }))
      yield* store.execute(Samples.requestVerification({ organization: id }))
      yield* store.execute(Samples.checkCode({ organization: id }))
    }
    yield* sql.unsafe(`UPDATE countersign.messages SET due_at = NULL, hold = 'captured'`)
    for (const kind of ["messages", "verifications", "recipients"] as const) {
      yield* drain(store, kind, 100)
    }
    const left = yield* sql.unsafe<{ readonly organization: string }>(
      `SELECT organization FROM countersign.messages NATURAL JOIN
          (SELECT organization, message_sequence AS sequence FROM countersign.verifications) v ORDER BY 1`,
    )
    assert.deepStrictEqual(
      left.map(({ organization }) => organization),
      ["acm", "acme-", "acme0"],
    )
  })
})
