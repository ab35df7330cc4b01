/**
 * A Worker in workerd, the runtime of Cloudflare Workers.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import * as Schema from "effect/Schema"
import type { Bundle } from "./bundles.ts"
import { root } from "./paths.ts"
import { environment } from "./run.ts"

/** No flag that adds anything of Node is set. */
const compatibilityDate = "2026-11-01"

const configOf = ({ entry, others }: Bundle): string => {
  const modules = [entry, ...others].map(
    ({ name }) => `(name = "${name}", esModule = embed "${name}")`,
  )
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [${modules.join(", ")}],
  compatibilityDate = "${compatibilityDate}",
);
`
}

const Listening = Schema.fromJsonString(
  Schema.Struct({ event: Schema.Literal("listen"), port: Schema.Number }),
)

export interface RunningWorker extends AsyncDisposable {
  readonly origin: string
}

/** Serves a bundle's default export on a free port of loopback. */
export const serveInWorkerd = async (bundle: Bundle): Promise<RunningWorker> => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-worker-"))
  for (const { contents, name } of [bundle.entry, ...bundle.others]) {
    writeFileSync(join(folder, name), contents)
  }
  writeFileSync(join(folder, "config.capnp"), configOf(bundle))
  const child = spawn(
    join(root, "test/release/node_modules/.bin/workerd"),
    ["serve", "--control-fd=1", "config.capnp"],
    // In a group of its own, because the command is a wrapper around another.
    { cwd: folder, detached: true, env: environment(), stdio: ["ignore", "pipe", "pipe"] },
  )
  let complaints = ""
  child.stderr.on("data", (chunk) => (complaints += chunk))
  const ended = once(child, "exit")
  const dispose = async (): Promise<void> => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL")
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  const line = once(createInterface(child.stdout), "line")
  const [first] = await Promise.race([line, ended.then((): [undefined] => [undefined])])
  if (first === undefined) {
    await dispose()
    throw new Error(`workerd did not start\n${complaints}`)
  }
  const { port } = Schema.decodeUnknownSync(Listening)(first)
  return { origin: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: dispose }
}
