/**
 * The example apps as people meet them: processes of their own, on free ports, with data folders of their
 * own.
 */
import { type ChildProcess, spawn } from "node:child_process"
import * as Fs from "node:fs"
import { request } from "node:http"
import { connect } from "node:net"
import * as Os from "node:os"
import * as Path from "node:path"
import { environment } from "../tools/run.ts"
import { eventually } from "./eventually.ts"

const root = Path.join(import.meta.dirname, "../..")

export interface Options {
  /** On top of this process's environment. `PORT` is 0 where it is not given. */
  readonly env?: Readonly<Record<string, string>>
  /** The arguments of Node, relative to the example's folder. `src/main.ts` by default. */
  readonly args?: ReadonlyArray<string>
  /** A folder that is kept. By default a new one, which `stop` removes. */
  readonly dataDir?: string
  /** The longest time to start. A minute by default. */
  readonly startMillis?: number
}

export interface Ended {
  /** `null` when a signal ended the process. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Example {
  /** Without a slash at its end. */
  readonly origin: string
  readonly dataDir: string
  /** Everything that was printed so far. */
  readonly stdout: () => string
  readonly stderr: () => string
  /** Sends a signal, and waits for the end. */
  readonly kill: (signal: NodeJS.Signals) => Promise<Ended>
  /** Sends a signal, and waits for nothing. */
  readonly signal: (signal: NodeJS.Signals) => void
  /** Comes when the process has ended by itself. */
  readonly ended: Promise<Ended>
  /** SIGTERM where it still runs, and the data folder is removed unless it was given. May be called twice. */
  readonly stop: () => Promise<Ended>
}

const stopMillis = 20_000

const folderOf = (name: string): string => Path.join(root, "examples", name)

export const temporaryFolder = (): string =>
  Fs.mkdtempSync(Path.join(Os.tmpdir(), "countersign-example-"))

interface Running {
  readonly child: ChildProcess
  readonly stdout: () => string
  readonly stderr: () => string
  readonly ended: Promise<Ended>
}

const collect = (stream: ChildProcess["stdout"]): (() => string) => {
  let text = ""
  stream?.setEncoding("utf8").on("data", (chunk: string) => void (text += chunk))
  return () => text
}

const spawnExample = (name: string, dataDir: string, options: Options): Running => {
  const { args = ["src/main.ts"], env } = options
  const child = spawn(process.execPath, args, {
    cwd: folderOf(name),
    env: environment({ PORT: "0", DATA_DIR: dataDir, ...env }),
    stdio: ["ignore", "pipe", "pipe"],
  })
  const stdout = collect(child.stdout)
  const stderr = collect(child.stderr)
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, stdout: stdout(), stderr: stderr() }))
  })
  return { child, stdout, stderr, ended }
}

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

/** The address that the example prints once it accepts requests; `undefined` when it has ended before. */
const originOf = (name: string, running: Running, withinMillis: number) =>
  eventually(
    () => {
      const ready = new RegExp(`^${name} is ready on (http://127\\.0\\.0\\.1:\\d+)$`, "m")
      const origin = ready.exec(running.stdout())?.[1]
      const { exitCode, signalCode } = running.child
      if (origin === undefined && exitCode === null && signalCode === null)
        throw new Error(`${name} is not ready`)
      return origin
    },
    { withinMillis },
  ).catch(() => undefined)

/** Starts the example of that folder, and waits until it accepts requests. */
export const startExample = async (name: string, options: Options = {}): Promise<Example> => {
  const dataDir = options.dataDir ?? temporaryFolder()
  const clean = (): void => {
    if (options.dataDir === undefined) Fs.rmSync(dataDir, { recursive: true, force: true })
  }
  const running = spawnExample(name, dataDir, options)
  const origin = await originOf(name, running, options.startMillis ?? 60_000)
  if (origin === undefined) {
    const { code, stderr, stdout } = await end(running, "SIGKILL")
    clean()
    throw new Error(`${name} did not become ready (code ${code})\n${stdout}${stderr}`)
  }
  return {
    origin,
    dataDir,
    stdout: running.stdout,
    stderr: running.stderr,
    kill: (signal) => end(running, signal),
    signal: (signal) => void running.child.kill(signal),
    ended: running.ended,
    stop: async () => {
      const ended = await end(running, "SIGTERM")
      clean()
      return ended
    },
  }
}

/** Runs something of an example that ends by itself. */
export const runExample = async (name: string, options: Options = {}): Promise<Ended> => {
  const dataDir = options.dataDir ?? temporaryFolder()
  const running = spawnExample(name, dataDir, options)
  const timer = setTimeout(() => running.child.kill("SIGKILL"), options.startMillis ?? 60_000)
  try {
    return await running.ended
  } finally {
    clearTimeout(timer)
    if (options.dataDir === undefined) Fs.rmSync(dataDir, { recursive: true, force: true })
  }
}

/** The code that was sent to a number last, from what a development gateway has printed. */
export const codeFor = ({ stdout }: Pick<Example, "stdout">, to: string, count = 1) =>
  eventually(() => {
    const sent = [...stdout().matchAll(new RegExp(`to ${RegExp.escape(to)}: .*?(\\d{6})`, "g"))]
    const code = sent[count - 1]?.[1]
    if (code === undefined) throw new Error(`no code ${count} was sent to ${to}: ${stdout()}`)
    return code
  })

/** Another code of the same length. */
export const wrong = (code: string): string => (code === "000000" ? "111111" : "000000")

export interface Finished {
  readonly status: number
  readonly body: string
}

/**
 * Begins to post JSON, or a text as it is. It resolves when the server has the headers, so the request is under way, and gives
 * what sends the body.
 */
export const beginPost = (
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<() => Promise<Finished>> =>
  new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: "POST",
      headers: { "content-type": "application/json", expect: "100-continue", ...headers },
    })
    const finished = new Promise<Finished>((resolveAnswer, rejectAnswer) => {
      outgoing.once("error", rejectAnswer)
      outgoing.once("response", (response) => {
        let text = ""
        response.setEncoding("utf8").on("data", (chunk: string) => void (text += chunk))
        response.once("end", () => resolveAnswer({ status: response.statusCode ?? 0, body: text }))
      })
    })
    finished.catch(reject)
    outgoing.once("continue", () =>
      resolve(() => {
        outgoing.end(typeof body === "string" ? body : JSON.stringify(body))
        return finished
      }),
    )
    outgoing.flushHeaders()
  })

/** Waits until the server no longer accepts connections. */
export const closed = (origin: string): Promise<void> =>
  eventually(async () => {
    const { hostname, port } = new URL(origin)
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(Number(port), hostname)
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false))
      socket.once("connect", () => socket.destroy())
    })
    if (isOpen) throw new Error(`${origin} still accepts connections`)
  })
