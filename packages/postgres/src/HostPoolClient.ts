/**
 * Runs the store over connections that the host has opened, so that both share one budget of connections.
 *
 * The settings of the host's sessions stay: every transaction of the store begins with its own settings, which end
 * with it. No statement is prepared by name. The layer closes nothing.
 */
import * as PgPool from "@effect/sql-pg/PgPool"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import * as Exit from "effect/Exit"
import { type HostDriver, type HostPool, isDriver, type HostPgPool, problemOf } from "./HostPool.ts"
import { keptPlans } from "./internal/connection/keptPlans.ts"
import { setLocally } from "./internal/connection/pooler.ts"
import { isBusy } from "./internal/connection/probe.ts"
import { settingsOf } from "./internal/connection/sessions.ts"
import { type Loan, poolOf } from "./internal/host/connection.ts"
import { DriverSession } from "./internal/host/driverSession.ts"
import { loanError, loanTimeout, noneFree } from "./internal/host/hostSession.ts"
import { isClient, type PgClient, PgSession } from "./internal/host/pgSession.ts"
import { lend, runBatch } from "./internal/connection/pipeline.ts"
import { bool, bytea, int8, int8s, jsonb, text } from "./internal/rows/columns.ts"
import { rowType } from "./internal/rows/rowTable.ts"
import type * as PostgresPool from "./PostgresPool.ts"

/** The pool, and limits of the store's own transactions. */
export interface Options extends Pick<
  PostgresPool.Options,
  "lockTimeout" | "statementTimeout" | "idleInTransactionTimeout"
> {
  readonly pool: HostPool
}

/** The engine cannot work over the pool. */
export class HostPoolError extends Schema.TaggedError<HostPoolError>()("HostPoolError", {
  problem: Schema.String,
}) {
  override get message(): string {
    return `The pool of the host ${this.problem}`
  }
}

/** Makes sure that the pool gives a connection which can run the statements of the store. */
export const layer = (options: Options): Layer.Layer<PgPool.PgPool, SqlError | HostPoolError> =>
  Layer.effect(PgPool.PgPool, make(options))

const make = Effect.fnUntraced(function* ({ pool, ...limits }: Options) {
  const problem = problemOf(pool)
  if (problem !== undefined) return yield* new HostPoolError({ problem })
  const borrow = isDriver(pool) ? borrowSession(pool) : borrowClient(pool)
  const made = poolOf(
    Effect.catchTag(borrow, "HostPoolError", Effect.die),
    // The results are text.
    setLocally({ ...settingsOf(limits), ...keptPlans, bytea_output: "hex" }),
  )
  // The first connection is that of the check. A server that is starting gets the time of a start.
  yield* Effect.map(borrow, ({ giveBack }) => giveBack(false)).pipe(
    Effect.andThen(check(made)),
    Effect.retry({
      while: (error) => isSqlError(error) && isBusy(error),
      schedule: Schedule.spaced("250 millis"),
      times: startTries,
    }),
  )
  return made
})

/** Ten seconds, like the default time limit of a start on a server. */
const startTries = 40

/** Reads values of every type that the statements of the store return. */
const check = Effect.fnUntraced(function* (pool: PgPool.PgPool) {
  const [answer] = yield* lend(pool, (connection) => runBatch(connection, [{ sql: sampleSql }]))
  yield* Effect.try({
    try: () => sample.decode(answer?.rows[0] ?? {}),
    catch: (error) =>
      new HostPoolError({
        problem: `must return rows as objects, with the types that its driver gives by default: ${String(error)}`,
      }),
  })
})

const sample = rowType({
  number: int8,
  flag: bool,
  word: text,
  bytes: bytea,
  numbers: int8s,
  json: jsonb(Schema.decodeUnknownSync(Schema.Struct({ key: Schema.String }))),
})

const sampleSql = `SELECT 1::int8 AS number, true AS flag, 'x'::text AS word, '\\x01'::bytea AS bytes,
  '{1,2}'::int8[] AS numbers, '{"key":"value"}'::jsonb AS json`

/** A driver lends its connection with the transaction. */
const borrowSession = (driver: HostDriver): Effect.Effect<Loan, HostPoolError> => {
  const types = new Map<number, string>()
  return Effect.sync(() => {
    const session = new DriverSession(driver, types)
    return { session, giveBack: () => void session.close() }
  })
}

const ignore = (): void => {}

const noQueryObject = new HostPoolError({
  problem:
    "must be a Pool of pg without native bindings and without pipeline: true, which run no query objects; or give an object with query and transaction",
})

const borrowClient = (pool: HostPgPool): Effect.Effect<Loan, SqlError | HostPoolError> =>
  Effect.callback((resume) => {
    let isOver = false
    const end = (exit: Exit.Exit<Loan, SqlError | HostPoolError>): void => {
      isOver = true
      clearTimeout(timer)
      resume(exit)
    }
    const timer = setTimeout(() => end(Exit.fail(loanError(noneFree))), loanTimeout)
    // With a promise, an error of the client could come before its listener.
    pool.connect((error, client) => {
      if (isOver) return client?.release()
      if (client === undefined) return end(Exit.fail(loanError(error)))
      if (isClient(client)) return end(Exit.succeed(loanOf(client)))
      client.release()
      end(Exit.fail(noQueryObject))
    })
  })

const loanOf = (client: PgClient): Loan => {
  // The statement under way reports the error as well. Without a listener, it would end the process.
  client.on("error", ignore)
  return {
    session: new PgSession(client),
    giveBack: (isBroken) => {
      client.release(isBroken)
      client.removeListener("error", ignore)
    },
  }
}
