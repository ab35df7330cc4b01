/** Debian's Patroni with its etcd: two PostgreSQL servers, of which one is the primary and the other its standby. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { Programs } from "../gateways/smpp/debian.ts"
import { eventually } from "./eventually.ts"
import { freePorts } from "./freePorts.ts"
import { serverUser } from "./PostgresServer.ts"

export const packages = ["patroni", "etcd-server", "postgresql"] as const

interface Member {
  readonly name: string
  readonly port: number
  readonly rest: number
  readonly dataDir: string
}

export interface Patroni {
  /** Waits until the standby may take over: without one, Patroni starts the primary again. */
  readonly standby: () => Promise<void>
  /** Waits for a primary that is not the given one. Returns its address. */
  readonly primary: (without?: string) => Promise<string>
  /** Kills the server with this address. Patroni makes its standby the primary, and starts it again as a standby. */
  readonly kill: (url: string) => void
}

/** The folder with the programs of the server, unpacked or installed. */
export const binariesOf = ({ path }: Programs): string => {
  const folder = path("usr/lib/postgresql")
  const absolute = folder.startsWith("/") ? folder : `/${folder}`
  const [version = ""] = readdirSync(absolute).toSorted((a, b) => Number(b) - Number(a))
  return join(absolute, version, "bin")
}

const configuration = (
  { dataDir, name, port, rest }: Member,
  folder: string,
  etcd: number,
  password: string,
  binDir: string,
) => ({
  scope: "campaign",
  name,
  restapi: { listen: `127.0.0.1:${rest}`, connect_address: `127.0.0.1:${rest}` },
  etcd3: { host: `127.0.0.1:${etcd}` },
  bootstrap: {
    dcs: {
      // The shortest that Patroni takes.
      ttl: 20,
      loop_wait: 1,
      retry_timeout: 3,
      // A primary that has ended is not started again as one.
      primary_start_timeout: 0,
      synchronous_mode: true,
      postgresql: {
        use_pg_rewind: true,
        remove_data_directory_on_rewind_failure: true,
        remove_data_directory_on_diverged_timelines: true,
        parameters: { max_connections: 60, wal_log_hints: "on", synchronous_commit: "on" },
      },
    },
    initdb: [{ encoding: "UTF8" }, { locale: "C" }],
    pg_hba: ["host all all 127.0.0.1/32 md5", "host replication all 127.0.0.1/32 md5"],
  },
  postgresql: {
    listen: `127.0.0.1:${port}`,
    connect_address: `127.0.0.1:${port}`,
    data_dir: dataDir,
    bin_dir: binDir,
    pgpass: join(folder, `${name}.pgpass`),
    authentication: {
      superuser: { username: "postgres", password },
      replication: { username: "replicator", password },
    },
    // The system keeps what is written: no fault ends the machine.
    parameters: { unix_socket_directories: "", fsync: "off" },
  },
})

const stop = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  const timer = setTimeout(() => child.kill("SIGKILL"), 20_000)
  await once(child, "exit")
  clearTimeout(timer)
}

/** Runs the servers until the scope ends. */
export const startPatroni = Effect.fnUntraced(function* (
  programs: Programs,
): Effect.fn.Return<Patroni, never, Scope.Scope> {
  const { env, path } = programs
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "countersign-patroni-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true })),
  )
  const user = serverUser()
  const identity = user === undefined ? {} : { uid: user.uid, gid: user.gid }
  const root = path("usr/bin/patroni").replace(/\/?usr\/bin\/patroni$/, "")
  if (user !== undefined) {
    chownSync(folder, user.uid, user.gid)
    // What was unpacked belongs to root only.
    if (root !== "") execFileSync("chmod", ["-R", "a+rX", dirname(root)])
  }
  chmodSync(folder, 0o750)
  const [etcd = 0, peer = 0, ...others] = yield* Effect.promise(() => freePorts(6))
  const run = (
    name: string,
    command: string,
    args: ReadonlyArray<string>,
    signal: NodeJS.Signals,
  ) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const log = openSync(join(folder, `${name}.log`), "w")
        return spawn(command, args, {
          ...identity,
          // From the root of the file system, because an installed program has a relative path.
          cwd: "/",
          env: {
            ...process.env,
            ...env,
            PYTHONPATH: join(root, "usr/lib/python3/dist-packages"),
            PYTHONDONTWRITEBYTECODE: "1",
            HOME: folder,
          },
          stdio: ["ignore", log, log],
        })
      }),
      (child) => Effect.promise(() => stop(child, signal)),
    )
  const [client, between] = [`http://127.0.0.1:${etcd}`, `http://127.0.0.1:${peer}`]
  yield* run(
    "etcd",
    path("usr/bin/etcd"),
    [
      `--data-dir=${join(folder, "etcd")}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${between}`,
      `--initial-advertise-peer-urls=${between}`,
      `--initial-cluster=default=${between}`,
    ],
    "SIGKILL",
  )
  const password = randomBytes(12).toString("hex")
  const binDir = binariesOf(programs)
  const members = [0, 1].map((index) => ({
    name: `n${index}`,
    port: others[2 * index] ?? 0,
    rest: others[2 * index + 1] ?? 0,
    dataDir: join(folder, `data${index}`),
  }))
  const urlOf = ({ port }: Member): string =>
    `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  for (const member of members) {
    const file = join(folder, `${member.name}.json`)
    writeFileSync(file, JSON.stringify(configuration(member, folder, etcd, password, binDir)), {
      mode: 0o644,
    })
    yield* run(member.name, "python3", ["-m", "patroni", file], "SIGTERM")
  }
  /** Waits for a member in a role, as a balancer finds it. Returns its address. */
  const having = (role: "primary" | "sync", without?: string): Promise<string> =>
    eventually(
      async () => {
        for (const member of members) {
          if (urlOf(member) === without) continue
          const { status } = await fetch(`http://127.0.0.1:${member.rest}/${role}`)
          if (status === 200) return urlOf(member)
        }
        const logs = members.map(({ name }) => readFileSync(join(folder, `${name}.log`), "utf8"))
        const ends = logs.map((log) => log.slice(-3_000)).join("\n")
        throw new Error(`Patroni has no member with the role ${role}:\n${ends}`)
      },
      { withinMillis: 60_000 },
    )
  return {
    standby: async () => void (await having("sync")),
    primary: (without) => having("primary", without),
    kill: (url) => {
      const member = members.find((one) => urlOf(one) === url)
      const file = join(member?.dataDir ?? "", "postmaster.pid")
      if (!existsSync(file)) throw new Error("The server has ended before")
      process.kill(Number(readFileSync(file, "utf8").split("\n")[0]), "SIGKILL")
    },
  }
})
