import { PgPool } from "@effect/sql-pg"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import { StoreUnavailable } from "@countersign/core/domain/errors/Errors"
import { Store } from "@countersign/core/ports/Store"
import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Semaphore from "effect/Semaphore"
import * as TestClock from "effect/testing/TestClock"
import { begin, lend, runBatch } from "../../../src/internal/connection/pipeline.ts"
import * as Partitions from "../../../src/internal/schema/partitions.ts"
import * as ExpiredRows from "../../../src/internal/maintenance/expiredRows.ts"
import * as TableScan from "../../../src/internal/maintenance/tableScan.ts"
import * as Migrations from "../../../src/Migrations.ts"
import * as PostgresStore from "../../../src/PostgresStore.ts"
import { databases, run, server, storeLayer, until } from "../../fixtures/databases.ts"
import { walk } from "../../fixtures/storedNumbers.ts"

const idsOf = (schema: string) =>
  Effect.map(run(`SELECT id FROM ${schema}.lanes ORDER BY id`), (rows) =>
    rows.map((row) => String(row["id"])),
  )

/** The tables without a node, whose own walk would come in between. */
const migrated = Effect.fnUntraced(
  function* (schema: string, partitions?: number) {
    yield* Migrations.run({ schema, migrations: PostgresStore.migrations })
    if (partitions !== undefined) yield* Partitions.ensure(schema, partitions)
  },
  Effect.provide(Logger.layer([])),
)

const node = (schema: string) =>
  Effect.map(Layer.build(storeLayer({ schema })), (context) => Context.get(context, Store))

const walkLanes = (schema: string) => walk(ExpiredRows.lanes(schema))

const addLanes = (schema: string, count: number, age: string, name: string) =>
  run(`INSERT INTO ${schema}.lanes
    SELECT 'org_' || (n % 7), '${name}_' || n, n, now() - interval '${age}' FROM generate_series(1, ${count}) n`)

const kinds = [
  ...databases.map(({ layer, name }) => ({ layer, name, partitions: undefined })),
  { layer: server(), name: "a server with partitions", partitions: 3 },
]

for (const { layer: database, name, partitions } of kinds) {
  layer(database, { excludeTestServices: true })(`a walk over the lanes on ${name}`, (it) => {
    it.effect("drops exactly the lanes without a commit for seven days", () =>
      Effect.gen(function* () {
        yield* migrated("kept", partitions)
        yield* addLanes("kept", 3, "7 days 1 minute", "old")
        yield* addLanes("kept", 2, "6 days 23 hours 59 minutes", "live")
        yield* walkLanes("kept")
        assert.deepStrictEqual(yield* idsOf("kept"), ["live_1", "live_2"])
      }),
    )

    it.effect("reaches every lane, and reads at most a page in a step", () =>
      Effect.gen(function* () {
        yield* migrated("pages", partitions)
        const page = ExpiredRows.rowsPerStep
        yield* addLanes("pages", 2 * page, "8 days", "old")
        yield* addLanes("pages", page / 2, "1 day", "live")
        assert.strictEqual(yield* walkLanes("pages"), 4)
        assert.strictEqual((yield* idsOf("pages")).length, page / 2)
      }),
    )
  })
}

layer(server(), { excludeTestServices: true })("a step of the walk", (it) => {
  it.effect("skips a lane that a session is updating, without waiting for it", () =>
    Effect.gen(function* () {
      yield* migrated("signed")
      yield* addLanes("signed", 2, "8 days", "old")
      const pool = yield* PgPool.PgPool
      yield* lend(pool, (connection) =>
        Effect.gen(function* () {
          yield* runBatch(connection, [
            begin,
            { sql: "UPDATE signed.lanes SET seen_at = now() WHERE id = 'old_1'" },
          ])
          yield* walkLanes("signed")
          yield* runBatch(connection, [{ sql: "COMMIT" }])
        }),
      )
      assert.deepStrictEqual(yield* idsOf("signed"), ["old_1"])
    }),
  )

  it.effect("delays neither the start of a node nor its commits", () =>
    Effect.gen(function* () {
      yield* migrated("busy")
      yield* addLanes("busy", 5, "8 days", "old")
      // A deletion waits for this lock.
      yield* run(`CREATE FUNCTION busy.wait() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_advisory_xact_lock(7); RETURN OLD; END'`)
      yield* run(
        "CREATE TRIGGER wait BEFORE DELETE ON busy.lanes FOR EACH ROW EXECUTE FUNCTION busy.wait()",
      )
      const pool = yield* PgPool.PgPool
      yield* lend(pool, (holder) =>
        Effect.gen(function* () {
          yield* holder.query("SELECT pg_advisory_lock(7)::text")
          const store = yield* node("busy")
          const waiting = run(`SELECT pid FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event = 'advisory'`)
          yield* until(waiting, (sessions) => assert.lengthOf(sessions, 1))
          const organization = OrganizationId("served")
          yield* store.createOrganization(Samples.organization({ id: organization }))
          const { result } = yield* store.execute(Samples.topUp({ organization }))
          assert.strictEqual(result._tag, "Posted")
          assert.strictEqual((yield* idsOf("busy")).filter((id) => id.startsWith("old")).length, 5)
          yield* holder.query("SELECT pg_advisory_unlock(7)")
          yield* until(idsOf("busy"), (ids) =>
            assert.isFalse(ids.some((id) => id.startsWith("old"))),
          )
        }),
      )
    }),
  )
})

describe("keepUp", () => {
  /** A walk over three pages; each step is written down, and some fail. */
  const start = Effect.fnUntraced(function* (fails: (step: number) => boolean) {
    const steps: Array<string> = []
    const warnings: Array<unknown> = []
    const refusal = new StoreUnavailable({ reason: "connection", retryAfterSeconds: 1 })
    const query = ({ sql }: { readonly sql: string }) =>
      Effect.suspend(() => {
        steps.push(sql)
        if (fails(steps.length)) return Effect.fail(refusal)
        return Effect.succeed(sql === "c" ? [] : [{ next: sql === "a" ? "b" : "c" }])
      })
    const step = (after: Readonly<Record<string, unknown>> | undefined) => ({
      sql: String(after?.["next"] ?? "a"),
    })
    const logger = Logger.make(({ message }) => warnings.push(message))
    const turn = yield* Semaphore.make(1)
    yield* Effect.forkScoped(
      Effect.provide(
        TableScan.keepUp(query, { name: "rows", step }, turn, Effect.undefined),
        Logger.layer([logger]),
      ),
    )
    yield* TestClock.adjust(0)
    return { steps, warnings }
  })

  it.effect("pauses after each page, and walks again after a day", () =>
    Effect.gen(function* () {
      const { steps } = yield* start(() => false)
      assert.deepStrictEqual(steps, ["a"])
      yield* TestClock.adjust(TableScan.pause)
      assert.deepStrictEqual(steps, ["a", "b"])
      yield* TestClock.adjust(TableScan.pause)
      assert.deepStrictEqual(steps, ["a", "b", "c"])
      yield* TestClock.adjust(TableScan.interval)
      assert.deepStrictEqual(steps, ["a", "b", "c", "a"])
    }),
  )

  it.effect("retries a failed page, and warns once about failures in a row", () =>
    Effect.gen(function* () {
      const { steps, warnings } = yield* start((step) => step > 1 && step < 5)
      yield* TestClock.adjust(TableScan.pause)
      for (const expected of ["ab", "abb", "abbb", "abbbb"]) {
        assert.strictEqual(steps.join(""), expected)
        yield* TestClock.adjust(TableScan.retryPause)
      }
      assert.deepStrictEqual(warnings.length, 1)
    }),
  )
})
