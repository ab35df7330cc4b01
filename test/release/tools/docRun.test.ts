import { createServer } from "node:http"
import { afterAll, assert, beforeAll, describe, test } from "vitest"
import { listen } from "../../support/loopback.ts"
import { addressed, runShell, type Service } from "./docRun.ts"

describe("a shell example", () => {
  const server = createServer((request, response) => {
    response.statusCode = request.url === "/open" ? 200 : 402
    response.end(JSON.stringify({ key: request.headers.authorization ?? null }))
  })
  let service: Service = { baseUrl: "", inboxUrl: "", key: "" }
  let origin = ""

  beforeAll(async () => {
    origin = `http://127.0.0.1:${await listen(server)}`
    service = { baseUrl: `${origin}/api`, inboxUrl: `${origin}/inbox`, key: "key-1" }
  })
  afterAll(() => server.close())

  test.each([
    ["finds the service where the document says it is", "curl -s http://127.0.0.1:3000/open", 0],
    ["is given the addresses", 'test "${INBOX%/inbox}" = "${BASE%/api}"', 0],
    ["fails with any of its commands", "false\ntrue", 1],
    ["fails in a pipe", "false | cat", 1],
    ["fails with an unset variable", 'echo "$NOT_SET"', 1],
    ["fails when it is refused", "curl -s http://127.0.0.1:3000/closed", 22],
  ])("%s", async (_title, code, expected) => {
    assert.strictEqual((await runShell(code, service, false)).code, expected)
  })

  test("may show a refusal", async () => {
    const command = 'curl -s http://127.0.0.1:3000/closed -H "Authorization: $COUNTERSIGN_KEY"'
    const { code, stdout } = await runShell(command, service, true)
    assert.deepStrictEqual({ code, stdout }, { code: 0, stdout: '{"key":"key-1"}' })
  })

  test("has the address in its output replaced as well", () => {
    const text = "at http://127.0.0.1:3000/a"
    assert.strictEqual(addressed(text, service), `at ${origin}/a`)
    assert.strictEqual(addressed(text, undefined), text)
  })
})
