/**
 * Child processes of the tools.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { delimiter, dirname, join } from "node:path"
import { pnpm, root } from "./paths.ts"

export interface Finished {
  /** `null` when a signal ended the process. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly timedOut: boolean
}

export interface Options {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Shows the output as it comes, instead of collecting it. */
  readonly inherit?: boolean
  readonly timeoutMillis?: number
  /** A server is stopped once it has printed this. */
  readonly endWhenPrinted?: string
}

/** Node keeps compiled modules here, which halves the processor time in which a program of ours starts. */
const compileCache = join(root, "node_modules/.cache/compile")

/**
 * Node compiles WebAssembly once and does not optimize it: our processes end before the optimizer has paid for itself.
 * A start of the embedded database takes half the processor time and a third of the memory. A process that is measured
 * gets `NODE_OPTIONS: ""`.
 */
const unoptimizedWasm = `--import=data:text/javascript,${[
  "import{setFlagsFromString}from'node:v8'",
  "setFlagsFromString('--no-wasm-tier-up')",
  "setFlagsFromString('--no-wasm-dynamic-tiering')",
].join(";")}`

/**
 * The environment of a child: the tools of this repository and the running Node come first on the
 * PATH, those of the second workspace after those of the first; and what a surrounding vitest set for its own workers is removed.
 */
export const environment = (
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> => {
  const own = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || /^(VITEST|TEST$|NODE_ENV$|NODE_OPTIONS$)/.test(name)
      ? []
      : [[name, value] as const],
  )
  const tools = ["node_modules/.bin", "test/release/node_modules/.bin"]
  const path = [
    ...tools.map((folder) => join(root, folder)),
    dirname(process.execPath),
    process.env["PATH"],
  ]
  return {
    ...Object.fromEntries(own),
    PATH: path.join(delimiter),
    NODE_COMPILE_CACHE: compileCache,
    NODE_OPTIONS: unoptimizedWasm,
    ...extra,
  }
}

const collect = (stream: ChildProcess["stdout"]): (() => string) => {
  const chunks: Array<Buffer> = []
  stream?.on("data", (chunk: Buffer) => chunks.push(chunk))
  return () => Buffer.concat(chunks).toString("utf8")
}

const kill = (child: ChildProcess, group: boolean, signal: NodeJS.Signals): void => {
  if (!group || child.pid === undefined) return void child.kill(signal)
  try {
    process.kill(-child.pid, signal)
  } catch {
    // It has ended in the meantime.
  }
}

/** Runs a command to its end. A command that cannot be started counts as finished with code 127. */
export const run = (
  command: string,
  args: ReadonlyArray<string>,
  options: Options = {},
): Promise<Finished> =>
  new Promise((done) => {
    const own = options.inherit !== true
    const child = spawn(command, args, {
      cwd: options.cwd ?? root,
      env: environment(options.env),
      stdio: own ? ["ignore", "pipe", "pipe"] : "inherit",
      // In a group of its own, so that what it left in the background ends with it.
      detached: own,
    })
    const stdout = collect(child.stdout)
    const stderr = collect(child.stderr)
    const { endWhenPrinted } = options
    let isToldToEnd = false
    if (endWhenPrinted !== undefined) {
      child.stdout?.on("data", () => {
        if (isToldToEnd || !stdout().includes(endWhenPrinted)) return
        isToldToEnd = true
        kill(child, own, "SIGTERM")
      })
    }
    let timedOut = false
    const timer = setTimeout(() => {
      timedOut = true
      kill(child, own, "SIGKILL")
    }, options.timeoutMillis ?? 600_000)
    const pass = (signal: NodeJS.Signals) => kill(child, own, signal)
    process.on("SIGTERM", pass)
    process.on("SIGINT", pass)
    const end = (code: number | null, error = "") => {
      clearTimeout(timer)
      process.off("SIGTERM", pass)
      process.off("SIGINT", pass)
      done({ code, stdout: stdout(), stderr: stderr() + error, timedOut })
    }
    child.on("error", (error) => end(127, String(error)))
    child.on("close", (code) => end(code))
  })

/** The output of a command that has ended well. Throws what another one has printed. */
export const succeeded = ({ code, stderr, stdout }: Finished): string => {
  if (code !== 0) throw new Error(`It ended with ${code}:\n${stdout}${stderr}`)
  return stdout
}

/** Runs one of this repository's own tools with the running Node. */
export const runTool = (name: string, args: ReadonlyArray<string> = []): Promise<Finished> =>
  run(process.execPath, [join(root, "test/tools", name), ...args], { inherit: true })

/** Runs the package manager that started this script, or fetches it. */
export const runPnpm = (args: ReadonlyArray<string>, options: Options = {}): Promise<Finished> => {
  const running = process.env["npm_execpath"] ?? ""
  if (!/pnpm(\.[cm]?js)?$/.test(running)) return run("npx", ["-y", pnpm, ...args], options)
  return running.endsWith("js")
    ? run(process.execPath, [running, ...args], options)
    : run(running, args, options)
}

/** Installs the second workspace: what the release checks and the checks of documents and packages need. */
export const installReleaseTools = (): Promise<Finished> =>
  runPnpm(["--dir", join(root, "test/release"), "install"], { inherit: true })
