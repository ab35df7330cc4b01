import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ask, type Call, mount, operator, world } from "../support/AdminSubject.ts"

const engine = TestEngine.layer()

const of = "/organizations/acme"

/** A change without an effect worth mentioning. */
const change: Call = { method: "PATCH", body: { name: "Acme" } }

describe("the admin API", () => {
  it.effect("sends the answer of the host as it is", () =>
    Effect.gen(function* () {
      const login = new Response(null, { status: 302, headers: { location: "/login" } })
      const answer = yield* ask(yield* mount({ authorize: () => login }), "/session")
      assert.strictEqual(answer.status, 302)
      assert.strictEqual(answer.headers.get("location"), "/login")
    }).pipe(Effect.provide(engine), Effect.scoped),
  )

  it.effect("tells the client nothing of an error in authorize", () =>
    Effect.gen(function* () {
      const authorize = () => {
        throw new Error("the session store is down")
      }
      const answer = yield* ask(yield* mount({ authorize }), "/session")
      assert.strictEqual(answer.status, 500)
      assert.deepStrictEqual(answer.body, { error: "Internal error", code: "internal" })
    }).pipe(Effect.provide(engine), Effect.scoped),
  )

  it.effect("gives authorize the request without its body", () =>
    Effect.gen(function* () {
      yield* world
      const seen: Array<unknown> = []
      const authorize = (request: Request, source: unknown) => {
        seen.push(request.method, request.url, request.headers.get("cookie"), request.body)
        assert.instanceOf(source, Request)
        return operator
      }
      const headers = { cookie: "a=b", "sec-fetch-site": "same-origin" }
      const answer = yield* ask(yield* mount({ authorize }), of, { ...change, headers })
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(seen, [
        "PATCH",
        "http://admin.test/admin/api/organizations/acme",
        "a=b",
        null,
      ])
    }).pipe(Effect.provide(engine), Effect.scoped),
  )
})
