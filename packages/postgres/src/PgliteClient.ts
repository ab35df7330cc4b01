/**
 * `@effect/sql-pg` on PGlite: PostgreSQL inside this process, for development, tests and small
 * deployments of a single process.
 *
 * It provides what `PostgresClient` provides, so the store and its migrations are the same code.
 *
 * A folder belongs to one process at a time; see {@link DataFolderInUse}. With `fsync` on, the default,
 * a commit is on the disk before it is acknowledged. What PGlite cannot do is run in parallel: one
 * statement at a time, on the event loop's thread, and a transaction keeps all others waiting.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgPool from "@effect/sql-pg/PgPool"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { type Held, type InUse, lockFolder } from "./internal/folderLock.ts"
import { keptPlans } from "./internal/keptPlans.ts"
import { type Engine, startEngine } from "./internal/pgliteEngine.ts"
import { Session } from "./internal/pgliteSession.ts"
import { keepUp } from "./internal/pgliteUpkeep.ts"

/** Settings of a database inside the process. */
export interface Options {
  /**
   * The folder that holds the database. It is made, with mode 0700, when it does not exist. Left out:
   * the database is in memory and ends with the layer.
   */
  readonly dataDir?: string | undefined
  /**
   * Whether a commit waits until the disk has it. On by default: an acknowledged commit then outlives a
   * power cut. Off, it outlives the end of the process, SIGKILL included, but not that of the machine.
   */
  readonly fsync?: boolean | undefined
  /** PostgreSQL settings for the session, over {@link defaultParameters}. */
  readonly startupParameters?: Readonly<Record<string, string>> | undefined
  /**
   * How long a transaction may be open without a statement before it is rolled back. 10 seconds by
   * default.
   */
  readonly idleInTransactionTimeout?: Duration.Input | undefined
}

/** Settings that {@link Options.startupParameters} extend or replace. */
export const defaultParameters: Readonly<Record<string, string>> = {
  // One session serves everybody, so these go for single statements too.
  ...keptPlans,
  timezone: "UTC",
  // PGlite takes 160 MB otherwise. What does not fit is read from the page cache of the system.
  shared_buffers: "16MB",
  // How much log is kept once it has been applied to the tables; the server's default is 1 GB.
  max_wal_size: "64MB",
  min_wal_size: "32MB",
}

/** Connections are cheap here: they take turns on one session. */
const connections = 8

/** Another process, or another layer in this one, has the folder open. */
export class DataFolderInUse extends Schema.TaggedError<DataFolderInUse>()("DataFolderInUse", {
  folder: Schema.String,
  /** The process that has the folder open, where it could be told. */
  holder: Schema.UndefinedOr(Schema.Int),
}) {
  override get message(): string {
    const holder = this.holder === undefined ? "another process" : `process ${this.holder}`
    return `The data folder ${this.folder} is in use by ${holder}. A folder can be open once at a time.`
  }
}

/** PGlite could not be started: it is not installed, or the folder cannot be used. */
export class PgliteStartError extends Schema.TaggedError<PgliteStartError>()("PgliteStartError", {
  /** Undefined for a database in memory. */
  folder: Schema.UndefinedOr(Schema.String),
  cause: Schema.Defect(),
}) {
  override get message(): string {
    const place = this.folder === undefined ? "in memory" : `on the data folder ${this.folder}`
    return `PGlite did not start ${place}: ${String(this.cause)}`
  }
}

/**
 * Starts PGlite and stops it with the scope. A new folder is unpacked from a file of this package; where
 * that is missing, in a bundle, `initdb` makes it, which takes 3 seconds or more.
 *
 * `PgClient` and `SqlClient` are for statements and transactions, `PgPool` lends connections on which a
 * batch of statements goes out at once.
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
  const engine = yield* start(folder, options)
  const idle = Duration.fromInputUnsafe(options.idleInTransactionTimeout ?? "10 seconds")
  const session = yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: () => Session.make(engine, { idleInTransactionMillis: Duration.toMillis(idle) }),
      catch: (cause) => new PgliteStartError({ folder, cause }),
    }),
    (opened) => Effect.promise(() => opened.close()),
  )
  const connection = {
    stream: () => session.connect(),
    username: "postgres",
    database: "postgres",
    maxConnections: connections,
  }
  const client = yield* PgClient.make(connection)
  const pool = yield* PgPool.make({ ...connection, multiplex: true, multiplexConcurrency: 1 })
  if (folder !== undefined) yield* Effect.forkScoped(keepUp(client))
  return Context.make(PgClient.PgClient, client).pipe(
    Context.add(SqlClient.SqlClient, client),
    Context.add(PgPool.PgPool, pool),
  )
})

const openFolder = (
  folder: string,
): Effect.Effect<Held, DataFolderInUse | PgliteStartError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async (): Promise<Held | InUse> => {
        await Fs.mkdir(folder, { recursive: true, mode: 0o700 })
        return lockFolder(folder)
      },
      catch: (cause) => new PgliteStartError({ folder, cause }),
    }).pipe(
      Effect.flatMap((lock) =>
        lock._tag === "Held"
          ? Effect.succeed(lock)
          : Effect.fail(new DataFolderInUse({ folder, holder: lock.holder })),
      ),
    ),
    (lock) => Effect.sync(lock.release),
  )

const start = (
  folder: string | undefined,
  options: Options,
): Effect.Effect<Engine, PgliteStartError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () =>
        startEngine({
          folder,
          fsync: options.fsync ?? true,
          parameters: { ...defaultParameters, ...options.startupParameters },
        }),
      catch: (cause) => new PgliteStartError({ folder, cause }),
    }),
    (engine) => Effect.promise(() => engine.close()),
  )
