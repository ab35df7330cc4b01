/**
 * Each check finds an answer that breaks it, and accepts one that does not.
 */
import { assert, describe, it } from "vitest"
import { checkNames, Checks, type CheckName, type Dialect, type Known } from "./checks.ts"
import { readDocument } from "./openApi.ts"
import type { Interface } from "./requestArbitraries.ts"
import type { WireAnswer, WireRequest } from "./wire.ts"

const json = (schema: object) => ({ content: { "application/json": { schema } } })

const thing = json({
  type: "object",
  properties: { id: { type: "string" } },
  required: ["id"],
})

const refused = json({ type: "object" })

const api: Interface = {
  base: "/api",
  described: readDocument({
    openapi: "3.1.0",
    paths: {
      "/things": {
        post: {
          operationId: "things.create",
          requestBody: {
            required: true,
            ...json({
              type: "object",
              properties: { name: { type: "string", minLength: 1 } },
              required: ["name"],
            }),
          },
          responses: {
            200: { ...thing, headers: { "X-Kind": { required: true, schema: { enum: ["new"] } } } },
            401: refused,
            415: refused,
            422: refused,
          },
        },
      },
      "/things/{id}": {
        get: { operationId: "things.get", responses: { 200: thing, 401: refused, 404: refused } },
        delete: { operationId: "things.remove", responses: { 200: thing, 404: refused } },
      },
    },
  }),
  named: {},
  authorizations: ["key"],
  weights: {},
  without: {},
}

const dialect: Dialect = {
  codeOf: ({ status }) => (status === 422 ? "invalid_request" : undefined),
  explained: new Set(),
  commonMethods: () => [],
  dependent: new Set(),
  shared: new Set(),
  isLenient: () => false,
  isPublic: () => false,
}

const known: Known = {
  access: "all",
  isOwn: true,
  exists: (_, id) => id === "1",
  isGone: (_operation, _pool, id) => id === "2",
}

const answer = (status: number, body: object, ...headers: WireAnswer["headers"]): WireAnswer => ({
  status,
  headers: [["content-type", "application/json"], ...headers],
  body: Buffer.from(JSON.stringify(body)),
})

const post = (body: string, ...headers: WireRequest["headers"]): WireRequest => ({
  method: "POST",
  target: "/api/things",
  headers: [["authorization", "key"], ["content-type", "application/json"], ...headers],
  body: Buffer.from(body),
})

const get = (id: string, method = "GET"): WireRequest => ({
  method,
  target: `/api/things/${id}`,
  headers: [["authorization", "key"]],
})

const created = answer(200, { id: "1" }, ["x-kind", "new"])
const missing = answer(404, {})
const found = answer(200, { id: "1" })
const valid = post('{"name":"a"}')
const untyped: WireRequest = { ...valid, headers: [["authorization", "key"]] }
const stranger: Known = { ...known, access: "none" }

const rows: Readonly<
  Record<CheckName, readonly [request: WireRequest, wrong: WireAnswer, right: WireAnswer, Known?]>
> = {
  not_a_server_error: [valid, answer(500, {}), created],
  status_code_conformance: [get("1"), answer(202, {}), found],
  content_type_conformance: [
    get("1"),
    { ...found, headers: [["content-type", "text/html"]] },
    found,
  ],
  response_headers_conformance: [valid, answer(200, { id: "1" }, ["x-kind", "old"]), created],
  response_schema_conformance: [get("1"), answer(200, { id: 1 }), found],
  negative_data_rejection: [post('{"name":""}'), created, answer(422, {})],
  positive_data_acceptance: [valid, answer(422, {}), created],
  use_after_free: [get("2", "DELETE"), found, missing],
  ensure_resource_availability: [get("1"), missing, found],
  missing_required_header: [untyped, created, answer(415, {})],
  ignored_auth: [get("1"), found, answer(401, {}), stranger],
  unsupported_method: [get("1", "PUT"), missing, answer(405, {}, ["allow", "GET, DELETE"])],
  stateful_links: [get("3"), found, missing],
}

describe("the check", () => {
  it.each(checkNames)("%s finds a wrong answer and accepts a right one", (name) => {
    const [request, wrong, right, state = known] = rows[name]
    const judged = (one: WireAnswer) => {
      const checks = new Checks(api, dialect)
      const isValid = request === valid || request.method === "GET"
      const problems = checks.judge({ tag: "request", operation: "", request, isValid }, state, one)
      assert.isAbove(checks.counts.get(name) ?? 0, 0)
      return problems.map(([check]) => check)
    }
    assert.include(judged(wrong), name)
    assert.deepStrictEqual(judged(right), [])
  })

  it.each(["1 2", "1\t", "\u007f", "ä"])(
    "status_code_conformance expects 400 for %j in a target",
    (id) => {
      const judged = (status: number) =>
        new Checks(api, dialect)
          .judge({ tag: "request", operation: "", request: get(id), isValid: false }, known, {
            status,
            headers: [],
            body: Buffer.alloc(0),
          })
          .map(([check]) => check)
      for (const status of [200, 404]) {
        assert.deepStrictEqual(judged(status), ["status_code_conformance"])
      }
      assert.deepStrictEqual(judged(400), [])
    },
  )
})
