/**
 * The key is in the header, and nowhere else.
 */
import { inspect } from "node:util"
import { assert, describe, it } from "vitest"
import { createClient } from "../src/index.ts"
import { all, calls } from "./support/calls.ts"
import { answer, apiKey, clientOf, type Play, playedService } from "./support/playedService.ts"

const shown = (value: unknown): string =>
  [
    JSON.stringify(value),
    String(value),
    inspect(value, { depth: Infinity, showHidden: true, getters: true }),
  ].join("\n")

/** Services and proxies that echo the request. */
const echoes: ReadonlyArray<readonly [string, Play]> = [
  ["a page", answer(502, `<pre>authorization: Bearer ${apiKey}</pre>${apiKey}`)],
  ["a page that is cut within it", answer(502, `${"x".repeat(190)}${apiKey}`)],
  ["a sentence", answer(401, { error: `${apiKey} is not known` })],
  ["details", answer(422, { error: "No", details: { [apiKey]: [`not ${apiKey}`] } })],
  ["an invalid success", answer(200, { success: true, data: { key: apiKey } })],
]

describe("the API key", () => {
  it("is not a property of the client", () => {
    const client = createClient({ baseUrl: "http://127.0.0.1", apiKey })
    assert.strictEqual(JSON.stringify(client), '{"verifications":{},"messages":{}}')
    for (const part of [client, client.verifications, client.verifications.send]) {
      assert.notInclude(shown(part), "secret")
    }
  })

  it.each(echoes)("is in no error, even if %s repeats it", async (_name, play) => {
    using service = await playedService(play)
    const { client } = clientOf(service, { retries: 0 })
    for (const call of all) {
      const result = await calls[call](client)
      assert.isFalse(result.ok)
      // Not even its beginning.
      assert.notInclude(shown(result), "csk_")
    }
  })
})

describe("invalid options", () => {
  const good = { baseUrl: "https://example.com/api/v2", apiKey }

  const wrong: ReadonlyArray<readonly [string, object]> = [
    ["baseUrl", { baseUrl: "" }],
    ["baseUrl", { baseUrl: "/api/v2" }],
    ["baseUrl", { baseUrl: "ftp://example.com" }],
    ["baseUrl", { baseUrl: "https://name:password@example.com" }],
    ["baseUrl", { baseUrl: "https://example.com?key=1" }],
    ["baseUrl", { baseUrl: "https://example.com#here" }],
    ["baseUrl", { baseUrl: undefined }],
    ["apiKey", { apiKey: "" }],
    ["apiKey", { apiKey: ` ${apiKey}` }],
    ["apiKey", { apiKey: `${apiKey}\n` }],
    ["apiKey", { apiKey: "clé" }],
    ["apiKey", { apiKey: undefined }],
    ["timeout has to be more than 0", { timeout: "0 seconds" }],
    ["timeout has to be more than 0", { timeout: "25 days" }],
    ["timeout must be a number with its unit: write", { timeout: 30 }],
    ["timeout must be a number with its unit: write", { timeout: 30_000 }],
    ["timeout must be a number with its unit: write", { timeout: "soon" }],
    ["timeoutMillis is not an option;", { timeoutMillis: 30_000 }],
    ["retries", { retries: -1 }],
    ["retries", { retries: 0.5 }],
    ["retries", { retries: 11 }],
    ["baseURL is not an option;", { baseURL: "https://example.com" }],
  ]

  it.each(wrong)("are refused at once: %s of %o", (option, change) => {
    let thrown: unknown
    try {
      createClient({ ...good, ...change })
    } catch (error) {
      thrown = error
    }
    assert.instanceOf(thrown, TypeError)
    const text = shown(thrown)
    assert.include(text, `createClient: ${option} `)
    for (const secret of ["csk_", "password@", "clé"]) assert.notInclude(text, secret)
  })
})
