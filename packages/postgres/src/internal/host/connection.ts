/** Connections of the host as connections of `@effect/sql-pg`, as far as the store uses them. */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import * as PgPool from "@effect/sql-pg/PgPool"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Scope } from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import * as Stream from "effect/Stream"
import { listenRefused, PooledSession } from "../connection/pooler.ts"
import { runBatch } from "../connection/pipeline.ts"
import { defaultMax } from "../connection/sessions.ts"
import { provideSession } from "../connection/session.ts"
import type { HostSession } from "./hostSession.ts"

/** A connection of the host, until it is given back. */
export interface Loan {
  readonly session: HostSession
  /** Gives the connection back, or closes it if it must not be used again. */
  readonly giveBack: (isBroken: boolean) => void
}

const notSupported = Effect.die(
  new Error("A connection of the host runs the statements of the store only"),
)

const nothing = { command: "", rows: [] }

const connectionOf = (session: HostSession, settings: string): PgConnection.PgConnection => {
  const connection: PgConnection.PgConnection = {
    [PgConnection.TypeId]: PgConnection.TypeId,
    config: {},
    processId: 0,
    pin: Effect.suspend(() => Effect.succeed(connection)),
    query: (sql, params = []) =>
      params.length > 0
        ? notSupported
        : Effect.map(runBatch(connection, [{ sql }]), ([{ command, rows } = nothing]) => ({
            command,
            rows,
            rowCount: rows.length,
            oid: null,
            fields: [],
          })),
    queryValues: () => notSupported,
    stream: () => Stream.fromEffect(notSupported),
    listen: () => Effect.fail(listenRefused),
    interrupt: Effect.void,
  }
  // Every transaction begins with the settings, so that the sessions of the host keep theirs.
  return provideSession(connection, new PooledSession(() => session, settings))
}

/** A pool whose connections are lent by the host. `settings` is the statement that each transaction begins with. */
export const poolOf = (borrow: Effect.Effect<Loan, SqlError>, settings: string): PgPool.PgPool => {
  // Statements of the host do not wait behind more than these.
  const permits = Semaphore.makeUnsafe(defaultMax)
  const loans = new WeakMap<PgConnection.PgConnection, Loan>()
  const invalid = new WeakSet<PgConnection.PgConnection>()
  const acquire = Effect.map(borrow, (loan) => {
    const connection = connectionOf(loan.session, settings)
    loans.set(connection, loan)
    return connection
  })
  const release = (connection: PgConnection.PgConnection) =>
    Effect.sync(() => {
      const loan = loans.get(connection)
      if (loan === undefined) return
      loan.giveBack(
        invalid.has(connection) || loan.session.isBroken || loan.session.isInTransaction,
      )
    })
  const get: Effect.Effect<PgConnection.PgConnection, SqlError, Scope> = Effect.acquireRelease(
    acquire,
    release,
  )
  return {
    [PgPool.TypeId]: PgPool.TypeId,
    // It opens no connections of its own, so none is left to listen.
    config: { maxConnections: 0 },
    get,
    reserve: get,
    use: (f) => permits.withPermit(Effect.acquireUseRelease(acquire, f, release)),
    invalidate: (connection) => Effect.sync(() => invalid.add(connection)),
  }
}
