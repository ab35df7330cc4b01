/**
 * The quickstart as people meet it: a process of its own, on a free port, with a data folder of its
 * own.
 */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import * as Schema from "effect/Schema"
import {
  dataFolder,
  end,
  type Ended,
  type Options as ExampleOptions,
  type Running,
  spawnProgram,
  whenReady,
  within,
} from "./Example.ts"

const root = Path.join(import.meta.dirname, "../..")

export interface Options extends Pick<ExampleOptions, "env" | "dataDir"> {
  /** The folder of the build that runs. @defaultValue this one */
  readonly build?: string
}

/** An answer of the service. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

export interface Request {
  /** The account whose key is used: `acme` by default. */
  readonly as?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Makes it a POST. */
  readonly body?: unknown
}

export interface Quickstart {
  readonly baseUrl: string
  readonly inboxUrl: string
  readonly dashboardUrl: string
  readonly dashboardPassword: string
  /** API keys by the name of their organization. */
  readonly keys: Readonly<Record<string, string>>
  readonly dataDir: string
  readonly pid: number
  /** Everything that was printed so far. */
  readonly output: () => string
  /** Reads what is printed from now on, and keeps none of it. */
  readonly dropOutput: () => void
  /** Calls the service: `call("/balance")`. */
  readonly call: (path: string, request?: Request) => Promise<Answer>
  /** Sends a signal, and waits for the end. */
  readonly kill: (signal: NodeJS.Signals) => Promise<Ended>
  /** SIGTERM where it still runs, and the data folder is removed unless it was given. May be called twice. */
  readonly stop: () => Promise<Ended>
}

const Ready = Schema.Struct({
  baseUrl: Schema.String,
  inboxUrl: Schema.String,
  dashboardUrl: Schema.String,
  dashboardPassword: Schema.String,
  organizations: Schema.Array(Schema.Struct({ name: Schema.String, apiKey: Schema.String })),
})

const parseReady = Schema.decodeSync(Schema.fromJsonString(Ready))

/** Starts a process and waits for nothing: for tests that end it in the middle of its start. */
export const spawnQuickstart = (
  dataDir: string,
  env: Options["env"] = {},
  build = root,
): Running => {
  const main = Path.join(build, "examples/quickstart/src/main.ts")
  return spawnProgram(Os.tmpdir(), process.execPath, [main], { DATA_DIR: dataDir, ...env })
}

const caller =
  (baseUrl: string, keys: Readonly<Record<string, string>>): Quickstart["call"] =>
  async (path, { as = "acme", body, headers } = {}) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        authorization: `Bearer ${keys[as] ?? ""}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }

/** Starts a quickstart, and waits until it accepts requests. */
export const startQuickstart = async (options: Options = {}): Promise<Quickstart> => {
  const { clean, dataDir } = dataFolder(options.dataDir)
  const running = spawnQuickstart(dataDir, options.env, options.build)
  await whenReady("The quickstart", running, /Countersign is ready\./, 60_000).catch(
    (error: unknown) => {
      clean()
      throw error
    },
  )
  const { organizations, ...addresses } = parseReady(
    Fs.readFileSync(Path.join(dataDir, "quickstart.json"), "utf8"),
  )
  const keys = Object.fromEntries(organizations.map(({ apiKey, name }) => [name, apiKey]))
  return {
    ...addresses,
    keys,
    dataDir,
    pid: running.child.pid ?? 0,
    output: () => running.stdout() + running.stderr(),
    dropOutput: () => {
      for (const stream of [running.child.stdout, running.child.stderr]) {
        stream?.removeAllListeners("data").resume()
      }
    },
    call: caller(addresses.baseUrl, keys),
    kill: (signal) => end(running, signal),
    stop: () => end(running, "SIGTERM").finally(clean),
  }
}

/** Runs a quickstart that ends by itself: one that cannot start. */
export const runQuickstart = async (options: Options = {}): Promise<Ended> => {
  const { clean, dataDir } = dataFolder(options.dataDir)
  return within(spawnQuickstart(dataDir, options.env), 60_000).finally(clean)
}

/** A nested member of an answer: `at(body, "data", 0, "status")`. `undefined` if it does not exist. */
export const at = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>(
    (current, key) =>
      typeof current === "object" && current !== null
        ? Object.getOwnPropertyDescriptor(current, key)?.value
        : undefined,
    value,
  )
