/**
 * Connections that the host has opened: a pool of `pg`, or any driver with `query` and `transaction`.
 *
 * `HostPoolClient` runs the store over them.
 */
/** A row, by the names of its columns. */
export type HostRow = Readonly<Record<string, unknown>>

/** The result of a statement, as drivers return it. */
export type HostRows = ReadonlyArray<HostRow> | { readonly rows: ReadonlyArray<HostRow> }

/** Runs the statements of the engine. */
export interface HostQueries {
  /** Runs a statement with the parameters `$1`, `$2` and so on. A parameter is a text or `null`. */
  query(text: string, values: Array<string | null>): Promise<HostRows>
}

/** A driver of the host, such as an instance of PGlite. */
export interface HostDriver extends HostQueries {
  /** Runs `run` in a transaction. Commits if it resolves, and rolls back if it rejects. */
  transaction<A>(run: (transaction: HostQueries) => Promise<A>): Promise<A>
}

/** A pool of `pg`: `new Pool({ connectionString })`. */
export interface HostPgPool {
  /** Number of connections. */
  readonly totalCount: number
  /** Lends a connection. */
  connect(
    callback: (
      error: Error | undefined,
      client: { release(destroy?: boolean): void } | undefined,
    ) => void,
  ): void
}

/** A pool of `pg`, or a driver. */
export type HostPool = HostPgPool | HostDriver

/** A node needs two connections: a call from inside of a transaction waits for a second one. */
const fewestConnections = 2

/** Without a module of Effect, because hosts import the types of this one. */
const memberOf = (value: unknown, name: string): unknown => Reflect.get(Object(value), name)

const isMethod = (value: unknown, name: string): boolean =>
  typeof memberOf(value, name) === "function"

/** Whether a pool is a driver with `query` and `transaction`. */
export const isDriver = (pool: HostPool): pool is HostDriver => isMethod(pool, "transaction")

/** The problem of a pool, as a sentence without its subject; `undefined` if it may be one. */
export const problemOf = (pool: unknown): string | undefined => {
  if (isMethod(pool, "transaction")) {
    return isMethod(pool, "query") ? undefined : "has transaction, but no query: give both"
  }
  if (!isMethod(pool, "connect")) {
    return "must be a Pool of pg, or an object with query and transaction"
  }
  if (isMethod(pool, "release") || memberOf(pool, "totalCount") === undefined) {
    return "is a single connection: give a Pool of pg, or an object with query and transaction"
  }
  const max = memberOf(memberOf(pool, "options"), "max")
  return typeof max === "number" && max < fewestConnections
    ? `has max: ${max}, but needs ${fewestConnections}: a call from inside of your transaction takes a second connection`
    : undefined
}
