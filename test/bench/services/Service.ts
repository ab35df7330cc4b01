/**
 * Starts a measured service in its own process, queries it, and ends it. `serve.ts` is the other side, in the
 * process of the service.
 */
import { fork } from "node:child_process"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { Client } from "pg"

export interface ServiceOptions {
  /**
   * URL of an empty database, in which the service creates its tables. By default the memory store
   * (countersign only).
   */
  readonly databaseUrl?: string | undefined
  /** Number of organizations to create, each with a key and a large balance. @defaultValue 1 */
  readonly organizations?: number | undefined
  /** The keys that another node on the same database has created. With them, the service creates nothing. */
  readonly share?: ReadonlyArray<string> | undefined
  /** `false` keeps the default limits. Otherwise the limits are so high that no load reaches them. */
  readonly limits?: false | undefined
  /** The folder of another checkout, whose service is started. @defaultValue this one */
  readonly checkout?: string | undefined
  /** Additional arguments of node, such as `--cpu-prof`. */
  readonly execArgv?: ReadonlyArray<string> | undefined
  /** Additional environment variables. */
  readonly env?: Readonly<Record<string, string>> | undefined
}

export interface Service {
  /** Such as `http://127.0.0.1:3000`. */
  readonly origin: string
  /** One key for each organization. */
  readonly keys: ReadonlyArray<string>
  readonly pid: number
  /**
   * Sends a query. `rss`: resident bytes, after a garbage collection with `--expose-gc`. `oldObjects`: the bytes
   * in the old part of the heap, before such a collection and after it. `codes`: the
   * `[to, code]` pairs since the last query, at most the newest 200,000. `batches`: `{count, sum}` of commands
   * in commits. A service can have further queries. Rejects an unknown query.
   */
  readonly ask: <A>(question: string) => Promise<A>
  /** Sends SIGTERM, so that the process writes its profile, and SIGKILL after 10 s. */
  readonly stop: () => Promise<void>
}

/** Time limit until a service is ready, with all its organizations. */
const startTimeoutMillis = 120_000
const stopTimeoutMillis = 10_000

/** Starts `services/<name>.ts`. */
export const startService = async (
  name: string,
  options: ServiceOptions = {},
): Promise<Service> => {
  const { checkout = join(import.meta.dirname, "../../..") } = options
  const child = fork(join(checkout, "test/bench/services", `${name}.ts`), {
    env: { ...process.env, ...options.env, BENCH_SERVICE: JSON.stringify(options) },
    execArgv: [...(options.execArgv ?? [])],
  })
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const receive = <A>(): Promise<A> =>
    new Promise((resolve, reject) => {
      const onExit = (): void => reject(new Error(`The service ${name} has ended`))
      child.once("exit", onExit)
      child.once("message", (message) => {
        child.off("exit", onExit)
        const { answer, error } = JSON.parse(String(message))
        if (error === undefined) resolve(answer)
        else reject(new Error(`The service ${name} says: ${error}`))
      })
    })
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM")
    const timer = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMillis)
    await exited
    clearTimeout(timer)
  }
  const timer = setTimeout(() => child.kill("SIGKILL"), startTimeoutMillis)
  const { keys, origin } = await receive<{ origin: string; keys: ReadonlyArray<string> }>()
  clearTimeout(timer)
  // One query at a time, so that answers need no ids.
  let last: Promise<unknown> = Promise.resolve()
  const ask = <A>(question: string): Promise<A> => {
    const answer = last.then(() => {
      const received = receive<A>()
      child.send(question)
      return received
    })
    last = answer.catch(() => {})
    return answer
  }
  return { origin, keys, pid: child.pid ?? 0, ask, stop }
}

const onServer = async (serverUrl: string, sql: string): Promise<void> => {
  const client = new Client({ connectionString: serverUrl })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

/** Creates an empty database. `drop` also ends its connections. */
export const freshDatabase = async (
  serverUrl: string,
): Promise<{ readonly url: string; readonly drop: () => Promise<void> }> => {
  const name = `bench_${process.pid}_${randomBytes(6).toString("hex")}`
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  await onServer(serverUrl, `CREATE DATABASE ${name} TEMPLATE template0`)
  return {
    url: url.href,
    drop: () => onServer(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  }
}
