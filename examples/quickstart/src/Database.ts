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

/** Asks first, to distinguish a server that is not there from one that cannot do what we need. */
const layerReachable = Layer.effectDiscard(
  Effect.gen(function* () {
    const client = yield* PgClient.PgClient
    yield* Effect.mapError(client`SELECT 1`, ({ message, reason }) => {
      const { cause } = reason
      return new DatabaseUnusable({ reason: cause instanceof Error ? cause.message : message })
    })
  }),
)

const embedded = (folder: string) => PgliteClient.layer({ dataDir: Path.join(folder, "database") })

const onServer = (url: Redacted.Redacted) =>
  Layer.provideMerge(layerReachable, PostgresClient.layer({ url }))

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

/**
 * Runs something while no other process on the same database runs it. The
 * server lets go of the lock when this process or its connection ends.
 */
export const alone = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const client = yield* PgClient.PgClient
      const connection = yield* client.reserve
      const ask = (lock: string) =>
        Effect.map(
          connection.executeValues(`SELECT ${lock}($1)`, [advisoryLock]),
          ([row]) => row?.[0] === true,
        )
      const taken = ask("pg_try_advisory_lock").pipe(
        Effect.filterOrFail(
          (isMine) => isMine,
          () => new DatabaseBusy(),
        ),
        Effect.retry({ ...attempts, while: (error) => error._tag === "DatabaseBusy" }),
      )
      yield* Effect.acquireRelease(taken, () => Effect.ignore(ask("pg_advisory_unlock")), {
        interruptible: true,
      })
      return yield* self
    }),
  )
