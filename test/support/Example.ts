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
  /** What the program prints when it is ready, with its origin. By default the line of our own servers. */
  readonly ready?: RegExp
  /** The longest time to start. A minute by default. */
  readonly startMillis?: number
}

export interface Ended {
  /** `null` when a signal ended the process. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
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

export const temporaryFolder = (): string =>
  Fs.mkdtempSync(Path.join(Os.tmpdir(), "countersign-example-"))

/** A process that may not be ready yet. */
export interface Running extends Pick<Example, "stdout" | "stderr" | "ended"> {
  readonly child: ChildProcess
}

const collect = (stream: ChildProcess["stdout"]): (() => string) => {
  let text = ""
  stream?.setEncoding("utf8").on("data", (chunk: string) => void (text += chunk))
  return () => text
}

/** Starts a program in a folder, and waits for nothing. */
export const spawnProgram = (
  cwd: string,
  command: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
): Running => {
  const child = spawn(command, args, {
    cwd,
    env: environment({ PORT: "0", ...env }),
    stdio: ["ignore", "pipe", "pipe"],
  })
  const stdout = collect(child.stdout)
  const stderr = collect(child.stderr)
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject)
    child.once("close", (code, signal) =>
      resolve({ code, signal, stdout: stdout(), stderr: stderr() }),
    )
  })
  return { child, stdout, stderr, ended }
}

const spawnExample = (name: string, dataDir: string, options: Options): Running => {
  const { args = ["src/main.ts"], env } = options
  return spawnProgram(Path.join(root, "examples", name), process.execPath, args, {
    DATA_DIR: dataDir,
    ...env,
  })
}

/** Ends a process for certain, and says how it ended. */
export const end = async ({ child, ended }: Running, signal: NodeJS.Signals): Promise<Ended> => {
  child.kill(signal)
  return within({ child, ended }, stopMillis)
}

/** How a process ends, which is killed if it takes longer. */
export const within = async (
  { child, ended }: Pick<Running, "child" | "ended">,
  millis: number,
): Promise<Ended> => {
  const timer = setTimeout(() => child.kill("SIGKILL"), millis)
  try {
    return await ended
  } finally {
    clearTimeout(timer)
  }
}

/** Waits until a program has printed that it is ready, and gives the match. Kills one that does not become ready. */
export const whenReady = async (
  name: string,
  running: Running,
  ready: RegExp,
  millis: number,
): Promise<RegExpExecArray> => {
  const found = await new Promise<RegExpExecArray | null>((resolve) => {
    const look = (): void => {
      const match = ready.exec(running.stdout())
      if (match === null) return
      running.child.stdout?.off("data", look)
      resolve(match)
    }
    const over = (): void => resolve(null)
    const timer = setTimeout(over, millis)
    running.child.stdout?.on("data", look)
    running.ended.then(over, over).finally(() => clearTimeout(timer))
  })
  if (found !== null) return found
  const { code, stderr, stdout } = await end(running, "SIGKILL")
  throw new Error(`${name} did not become ready (code ${code})\n${stdout}${stderr}`)
}

/** The folder of the options, or a new one, which `clean` removes. */
export const dataFolder = (kept: string | undefined) => {
  const dataDir = kept ?? temporaryFolder()
  const clean = (): void => {
    if (kept === undefined) Fs.rmSync(dataDir, { recursive: true, force: true })
  }
  return { dataDir, clean }
}

/** Starts the example of that folder, and waits until it accepts requests. */
export const startExample = async (name: string, options: Options = {}): Promise<Example> => {
  const { clean, dataDir } = dataFolder(options.dataDir)
  const running = spawnExample(name, dataDir, options)
  const { ready = new RegExp(`^${name} is ready on (http://127\\.0\\.0\\.1:\\d+)$`, "m") } = options
  try {
    const [, origin = ""] = await whenReady(name, running, ready, options.startMillis ?? 60_000)
    return {
      ...running,
      origin,
      dataDir,
      kill: (signal) => end(running, signal),
      signal: (signal) => void running.child.kill(signal),
      stop: () => end(running, "SIGTERM").finally(clean),
    }
  } catch (error) {
    clean()
    throw error
  }
}

/** Runs something of an example that ends by itself. */
export const runExample = async (name: string, options: Options = {}): Promise<Ended> => {
  const { clean, dataDir } = dataFolder(options.dataDir)
  const running = spawnExample(name, dataDir, options)
  return within(running, options.startMillis ?? 60_000).finally(clean)
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
