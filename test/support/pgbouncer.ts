/** Debian's PgBouncer, in front of the server of the test run. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Programs } from "../gateways/smpp/debian.ts"
import { eventually } from "./eventually.ts"
import { freePorts } from "./freePorts.ts"

export interface Options {
  readonly mode: "session" | "transaction"
  /** Number of sessions of the server. @defaultValue 20 */
  readonly poolSize?: number
}

const configuration = (server: URL, port: number, { mode, poolSize = 20 }: Options): string => `
[databases]
* = host=${server.hostname} port=${server.port} user=${server.username} password=${server.password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${poolSize}
max_client_conn = 200
`

const canConnect = async (port: number): Promise<void> => {
  const socket = connect(port, "127.0.0.1")
  try {
    await once(socket, "connect")
  } finally {
    socket.destroy()
  }
}

/** Runs PgBouncer until the scope ends. Returns the address of a database through it. */
export const startPgBouncer = Effect.fnUntraced(function* (
  { env, path }: Programs,
  serverUrl: string,
  options: Options,
): Effect.fn.Return<(database: Redacted.Redacted) => Redacted.Redacted, never, Scope.Scope> {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "countersign-pgbouncer-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true })),
  )
  const [port = 0] = yield* Effect.promise(() => freePorts(1))
  const file = join(folder, "pgbouncer.ini")
  writeFileSync(file, configuration(new URL(serverUrl), port, options))
  chmodSync(folder, 0o755)
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ["-u", "daemon"] : []
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      // From the root of the file system, because an installed program has a relative path.
      spawn(path("usr/sbin/pgbouncer"), ["-q", ...user, file], {
        cwd: "/",
        env: { ...process.env, ...env },
        stdio: "ignore",
      }).on("error", () => {}),
    ),
    (child) =>
      Effect.promise(async () => {
        if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
        child.kill("SIGKILL")
        await once(child, "exit")
      }),
  )
  yield* Effect.promise(() => eventually(() => canConnect(port)))
  return (database) => {
    const url = new URL(Redacted.value(database))
    url.port = String(port)
    return Redacted.make(url.href)
  }
})
