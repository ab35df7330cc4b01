import { createProofVerifier } from "@countersign/proofs/ProofVerifier"
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { afterAll, assert, beforeAll, describe, test } from "vitest"
import { eventually } from "../../../test/support/eventually.ts"
import { signIn } from "../../../test/support/passwordSignIn.ts"
import {
  at,
  type Quickstart,
  runQuickstart,
  spawnQuickstart,
  startQuickstart,
} from "../../../test/support/Quickstart.ts"
import { environment } from "../../../test/tools/run.ts"
import { databases } from "./support/onServer.ts"

const { close, make } = databases()
const folders: Array<string> = []

/** A folder that outlives the processes that use it, for as long as the tests run. */
const newFolder = (): string => {
  const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "countersign-it's here-"))
  folders.push(folder)
  return folder
}

afterAll(async () => {
  folders.forEach((folder) => Fs.rmSync(folder, { recursive: true, force: true }))
  await close()
})

const modeOf = (file: string): string => (Fs.statSync(file).mode & 0o777).toString(8)

const messagesTo = async (quickstart: Quickstart, to: string): Promise<unknown> =>
  (await fetch(`${quickstart.inboxUrl}/messages?to=${to}`)).json()

const codeFor = async (quickstart: Quickstart, to: string): Promise<string> =>
  /^\d+/.exec(String(at(await messagesTo(quickstart, to), 0, "text")))?.[0] ?? ""

/** From an address on the allow list of `initech`, behind a proxy that the quickstart trusts. */
const fromAllowed = { "X-Forwarded-For": "203.0.113.7" }

const balance = async (quickstart: Quickstart, as: string) =>
  at((await quickstart.call("/balance", { as, headers: fromAllowed })).body, "data", "balance")

/** What stands on stderr when a start is refused: one line, with nothing of the program's insides. */
const assertRefused = (
  { code, stderr }: { readonly code: number | null; readonly stderr: string },
  expected: RegExp,
): void => {
  assert.match(stderr, expected)
  assert.match(stderr, /^The quickstart cannot run: [^\n]+\n$/)
  assert.notMatch(stderr, /\n\s+at |node_modules/)
  assert.strictEqual(code, 1)
}

describe("a quickstart", () => {
  const dataDir = newFolder()
  let quickstart: Quickstart

  const start = () => startQuickstart({ dataDir, env: { DEMO_BALANCE: "25.5" } })

  beforeAll(async () => {
    quickstart = await start()
  })

  afterAll(() => quickstart.stop())

  test("writes its address and its keys to a file for its owner only", () => {
    const file = Path.join(dataDir, "quickstart.json")
    assert.strictEqual(modeOf(file), "600")
    assert.strictEqual(modeOf(Path.join(dataDir, "secret")), "600")
    assert.strictEqual(modeOf(Path.join(dataDir, "proof-key")), "600")
    assert.strictEqual(modeOf(Path.join(dataDir, "dashboard-password")), "600")
    const ready: unknown = JSON.parse(Fs.readFileSync(file, "utf8"))
    assert.match(String(at(ready, "baseUrl")), /^http:\/\/127\.0\.0\.1:[1-9]\d+\/api\/v2$/)
    assert.strictEqual(
      at(ready, "inboxUrl"),
      String(at(ready, "baseUrl")).replace("/api/v2", "/inbox"),
    )
    assert.strictEqual(
      at(ready, "dashboardUrl"),
      String(at(ready, "baseUrl")).replace("/api/v2", "/dashboard"),
    )
    assert.match(String(at(ready, "dashboardPassword")), /^[\w-]{20}$/)
    assert.deepStrictEqual(Object.keys(quickstart.keys), ["acme", "globex", "initech"])
    for (const key of Object.values(quickstart.keys)) assert.match(key, /^csk_test_\w+$/)
  })

  test("prints commands that work when pasted", async () => {
    const before = await balance(quickstart, "acme")
    const lines = quickstart
      .output()
      .split("\n")
      .filter((line) => /^([A-Z]+=|curl )/.test(line))
    const script = ["set -euo pipefail", ...lines].join("\n")
    const printed = execFileSync("bash", ["-c", script], {
      cwd: Os.tmpdir(),
      env: environment(),
      encoding: "utf8",
    })
    const answers: ReadonlyArray<unknown> = printed
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    assert.deepStrictEqual(
      answers.map((answer) => at(answer, "success")),
      [true, true, true, true],
    )
    const [checked, sent, left, log] = answers
    assert.strictEqual(at(checked, "data", "status"), "verified")
    assert.strictEqual(at(sent, "data", "status"), "delivered")
    assert.strictEqual(at(left, "data", "balance"), Number(before) - 0.5)
    assert.isAtLeast(Number(at(log, "pagination", "total")), 2)
  })

  test.each([
    [{}, 200, "non-mask"],
    [{ brand_id: "ACME" }, 200, "mask"],
    [{ brand_id: "8809612000101" }, 200, "non-mask"],
    [{ brand_id: "ACME-NEW" }, 400, undefined],
    [{ channel: "whatsapp" }, 200, "whatsapp"],
    [{ channel: "whatsapp", brand_id: "acme-support" }, 200, "whatsapp"],
    [{ channel: "whatsapp", brand_id: "ACME" }, 400, undefined],
  ] as const)("lets acme send with %j: %i", async (options, status, channel) => {
    const body = { to: "8801714000001", message: "Hello", ...options }
    const sent = await quickstart.call("/messages", { body })
    assert.strictEqual(sent.status, status)
    if (channel === undefined) return
    const log = await quickstart.call("/messages?limit=1")
    assert.strictEqual(at(log.body, "data", 0, "channel"), channel)
  })

  test("lets globex run out of money", async () => {
    const send = () =>
      quickstart.call("/messages", { as: "globex", body: { to: "8801714000002", message: "Hi" } })
    assert.deepStrictEqual([(await send()).status, (await send()).status], [200, 200])
    const refused = await send()
    assert.strictEqual(refused.status, 402)
    assert.deepInclude(refused.body, { required: 0.5, available: 0 })
  })

  test("admits initech from its own network only, and a proxy's address does not count", async () => {
    const body = { to: "8801714000003", message: "Hello" }
    const headers = { "x-forwarded-for": "203.0.113.7" }
    assert.strictEqual((await quickstart.call("/messages", { as: "initech", body })).status, 403)
    const pretended = await quickstart.call("/messages", { as: "initech", body, headers })
    assert.strictEqual(pretended.status, 403)
  })

  test("refuses a second process on its folder, and the first one keeps running", async () => {
    assertRefused(await runQuickstart({ dataDir }), /in use by another process.*DATA_DIR/)
    const elsewhere = { DATABASE_URL: "postgres://127.0.0.1:1/nothing" }
    assertRefused(await runQuickstart({ dataDir, env: elsewhere }), /in use by another process/)
    assert.strictEqual((await quickstart.call("/balance")).status, 200)
  })

  test("refuses a port that is taken", async () => {
    const { port } = new URL(quickstart.baseUrl)
    const refused = await runQuickstart({ env: { PORT: port } })
    assertRefused(refused, new RegExp(`Port ${port} is in use by another process`))
  })

  /** Of another service, which fetches the keys now. */
  const verify = (proof: string) =>
    createProofVerifier({
      jwksUrl: `${quickstart.baseUrl}/jwks.json`,
      issuer: "countersign",
      audience: "countersign",
    }).verify(proof)

  test("publishes the key of its proofs without an API key", async () => {
    const response = await fetch(`${quickstart.baseUrl}/jwks.json`)
    assert.strictEqual(response.status, 200)
    const { keys } = await response.json()
    assert.lengthOf(keys, 1)
    assert.deepInclude(keys[0], { kty: "OKP", crv: "Ed25519", use: "sig" })
    assert.notProperty(keys[0], "d")
  })

  test("keeps keys, the password, balances and pending codes across a restart, and then gives a proof", async () => {
    const sent = await quickstart.call("/verify", { body: { phone_number: "+8801714000004" } })
    const code = await codeFor(quickstart, "8801714000004")
    const proofKeys = (await quickstart.call("/jwks.json")).body
    const before = {
      proofKeys,
      keys: quickstart.keys,
      password: quickstart.dashboardPassword,
      acme: await balance(quickstart, "acme"),
      globex: await balance(quickstart, "globex"),
      initech: await balance(quickstart, "initech"),
    }
    const { code: exitCode } = await quickstart.kill("SIGTERM")
    assert.strictEqual(exitCode, 0)
    quickstart = await start()
    assert.deepStrictEqual(
      {
        proofKeys: (await quickstart.call("/jwks.json")).body,
        keys: quickstart.keys,
        password: quickstart.dashboardPassword,
        acme: await balance(quickstart, "acme"),
        globex: await balance(quickstart, "globex"),
        initech: await balance(quickstart, "initech"),
      },
      before,
    )
    const request_id = at(sent.body, "data", "request_id")
    const checked = await quickstart.call("/verify/check", { body: { request_id, code } })
    assert.strictEqual(at(checked.body, "data", "status"), "verified")
    const consumed = await quickstart.call(`/verify/${String(request_id)}/consume`, { body: {} })
    const proof = await verify(String(at(consumed.body, "data", "proof")))
    assert.deepInclude(proof, { phoneNumber: "+8801714000004", requestId: String(request_id) })
  })

  test("prints no key, no secret, no code, no text and no full number", async () => {
    const number = "8801714000005"
    const sent = await quickstart.call("/verify", { body: { phone_number: `+${number}` } })
    const code = await codeFor(quickstart, number)
    const request_id = at(sent.body, "data", "request_id")
    for (const wrong of ["wrong-1", "wrong-2", "wrong-3"]) {
      await quickstart.call("/verify/check", { body: { request_id, code: wrong } })
    }
    await quickstart.call("/messages", { body: { to: number, message: "A private text" } })
    await quickstart.call(`/nowhere/${number}?to=${number}`)
    await eventually(() =>
      assert.match(quickstart.output(), /attempts for \+8801\*+005 are used up/),
    )
    const secrets = [
      ...Object.values(quickstart.keys),
      Fs.readFileSync(Path.join(dataDir, "secret"), "utf8").trim(),
      Fs.readFileSync(Path.join(dataDir, "proof-key"), "utf8").split("\n")[1] ?? "",
      code,
      number,
      "wrong-1",
      "private text",
    ]
    const output = quickstart.output()
    assert.deepStrictEqual(
      secrets.filter((secret) => output.includes(secret)),
      [],
    )
  })
})

describe("SIGTERM", () => {
  test("lets a pending request finish, and open pages do not delay the exit", async () => {
    const dataDir = newFolder()
    const env = {
      DATABASE_URL: await make(),
      GATEWAY_TIMEOUT_MS: "1500",
      SETTLE_AFTER_SECONDS: "1",
    }
    const quickstart = await startQuickstart({ dataDir, env })
    const before = await balance(quickstart, "acme")
    const page = (await fetch(`${quickstart.inboxUrl}/events`)).text()
    const { cookie = "" } = await signIn(quickstart.dashboardUrl, quickstart.dashboardPassword)
    const stream = `${quickstart.dashboardUrl}/api/organizations/acme/events/stream`
    const events = await fetch(stream, { headers: { cookie } })
    assert.strictEqual(events.status, 200)
    const followed = events.text()
    const sending = quickstart.call("/messages", { body: { to: "8801555000104", message: "Hm" } })
    // The gateway has it, and will not answer.
    await eventually(async () =>
      assert.strictEqual(at(await messagesTo(quickstart, "8801555000104"), "length"), 1),
    )
    const ending = quickstart.kill("SIGTERM")
    const { body, status } = await sending
    assert.strictEqual(status, 500)
    assert.strictEqual(at(body, "status"), "unknown")
    assert.strictEqual((await ending).code, 0)
    // Ended, and not cut off when the patience of the server was over.
    assert.match(await page, /^event: snapshot$/m)
    await followed

    const next = await startQuickstart({ dataDir, env })
    try {
      await eventually(async () => assert.strictEqual(await balance(next, "acme"), before))
      const log = await next.call("/messages")
      assert.deepInclude(at(log.body, "data", 0), { status: "unknown", price: "0.00" })
    } finally {
      await next.stop()
    }
  })
})

/** A module that kills its process just before the folder of a database is complete. */
const killedAtRename = `data:text/javascript,${encodeURIComponent(`
  import fs from "node:fs"
  import { syncBuiltinESMExports } from "node:module"
  const { renameSync } = fs
  fs.renameSync = (from, to) =>
    to.endsWith("pgdata") ? process.kill(process.pid, "SIGKILL") : renameSync(from, to)
  syncBuiltinESMExports()
`)}`

test("the next start completes a database whose first start was killed", async () => {
  const dataDir = newFolder()
  const { ended } = spawnQuickstart(dataDir, { NODE_OPTIONS: `--import=${killedAtRename}` })
  assert.isNull((await ended).code)
  const left = Fs.readdirSync(Path.join(dataDir, "database"))
  assert.include(left, "pgdata.unfinished")
  assert.notInclude(left, "pgdata")
  const quickstart = await startQuickstart({ dataDir, env: { TRUSTED_PROXIES: "127.0.0.1" } })
  try {
    const balances = ["acme", "globex", "initech"].map((name) => balance(quickstart, name))
    assert.deepStrictEqual(await Promise.all(balances), [100, 1, 100])
  } finally {
    await quickstart.stop()
  }
})

test("a quickstart ends with the package manager that has started it", async () => {
  const main = Path.join(import.meta.dirname, "../src/main.ts")
  // Waits for its child, and passes no signal on. The name is what `ps` shows of npx.
  const starter = `
    require("node:child_process").spawn(process.execPath, [${JSON.stringify(main)}], {
      stdio: ["ignore", "inherit", "inherit"],
    })
    setInterval(() => {}, 1_000)`
  const npx = spawn(process.execPath, ["--eval", starter, "npx"], {
    env: environment({ PORT: "0", DATA_DIR: newFolder() }),
    stdio: ["ignore", "pipe", "inherit"],
  })
  let text = ""
  npx.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
  const ended = once(npx.stdout, "close")
  await eventually(() => assert.include(text, "Countersign is ready."), { withinMillis: 60_000 })
  npx.kill("SIGTERM")
  // The server has the same output, which closes when both have ended.
  await ended
})

describe("a setting that prevents the start", () => {
  test.each([
    ["an invalid port", { PORT: "http" }, /PORT must be a whole number/],
    ["an invalid balance", { DEMO_BALANCE: "lots" }, /DEMO_BALANCE must be a decimal/],
    ["production", { NODE_ENV: "production" }, /INBOX_IN_PRODUCTION/],
    [
      "test numbers in production",
      {
        NODE_ENV: "production",
        INBOX_IN_PRODUCTION: "true",
        TEST_NUMBERS: "+8801711111111=730164",
      },
      /TEST_NUMBERS_IN_PRODUCTION/,
    ],
    [
      "a folder that is a file",
      { DATA_DIR: import.meta.filename },
      /cannot be used.*main\.test\.ts/,
    ],
    ["an address of another machine", { HOST: "192.0.2.1" }, /HOST/],
    [
      "a database that is not there",
      { DATABASE_URL: "postgres://me:s3cret@127.0.0.1:1/nothing" },
      /DATABASE_URL.*ECONNREFUSED/,
    ],
  ] as const)("is %s, which one line on stderr names", async (_what, env, expected) => {
    const refused = await runQuickstart({ env })
    assertRefused(refused, expected)
    assert.notInclude(refused.stdout + refused.stderr, "s3cret")
  })
})
