import { assert, describe, it } from "@effect/vitest"
import * as OpenApi from "effect/http-api/OpenApi"
import { Api } from "../src/tenant/Api.ts"
import { open } from "./support/Subject.ts"
import { engineTest } from "./support/engineTest.ts"

interface Keywords {
  readonly enum?: ReadonlyArray<string>
  readonly maximum?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly minLength?: number
  readonly pattern?: string
}

interface Document {
  readonly components: {
    readonly requestBodies: Readonly<
      Record<
        string,
        {
          readonly content: {
            readonly "application/json": {
              readonly schema: { readonly properties: Readonly<Record<string, Keywords>> }
            }
          }
        }
      >
    >
  }
}

const spec = OpenApi.fromApi(Api)
const document: Document = JSON.parse(JSON.stringify(spec))

/** Numbers that are in their country's plan, or that no pattern can take for one that is. */
const numbers = [
  "+8801712345678",
  "8801712345678",
  "+৮৮০১৭১২৩৪৫৬৭৮",
  "৮৮০১৭১২৩৪৫৬৭৮",
  "+6421234567",
  "01712345678",
  "+0880171234567",
  "+880 1712345678",
  "+88017123456789012",
  "+12345",
  "",
]

/** Values at the limits of the keywords, and whether the keywords accept them. */
const edges = (keywords: Keywords): ReadonlyArray<readonly [value: unknown, allowed: boolean]> => {
  const { maximum, maxLength, minimum, minLength, pattern } = keywords
  const values: Array<readonly [unknown, boolean]> = []
  if (minimum !== undefined) values.push([minimum, true], [minimum - 1, false])
  if (maximum !== undefined) values.push([maximum, true], [maximum + 1, false])
  if (minLength !== undefined) {
    values.push(["1".repeat(minLength), true], ["1".repeat(minLength - 1), false])
  }
  if (maxLength !== undefined) {
    values.push(["1".repeat(maxLength), true], ["1".repeat(maxLength + 1), false])
  }
  for (const text of keywords.enum ?? []) values.push([text, true], [`${text}x`, false])
  if (pattern !== undefined) {
    for (const text of numbers) values.push([text, new RegExp(pattern, "u").test(text)])
  }
  return values
}

/** The members whose names and types say it all. */
const unbounded = ["brand_id", "metadata", "payment"]

const bodies: ReadonlyArray<readonly [schema: string, path: string, body: object]> = [
  ["SendMessage", "/messages", { to: "8801712345678", message: "Hello" }],
  ["SendVerification", "/verify", { phone_number: "+8801712345678" }],
  ["CheckVerification", "/verify/check", { code: "123456" }],
  ["ResendVerification", "/verify/vrf_1/resend", {}],
  ["ConsumeVerification", "/verify/vrf_1/consume", {}],
]

const members = bodies.flatMap(([schema, path, body]) =>
  Object.entries(
    document.components.requestBodies[schema]?.content["application/json"].schema.properties ?? {},
  ).map(([name, keywords]) => [path, name, keywords, body] as const),
)

const isRefused = (body: unknown, name: string): boolean =>
  typeof body === "object" && body !== null && "details" in body
    ? Object.hasOwn(Object(body.details), name)
    : false

describe("the bounds of the OpenAPI document", () => {
  it("exist for every member of a request", () => {
    const without = members.filter(([, , keywords]) => edges(keywords).length === 0)
    assert.deepStrictEqual([...new Set(without.map(([, name]) => name))], unbounded)
    assert.isAbove(members.length, 10)
  })

  engineTest.each(members.filter(([, name]) => !unbounded.includes(name)))(
    "match the service: POST %s, %s",
    function* ([path, name, keywords, body]) {
      const { call } = yield* open()
      for (const [value, allowed] of edges(keywords)) {
        const answer = yield* call(path, { body: { ...body, [name]: value } })
        assert.strictEqual(!isRefused(answer.body, name), allowed, JSON.stringify(value))
      }
    },
  )

  engineTest.each(["limit", "page"])("match the service: GET /messages, %s", function* (name) {
    const { call } = yield* open()
    const parameters = spec.paths["/messages"]?.get?.parameters ?? []
    const schema = parameters.find((parameter) => parameter.name === name)?.schema
    const values = edges({ ...schema })
    assert.lengthOf(values, 4)
    for (const [value, allowed] of values) {
      const answer = yield* call(`/messages?${name}=${value}`)
      assert.strictEqual(answer.status, allowed ? 200 : 422, String(value))
      assert.strictEqual(isRefused(answer.body, name), !allowed, String(value))
    }
  })

  engineTest("include the date formats that the service reads", function* () {
    const { call } = yield* open()
    const parameters = spec.paths["/messages"]?.get?.parameters ?? []
    for (const name of ["from", "to"]) {
      const schema = parameters.find((parameter) => parameter.name === name)?.schema
      const { anyOf, examples }: { anyOf?: unknown; examples?: ReadonlyArray<string> } = {
        ...schema,
      }
      assert.deepStrictEqual(anyOf, [
        { type: "string", format: "date" },
        { type: "string", format: "date-time" },
      ])
      assert.isNotEmpty(examples)
      for (const example of examples ?? []) {
        const text = encodeURIComponent(example)
        assert.strictEqual((yield* call(`/messages?from=${text}&to=${text}`)).status, 200)
      }
    }
  })
})
