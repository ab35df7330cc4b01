/**
 * What differs between mounts, because frameworks act before the mount sees a request. Each row of `hostDifferences.ts`
 * has an example here, and the answers of the mounts that it names.
 */
import * as TestEngine from "@countersign/testing/TestEngine"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { afterAll, assert, describe, it } from "vitest"
import { mounts } from "../support/mounts.ts"
import { temporaryScope } from "../support/temporaryScope.ts"
import { seededEngine } from "./engines.ts"
import { differenceOf, hostDifferences, hostHeaders } from "./hostDifferences.ts"
import { bytesOf, Closed, Wire, type WireAnswer, type WireRequest } from "./wire.ts"

const { close, run } = temporaryScope()
afterAll(close)

const engine = await run(seededEngine(1))
const { key } = await engine.run(TestEngine.open())

const wires = new Map<string, Wire>()
for (const [name, serve] of Object.entries(mounts)) {
  const url = await run(Effect.provideContext(serve({}), engine.context))
  wires.set(name, new Wire(Number(new URL(url).port)))
}
afterAll(() => {
  for (const wire of wires.values()) wire.close()
})

/** `undefined`: the server closes the connection. */
const answerOf = async (name: string, request: WireRequest): Promise<WireAnswer | undefined> => {
  try {
    return await wires.get(name)?.send(bytesOf(request), request.method)
  } catch (error) {
    if (error instanceof Closed) return undefined
    throw error
  }
}

const requestOf = (method: string, path: string, body?: string): WireRequest => ({
  method,
  target: `/api/v2${path}`,
  headers: [
    ["host", "fuzz.example"],
    ["content-type", "application/json"],
  ],
  ...(body !== undefined && { body: Buffer.from(body) }),
})

const repeated: WireRequest = {
  method: "GET",
  target: "/api/v2/balance",
  headers: [
    ["host", "fuzz.example"],
    ["authorization", `Bearer ${Redacted.value(key)}`],
    ["authorization", "Bearer another"],
  ],
}

/** A request, the status of the mounts that the row names, and the status of the others. */
const rows: ReadonlyArray<
  readonly [
    title: string,
    request: WireRequest,
    named: Readonly<Record<string, number | undefined>>,
    others: number,
  ]
> = [
  [
    "A URL parser removes dot segments and fragments, and escapes characters.",
    requestOf("GET", "/nothing/../balance"),
    { hono: 401, http: 401 },
    404,
  ],
  ["A web Request has no method TRACE.", requestOf("TRACE", "/balance"), { http: undefined }, 405],
  [
    "A web Request has a URL, so the header Host has to name a host.",
    { ...requestOf("GET", "/balance"), headers: [["host", "a b"]] },
    { hono: 400, http: undefined },
    401,
  ],
  [
    "Web headers join repeated headers, of which Node keeps the first.",
    repeated,
    { hono: 401 },
    200,
  ],
  [
    "Fastify refuses a path with a wrong escape.",
    requestOf("GET", "/messages/%zz"),
    { fastify: 400 },
    401,
  ],
  [
    "Fastify has routes for the methods of its list only.",
    requestOf("PROPFIND", "/balance"),
    { fastify: 404 },
    405,
  ],
]

describe("a difference between mounts", () => {
  it.each(rows)("%s", async (title, request, named, others) => {
    for (const name of wires.keys()) {
      const difference = differenceOf(name, request)
      assert.strictEqual(difference?.title, name in named ? title : undefined, name)
      const answer = await answerOf(name, request)
      assert.strictEqual(answer?.status, name in named ? named[name] : others, name)
    }
  })

  it("has an example", () => {
    const shown = new Set(rows.map(([title]) => title))
    assert.deepStrictEqual(
      hostDifferences.filter(({ title }) => !shown.has(title)).map(({ title }) => title),
      [],
    )
  })

  it("is a header of the connection, or that of Express", async () => {
    const seen = new Set<string>()
    for (const name of wires.keys()) {
      for (const path of ["/balance", "/openapi.json"]) {
        const answer = await answerOf(name, requestOf("GET", path))
        for (const [header] of answer?.headers ?? []) seen.add(header)
      }
    }
    assert.deepStrictEqual(
      [...hostHeaders].filter((header) => !seen.has(header)),
      [],
    )
  })
})
