/**
 * Kannel on loopback, between its own HTTP interface and a message centre.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { freePorts } from "../../support/freePorts.ts"
import type { Programs } from "../smpp/debian.ts"

export interface Kannel {
  /** Where messages are sent to. */
  readonly url: string
  /** What it has written to its logs, for tests that fail. */
  readonly logs: () => string
}

export const username = "countersign"
export const password = "kannel-secret"

const isListening = async (port: number): Promise<void> => {
  const socket = connect(port, "127.0.0.1")
  try {
    await once(socket, "connect")
  } finally {
    socket.destroy()
  }
}

interface Ports {
  readonly smsc: number
  readonly admin: number
  readonly box: number
  readonly http: number
}

const configuration = (folder: string, ports: Ports): string => `
group = core
admin-port = ${ports.admin}
admin-interface = 127.0.0.1
admin-password = nobody-uses-it
smsbox-port = ${ports.box}
smsbox-interface = 127.0.0.1
log-file = "${join(folder, "bearerbox.log")}"
log-level = 0
dlr-storage = internal
sms-resend-freq = 1

group = smsc
smsc = smpp
smsc-id = centre
host = 127.0.0.1
port = ${ports.smsc}
transceiver-mode = true
smsc-username = acme
smsc-password = secret
system-type = OTP
reconnect-delay = 1

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

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, "exit")
  child.kill("SIGKILL")
  await ended
}

/** Runs Kannel until the scope ends; it binds to the centre on this port. */
export const startKannel = Effect.fnUntraced(function* (
  { env, path }: Programs,
  smsc: number,
): Effect.fn.Return<Kannel, never, Scope.Scope> {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "countersign-kannel-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true })),
  )
  const [admin = 0, inner = 0, http = 0] = yield* Effect.promise(() => freePorts(3))
  const ports = { smsc, admin, box: inner, http }
  const file = join(folder, "kannel.conf")
  writeFileSync(file, configuration(folder, ports))
  const box = (program: string, log: string, port: number) =>
    Effect.acquireRelease(
      Effect.sync(() =>
        spawn(path(program), [file], {
          cwd: folder,
          env: { ...process.env, ...env },
          stdio: "ignore",
        }),
      ),
      (child) => Effect.promise(() => stop(child)),
    ).pipe(
      Effect.flatMap((child) =>
        Effect.promise(async () => {
          await eventually(() => isListening(port))
          // It may be somebody else who listens, for whom this port was free as well.
          const logs =
            child.exitCode === null ? "" : readFileSync(join(folder, `${log}.log`), "utf8")
          assert.isNull(child.exitCode, logs)
        }),
      ),
    )
  yield* box("/usr/sbin/bearerbox", "bearerbox", ports.box)
  yield* box("/usr/sbin/smsbox", "smsbox", ports.http)
  return {
    url: `http://127.0.0.1:${ports.http}/cgi-bin/sendsms`,
    logs: () =>
      ["bearerbox.log", "smsbox.log"]
        .map((log) => readFileSync(join(folder, log), "utf8"))
        .join("\n"),
  }
})
