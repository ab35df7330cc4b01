/**
 * Kannel on loopback, between its own HTTP interface and a message centre.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type ChildProcess, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { assert } from "vitest"
import { within } from "../../../../packages/testing/src/internal/within.ts"
import { eventually } from "../../../support/eventually.ts"
import { freePorts } from "../../../support/freePorts.ts"
import type { Programs } from "../../../gateways/smpp/debian.ts"

/** One of its two processes. */
export interface Box {
  /** Ends it with SIGKILL. */
  readonly kill: Effect.Effect<void>
  /** Starts it again, and waits until it is ready. */
  readonly start: Effect.Effect<void>
  readonly signal: (name: "SIGSTOP" | "SIGCONT") => Effect.Effect<void>
  /** Rejects if it does not answer within seconds. */
  readonly ask: () => Promise<void>
}

export interface Kannel {
  /** Where messages are sent to. */
  readonly url: string
  /** Holds the messages, and the connections to the centre. */
  readonly bearerbox: Box
  /** Takes messages over HTTP, and requests the URLs of reports. */
  readonly smsbox: Box
  /** What bearerbox says of itself. */
  readonly status: () => Promise<string>
  /** What it has written to its logs, for tests that fail. */
  readonly logs: () => string
}

export const username = "countersign"
export const password = "kannel-secret"

/** How long one question to Kannel may take. */
const askMillis = 2_000

const textAt = async (port: number, path: string): Promise<string> => {
  const url = `http://127.0.0.1:${port}${path}`
  const response = await fetch(url, { signal: AbortSignal.timeout(askMillis) })
  return response.text()
}

interface Ports {
  readonly smsc: number
  readonly admin: number
  readonly box: number
  readonly http: number
  /** Known to this Kannel only: a server that answers to it is the one that the test started. */
  readonly secret: string
}

/** How Kannel is bound to the centre. */
export type Way = "transceiver" | "pair"

/** What each of its connections to the centre is for. */
const links: Readonly<Record<Way, ReadonlyArray<(port: number) => string>>> = {
  transceiver: [(port) => `port = ${port}\ntransceiver-mode = true`],
  pair: [(port) => `port = ${port}`, (port) => `receive-port = ${port}`],
}

const smscGroup = (port: number, link: (port: number) => string): string => `group = smsc
smsc = smpp
smsc-id = centre
host = 127.0.0.1
${link(port)}
smsc-username = acme
smsc-password = secret
system-type = OTP
reconnect-delay = 1
`

const configuration = (folder: string, ports: Ports, way: Way): string => `
group = core
store-type = file
store-location = "${join(folder, "store")}"
admin-port = ${ports.admin}
admin-interface = 127.0.0.1
admin-password = ${ports.secret}
smsbox-port = ${ports.box}
smsbox-interface = 127.0.0.1
log-file = "${join(folder, "bearerbox.log")}"
log-level = 0
dlr-storage = internal
sms-resend-freq = 1

${links[way].map((link) => smscGroup(ports.smsc, link)).join("\n")}
group = smsbox
bearerbox-host = 127.0.0.1
bearerbox-port = ${ports.box}
sendsms-port = ${ports.http}
sendsms-interface = 127.0.0.1
log-file = "${join(folder, "smsbox.log")}"
log-level = 0
http-request-retry = 3
http-queue-delay = 1

group = sendsms-user
username = ${username}
password = ${password}
concatenation = true
max-messages = 10

group = sms-service
keyword = default
text = ""
max-messages = 0
`

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null

const stop = (child: ChildProcess): Effect.Effect<void> =>
  within(
    "the end of Kannel",
    Effect.callback<void>((resume) => {
      // One that could not be started has no number, and will never exit.
      if (hasEnded(child) || child.pid === undefined) return resume(Effect.void)
      child.once("exit", () => resume(Effect.void))
      child.kill("SIGKILL")
    }),
  )

/** Runs Kannel until the scope ends; it binds to the centre on this port. */
export const startKannel = Effect.fnUntraced(function* (
  { env, path }: Programs,
  smsc: number,
  way: Way = "transceiver",
): Effect.fn.Return<Kannel, never, Scope.Scope> {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "countersign-kannel-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true })),
  )
  const [admin = 0, inner = 0, http = 0] = yield* Effect.promise(() => freePorts(3))
  const ports = { smsc, admin, box: inner, http, secret: randomUUID() }
  const file = join(folder, "kannel.conf")
  writeFileSync(file, configuration(folder, ports, way))
  const logs = () =>
    readdirSync(folder)
      .filter((name) => /\.(?:log|out)$/.test(name))
      .map((name) => `${name}:\n${readFileSync(join(folder, name), "utf8")}`)
      .join("\n")

  /** A program that is started, until it is ready, and ends with the scope. */
  const box = (program: string, ready: () => Promise<void>) =>
    Effect.gen(function* () {
      let child: ChildProcess | undefined
      const kill = Effect.suspend(() => (child === undefined ? Effect.void : stop(child)))
      yield* Effect.addFinalizer(() => kill)
      const start = Effect.gen(function* () {
        const output = openSync(join(folder, `${basename(program)}.out`), "w")
        const started = spawn(path(program), [file], {
          cwd: folder,
          env: { ...process.env, ...env },
          stdio: ["ignore", output, output],
        })
        closeSync(output)
        child = started.on("error", () => {})
        yield* Effect.promise(() =>
          eventually(async () => {
            if (!hasEnded(started) && started.pid !== undefined) await ready()
          }).catch((cause: unknown) => {
            throw new Error(`${program} is not ready:\n${logs()}`, { cause })
          }),
        )
        assert.isFalse(hasEnded(started), `${program} has ended:\n${logs()}`)
      })
      yield* start
      const signal = (name: "SIGSTOP" | "SIGCONT") => Effect.sync(() => void child?.kill(name))
      return { kill, start, signal, ask: ready }
    })
  // Reads the status page instead of only connecting. Kannel counts each connection to the port of its
  // boxes as a box, and may send reports to it. Another process may also have taken the port meanwhile.
  const status = () => textAt(ports.admin, `/status.txt?password=${ports.secret}`)
  const bearerbox = yield* box("/usr/sbin/bearerbox", async () =>
    assert.match(await status(), /Kannel bearerbox/),
  )
  const smsbox = yield* box("/usr/sbin/smsbox", async () => {
    assert.match(await status(), /smsbox:/)
    await textAt(ports.http, "/")
  })
  const url = `http://127.0.0.1:${ports.http}/cgi-bin/sendsms`
  return { url, bearerbox, smsbox, status, logs }
})
