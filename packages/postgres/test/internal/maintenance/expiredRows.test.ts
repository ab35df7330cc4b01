import * as IdempotencyKey from "@countersign/core/domain/values/IdempotencyKey"
import { bounds } from "@countersign/core/domain/limits/Limits"
import { Store } from "@countersign/core/ports/Store"
import * as Samples from "@countersign/testing/Samples"
import { afterAll, assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as TestClock from "effect/testing/TestClock"
import * as ExpiredRows from "../../../src/internal/maintenance/expiredRows.ts"
import type { TableScan } from "../../../src/internal/maintenance/tableScan.ts"
import { clock, run, server, storeLayer } from "../../fixtures/databases.ts"
import { walk } from "../../fixtures/storedNumbers.ts"
import { empty } from "../../fixtures/stores.ts"
import { testsOver } from "../../../../../test/support/testsOver.ts"

// Connections live by the real clock, the store by the test's.
const database = ManagedRuntime.make(server())
afterAll(() => database.dispose())

/** A store in an empty schema. */
const stored = Layer.unwrap(
  Effect.map(
    Effect.promise(() => database.context()),
    (context) =>
      Layer.provideMerge(storeLayer({ clock, schema: "ids" }), Layer.succeedContext(context)),
  ),
)

const test = testsOver(stored)

const organizations = [Samples.organizationId, Samples.otherOrganizationId]

/** A message of each organization, accepted, and reported on if it is closed. */
const send = Effect.fnUntraced(function* (
  message: number,
  idMillis: number,
  is: "open" | "closed" = "closed",
) {
  const store = yield* Store
  for (const organization of organizations) {
    const draft = Samples.newMessage({ id: Samples.messageId(message) })
    yield* store.execute(Samples.holdMessage({ organization, draft }))
    const outcome = { _tag: "Accepted", gatewayId: `gw-${message}`, idMillis } as const
    yield* store.execute(
      Samples.recordDispatch({ organization, messageSequence: message, outcome }),
    )
    if (is === "closed")
      yield* store.execute(Samples.applyReport({ organization, messageSequence: message }))
  }
})

const opened = Effect.gen(function* () {
  const store = yield* Store
  // Not TRUNCATE, whose locks of whole tables the store's own scans may wait for in another order.
  yield* empty("ids")
  yield* TestClock.setTime(Samples.now)
  for (const id of organizations) {
    yield* store.createOrganization(Samples.organization({ id }))
    yield* store.execute(Samples.topUp({ organization: id }))
  }
})

/** The rows of a table, as in `acme 1`, in order. */
const rowsIn = (table: string, key: string, group = "") =>
  Effect.map(
    run(`SELECT organization || ' ' || ${key} AS name FROM ids.${table} ${group} ORDER BY 1`),
    (rows) => rows.map((row) => String(row["name"])),
  )

const left = rowsIn("gateway_ids", "sequence")

/** Takes the steps of a scan at the time of the test. */
const walkNow = (scan: (schema: string) => TableScan) =>
  Effect.flatMap(clock, (now) => walk(scan("ids"), now))

const walkIds = walkNow(ExpiredRows.gatewayIds)

describe("a walk over the ids of gateways", () => {
  test.effect("drops expired ids of final messages", function* () {
    yield* opened
    yield* send(1, 10)
    yield* send(2, 10, "open")
    yield* send(3, 11)
    yield* send(4, Infinity)
    yield* TestClock.adjust(9)
    yield* walkIds
    assert.strictEqual((yield* left).length, 8)
    yield* TestClock.adjust(1)
    yield* walkIds
    const stays = [2, 3, 4]
    assert.deepStrictEqual(yield* left, [
      ...stays.map((number) => `acme ${number}`),
      ...stays.map((number) => `other ${number}`),
    ])
    const store = yield* Store
    yield* store.execute(Samples.applyReport({ messageSequence: 2 }))
    yield* TestClock.adjust(1)
    yield* walkIds
    assert.deepStrictEqual(yield* left, ["acme 4", "other 2", "other 4"])
  })

  test.effect(
    "continues behind messages that stay open, and reads at most a page in a step",
    function* () {
      yield* opened
      yield* send(1, 10, "open")
      yield* send(2, 20)
      const page = ExpiredRows.rowsPerStep
      const add = (table: string, columns: string) =>
        run(`INSERT INTO ids.${table} SELECT 'full', n, ${columns}
          FROM generate_series(1, ${2 * page}) AS n`)
      yield* add("gateway_ids", `'simulated', 'full', ${Samples.now} + n`)
      yield* add("open_messages", "1")
      yield* TestClock.adjust(3 * page)
      assert.strictEqual(yield* walkIds, 4)
      const stay = (yield* left).filter((place) => !place.startsWith("full"))
      assert.deepStrictEqual(stay, ["acme 1", "other 1"])
      yield* run("TRUNCATE ids.open_messages")
      yield* walkIds
      assert.deepStrictEqual(yield* left, [])
    },
  )
})

describe("a walk over the clients", () => {
  test.effect("drops those without an event in the longest window", function* () {
    yield* opened
    const store = yield* Store
    const limit = { max: 5, windowMillis: 60_000 }
    const limits = { checksPerOrganization: undefined, checksPerClient: limit }
    const checkBy = (client: string, organization = Samples.organizationId) =>
      store.execute(Samples.checkCode({ organization, client: [client], limits }))
    const names = rowsIn("clients", "client")
    yield* checkBy("once")
    yield* checkBy("twice")
    yield* checkBy("once", Samples.otherOrganizationId)
    yield* TestClock.adjust(bounds.windowMillis.max)
    yield* checkBy("twice")
    yield* walkNow(ExpiredRows.clients)
    assert.deepStrictEqual(yield* names, ["acme once", "acme twice", "other once"])
    yield* TestClock.adjust(1)
    yield* walkNow(ExpiredRows.clients)
    assert.deepStrictEqual(yield* names, ["acme twice"])
    const [row] = yield* run("SELECT cardinality(checks) AS count FROM ids.clients")
    assert.strictEqual(Number(row?.["count"]), 1)
  })
})

describe("a walk over idempotency keys", () => {
  // The clock stands still, because the store itself walks once a day.
  const walkAt = (now: number) => walk(ExpiredRows.idempotencyKeys("ids"), now)
  const keysLeft = rowsIn("idempotency_keys", "id")

  test.effect("drops keys that are a day old", function* () {
    yield* opened
    const store = yield* Store
    const hold = (id: string) =>
      Effect.forEach(organizations, (organization) =>
        store.execute(
          Samples.holdMessage({ organization, idempotency: Samples.idempotentCall(id) }),
        ),
      )
    yield* hold("a")
    yield* TestClock.adjust(1)
    yield* hold("b")
    const end = Samples.now + IdempotencyKey.keptMillis
    yield* walkAt(end - 1)
    assert.strictEqual((yield* keysLeft).length, 4)
    assert.strictEqual(yield* walkAt(end), 2)
    assert.deepStrictEqual(yield* keysLeft, ["acme b", "other b"])
  })
})

describe("a walk over queued sends whose organization does not exist", () => {
  const { queuedSend } = Samples
  const sendsLeft = rowsIn("outbox", "count(*)", "GROUP BY organization")
  const { rowsPerStep, unownedMillis } = ExpiredRows

  test.effect("drops those that are a day old, and logs their number", function* () {
    yield* opened
    const store = yield* Store
    const createdAt = Samples.now
    const add = (organization: string, count: number, at = createdAt) =>
      run(`INSERT INTO ids.outbox (organization, id, phone_number, call, queue, due_at, send_at, created_at)
        SELECT '${organization}', n, '+8801712345678', '{}', '', 0, 0, ${at} FROM generate_series(1, ${count}) AS n`)
    yield* store.enqueue([queuedSend({ createdAt })])
    yield* add("a-typo", 2)
    yield* add("gone", rowsPerStep + 1)
    yield* add("gone-else", 1, createdAt + 1)
    const walkAt = Effect.fnUntraced(function* (now: number) {
      const log: Array<unknown> = []
      const logger = Logger.make(({ message }) => log.push(message))
      yield* Effect.provide(walk(ExpiredRows.unownedSends("ids"), now), Logger.layer([logger]))
      return log.flat()
    })
    const all = ["a-typo 2", "acme 1", `gone ${rowsPerStep + 1}`, "gone-else 1"]
    assert.deepStrictEqual(yield* walkAt(createdAt + unownedMillis - 1), [])
    assert.deepStrictEqual(yield* sendsLeft, all)
    const log = yield* walkAt(createdAt + unownedMillis)
    assert.deepStrictEqual(yield* sendsLeft, ["acme 1", "gone-else 1"])
    assert.deepInclude(log, { organization: "a-typo", count: 2 })
    assert.deepInclude(log, { organization: "gone", count: 1 })
  })
})
