/**
 * `countersign serve` as a process of an installation, as npm makes it: what it serves, how it ends, and what it takes.
 */
import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { afterEach, assert, beforeAll, describe, inject, test } from "vitest"
import { eventually } from "../support/eventually.ts"
import { freePorts } from "../support/freePorts.ts"
import { temporaryDatabases } from "../support/temporaryDatabases.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { install, serving } from "../tools/installed.ts"
import { tarballsIn } from "../tools/packing.ts"
import { environment, run, succeeded } from "../tools/run.ts"

const folder = temporaryFolder("countersign-serve-")
const emptyDatabase = temporaryDatabases()
const home = join(folder, "installed")
const bin = join(home, "node_modules/@countersign/cli/dist/internal/bin.js")

const secret = "6b1f0c9d2e8a47355f90ab34cd12ef78"
const token = "a-token-for-programs-6b1f0c9d2e8a4735"
const password = "a-password-6b1f0c9d"

beforeAll(async () => {
  const tarballOf = await tarballsIn(inject("tarballsFolder"))
  succeeded(await install(serving, home, tarballOf))
})

interface Served {
  readonly child: ChildProcess
  readonly url: string
  readonly output: () => string
  readonly exited: Promise<number | null>
}

const running: Array<ChildProcess> = []
afterEach(() => {
  for (const child of running.splice(0)) child.kill("SIGKILL")
})

let folders = 0

/** A folder with these files, in which a process runs. */
const folderWith = (files: Readonly<Record<string, string>>): string => {
  const path = join(folder, `run-${(folders += 1)}`)
  mkdirSync(path)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
  return path
}

const start = async (
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
): Promise<Served> => {
  const [port = 0] = await freePorts(1)
  const child = spawn(process.execPath, [bin, "serve"], {
    cwd: folderWith(files),
    // As a host runs it, without what the tests set for their own processes.
    env: environment({
      NODE_OPTIONS: "",
      NODE_COMPILE_CACHE: "",
      COUNTERSIGN_LISTEN_HOST: "127.0.0.1",
      PORT: String(port),
      ...env,
    }),
    stdio: ["ignore", "pipe", "pipe"],
  })
  running.push(child)
  let text = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => (text += chunk.toString()))
  }
  const exited = once(child, "exit").then(([code]) => (typeof code === "number" ? code : null))
  await eventually(() => assert.match(text, /ready at|Error/), { withinMillis: 60_000 })
  assert.include(text, `ready at http://127.0.0.1:${port}`)
  return { child, url: `http://127.0.0.1:${port}`, output: () => text, exited }
}

const stop = async ({ child, exited }: Served): Promise<number | null> => {
  child.kill("SIGTERM")
  return exited
}

const countersign = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  run(process.execPath, [bin, ...args], { cwd: folderWith({}), env })

const statusOf = async (url: string, init?: RequestInit): Promise<number> =>
  (await fetch(url, { redirect: "manual", ...init })).status

const bearer = (key: string): RequestInit => ({ headers: { authorization: `Bearer ${key}` } })

test("serves by a file in JSON: the interface, the admin API, the dashboard and reports", async () => {
  const DATABASE_URL = await emptyDatabase()
  const file = {
    secret: { env: "OWN_SECRET" },
    admin: { token },
    dashboard: { password },
    gateways: [
      { vendor: "twilio", accountSid: "AC1", authToken: "t", baseUrl: "http://127.0.0.1:1" },
    ],
    callbacks: { publicUrl: "https://sms.example.com/sms" },
    production: true,
    shutdownWait: "0 seconds",
  }
  const env = { DATABASE_URL, OWN_SECRET: secret }
  const served = await start({ "countersign.config.json": JSON.stringify(file) }, env)
  const { url } = served
  assert.strictEqual(await statusOf(`${url}/health`), 200)
  assert.strictEqual(await statusOf(`${url}/ready`), 200)
  assert.strictEqual(await statusOf(`${url}/nothing`), 404)
  assert.strictEqual(await statusOf(`${url}/admin/api/organizations`), 401)
  assert.strictEqual(await statusOf(`${url}/admin/api/organizations`, bearer("wrong")), 401)
  assert.strictEqual(await statusOf(`${url}/admin/api/organizations`, bearer(token)), 200)
  const html = { headers: { accept: "text/html" } }
  const page = await (await fetch(`${url}/dashboard/`, html)).text()
  assert.include(page, 'type="password"')
  const signedIn = await fetch(`${url}/dashboard/sign-in`, {
    method: "POST",
    redirect: "manual",
    headers: { "content-type": "application/x-www-form-urlencoded", origin: url },
    body: new URLSearchParams({ password }),
  })
  const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? ""
  assert.strictEqual(await statusOf(`${url}/dashboard/api/session`, { headers: { cookie } }), 200)
  // Without its signature, a report is refused: it has come to the gateway's receiver.
  assert.strictEqual(await statusOf(`${url}/sms/callbacks/twilio`, { method: "POST" }), 403)
  const created = await countersign(["key", "create", "backend", "--json"], { DATABASE_URL })
  const { key }: { key: string } = JSON.parse(succeeded(created))
  assert.strictEqual(await statusOf(`${url}/api/v2/balance`, bearer(key)), 200)
  assert.strictEqual(await statusOf(`${url}/api/v2/balance`, bearer("wrong")), 401)
  assert.strictEqual(await stop(served), 0)
  assert.notInclude(served.output(), secret)
})

test("serves by the environment alone, with secrets from files", async () => {
  const secrets = folderWith({ database: await emptyDatabase(), secret: `${secret}\n` })
  const served = await start(
    {},
    {
      DATABASE_URL_FILE: join(secrets, "database"),
      COUNTERSIGN_SECRET_FILE: join(secrets, "secret"),
      COUNTERSIGN_HTTP_BASE_PATH: "/sms",
    },
  )
  assert.strictEqual(await statusOf(`${served.url}/sms/balance`), 401)
  assert.strictEqual(await statusOf(`${served.url}/dashboard/`), 404)
  assert.strictEqual(await stop(served), 0)
})

const typed = `import { type ServeOptions } from "countersign"
import { kannel } from "countersign/gateways"
import { password } from "./password.ts"

export default {
  secret: "${secret}",
  gateways: [kannel({ url: "http://127.0.0.1:1/", username: "u", password })],
  prices: { of: ({ segments }): string => (0.25 * segments).toFixed(2) },
} satisfies ServeOptions
`

const typedFiles = {
  "countersign.config.ts": typed,
  "password.ts": 'export const password: string = "a password"\n',
}

test("serves by a file in TypeScript, which imports the installed packages", async () => {
  const served = await start(typedFiles, { DATABASE_URL: await emptyDatabase() })
  assert.strictEqual(await statusOf(`${served.url}/ready`), 200)
  assert.strictEqual(await stop(served), 0)
})

test("answers what it has begun after SIGTERM, and ends at once after a second signal", async () => {
  const DATABASE_URL = await emptyDatabase()
  const env = { DATABASE_URL, COUNTERSIGN_SECRET: secret, COUNTERSIGN_SHUTDOWN_WAIT: "1 hour" }
  const first = await start({}, env)
  const { key }: { key: string } = JSON.parse(
    succeeded(await countersign(["key", "create", "backend", "--json"], { DATABASE_URL })),
  )
  first.child.kill("SIGTERM")
  await eventually(async () => assert.strictEqual(await statusOf(`${first.url}/ready`), 503))
  assert.strictEqual(await statusOf(`${first.url}/health`), 200)
  assert.strictEqual(await statusOf(`${first.url}/api/v2/balance`, bearer(key)), 200)
  first.child.kill("SIGTERM")
  assert.strictEqual(await first.exited, 143)

  // A request whose body comes after the signal.
  const second = await start({}, { ...env, COUNTERSIGN_SHUTDOWN_WAIT: "0 seconds" })
  const body = JSON.stringify({ to: "8801712345678", message: "Hello" })
  const socket = connect(Number(new URL(second.url).port), "127.0.0.1")
  const head = [
    "POST /api/v2/messages HTTP/1.1",
    "host: localhost",
    `authorization: Bearer ${key}`,
    "content-type: application/json",
    `content-length: ${body.length}`,
  ]
  socket.write(`${head.join("\r\n")}\r\n\r\n${body.slice(0, 5)}`)
  await eventually(async () => assert.strictEqual(await statusOf(`${second.url}/ready`), 200))
  second.child.kill("SIGINT")
  await eventually(() => assert.include(second.output(), "/ready fails"))
  socket.write(body.slice(5))
  const [answer]: Array<unknown> = await once(socket, "data")
  assert.match(String(answer), /^HTTP\/1\.1 200 /)
  assert.strictEqual(await second.exited, 0)
})

test.each([
  ["an unknown field", '{"secrets":"x"}', {}, 2, "secrets is not an option; did you mean secret?"],
  [
    "an unknown variable",
    "{}",
    { COUNTERSIGN_SECRETS: "x" },
    2,
    "did you mean COUNTERSIGN_SECRET?",
  ],
  ["broken JSON", '{"secret": canary', {}, 2, "countersign.config.json is no valid JSON"],
  ["a weak password", '{"dashboard":{"password":"x"}}', {}, 2, "dashboard.password must have"],
  [
    "two parts at one path",
    `{"admin":{"token":"${token}","basePath":"/dashboard"},"dashboard":{"password":"${password}"}}`,
    {},
    2,
    "Two parts are served below",
  ],
  ["no database", "{}", { DATABASE_URL: "postgres://127.0.0.1:1/none" }, 1, "127.0.0.1:1"],
])("does not start with %s", async (_, text, env, exitCode, said) => {
  const cwd = folderWith({ "countersign.config.json": text })
  const database = { DATABASE_URL: await emptyDatabase(), COUNTERSIGN_SECRET: secret }
  const all = { ...database, ...env }
  const finished = await run(process.execPath, [bin, "serve"], { cwd, env: all })
  assert.strictEqual(finished.code, exitCode, finished.stderr)
  assert.notInclude(finished.stdout, "ready at")
  assert.include(finished.stderr, said)
  assert.notInclude(finished.stderr, "canary")
  if (exitCode === 1) return
  const checked = await run(process.execPath, [bin, "config", "check"], { cwd, env: all })
  assert.strictEqual(checked.code, exitCode, checked.stderr)
  assert.include(checked.stderr, said)
})

describe("an idle process", () => {
  /** The megabytes of memory of a process, and the milliseconds of processor time that it has used. */
  const usageOf = ({ child }: Served) => {
    const [, rss = ""] = /^VmRSS:\s+(\d+)/m.exec(proc(child, "status")) ?? []
    // The name of the program may contain spaces.
    const fields = proc(child, "stat").split(") ")[1]?.split(" ") ?? []
    const ticks = Number(fields[11]) + Number(fields[12])
    return { megabytes: (Number(rss) * 1_024) / 1e6, millis: ticks * 10 }
  }

  const proc = ({ pid }: ChildProcess, name: string): string =>
    readFileSync(`/proc/${pid}/${name}`, "utf8")

  const json = { "countersign.config.json": JSON.stringify({ secret, dashboard: { password } }) }

  /** The milliseconds of processor time in which a process loads Effect's schemas, alone on two idle cores. */
  const idleMillis = 130

  /** How many times as long as on idle cores a process of this moment takes. */
  const slowness = async (): Promise<number> => {
    const program = `await import("effect/Schema")
      const { user, system } = process.cpuUsage()
      console.log((user + system) / 1_000)`
    const args = ["--input-type=module", "--eval", program]
    const env = { NODE_COMPILE_CACHE: "", NODE_OPTIONS: "" }
    const finished = await run(process.execPath, args, { cwd: home, env })
    return Math.max(1, Number(succeeded(finished)) / idleMillis)
  }

  test.each([
    ["JSON", json],
    ["TypeScript", typedFiles],
  ])("takes at most 120 MB and 600 ms, configured in %s", async (_, files) => {
    const DATABASE_URL = await emptyDatabase()
    await stop(await start(files, { DATABASE_URL }))
    const before = await slowness()
    const served = await start(files, { DATABASE_URL })
    const { megabytes, millis } = usageOf(served)
    const factor = Math.max(before, await slowness())
    console.log(
      `ready with ${Math.round(megabytes)} MB after ${millis} ms of processor time, on a machine ${factor.toFixed(1)} times as slow`,
    )
    assert.isAtMost(megabytes, 120)
    assert.isAtMost(millis, 600 * factor)
    await stop(served)
  })
})
