/**
 * The OpenAPI document and its page for people.
 */
import { assert } from "@effect/vitest"
import { type ContractTest, listAt, member, proves, textAt } from "./support.ts"

/** Every documented status per endpoint. */
const statuses = {
  "post /messages": [200, 400, 401, 402, 403, 409, 413, 415, 422, 429, 500],
  "get /messages": [200, 401, 422],
  "get /messages/{id}": [200, 401, 404],
  "get /balance": [200, 401],
  "post /verify": [200, 400, 401, 402, 409, 413, 415, 422, 429, 500],
  "post /verify/check": [200, 400, 401, 404, 409, 410, 413, 415, 429],
  "get /verify/{request_id}": [200, 401, 404],
  "post /verify/{request_id}/resend": [200, 400, 401, 402, 404, 409, 410, 413, 415, 422, 429, 500],
  "post /verify/{request_id}/cancel": [200, 401, 404, 409, 410],
  "post /verify/{request_id}/consume": [200, 400, 401, 404, 409, 410, 413, 415, 422, 429],
  "get /jwks.json": [200, 404],
} as const

const keysOf = (value: unknown): ReadonlyArray<string> =>
  typeof value === "object" && value !== null ? Object.keys(value) : []

/** All references in a document, at any depth. */
const referencesIn = (value: unknown): ReadonlyArray<string> =>
  keysOf(value).flatMap((name) => {
    const inner = member(value, name)
    return name === "$ref" && typeof inner === "string" ? [inner] : referencesIn(inner)
  })

const readDocument = async (baseUrl: string): Promise<unknown> => {
  const response = await fetch(`${baseUrl}/openapi.json`)
  assert.strictEqual(response.status, 200)
  assert.match(response.headers.get("content-type") ?? "", /^application\/json/)
  return response.json()
}

export const openApi: ReadonlyArray<ContractTest> = [
  proves("docs: OpenAPI", "the document needs no key and is OpenAPI 3.1", async (contract) => {
    const document = await readDocument(contract.baseUrl)
    assert.match(textAt(document, "openapi"), /^3\.1\.\d+$/)
    textAt(document, "info", "title")
    textAt(document, "info", "version")
    const url = textAt(document, "servers", 0, "url")
    assert.strictEqual(new URL(url, contract.baseUrl).href, contract.baseUrl)
    for (const reference of referencesIn(document)) {
      const path = reference.replace(/^#\//, "").split("/")
      const names = path.map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"))
      assert.isDefined(member(document, ...names), reference)
    }
  }),
  proves("docs: OpenAPI", "it describes every endpoint and no others", async (contract) => {
    const paths = member(await readDocument(contract.baseUrl), "paths")
    const described = keysOf(paths).flatMap((path) =>
      keysOf(member(paths, path)).map((method) => `${method} ${path}`),
    )
    assert.sameMembers(described, Object.keys(statuses))
  }),
  proves("docs: OpenAPI", "it names every status, each with its body", async (contract) => {
    const document = await readDocument(contract.baseUrl)
    for (const [endpoint, expected] of Object.entries(statuses)) {
      const [method = "", path = ""] = endpoint.split(" ")
      const responses = member(document, "paths", path, method, "responses")
      for (const status of expected) {
        textAt(responses, status, "description")
        const content = member(responses, status, "content")
        assert.deepStrictEqual(keysOf(content), ["application/json"], `${endpoint}: ${status}`)
        assert.isDefined(member(content, "application/json", "schema"), `${endpoint}: ${status}`)
      }
    }
  }),
  proves(
    ["docs: OpenAPI", "Idempotency-Key: endpoints"],
    "it has the header Idempotency-Key where the service reads it",
    async (contract) => {
      const document = await readDocument(contract.baseUrl)
      const keyed = Object.keys(statuses).filter((endpoint) => {
        const [method = "", path = ""] = endpoint.split(" ")
        const parameters = listAt(document, "paths", path, method, "parameters")
        return parameters.some((parameter) => member(parameter, "name") === "Idempotency-Key")
      })
      assert.sameMembers(keyed, [
        "post /messages",
        "post /verify",
        "post /verify/{request_id}/resend",
        "post /verify/{request_id}/consume",
      ])
    },
  ),
  proves(
    ["docs: OpenAPI", "5 header"],
    "it asks for a bearer key, but for the keys of proofs",
    async (contract) => {
      const document = await readDocument(contract.baseUrl)
      for (const [endpoint, expected] of Object.entries(statuses)) {
        const [method = "", path = ""] = endpoint.split(" ")
        if (!expected.some((status) => status === 401)) {
          assert.deepStrictEqual(member(document, "paths", path, method, "security"), [])
          continue
        }
        const [scheme = ""] = keysOf(listAt(document, "paths", path, method, "security")[0])
        const known = member(document, "components", "securitySchemes", scheme)
        assert.strictEqual(member(known, "type"), "http", endpoint)
        assert.strictEqual(member(known, "scheme"), "bearer", endpoint)
      }
    },
  ),
  proves("docs: OpenAPI", "there is a page to read it, which needs no key", async (contract) => {
    const response = await fetch(`${contract.baseUrl}/docs`)
    assert.strictEqual(response.status, 200)
    assert.match(response.headers.get("content-type") ?? "", /^text\/html/)
    assert.match(await response.text(), /<html|<!doctype html/i)
  }),
]
