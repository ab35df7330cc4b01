/**
 * A quickstart of one's own: started on a free port with an empty data folder.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import * as Schema from "effect/Schema"
import { root } from "./paths.ts"
import { environment } from "./run.ts"

const Ready = Schema.Struct({
  baseUrl: Schema.String,
  inboxUrl: Schema.String,
  organizations: Schema.Array(Schema.Struct({ name: Schema.String, apiKey: Schema.String })),
})

/** What the quickstart writes down once it accepts requests. */
export type Ready = typeof Ready.Type

export interface Quickstart extends Ready {
  readonly dataDir: string
  /** Ends the process and removes its data. */
  readonly stop: () => Promise<void>
}

export interface Options {
  readonly entry?: string
  readonly startMillis?: number
}

const parseReady = Schema.decodeSync(Schema.fromJsonString(Ready))

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() =>
        resolve(typeof address === "object" && address !== null ? address.port : 0),
      )
    })
  })

const hasEnded = (child: ChildProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null

const end = async (child: ChildProcess): Promise<void> => {
  if (hasEnded(child)) return
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  child.kill("SIGTERM")
  const timer = setTimeout(() => child.kill("SIGKILL"), 10_000)
  await ended
  clearTimeout(timer)
}

/** A file in the making may be read half-written. */
const readReady = (file: string): Ready | undefined => {
  try {
    return existsSync(file) ? parseReady(readFileSync(file, "utf8")) : undefined
  } catch {
    return undefined
  }
}

export const startQuickstart = async (options: Options = {}): Promise<Quickstart> => {
  const dataDir = mkdtempSync(join(tmpdir(), "countersign-quickstart-"))
  const entry = options.entry ?? join(root, "examples/quickstart/src/main.ts")
  const child = spawn(process.execPath, [entry], {
    cwd: root,
    env: environment({ PORT: String(await freePort()), DATA_DIR: dataDir }),
    stdio: ["ignore", "pipe", "pipe"],
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")))
  }
  const stop = async (): Promise<void> => {
    await end(child)
    rmSync(dataDir, { recursive: true, force: true })
  }
  const file = join(dataDir, "quickstart.json")
  const deadline = performance.now() + (options.startMillis ?? 60_000)
  while (performance.now() < deadline && !hasEnded(child)) {
    const ready = readReady(file)
    if (ready !== undefined) return { ...ready, dataDir, stop }
    await sleep(50)
  }
  await stop()
  throw new Error(`the quickstart did not say that it is ready (${file})\n${output}`)
}
