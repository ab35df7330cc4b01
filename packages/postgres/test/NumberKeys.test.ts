/** Phone numbers that the database does not show, and the change of their keys. */
import { PgPool } from "@effect/sql-pg"
import { messageStatuses } from "@countersign/core/domain/messages/MessageStatus"
import type { Store } from "@countersign/core/ports/Store"
import * as Samples from "@countersign/testing/Samples"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as Rotation from "../src/internal/numbers/rotation.ts"
import { clock, run, storeLayer, until } from "./fixtures/databases.ts"
import { age, node, open, scan, send, testsOnDatabase } from "./fixtures/keyedNodes.ts"
import { numberKey } from "./fixtures/numberKey.ts"
import { base64Of, formsIn, tablesWith } from "./fixtures/storedNumbers.ts"
import { holding } from "./fixtures/watchedPool.ts"

const { organizationId, phoneNumber, requestId } = Samples

/** Waits until all recipients have one form. */
const untilRecipients = (schema: string, form: string) =>
  until(formsIn(schema, "recipients"), (forms) => assert.deepStrictEqual(forms, [form]))

const tables = ["recipients", "verifications", "messages", "outbox"]
const formsOf = (schema: string) =>
  Effect.map(
    Effect.forEach(tables, (table) => formsIn(schema, table)),
    (forms) => [...new Set(forms.flat())].toSorted(),
  )

const keysOf = (schema: string) =>
  Effect.map(run(`SELECT id FROM ${schema}.number_keys ORDER BY id`), (rows) =>
    rows.map(({ id }) => String(id)),
  )

/** The sequences of the messages to a number, in pages of `limit`. */
const found = Effect.fnUntraced(function* (store: Store["Service"], to: number, limit = 10) {
  const sequences: Array<number> = []
  let before: number | undefined
  do {
    const page = yield* store.searchMessages(organizationId, {
      phoneNumber: phoneNumber(to),
      statuses: messageStatuses,
      before,
      limit,
      examine: limit,
      from: undefined,
      to: undefined,
      gateway: undefined,
      gatewayId: undefined,
    })
    sequences.push(...(page?.rows ?? []).map(({ sequence }) => sequence))
    before = page?.next
  } while (before !== undefined)
  return sequences
})

const test = testsOnDatabase()

describe("encrypted phone numbers", () => {
  test(
    "no row of any table contains a number, and a plain database contains it",
    Effect.gen(function* () {
      for (const ids of [[], ["1"]]) {
        const schema = `dump_${ids.length}`
        const store = yield* node(schema, ...ids)
        yield* open(store)
        assert.strictEqual(yield* send(store, 1), "Requested")
        yield* store.enqueue([Samples.queuedSend({ phoneNumber: phoneNumber(1) })])
        yield* store.execute(Samples.recordDispatch({ requestId: requestId(1) }))
        yield* store.execute(Samples.applyReport({ messageSequence: 2 }))
        yield* store.execute(Samples.checkCode())
        const digits = phoneNumber(1).slice(1)
        const spellings = [digits, ...[0, 1, 2].map((shift) => base64Of(digits, shift))]
        const shown = yield* tablesWith(spellings, schema)
        assert.deepStrictEqual(shown, ids.length === 0 ? tables.toSorted() : [])
        assert.deepStrictEqual(yield* found(store, 1), [2, 1])
      }
    }),
  )

  test(
    "rows under a retiring key are found, count, and come under the first key",
    Effect.gen(function* () {
      const old = yield* node("rotated", "1")
      yield* open(old)
      for (const index of [1, 2, 3, 4]) yield* send(old, index)
      const queued = Samples.queuedSend({ phoneNumber: phoneNumber(1) })
      yield* old.enqueue([queued])
      assert.deepStrictEqual(yield* formsOf("rotated"), ["1"])

      // A node renews the recipients once at its start. Then only commits do.
      const next = yield* node("rotated", "2", "1")
      yield* untilRecipients("rotated", "2")
      yield* node("rotated", "1", "2")
      yield* untilRecipients("rotated", "1")
      assert.strictEqual(yield* send(next, 5, 1), "Requested")
      assert.strictEqual(yield* send(next, 6, 1), "Limited")
      assert.deepStrictEqual(yield* formsIn("rotated", "messages"), ["1", "2"])
      assert.deepStrictEqual(yield* found(next, 1), [11, 10, 9, 2, 1])
      assert.deepStrictEqual(yield* found(next, 1, 1), [11, 10, 9, 2, 1])
      // The request is in the old form, and its recipient in the new one.
      const { result } = yield* next.execute(Samples.checkCode({ requestId: requestId(1) }))
      assert.strictEqual(result._tag, "Verified")
      const known = yield* next.recipient(organizationId, phoneNumber(1))
      assert.deepStrictEqual(
        known?.recipient.pending.map((one) => one.requestId),
        [requestId(5)],
      )

      assert.strictEqual(yield* scan("rotated", false, "2", "1"), 6)
      assert.deepStrictEqual(yield* formsOf("rotated"), ["2"])
      assert.deepStrictEqual(yield* formsIn("rotated", "outbox", "call"), ["2"])
      assert.deepInclude(yield* next.queued(organizationId, queued.id), queued)
      const [count] = yield* run("SELECT count(*) AS recipients FROM rotated.recipients")
      assert.strictEqual(Number(count?.["recipients"]), 4)
      // The scan that has changed rows removes no key, and a later one removes no key that was used a day ago.
      yield* scan("rotated", false, "2", "1")
      assert.deepStrictEqual(yield* keysOf("rotated"), ["1", "2"])
      yield* age("rotated")
      yield* scan("rotated", false, "2", "1")
      assert.deepStrictEqual(yield* keysOf("rotated"), ["2"])

      const alone = yield* node("rotated", "2")
      assert.deepStrictEqual(yield* found(alone, 1), [11, 10, 9, 2, 1])
      assert.strictEqual(yield* send(alone, 7, 1), "Limited")
    }),
  )

  test(
    "a number is read and erased in all of its forms",
    Effect.gen(function* () {
      const old = yield* node("erased", "1")
      yield* open(old)
      for (const index of [1, 2]) yield* send(old, index)
      const next = yield* node("erased", "2", "1")
      yield* send(next, 3, 1)
      const about = { organization: organizationId, phoneNumber: phoneNumber(1), answer: "" }
      const step = { ...about, digests: ["digest"], after: undefined, limit: 3 } as const
      const page = yield* next.personalRows({ ...step, kind: "messages" })
      assert.strictEqual(page?.rows.messages.map(({ sequence }) => sequence).join(), "6,5,2")
      yield* TestClock.adjust("1 hour")
      const outcome = { _tag: "NotSent", message: "no" } as const
      for (const messageSequence of [1, 2, 5, 6]) {
        yield* next.execute(Samples.recordDispatch({ messageSequence, outcome }))
      }
      yield* next.erase({ ...step, kind: "recipients" })
      yield* next.erase({ ...step, kind: "messages", limit: 10 })
      assert.deepStrictEqual(yield* found(next, 1), [])
      assert.isUndefined(yield* next.recipient(organizationId, phoneNumber(1)))
    }),
  )

  test(
    "a database with numbers in plain text is encrypted, and its rows are found meanwhile",
    Effect.gen(function* () {
      const plain = yield* node("begun")
      yield* open(plain)
      yield* send(plain, 1)
      const store = yield* node("begun", "1")
      assert.deepStrictEqual(yield* keysOf("begun"), ["", "1"])
      assert.strictEqual(yield* send(store, 2, 1), "Requested")
      assert.strictEqual(yield* send(store, 3, 1), "Limited")
      assert.deepStrictEqual(yield* found(store, 1), [5, 4, 3, 2, 1])
      yield* scan("begun", true, "1")
      assert.deepStrictEqual(yield* formsOf("begun"), ["1"])
      yield* age("begun")
      yield* scan("begun", true, "1")
      assert.deepStrictEqual(yield* keysOf("begun"), ["1"])
    }),
  )

  test(
    "a new database never looks for numbers in plain text",
    Effect.gen(function* () {
      yield* node("fresh", "1")
      yield* node("fresh", "1")
      assert.deepStrictEqual(yield* keysOf("fresh"), ["1"])
    }),
  )

  test(
    "a start fails without a key that rows may need, and with another secret",
    Effect.gen(function* () {
      yield* node("missing", "1")
      yield* node("missing", "2", "1")
      const starts: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
        [[], '"1", which is missing'],
        [["1"], '"2", which is missing'],
        [["2"], '"1", which is missing'],
        [["3"], '"1", which is missing'],
      ]
      for (const [ids, problem] of starts) {
        const error = yield* Effect.flip(node("missing", ...ids))
        assert.strictEqual(error._tag, "NumberKeyError")
        assert.include(error.message, problem)
      }
      const changed = [{ ...numberKey("3"), id: "2" }, numberKey("1")]
      const error = yield* Effect.flip(
        Layer.build(storeLayer({ schema: "missing", clock, numberKeys: changed })),
      )
      assert.include(error.message, 'another secret with the id "2"')
    }),
  )

  test(
    "retention drops idle recipients in any form",
    Effect.gen(function* () {
      const old = yield* node("idle", "1")
      yield* open(old)
      for (const index of [1, 2, 3]) yield* send(old, index)
      yield* run("CREATE TABLE idle.kept AS SELECT * FROM idle.recipients")
      const next = yield* node("idle", "2", "1")
      yield* scan("idle", false, "2", "1")
      yield* send(next, 4)
      // Two of the rows are in their old form again, as if the scan had not come to them.
      yield* run(`DELETE FROM idle.recipients WHERE phone_number <> (
        SELECT phone_number FROM idle.recipients ORDER BY phone_number LIMIT 1)`)
      yield* run("INSERT INTO idle.recipients SELECT * FROM idle.kept ON CONFLICT DO NOTHING")
      yield* run("UPDATE idle.recipients SET sends = '{}', pending = '[]'")
      let after: string | undefined
      let dropped = 0
      do {
        const step = { organization: organizationId, kind: "recipients", keepMillis: 1 } as const
        const pruned = yield* next.prune({ ...step, after, limit: 1 })
        dropped += pruned.dropped
        after = pruned.next
      } while (after !== undefined)
      assert.strictEqual(dropped, 4)
      assert.deepStrictEqual(yield* run("SELECT * FROM idle.recipients"), [])
    }),
  )

  test(
    "a scan skips rows that are locked, and takes many pages",
    Effect.gen(function* () {
      const old = yield* node("pages", "1")
      yield* open(old)
      yield* send(old, 1)
      const more = Rotation.rowsPerStep + 7
      yield* run(`INSERT INTO pages.messages SELECT m.* FROM pages.messages w,
        LATERAL (SELECT (jsonb_populate_record(w, jsonb_build_object('sequence', n))).*
          FROM generate_series(3, ${more}) AS n) m WHERE w.sequence = 2`)
      yield* holding(
        yield* PgPool.PgPool,
        "SELECT FROM pages.messages WHERE sequence = 5 FOR UPDATE",
        scan("pages", false, "2", "1"),
      )
      assert.deepStrictEqual(yield* formsIn("pages", "messages"), ["1", "2"])
      assert.strictEqual(yield* scan("pages", false, "2", "1"), 7)
      assert.deepStrictEqual(yield* formsOf("pages"), ["2"])
    }),
  )

  test(
    "a scan moves recipients under the lock of their organization, as a commit does",
    Effect.gen(function* () {
      const old = yield* node("held", "1")
      yield* open(old)
      yield* send(old, 1)
      const waiters = run(`SELECT FROM pg_stat_activity WHERE datname = current_database()
        AND wait_event_type = 'Lock' AND query LIKE '%UPDATE held.recipients%'`)
      const waiting = yield* holding(
        yield* PgPool.PgPool,
        "SELECT FROM held.accounts FOR UPDATE",
        Effect.gen(function* () {
          const fiber = yield* Effect.forkScoped(scan("held", false, "2", "1"))
          yield* until(waiters, (sessions) => assert.isNotEmpty(sessions))
          assert.deepStrictEqual(yield* formsIn("held", "recipients"), ["1"])
          return fiber
        }),
      )
      yield* Fiber.join(waiting)
      assert.deepStrictEqual(yield* formsOf("held"), ["2"])
    }),
  )
})
