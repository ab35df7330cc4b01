/**
 * The quickstart as people meet it: a process of its own, on a free port, with a data folder of its
 * own.
 */
import { type ChildProcess, spawn } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import * as Schema from "effect/Schema"
import { environment } from "../tools/run.ts"

const root = Path.join(import.meta.dirname, "../..")

export interface Options {
  /** On top of this process's environment. `PORT` is 0 where it is not given. */
  readonly env?: Readonly<Record<string, string>>
  /** A folder that is kept. By default a new one, which `stop` removes. */
  readonly dataDir?: string
}

export interface Ended {
  /** `null` when a signal ended the process. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
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

const readyLine = "Countersign is ready."
const startMillis = 60_000
const stopMillis = 20_000

/** A process that may not be ready yet. */
export interface Running {
  readonly child: ChildProcess
  readonly stdout: () => string
  readonly stderr: () => string
  readonly ended: Promise<Ended>
}

const collect = (stream: ChildProcess["stdout"], onText: () => void): (() => string) => {
  let text = ""
  stream?.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk
    onText()
  })
  return () => text
}

/** Starts a process and waits for nothing: for tests that end it in the middle of its start. */
export const spawnQuickstart = (
  dataDir: string,
  env: Options["env"] = {},
  onText = (): void => {},
): Running => {
  const child = spawn(process.execPath, [Path.join(root, "examples/quickstart/src/main.ts")], {
    cwd: Os.tmpdir(),
    env: environment({ PORT: "0", DATA_DIR: dataDir, ...env }),
    stdio: ["ignore", "pipe", "pipe"],
  })
  const stdout = collect(child.stdout, onText)
  const stderr = collect(child.stderr, onText)
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, stdout: stdout(), stderr: stderr() }))
  })
  return { child, stdout, stderr, ended }
}

const temporaryFolder = (): string =>
  Fs.mkdtempSync(Path.join(Os.tmpdir(), "countersign-quickstart-"))

/** Ends a process for certain, and says how it ended. */
const end = async ({ child, ended }: Running, signal: NodeJS.Signals): Promise<Ended> => {
  child.kill(signal)
  const timer = setTimeout(() => child.kill("SIGKILL"), stopMillis)
  try {
    return await ended
  } finally {
    clearTimeout(timer)
  }
}

const isReady = (running: Running, onText: Set<() => void>): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), startMillis)
    const settle = (isReady: boolean): void => {
      clearTimeout(timer)
      resolve(isReady)
    }
    onText.add(() => {
      if (running.stdout().includes(readyLine)) settle(true)
    })
    const over = (): void => settle(false)
    running.ended.then(over, over)
  })

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
  const dataDir = options.dataDir ?? temporaryFolder()
  const clean = (): void => {
    if (options.dataDir === undefined) Fs.rmSync(dataDir, { recursive: true, force: true })
  }
  const onText = new Set<() => void>()
  const running = spawnQuickstart(dataDir, options.env, () => onText.forEach((f) => f()))
  if (!(await isReady(running, onText))) {
    const { code, stderr, stdout } = await end(running, "SIGKILL")
    clean()
    throw new Error(`The quickstart did not become ready (code ${code})\n${stdout}${stderr}`)
  }
  const { baseUrl, dashboardPassword, dashboardUrl, inboxUrl, organizations } = parseReady(
    Fs.readFileSync(Path.join(dataDir, "quickstart.json"), "utf8"),
  )
  const keys = Object.fromEntries(organizations.map(({ apiKey, name }) => [name, apiKey]))
  return {
    baseUrl,
    inboxUrl,
    dashboardUrl,
    dashboardPassword,
    keys,
    dataDir,
    pid: running.child.pid ?? 0,
    output: () => running.stdout() + running.stderr(),
    dropOutput: () => {
      for (const stream of [running.child.stdout, running.child.stderr]) {
        stream?.removeAllListeners("data").resume()
      }
    },
    call: caller(baseUrl, keys),
    kill: (signal) => end(running, signal),
    stop: async () => {
      const ended = await end(running, "SIGTERM")
      clean()
      return ended
    },
  }
}

/** Runs a quickstart that ends by itself: one that cannot start. */
export const runQuickstart = async (options: Options = {}): Promise<Ended> => {
  const dataDir = options.dataDir ?? temporaryFolder()
  const running = spawnQuickstart(dataDir, options.env)
  const timer = setTimeout(() => running.child.kill("SIGKILL"), startMillis)
  try {
    return await running.ended
  } finally {
    clearTimeout(timer)
    if (options.dataDir === undefined) Fs.rmSync(dataDir, { recursive: true, force: true })
  }
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
