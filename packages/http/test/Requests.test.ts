import { assert, describe, it } from "@effect/vitest"
import * as TestEngine from "@countersign/testing/TestEngine"
import * as Effect from "effect/Effect"
import { invalid } from "./support/invalidRequests.ts"
import { digits, open } from "./support/Subject.ts"

const withBodies = [
  ["/messages", 422],
  ["/verify", 400],
  ["/verify/check", 400],
] as const

const taken = [
  "",
  "?",
  "?limit=200&page=1000000000",
  "?limit=007",
  "?other=1&other=2",
  "?from=2026-02-28",
  "?to=2026-02-28T10:00:00Z",
  "?from=2026-01-01&to=2026-01-01",
  "?from=2026-01-01T00:00:00+06:00&to=2026-01-01T00:00:00%2B06:00",
  "?from=2026-01-01T00:00:00+0600&to=2026-02-01",
]

describe("Requests", () => {
  it.effect.each(["application/json ; profile=x"])("accepts a body of type %s", (type) =>
    Effect.gen(function* () {
      const { call } = yield* open()
      const headers = { "content-type": type }
      const answer = yield* call("/messages", { body: { to: digits, message: "hello" }, headers })
      assert.strictEqual(answer.status, 200)
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("rejects a compressed body", () =>
    Effect.gen(function* () {
      const { call } = yield* open()
      for (const [path] of withBodies) {
        const answer = yield* call(path, { body: "{}", headers: { "content-encoding": "gzip" } })
        assert.strictEqual(answer.status, 415)
        assert.deepStrictEqual(answer.body, { error: "Content-Encoding is not supported" })
      }
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect.each([
    ["", "The body is empty"],
    ["{}{}", "The body is not valid JSON"],
    ["[".repeat(60_000), "The body is not valid JSON"],
    [`${"[".repeat(30_000)}${"]".repeat(30_000)}`, "The body must be a JSON object"],
    ["1e999", "The body must be a JSON object"],
  ])("names no field if the body is %j", ([body, error]) =>
    Effect.gen(function* () {
      const { call } = yield* open()
      for (const [path, status] of withBodies) {
        const answer = yield* call(path, { body })
        assert.strictEqual(answer.status, status)
        assert.deepStrictEqual(answer.body, { error, details: {} })
      }
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("reads an empty body of an endpoint that needs none", () =>
    Effect.gen(function* () {
      const { call } = yield* open()
      assert.strictEqual((yield* call("/verify/vrf_1/resend", { body: "" })).status, 404)
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("reads a body up to its limit exactly", () =>
    Effect.gen(function* () {
      const { call } = yield* open()
      const padded = (bytes: number) => {
        const bare = JSON.stringify({ to: digits, message: "hello", pad: "" })
        return `${bare.slice(0, -2)}${"x".repeat(bytes - bare.length)}"}`
      }
      assert.strictEqual((yield* call("/messages", { body: padded(65_536) })).status, 200)
      const larger = yield* call("/messages", { body: padded(65_537) })
      assert.strictEqual(larger.status, 413)
      assert.deepStrictEqual(larger.body, { error: "The body is too large" })
      const small = yield* open({ id: "other", maxBodyBytes: 100 })
      assert.strictEqual((yield* small.call("/messages", { body: padded(100) })).status, 200)
      assert.strictEqual((yield* small.call("/messages", { body: padded(101) })).status, 413)
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect.each(invalid)("%s refuses %j", ([path, body, details]) =>
    Effect.gen(function* () {
      const { call } = yield* open()
      const isQuery = path.includes("?")
      const answer = yield* call(path, isQuery ? {} : { body })
      assert.strictEqual(answer.status, path.startsWith("/messages") ? 422 : 400)
      assert.deepStrictEqual(answer.body, { error: "Validation failed", details })
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect.each(taken)("accepts the query %j", (query) =>
    Effect.gen(function* () {
      const { call } = yield* open()
      assert.strictEqual((yield* call(`/messages${query}`)).status, 200)
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("uses the last of repeated members, and ignores unknown ones", () =>
    Effect.gen(function* () {
      const { call } = yield* open()
      const body = `{"to": 5, "message": "hello", "to": "${digits}", "nested": {"to": [[[{}]]]}, "__proto__": {"channel": "fax"}, "constructor": 1, "address": "", "organization": "other", "unreadable": {"to": ["x"]}}`
      assert.strictEqual((yield* call("/messages", { body })).status, 200)
    }).pipe(Effect.provide(TestEngine.layer())),
  )
})
