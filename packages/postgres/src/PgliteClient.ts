/**
 * Runs `@effect/sql-pg` on PGlite: PostgreSQL inside this process, for development, tests and small deployments
 * with a single process.
 *
 * It provides the same services as `PostgresClient`, so the store and its migrations are the same code.
 *
 * One process can open a folder at a time; see {@link DataFolderInUse}. PGlite runs one statement at a time, on
 * the event loop's thread, and a transaction blocks all others.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgPool from "@effect/sql-pg/PgPool"
import * as Context from "effect/Context"
import * as Duration from "@countersign/core/domain/values/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { FolderInUse, lockFolder } from "./internal/pglite/folderLock.ts"
import { accepted } from "./internal/connection/durability.ts"
import { keptPlans } from "./internal/connection/keptPlans.ts"
import { startEngine } from "./internal/pglite/engine.ts"
import * as InitialData from "./internal/pglite/initialData.ts"
import { Session } from "./internal/pglite/session.ts"
import { keepUp } from "./internal/pglite/maintenance.ts"

/** Options of a database inside the process. */
export interface Options {
  /** The folder of the database, created with mode 0700. @defaultValue a database in memory */
  readonly dataDir?: string | undefined
  /**
   * Whether an acknowledged commit survives a power failure. If `false`, it survives only the end of the process.
   *
   * @defaultValue `true`
   */
  readonly fsync?: boolean | undefined
  /** PostgreSQL settings for the session. They extend or replace {@link defaultParameters}. */
  readonly startupParameters?: Readonly<Record<string, string>> | undefined
  /** How long a transaction may be open without a statement before it is rolled back. @defaultValue 10 seconds */
  readonly idleInTransactionTimeout?: Duration.Input | undefined
}

/** Default PostgreSQL settings of the session. {@link Options.startupParameters} extends or replaces them. */
export const defaultParameters: Readonly<Record<string, string>> = {
  // All connections share one session, so these settings also apply to single statements.
  ...keptPlans,
  timezone: "UTC",
  // PGlite's default is 160 MB. The system's page cache serves pages that do not fit.
  shared_buffers: "16MB",
  // Maximum size of the log that is kept after a checkpoint. The server's default is 1 GB.
  max_wal_size: "64MB",
  min_wal_size: "32MB",
}

/** Another process, or another layer in this process, has the folder open. */
export class DataFolderInUse extends Schema.TaggedError<DataFolderInUse>()("DataFolderInUse", {
  folder: Schema.String,
  /** The process that has the folder open; `undefined` if unknown. */
  holder: Schema.UndefinedOr(Schema.Int),
}) {
  override get message(): string {
    const holder = this.holder === undefined ? "another process" : `process ${this.holder}`
    return `The data folder ${this.folder} is in use by ${holder}. A folder can be open once at a time.`
  }
}

/** PGlite could not be started: it is not installed, or the folder is unusable. */
export class PgliteStartError extends Schema.TaggedError<PgliteStartError>()("PgliteStartError", {
  /** `undefined` for a database in memory. */
  folder: Schema.UndefinedOr(Schema.String),
  cause: Schema.Defect(),
}) {
  override get message(): string {
    const place = this.folder === undefined ? "in memory" : `on the data folder ${this.folder}`
    return `PGlite did not start ${place}: ${String(this.cause)}`
  }
}

/**
 * Starts PGlite, and stops it with the scope. Unpacks a new folder from a file of this package. If the file is
 * missing, as in a bundle, `initdb` creates the folder, which takes 3 seconds or more.
 */
export const layer = (
  options: Options = {},
): Layer.Layer<
  PgClient.PgClient | SqlClient.SqlClient | PgPool.PgPool,
  DataFolderInUse | PgliteStartError | SqlError
> => Layer.effectContext(make(options)).pipe(Layer.provide(Reactivity.layer))

const make = Effect.fnUntraced(function* (options: Options) {
  const folder = options.dataDir === undefined ? undefined : Path.resolve(options.dataDir)
  if (folder !== undefined) yield* openFolder(folder)
  const open = <A extends { readonly close: () => Promise<void> }>(start: () => Promise<A>) =>
    Effect.acquireRelease(
      Effect.tryPromise({
        try: start,
        catch: (cause) => new PgliteStartError({ folder, cause }),
      }),
      (opened) => Effect.promise(() => opened.close()),
    )
  const fsync = options.fsync ?? true
  const isDurable = fsync && folder !== undefined
  const engine = yield* open(() =>
    startEngine({
      folder,
      fsync,
      parameters: {
        ...defaultParameters,
        ...(isDurable ? undefined : { [accepted]: "on" }),
        ...options.startupParameters,
      },
      initialData: InitialData.read,
    }),
  )
  const idle = options.idleInTransactionTimeout ?? "10 seconds"
  const idleMillis = Duration.millisOfOption("idleInTransactionTimeout", idle)
  const session = yield* open(() => Session.make(engine, idleMillis))
  const connection = {
    stream: () => session.connect(),
    username: "postgres",
    database: "postgres",
    // They are cheap, because they share one session.
    maxConnections: 8,
  }
  const client = yield* PgClient.make(connection)
  const pool = yield* PgPool.make({
    ...connection,
    multiplex: true,
    multiplexConcurrency: 1,
  })
  if (folder !== undefined) yield* Effect.forkScoped(keepUp(client))
  return Context.make(PgClient.PgClient, client).pipe(
    Context.add(SqlClient.SqlClient, client),
    Context.add(PgPool.PgPool, pool),
  )
})

const openFolder = (folder: string) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        await Fs.mkdir(folder, { recursive: true, mode: 0o700 })
        return lockFolder(folder)
      },
      catch: (cause) =>
        cause instanceof FolderInUse
          ? new DataFolderInUse({ folder, holder: cause.holder })
          : new PgliteStartError({ folder, cause }),
    }),
    (release) => Effect.sync(release),
  )
