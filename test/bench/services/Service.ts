/**
 * A service under measurement, in a process of its own: started, asked and ended from the bench. What
 * such a process does on its side is in `serve.ts`.
 */
import { fork } from "node:child_process"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { Client } from "pg"

export interface ServiceOptions {
  /**
   * Address of a fresh database; the service makes its own tables. By default the memory store
   * (countersign only).
   */
  readonly databaseUrl?: string | undefined
  /** Organizations to make, each with a key and a large balance. 1 by default. */
  readonly organizations?: number | undefined
  /** Keys that another node on the same database has made: nothing is created then. */
  readonly share?: ReadonlyArray<string> | undefined
  /** `false` keeps the service's own limits; otherwise they are raised so far that no load meets them. */
  readonly limits?: false | undefined
  /** More arguments for node, such as `--cpu-prof`. */
  readonly execArgv?: ReadonlyArray<string> | undefined
  /** More environment. */
  readonly env?: Readonly<Record<string, string>> | undefined
}

export interface Service {
  /** As in `http://127.0.0.1:3000`. */
  readonly origin: string
  /** One for each organization. */
  readonly keys: ReadonlyArray<string>
  readonly pid: number
  /**
   * `rss`: bytes, after a collection where `--expose-gc` is on. `codes`: `[to, code][]` since it was
   * asked last, the newest 200,000 of them. `batches`: `{count, sum}` of commands in commits. Further
   * questions as the service has them; an unknown one is an error.
   */
  readonly ask: <A>(question: string) => Promise<A>
  /** Ends it with SIGTERM, so that a profile is written, and with SIGKILL after 10 s. */
  readonly stop: () => Promise<void>
}

/** How long a service may take to be ready, with all its organizations. */
const startTimeoutMillis = 120_000
const stopTimeoutMillis = 10_000

/** Starts `services/<name>.ts`. */
export const startService = async (
  name: string,
  options: ServiceOptions = {},
): Promise<Service> => {
  const child = fork(join(import.meta.dirname, `${name}.ts`), {
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
  // One question at a time, so that answers need no names.
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

/** Makes an empty database; `drop` takes its connections along. */
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
