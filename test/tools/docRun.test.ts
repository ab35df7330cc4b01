import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, test } from "vitest"
import { addressed, runShell } from "./docRun.ts"
import { type Quickstart, startQuickstart } from "./quickstart.ts"

const folder = mkdtempSync(join(tmpdir(), "countersign-entry-"))

const entry = (name: string, body: string): string => {
  const file = join(folder, `${name}.mjs`)
  writeFileSync(file, body)
  return file
}

const service = `
  import { createServer } from "node:http"
  import { writeFileSync } from "node:fs"
  const port = Number(process.env.PORT)
  const baseUrl = "http://127.0.0.1:" + port
  const server = createServer((request, response) => {
    response.statusCode = request.url === "/open" ? 200 : 402
    response.end(JSON.stringify({ key: request.headers.authorization ?? null }))
  })
  server.listen(port, "127.0.0.1", () => {
    const organizations = [{ name: "acme", apiKey: "key-1" }]
    const ready = { baseUrl, inboxUrl: baseUrl + "/inbox", organizations }
    writeFileSync(process.env.DATA_DIR + "/quickstart.json", JSON.stringify(ready))
  })
`

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("a shell example", () => {
  let running: Quickstart | undefined
  const quickstart = (): Quickstart => {
    if (running === undefined) throw new Error("no quickstart is running")
    return running
  }

  beforeAll(async () => {
    running = await startQuickstart({ entry: entry("service", service) })
  })
  afterAll(() => running?.stop())

  test.each([
    ["finds the service where the document says it is", "curl -s http://127.0.0.1:3000/open", 0],
    ["is given the addresses", 'test "$INBOX" = "$BASE/inbox"', 0],
    ["fails with any of its commands", "false\ntrue", 1],
    ["fails in a pipe", "false | cat", 1],
    ["fails with an unset variable", 'echo "$NOT_SET"', 1],
    ["fails when it is refused", "curl -s http://127.0.0.1:3000/closed", 22],
  ])("%s", async (_title, code, expected) => {
    assert.strictEqual((await runShell(code, quickstart(), false)).code, expected)
  })

  test("may show how it is refused", async () => {
    const command = 'curl -s http://127.0.0.1:3000/closed -H "Authorization: $COUNTERSIGN_KEY"'
    const { code, stdout } = await runShell(command, quickstart(), true)
    assert.deepStrictEqual({ code, stdout }, { code: 0, stdout: '{"key":"key-1"}' })
  })

  test("has the address in its output put right as well", () => {
    const { baseUrl } = quickstart()
    assert.strictEqual(addressed("at http://127.0.0.1:3000/a", quickstart()), `at ${baseUrl}/a`)
    assert.strictEqual(
      addressed("at http://127.0.0.1:3000/a", undefined),
      "at http://127.0.0.1:3000/a",
    )
  })
})

test.each([
  ["ends before it is ready", 'console.log("no port"); process.exit(1)', /no port/],
  ["is never ready", "setInterval(() => {}, 1000)", /did not say that it is ready/],
  [
    "writes something else down",
    'import { writeFileSync } from "node:fs"; writeFileSync(process.env.DATA_DIR + "/quickstart.json", "{}"); setInterval(() => {}, 1000)',
    /did not say that it is ready/,
  ],
])("a quickstart that %s is reported", async (title, body, message) => {
  const file = entry(title.replaceAll(" ", "-"), body)
  const started = startQuickstart({ entry: file, startMillis: 1_000 })
  await started.then(
    () => assert.fail("it was taken as ready"),
    (error: unknown) => assert.match(String(error), message),
  )
})
