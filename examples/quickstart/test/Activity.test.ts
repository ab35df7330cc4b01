import { execFileSync } from "node:child_process"
import * as Path from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, assert, beforeAll, describe, test } from "vitest"
import { eventually } from "../../../test/support/eventually.ts"
import { type Quickstart, startQuickstart } from "../../../test/support/Quickstart.ts"

describe("the lines on the console", () => {
  let quickstart: Quickstart

  beforeAll(async () => {
    quickstart = await startQuickstart()
  })

  afterAll(() => quickstart.stop())

  test("tell of each request to the service and what it did, and of no request to a page", async () => {
    await fetch(`${quickstart.inboxUrl}/messages`)
    await quickstart.call("/verify", { body: { phone_number: "+8801714000010" } })
    await quickstart.call("/verify/vrf_8801714000011?to=8801714000011")
    const requests =
      /POST \/api\/v2\/verify 200 in \d+ ms\n[^]*GET \/api\/v2\/verify\/vrf_… 404 in \d+ ms\n/
    await eventually(() => {
      assert.match(quickstart.output(), requests)
      assert.match(quickstart.output(), /acme: a code was sent to \+8801\*+010 over sms\n/)
    })
    assert.notMatch(quickstart.output(), / \/inbox/)
  })

  test("tell of a request whose client has not waited", async () => {
    const client = new AbortController()
    // Its gateway does not answer.
    const body = JSON.stringify({ to: "8801555000104", message: "Still waiting" })
    const headers = {
      authorization: `Bearer ${quickstart.keys["acme"]}`,
      "content-type": "application/json",
    }
    const { signal } = client
    const sent = fetch(`${quickstart.baseUrl}/messages`, { method: "POST", headers, body, signal })
    const isGone = sent.then(
      () => false,
      () => true,
    )
    await eventually(async () => {
      const inbox = await fetch(`${quickstart.inboxUrl}/messages`)
      assert.include(await inbox.text(), "Still waiting")
    })
    client.abort()
    assert.isTrue(await isGone)
    await eventually(() =>
      assert.match(quickstart.output(), /POST \/api\/v2\/messages disconnected in \d+ ms$/m),
    )
  })
})

const activity = pathToFileURL(Path.join(import.meta.dirname, "../src/Activity.ts")).href

/** Runs a module with `tell`, which logs a line, and gives its output. */
const outputOf = (code: string): string =>
  execFileSync(
    process.execPath,
    [
      "--input-type=module",
      "--eval",
      `import * as Activity from "${activity}"
       import * as Effect from "effect/Effect"
       const tell = (text) => Effect.runSync(Effect.provide(Effect.logInfo(text), Activity.layerLogger))
       ${code}`,
    ],
    { cwd: import.meta.dirname, encoding: "utf8" },
  )

test("the lines of a turn are written together, and the next turn's at once", () => {
  const output = outputOf(`
    const writev = process.stdout._writev
    process.stdout._writev = function (chunks, done) {
      chunks.push({ chunk: "together " + chunks.length + "\\n", encoding: "utf8" })
      writev.call(this, chunks, done)
    }
    tell("one")
    tell("two")
    setImmediate(() => setImmediate(() => {
      tell("three")
      tell("four")
      tell("five")
    }))
  `)
  assert.match(output, /one\n.*two\ntogether 2\n.*three\n.*four\n.*five\ntogether 3\n$/)
})

test("no line is lost when the process exits in the middle of a turn", () => {
  assert.match(outputOf(`tell("one"); tell("last"); process.exit(0)`), /one\n.*last\n$/)
})
