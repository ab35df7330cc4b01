/**
 * The guides for frameworks and runtimes that need a build or a runtime of their own: the files that they
 * show become a project, with the packages from their tarballs, and it serves.
 */
import { createClient } from "@countersign/client"
import { type Smsc, startSmsc } from "@countersign/testing/Smsc"
import { createCountersign, developmentGateway } from "countersign"
import * as Schema from "effect/Schema"
import { existsSync, mkdtempSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, inject, test, type TestContext } from "vitest"
import { beginPost, codeFor, type Ended, wrong } from "../support/Example.ts"
import { executablePath, missingBrowser } from "../support/chromium.ts"
import { freePorts } from "../support/freePorts.ts"
import { listening } from "../support/loopback.ts"
import { temporaryDatabases } from "../support/temporaryDatabases.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { temporaryScope } from "../support/temporaryScope.ts"
import { plain } from "../tools/installed.ts"
import { tarballsIn } from "../tools/packing.ts"
import { root } from "../tools/paths.ts"
import { type Finished, run, succeeded } from "../tools/run.ts"
import { installProject, type Runtime, runtimes, type Served, serveProject } from "./projects.ts"

const folder = temporaryFolder("countersign-guides-")
const emptyDatabase = temporaryDatabases()
const scope = temporaryScope()

let tarballOf: (name: string) => string

beforeAll(async () => {
  tarballOf = await tarballsIn(inject("tarballsFolder"))
})

const project = async (
  name: string,
  guides: ReadonlyArray<string>,
  own: ReadonlyArray<string> = [],
): Promise<string> => {
  const home = join(folder, name)
  const packages = [...plain.packages, ...own]
  succeeded(await installProject({ name, guides, packages }, home, tarballOf))
  return home
}

const tsc = (home: string, args: ReadonlyArray<string>): Promise<Finished> =>
  run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), ...args], { cwd: home })

afterAll(scope.close)

const Fields = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Unknown))

const COUNTERSIGN_SECRET = "a secret for tests, and for nothing else"
const phoneNumber = "+8801712345678"

/** A database with a key in it, and the environment of a server on it. */
const prepared = async () => {
  const database = await emptyDatabase()
  await using countersign = await createCountersign({
    database,
    secret: COUNTERSIGN_SECRET,
    gateways: [developmentGateway()],
  })
  const { key } = await countersign.apiKeys.create({ name: "another service" })
  return { key, env: { DATABASE_URL: database, COUNTERSIGN_SECRET } }
}

/** The interface below `/api/v2`, called by another service; and what a stop does to its last request. */
const assertMounted = async (served: Served, key: string): Promise<Ended> => {
  const base = `${served.origin}/api/v2`
  const document: unknown = await (await fetch(`${base}/openapi.json`)).json()
  assert.deepInclude(document, { servers: [{ url: "/api/v2" }] })
  const unknown = await fetch(`${base}/nothing`)
  assert.strictEqual(unknown.headers.get("countersign-error"), "not_found")
  const own = await fetch(`${served.origin}/nothing`)
  assert.strictEqual(own.headers.get("countersign-error"), null)

  assert.strictEqual((await fetch(`${served.origin}/ready`)).status, 200)

  const client = createClient({ baseUrl: base, apiKey: key })
  const sent = await client.verifications.send({ phoneNumber })
  assert.isTrue(sent.ok, JSON.stringify(sent))
  const requestId = sent.ok ? sent.data.requestId : ""
  const code = await codeFor(served, phoneNumber)
  const refused = await client.verifications.check({ requestId, code: wrong(code) })
  const checked = await client.verifications.check({ requestId, code })
  assert.deepStrictEqual(
    [refused.ok ? refused.data.status : refused.error.code, checked.ok && checked.data.status],
    ["wrong_code", "verified"],
  )

  const message = { to: "8801712345678", message: "The last one" }
  const finish = await beginPost(`${base}/messages`, message, { authorization: `Bearer ${key}` })
  const stopped = served.stop()
  const { body, status } = await finish()
  assert.strictEqual(status, 200, body)
  return stopped
}

describe("docs/guides/frameworks/nestjs.md", () => {
  let home = ""
  beforeAll(async () => {
    const guides = ["docs/guides/frameworks/nestjs.md", "packages/nestjs/README.md"]
    home = await project("nestjs", guides, ["@countersign/nestjs"])
    succeeded(await tsc(home, ["-p", "."]))
  })

  const serve = (env: Readonly<Record<string, string>>): Promise<Served> =>
    serveProject(home, process.execPath, ["dist/main.js"], env)

  test("mounts before the parsers, and answers pending requests before it ends", async () => {
    const { env, key } = await prepared()
    await using served = await serve(env)
    // Nest ends by the signal that it got, when its hooks are done.
    assert.strictEqual((await assertMounted(served, key)).signal, "SIGTERM")
  })

  test("packages/nestjs/README.md", () => {
    assert.isTrue(existsSync(join(home, "dist/reminders.js")))
  })

  test("signs in, and guards a route by a verified number", async () => {
    await using served = await serve((await prepared()).env)
    let cookie = ""
    const post = async (
      path: string,
      body: unknown,
      more: Readonly<Record<string, string>> = {},
    ) => {
      const headers = { "content-type": "application/json", cookie, ...more }
      const init = { method: "POST", headers, body: JSON.stringify(body) }
      const response = await fetch(served.origin + path, init)
      cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? cookie
      const text = await response.text()
      return { status: response.status, body: text === "" ? {} : Fields(JSON.parse(text)) }
    }
    assert.strictEqual((await post("/login/start", { phoneNumber: "12" })).status, 400)
    assert.strictEqual((await post("/login/start", { phoneNumber: "01712-345678" })).status, 200)
    const login = await codeFor(served, phoneNumber)
    const refused = await post("/login/check", { code: wrong(login) })
    assert.deepStrictEqual([refused.status, refused.body["code"]], [400, "wrong_code"])
    assert.deepStrictEqual(await post("/login/check", { code: login }), {
      status: 200,
      body: { signedIn: phoneNumber },
    })

    const payer = "+8801812345678"
    const { body } = await post("/payments/code", { phoneNumber: payer })
    const requestId = String(body["requestId"])
    const approve = () => post("/payments/7/approve", {}, { "countersign-request": requestId })
    assert.strictEqual((await approve()).body["code"], "not_verified")
    const code = await codeFor(served, payer)
    assert.strictEqual((await post("/payments/code/check", { requestId, code })).status, 204)
    assert.deepStrictEqual((await approve()).body, { approved: "7", by: payer })
    assert.strictEqual((await approve()).body["code"], "already_consumed")
  })
})

describe("docs/guides/frameworks/sveltekit.md", () => {
  let home = ""
  beforeAll(async () => {
    home = await project("sveltekit", ["docs/guides/frameworks/sveltekit.md"])
    const bin = (file: string, ...args: ReadonlyArray<string>): Promise<Finished> =>
      run(process.execPath, [join("node_modules", file), ...args], { cwd: home })
    succeeded(await bin("@sveltejs/kit/svelte-kit.js", "sync"))
    succeeded(await tsc(home, ["-p", ".", "--noEmit"]))
    succeeded(await bin("vite/bin/vite.js", "build"))
  })

  const serve = (env: Readonly<Record<string, string>>): Promise<Served> =>
    serveProject(home, process.execPath, ["server.js"], {
      ...env,
      PROTOCOL_HEADER: "x-forwarded-proto",
    })

  test("mounts in its hook, and answers pending requests before it ends", async () => {
    const { env, key } = await prepared()
    await using served = await serve(env)
    const { code, stderr } = await assertMounted(served, key)
    assert.strictEqual(code, 0, stderr)
  })

  test("signs in with form actions", async () => {
    await using served = await serve((await prepared()).env)
    let cookie = ""
    const act = async (action: string, fields: Readonly<Record<string, string>>) => {
      const response = await fetch(`${served.origin}/login?/${action}`, {
        method: "POST",
        headers: {
          accept: "application/json",
          origin: served.origin,
          "x-forwarded-proto": "http",
          "x-sveltekit-action": "true",
          cookie,
        },
        body: new URLSearchParams(fields),
      })
      cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? cookie
      const { data = "", status } = Fields(await response.json())
      return `${String(status)} ${String(data)}`
    }
    assert.match(await act("send", { phoneNumber: "12" }), /^400 .*Please enter a phone number/)
    assert.match(await act("send", { phoneNumber: "01712-345678" }), /^200 .*isSent/)
    const code = await codeFor(served, phoneNumber)
    assert.match(await act("check", { code: wrong(code) }), /^400 .*wrong_code/)
    assert.include(await act("check", { code }), phoneNumber)
    assert.match(await act("check", { code }), /^400 .*already_consumed/)
  })

  test("rejects vendors' reports that are forms, as the guide says", async () => {
    await using served = await serve((await prepared()).env)
    const body = new URLSearchParams({ MessageStatus: "delivered" })
    const report = await fetch(`${served.origin}/callbacks/twilio`, { method: "POST", body })
    assert.strictEqual(report.status, 403)
  })
})

describe("docs/guides/frameworks/next.md", () => {
  let home = ""
  const next = "node_modules/next/dist/bin/next"
  const quiet = { NEXT_TELEMETRY_DISABLED: "1" }
  beforeAll(async () => {
    home = await project("next", ["docs/guides/frameworks/next.md"])
    const options = { cwd: home, env: quiet, timeoutMillis: 300_000 }
    const built = await run(process.execPath, [next, "build"], options)
    succeeded(built)
    // The build has neither run the engine nor found something that a runtime does not have.
    assert.notInclude(built.stdout + built.stderr, "Warning")
  }, 600_000)

  test("ends at its start if no gateway is named, with that sentence", async () => {
    const { env } = await prepared()
    const started = await run(process.execPath, [next, "start", "--port", "0"], {
      cwd: home,
      env: { ...quiet, ...env },
      timeoutMillis: 60_000,
    })
    assert.strictEqual(started.code, 1)
    assert.include(started.stderr, "gateways: name one.")
  })

  test("serves the HTTP interface", async () => {
    const { env, key } = await prepared()
    const vendor = { TWILIO_SID: "AC1", TWILIO_AUTH_TOKEN: "a token", TWILIO_FROM: "8809612345678" }
    const args = [next, "start", "--hostname", "127.0.0.1"]
    const settings = { ...quiet, ...env, ...vendor }
    await using served = await serveProject(home, process.execPath, args, settings)
    const headers = { authorization: `Bearer ${key}` }
    const balance = await fetch(`${served.origin}/api/v2/balance`, { headers })
    assert.strictEqual(balance.status, 200)
  })
})

describe("docs/guides/test-your-app.md", () => {
  test("reads codes in tests of Playwright", async ({ skip }) => {
    const missing = await missingBrowser()
    if (missing !== undefined) return skip(missing)
    const home = await project("playwright", ["docs/guides/test-your-app.md"])
    succeeded(await tsc(home, ["-p", "."]))
    const [port = 0] = await freePorts(1)
    const cli = join(home, "node_modules/@playwright/test/cli.js")
    const args = [cli, "test", "--config", "installed.config.mjs", "--reporter", "list"]
    const env = { PORT: `${port}`, CHROMIUM: executablePath }
    const ran = await run(process.execPath, args, { cwd: home, env, timeoutMillis: 60_000 })
    assert.match(succeeded(ran), /2 passed/)
  }, 360_000)
})

describe("on Node, Bun and Deno", () => {
  let home = ""
  let smsc: Smsc
  let vendorPort = 0
  beforeAll(async () => {
    home = await project("runtimes", [
      "docs/guides/runtimes.md",
      "docs/guides/frameworks/elysia.md",
    ])
    smsc = await scope.run(startSmsc())
    smsc.onSubmit = () => ({ id: "1", receipts: [{ id: "1", state: "DELIVRD" }] })
    const vendor = createServer((_, response) => {
      response.writeHead(201, { "content-type": "application/json" })
      response.end(JSON.stringify({ sid: "SM1", status: "queued" }))
    })
    vendorPort = await scope.run(listening(vendor))
  })

  const binaryOf = ({ binary, name }: Runtime, context: TestContext): string =>
    binary ?? context.skip(`there is no ${name} for ${process.platform} on ${process.arch}`)

  const cells = {
    "database server": "wrong_code, 1 first",
    "embedded store": "wrong_code, 1 first",
    listener: "verified, 413",
    fetch: "401",
    "gateways over HTTP": "SM1",
    SMPP: "delivered",
  }

  describe.each(Object.values(runtimes))("$name", (runtime) => {
    test.for(Object.entries(cells))("has %s", async ([cell, output], context) => {
      const binary = binaryOf(runtime, context)
      const env = {
        DATABASE_URL: await emptyDatabase(),
        VENDOR_URL: `http://127.0.0.1:${vendorPort}`,
        SMPP_PORT: String(smsc.port),
        DATA_DIR: mkdtempSync(join(home, "data-")),
      }
      const args = [...runtime.args, "cells.ts", cell]
      const ran = await run(binary, args, { cwd: home, env, timeoutMillis: 60_000 })
      assert.strictEqual(succeeded(ran), `${output}\n`)
    })
  })

  const assertServes = async (runtime: Runtime, file: string, context: TestContext) => {
    const binary = binaryOf(runtime, context)
    const { env, key } = await prepared()
    await using served = await serveProject(home, binary, [...runtime.args, file], env)
    const { code, stderr } = await assertMounted(served, key)
    assert.strictEqual(code, 0, stderr)
  }

  let checked: Promise<Finished> | undefined
  /** Checks the types of both guides' programs for Bun, once. */
  const checkTypes = async (): Promise<string> =>
    succeeded(await (checked ??= tsc(home, ["-p", "tsconfig.bun.json"])))

  describe("docs/guides/runtimes.md", () => {
    test("serves on Bun", async (context) => {
      await checkTypes()
      await assertServes(runtimes.bun, "bun.ts", context)
    })

    test("serves on Deno", async (context) => {
      succeeded(await run(binaryOf(runtimes.deno, context), ["check", "deno.ts"], { cwd: home }))
      await assertServes(runtimes.deno, "deno.ts", context)
    })
  })

  test("docs/guides/frameworks/elysia.md", async (context) => {
    await checkTypes()
    await assertServes(runtimes.bun, "elysia.ts", context)
  })
})
