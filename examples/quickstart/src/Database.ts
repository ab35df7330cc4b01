/**
 * Where the data is: on the PostgreSQL server that the host names, or in the
 * data folder, on PGlite. The store and its tables are the same.
 */
import * as PgliteClient from "@countersign/postgres/PgliteClient"
import * as PostgresClient from "@countersign/postgres/PostgresClient"
import * as PostgresStore from "@countersign/postgres/PostgresStore"
import { PgClient } from "@effect/sql-pg"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Path from "node:path"
import type { Settings } from "./Settings.ts"

/** The server does not answer, or does not let us in. */
export class DatabaseUnusable extends Schema.TaggedError<DatabaseUnusable>()("DatabaseUnusable", {
  reason: Schema.String,
}) {
  override get message(): string {
    return `The database that DATABASE_URL names cannot be used: ${this.reason}`
  }
}

/** The cause that says what is wrong: the client puts that of the driver into others. */
const reasonOf = (error: Error): string =>
  error.cause instanceof Error ? reasonOf(error.cause) : error.message

const embedded = (folder: string) => PgliteClient.layer({ dataDir: Path.join(folder, "database") })

const onServer = (url: Redacted.Redacted) =>
  PostgresClient.layer({ url }).pipe(
    Layer.catchTag("SqlError", (error) =>
      Layer.effectContext(Effect.fail(new DatabaseUnusable({ reason: reasonOf(error) }))),
    ),
  )

/** The store, and the client that it stands on. */
export const layer = ({ databaseUrl }: Pick<Settings, "databaseUrl">, folder: string) =>
  databaseUrl === undefined
    ? Layer.provideMerge(PostgresStore.layer(), embedded(folder))
    : Layer.provideMerge(PostgresStore.layer(), onServer(databaseUrl))

/** Another process has been making the demonstration data for longer than that can take. */
export class DatabaseBusy extends Schema.TaggedError<DatabaseBusy>()("DatabaseBusy", {}) {
  override get message(): string {
    return "Another process has been setting up this database for 30 seconds. Start again when it is done."
  }
}

/** Any number will do, as long as every quickstart asks for the same. */
const advisoryLock = 4_271_996_230

const attempts = { times: 300, schedule: Schedule.spaced("100 millis") }

/** Longer than `self` of {@link alone} takes. The server ends an idle transaction after this time. */
const idleLimit = "60s"

/**
 * Runs something while no other process on the same server runs it. The lock is that of a transaction, because a
 * pooler may give each transaction another session.
 */
export const alone = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const client = yield* PgClient.PgClient
    const taken = client<{ readonly taken: boolean }>`
      SELECT pg_try_advisory_xact_lock(${advisoryLock}) AS taken`.pipe(
      Effect.filterOrFail(
        ([row]) => row?.taken === true,
        () => new DatabaseBusy(),
      ),
      Effect.retry({ ...attempts, while: (error) => error._tag === "DatabaseBusy" }),
    )
    return yield* client.withTransaction(
      Effect.gen(function* () {
        yield* client`SELECT set_config('idle_in_transaction_session_timeout', ${idleLimit}, true)`
        yield* taken
        return yield* self
      }),
    )
  })
