import { assert, describe, it } from "@effect/vitest"
import * as OpenApi from "effect/http-api/OpenApi"
import { Api } from "../../src/tenant/Api.ts"
import { open } from "../support/Subject.ts"
import { engineTest } from "../support/engineTest.ts"

const document = OpenApi.fromApi(Api)

/** Every status of section 7 of the interface document, and those that stand for all endpoints. */
const statuses = {
  "POST /messages": [200, 400, 401, 402, 403, 409, 413, 415, 422, 429, 500, 503],
  "GET /messages": [200, 401, 403, 422, 500, 503],
  "GET /messages/{id}": [200, 401, 403, 404, 500, 503],
  "GET /balance": [200, 401, 403, 500, 503],
  "POST /verify": [200, 400, 401, 402, 403, 409, 413, 415, 422, 429, 500, 503],
  "POST /verify/check": [200, 400, 401, 403, 404, 409, 410, 413, 415, 429, 500, 503],
  "GET /verify/{request_id}": [200, 401, 403, 404, 500, 503],
  "POST /verify/{request_id}/resend": [
    200, 400, 401, 402, 403, 404, 409, 410, 413, 415, 422, 429, 500, 503,
  ],
  "POST /verify/{request_id}/cancel": [200, 401, 403, 404, 409, 410, 500, 503],
  "POST /verify/{request_id}/consume": [
    200, 400, 401, 403, 404, 409, 410, 413, 415, 422, 429, 500, 503,
  ],
  "GET /jwks.json": [200, 404],
} as const

const keyed = [
  "POST /messages",
  "POST /verify",
  "POST /verify/{request_id}/resend",
  "POST /verify/{request_id}/consume",
]

const operation = (name: string): OpenApi.OpenAPISpecOperation => {
  const [method, path = ""] = name.split(" ")
  const item = document.paths[path]
  const found = method === "GET" ? item?.get : item?.post
  if (found === undefined) throw new Error(`${name} is not described`)
  return found
}

const {
  requestBodies,
}: { readonly requestBodies: Readonly<Record<string, { readonly required: boolean }>> } =
  JSON.parse(JSON.stringify(document.components))

describe("Api", () => {
  it.each(Object.entries(statuses))("describes every status of %s", (name, expected) => {
    assert.deepStrictEqual(Object.keys(operation(name).responses).map(Number), [...expected])
    const isPublic = name === "GET /jwks.json"
    assert.deepStrictEqual(operation(name).security, isPublic ? [] : [{ apiKey: [] }])
    assert.isNotEmpty(operation(name).summary)
    assert.match(operation(name).description ?? "", isPublic ? /./ : /needs `\w+:\w+`\.$/)
    const parameters = operation(name).parameters.map((parameter) => parameter.name)
    assert.strictEqual(parameters.includes("Idempotency-Key"), keyed.includes(name))
  })

  it("describes no other operation", () => {
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    )
    assert.sameMembers(operations, Object.keys(statuses))
  })

  it("omits tags, JSON bounds and additionalProperties", () => {
    assert.notMatch(
      JSON.stringify(document),
      /_tag|Encoded|9007199254740991|"additionalProperties":false/,
    )
  })

  it("has no dangling references, and names the bearer scheme", () => {
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+\/\w+)"/g)
    for (const [, path = ""] of references) {
      assert.nestedProperty(document.components, path.replace("/", "."))
    }
    const scheme = { type: "http", scheme: "bearer" } as const
    assert.deepInclude(document.components.securitySchemes["apiKey"], scheme)
  })

  it("describes the headers of refusals", () => {
    const { responses } = operation("POST /verify")
    assert.property(responses[401]?.headers, "WWW-Authenticate")
    assert.property(responses[429]?.headers, "Retry-After")
    assert.property(responses[503]?.headers, "Retry-After")
  })

  const codesOf = (name: string): ReadonlyArray<readonly [status: string, codes: unknown]> =>
    Object.entries(operation(name).responses).flatMap(([status, { headers }]) => {
      const schema = { enum: [], ...headers?.["Countersign-Error"]?.schema }
      return Number(status) < 400 ? [] : [[status, schema.enum] as const]
    })

  it("names the codes of every failure, and the first success of a check", () => {
    assert.deepStrictEqual(codesOf("POST /verify"), [
      // The body of several errors, of which `opted_out` is one of messages only.
      ["400", ["invalid_request", "not_on_whatsapp", "opted_out", "sender_unusable"]],
      ["401", ["unauthorized"]],
      ["402", ["insufficient_balance"]],
      ["403", ["insufficient_scope", "address_not_allowed"]],
      ["409", ["idempotency_in_flight"]],
      ["413", ["body_too_large"]],
      ["415", ["unsupported_media_type"]],
      ["422", ["idempotency_mismatch"]],
      ["429", ["rate_limited", "too_many_pending"]],
      ["500", ["internal", "sending_failed"]],
      ["503", ["unavailable"]],
    ])
    const resend = new Map(codesOf("POST /verify/{request_id}/resend"))
    assert.deepStrictEqual(resend.get("409"), ["already_verified", "idempotency_in_flight"])
    assert.deepStrictEqual(resend.get("429"), [
      "attempts_exhausted",
      "rate_limited",
      "resends_exhausted",
    ])
    const consume = new Map(codesOf("POST /verify/{request_id}/consume"))
    assert.deepStrictEqual(consume.get("409"), ["not_verified", "already_consumed"])
    const check = operation("POST /verify/check").responses
    assert.property(check[200]?.headers, "Countersign-First")
    assert.notProperty(operation("POST /verify").responses[200]?.headers ?? {}, "Countersign-First")
  })

  it("names its licence, and describes each group of operations", () => {
    assert.deepStrictEqual(document.info.license, {
      name: "Apache License 2.0",
      identifier: "Apache-2.0",
    })
    for (const { description, name } of document.tags) assert.isNotEmpty(description, name)
  })

  it("keeps requests out of the shared schemas, where generators require members with a default", () => {
    assert.sameMembers(Object.keys(requestBodies), [
      "SendMessage",
      "SendVerification",
      "CheckVerification",
      "ResendVerification",
      "ConsumeVerification",
    ])
    assert.deepStrictEqual(
      Object.entries(requestBodies).flatMap(([name, { required }]) => (required ? [] : [name])),
      ["ResendVerification", "ConsumeVerification"],
    )
    assert.notProperty(document.components.schemas, "SendMessage")
    assert.notMatch(JSON.stringify(document.components.schemas), /"default":/)
  })

  engineTest("is served below the base path, without a key", function* () {
    const { call } = yield* open()
    const answer = yield* call("/openapi.json", { headers: { authorization: undefined } })
    assert.strictEqual(answer.status, 200)
    assert.deepStrictEqual(answer.body, {
      ...JSON.parse(JSON.stringify(document)),
      servers: [{ url: "/api/v2" }],
    })
  })

  engineTest("is not served if the host turns it off", function* () {
    const { call } = yield* open({ documentation: false })
    assert.strictEqual((yield* call("/openapi.json")).status, 404)
    assert.strictEqual((yield* call("/docs")).status, 404)
  })
})
