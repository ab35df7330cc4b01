/**
 * The id of another organization gets the answer of an id that does not exist, byte for byte, wherever an endpoint takes
 * one. The endpoints follow from the OpenAPI documents of both interfaces.
 */
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import { Outbox } from "@countersign/core/services/Outbox"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { AdminApi } from "../src/admin/AdminApi.ts"
import { Api } from "../src/tenant/Api.ts"
import * as Http from "../src/tenant/TenantHttp.ts"
import { ask, mount, operator, type Send, tenant } from "./support/AdminSubject.ts"
import { engineTest } from "./support/engineTest.ts"
import * as Subject from "./support/Subject.ts"

interface Endpoint {
  readonly method: string
  /** With its parameters in braces. */
  readonly path: string
  readonly operation: OpenApi.OpenAPISpecOperation
}

const endpointsOf = ({ paths }: OpenApi.OpenAPISpec): ReadonlyArray<Endpoint> =>
  Object.entries(paths).flatMap(([path, { delete: remove, get, patch, post, put }]) =>
    Object.entries({ DELETE: remove, GET: get, PATCH: patch, POST: post, PUT: put }).flatMap(
      ([method, operation]) => (operation === undefined ? [] : [{ method, path, operation }]),
    ),
  )

/** An id of the same form that no row has. */
const absentLike = (id: string): string => {
  // Before the sequence of a message, which the organization has as well.
  const index = Math.max(0, id.length - 8)
  const other = id[index] === "a" ? "b" : "a"
  return `${id.slice(0, index)}${other}${id.slice(index + 1)}`
}

const bodyOf = ({ operation }: Endpoint): Readonly<Record<string, unknown>> | undefined => {
  const json = Object(operation.requestBody?.content["application/json"])
  return operation.requestBody === undefined ? undefined : { ...Object(json.example) }
}

const memberOf = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>((outer, name) => Object(outer)[name], value)

const textOf = (value: unknown, ...path: ReadonlyArray<string | number>): string => {
  const found = memberOf(value, ...path)
  assert(typeof found === "string", path.join("."))
  return found
}

describe("the HTTP interface", () => {
  const document = OpenApi.fromApi(Api)
  const endpoints = endpointsOf(document)
  const schemas = JSON.parse(JSON.stringify(document.components))

  /** The members of a body. */
  const propertiesOf = (endpoint: Endpoint): Readonly<Record<string, unknown>> => {
    const name = /"#\/components\/requestBodies\/(\w+)"/.exec(
      JSON.stringify(endpoint.operation.requestBody ?? {}),
    )?.[1]
    const content = memberOf(schemas, "requestBodies", name ?? "", "content", "application/json")
    return { ...Object(memberOf(content, "schema", "properties")) }
  }

  /** The parameters of paths, which are the names of ids in bodies as well. */
  const names = new Set(
    endpoints.flatMap(({ path }) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name)),
  )
  const taking = endpoints.filter(
    (endpoint) =>
      endpoint.path.includes("{") ||
      Object.keys(propertiesOf(endpoint)).some((name) => names.has(name)),
  )

  it("has endpoints that take ids", () => {
    assert.sameMembers(
      taking.map(({ method, path }) => `${method} ${path}`).filter((name) => !name.includes("{")),
      ["POST /verify/check"],
    )
    assert.isAtLeast(taking.length, 6)
  })

  engineTest.each(taking)("$method $path hides the ids of others", function* (endpoint) {
    const handler = yield* Http.make()
    const own = Redacted.value((yield* TestEngine.open()).key)
    const other = Redacted.value((yield* TestEngine.open({ id: "other" })).key)
    const call = (key: string, path: string, given?: Subject.Call) =>
      Subject.send(handler, `/api/v2${path}`, key, given)
    const idsOf = Effect.fnUntraced(function* (key: string) {
      const sent = yield* call(key, "/verify", { body: { phone_number: Subject.number } })
      const log = yield* call(key, "/messages")
      return new Map([
        ["request_id", textOf(sent.body, "data", "request_id")],
        ["id", textOf(log.body, "data", 0, "id")],
      ])
    })
    const ownIds = yield* idsOf(own)
    const foreignIds = yield* idsOf(other)
    const properties = propertiesOf(endpoint)
    const request = (ids: ReadonlyMap<string, string>, map: (id: string) => string) => {
      const idOf = (name: string): string =>
        map(ids.get(name) ?? assert.fail(`The test has no id for ${name}`))
      const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name) => idOf(name))
      const body = Object.fromEntries(
        Object.keys(properties).flatMap((name): Array<[string, string]> => {
          if (names.has(name)) return [[name, idOf(name)]]
          return name === "code" ? [[name, "123456"]] : []
        }),
      )
      const { method } = endpoint
      return call(own, path, method === "GET" ? { method } : { method, body })
    }
    const foreign = yield* request(foreignIds, (id) => id)
    assert.strictEqual(foreign.status, 404)
    for (const absentId of [absentLike, () => "none"]) {
      const absent = yield* request(foreignIds, absentId)
      assert.strictEqual(JSON.stringify(foreign), JSON.stringify(absent))
    }
    // The same request finds the id of its own organization.
    assert.notStrictEqual((yield* request(ownIds, (id) => id)).status, 404)
  })
})

describe("the admin API", () => {
  const endpoints = endpointsOf(OpenApi.fromApi(AdminApi))
  const of = "/organizations/{organization}/"
  const ofItems = endpoints.filter(
    // Gateways are the host's, and have names. A position is no id.
    ({ path }) =>
      path.startsWith(of) && /^(?!gateways\/)[^{]*\{(?!.*\{position\})/.test(path.slice(of.length)),
  )

  /** The lists whose items have endpoints of their own. */
  const collections = [
    ...new Set(ofItems.map(({ path }) => path.slice(of.length).split("/")[0] ?? "")),
  ]

  /** Only programs of the host queue messages. */
  const queue = Effect.fnUntraced(function* (organization: string) {
    const outbox = yield* Outbox
    const send = yield* outbox.prepareMessage({
      organization: OrganizationId(organization),
      phoneNumber: "+8801712345678",
      text: "Later",
    })
    yield* outbox.enqueue([send])
  })

  /** Gives an organization an item in each list: the body is that of the document. */
  const fill = Effect.fnUntraced(function* (send: Send, organization: string) {
    for (const collection of collections) {
      if (collection === "queued-messages") {
        yield* queue(organization)
        continue
      }
      const path = `${of}${collection}`
      const create = endpoints.find((one) => one.method === "POST" && one.path === path)
      if (create === undefined) return assert.fail(`No endpoint makes ${collection}`)
      const answer = yield* ask(send, path.replace("{organization}", organization), {
        body: bodyOf(create),
      })
      assert.strictEqual(answer.status, 200, answer.text)
    }
  })

  /** The query that an endpoint cannot be asked without. */
  const queryOf = ({ operation }: Endpoint): string => {
    const values: Record<string, string> = { from: "2026-01-14", to: "2026-01-16" }
    const query = operation.parameters.flatMap((parameter) =>
      parameter.in === "query" && parameter.required
        ? [[parameter.name, values[parameter.name] ?? assert.fail(parameter.name)]]
        : [],
    )
    return query.length === 0 ? "" : `?${new URLSearchParams(query)}`
  }

  const idIn = Effect.fnUntraced(function* (send: Send, organization: string, collection: string) {
    const { body } = yield* ask(send, `/organizations/${organization}/${collection}`)
    const items = Object.values(Object(body)).find(Array.isArray)
    const last: unknown = items?.at(-1)
    return textOf(
      last,
      "requestId" in Object(last) && collection === "verifications" ? "requestId" : "id",
    )
  })

  /** Everything that an operator can read of an organization. */
  const snapshot = Effect.fnUntraced(function* (send: Send, organization: string) {
    const texts: Array<string> = []
    for (const collection of [...collections, "audit", "events?after=0", "balance"]) {
      texts.push((yield* ask(send, `/organizations/${organization}/${collection}`)).text)
    }
    return texts
  })

  const world = Effect.gen(function* () {
    // Before the times of the examples.
    yield* TestClock.setTime(Date.parse("2026-01-15"))
    yield* TestEngine.open()
    yield* TestEngine.open({ id: "other" })
    const send = yield* mount()
    yield* fill(send, "acme")
    yield* fill(send, "other")
    return send
  })

  it("has endpoints that take ids", () => {
    assert.isAtLeast(ofItems.length, 12)
  })

  engineTest.each(ofItems)("$method $path hides the ids of others", function* (endpoint) {
    const asOperator = yield* world
    const [collection = ""] = endpoint.path.slice(of.length).split("/")
    const foreignId = yield* idIn(asOperator, "other", collection)
    const ownId = yield* idIn(asOperator, "acme", collection)
    const before = yield* snapshot(asOperator, "other")
    const { method } = endpoint
    const body = bodyOf(endpoint)
    const request = Effect.fnUntraced(function* (send: Send, id: string) {
      const path = endpoint.path.replace("{organization}", "acme")
      const { headers, status, text } = yield* ask(
        send,
        path.replace(/\{\w+\}/, () => encodeURIComponent(id)) + queryOf(endpoint),
        { method, ...(body === undefined ? {} : { body }) },
      )
      return { status, headers: [...headers], text: text.replaceAll(id, "ID") }
    })
    for (const principal of [tenant, operator]) {
      const send = yield* mount({ authorize: () => principal })
      const foreign = yield* request(send, foreignId)
      const absent = yield* request(send, absentLike(foreignId))
      // PUT makes what does not exist, under the id that the caller has chosen.
      assert.strictEqual(foreign.status, method === "PUT" ? 200 : 404, foreign.text)
      assert.deepStrictEqual(foreign, absent)
    }
    assert.deepStrictEqual(yield* snapshot(asOperator, "other"), before)
    assert.notStrictEqual((yield* request(asOperator, ownId)).status, 404)
  })
})
