/**
 * The client has a name for every answer of the service.
 */
import { type Client, createClient } from "@countersign/client"
import * as HttpContract from "@countersign/testing/HttpContract"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import { afterAll, assert, describe, it } from "vitest"
import * as ContractSubject from "../support/ContractSubject.ts"
import { at } from "../support/Quickstart.ts"
import { temporaryScope } from "../support/temporaryScope.ts"

/** How each operation is called. */
const operations: Readonly<
  Record<
    string,
    (client: Client) => Promise<{ ok: true } | { ok: false; error: { readonly code: string } }>
  >
> = {
  "post /verify": ({ verifications }) => verifications.send({ phoneNumber: "+8801712345678" }),
  "post /verify/check": ({ verifications }) =>
    verifications.check({ requestId: "vrf_1", code: "1" }),
  "get /verify/{request_id}": ({ verifications }) => verifications.status({ requestId: "vrf_1" }),
  "post /verify/{request_id}/resend": ({ verifications }) =>
    verifications.resend({ requestId: "vrf_1" }),
  "post /verify/{request_id}/cancel": ({ verifications }) =>
    verifications.cancel({ requestId: "vrf_1" }),
  "post /verify/{request_id}/consume": ({ verifications }) =>
    verifications.consume({ requestId: "vrf_1" }),
  "post /messages": ({ messages }) =>
    messages.send({ phoneNumber: "8801712345678", text: "Hello" }),
  "get /messages": ({ messages }) => messages.list(),
  "get /messages/{id}": ({ messages }) => messages.get("msg_1"),
  "get /balance": (client) => client.balance(),
}

/** Answers to a client that sends what this one does not send. */
const nobodys = ["413", "415"]

const keysOf = (value: unknown): ReadonlyArray<string> =>
  typeof value === "object" && value !== null ? Object.keys(value) : []

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** Something of each kind that the schema allows. */
const samplesOf = (document: unknown, schema: unknown): ReadonlyArray<unknown> => {
  const reference = at(schema, "$ref")
  if (typeof reference === "string") {
    return samplesOf(document, at(document, ...reference.replace("#/", "").split("/")))
  }
  const kinds = [...listOf(at(schema, "anyOf")), ...listOf(at(schema, "oneOf"))]
  if (kinds.length > 0) return kinds.flatMap((kind) => samplesOf(document, kind))
  const choices = listOf(at(schema, "enum"))
  if (choices.length > 0) return choices
  switch (at(schema, "type")) {
    case "object":
      return keysOf(at(schema, "properties")).reduce<ReadonlyArray<object>>(
        (objects, name) =>
          objects.flatMap((object) =>
            samplesOf(document, at(schema, "properties", name)).map((member) => ({
              ...object,
              [name]: member,
            })),
          ),
        [{}],
      )
    case "array":
      return [samplesOf(document, at(schema, "items"))]
    case "null":
      return [null]
    case "integer":
    case "number":
      return [7]
    case "string":
      return [at(schema, "format") === "date-time" ? "2026-01-31T09:30:00.000Z" : "text"]
    default:
      return assert.fail(`no sample for ${JSON.stringify(schema)}`)
  }
}

const { close, run } = temporaryScope()
afterAll(close)

const context = await run(Layer.build(ContractSubject.layer("memory")))
const baseUrl = await Context.get(context, HttpContract.Subject).serve({})
const document: unknown = await (await fetch(`${baseUrl}/openapi.json`)).json()

/** What the client makes of an answer. */
const readAs = async (
  operation: string,
  status: string,
  body: unknown,
  code: string,
): Promise<string> => {
  const headers = { "countersign-error": code, "retry-after": "7" }
  const client = createClient({
    baseUrl: "http://127.0.0.1",
    apiKey: "csk_test",
    retries: 0,
    fetch: () => Promise.resolve(Response.json(body, { status: Number(status), headers })),
  })
  const result = await operations[operation]?.(client)
  return result === undefined ? "no call" : result.ok ? "ok" : result.error.code
}

/** The codes that an answer may have; none for a success. */
const codesOf = (headers: unknown): ReadonlyArray<string> => {
  const codes = listOf(at(headers, "Countersign-Error", "schema", "enum")).map(String)
  return codes.length === 0 ? [""] : codes
}

const expectedOf = (status: string, type: string): boolean =>
  status === "200" ? type === "ok" : (type === "unexpected_response") === nobodys.includes(status)

describe("the OpenAPI document", () => {
  it("has the client's operations", () => {
    const described = keysOf(at(document, "paths")).flatMap((path) =>
      keysOf(at(document, "paths", path)).map((method) => `${method} ${path}`),
    )
    // Verifiers of proofs read the keys, and not the client.
    assert.sameMembers(described, [...Object.keys(operations), "get /jwks.json"])
  })

  it.each(Object.keys(operations))(
    "lists no answer that the client does not know: %s",
    async (operation) => {
      const [method = "", path = ""] = operation.split(" ")
      const responses = at(document, "paths", path, method, "responses")
      assert.includeMembers([...keysOf(responses)], ["200", "401", "403", "500", "503"])
      const read = []
      for (const status of keysOf(responses)) {
        const schema = at(responses, status, "content", "application/json", "schema")
        const samples = samplesOf(document, schema)
        assert.isNotEmpty(samples, `${operation}: ${status}`)
        for (const body of samples) {
          const types = []
          for (const code of codesOf(at(responses, status, "headers"))) {
            types.push(await readAs(operation, status, body, code))
          }
          const expected = types.some((type) => expectedOf(status, type))
          read.push({ status, types, expected, body })
        }
      }
      assert.deepStrictEqual(
        read.filter(({ expected }) => !expected),
        [],
      )
    },
  )
})
