import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Http from "../../src/tenant/TenantHttp.ts"
import { type Answer, digits, open, send } from "../support/Subject.ts"
import { engineTest } from "../support/engineTest.ts"

const error = (answer: Answer, status: number, text: string): void => {
  assert.strictEqual(answer.status, status)
  assert.deepStrictEqual(answer.body, { error: text })
  assert.strictEqual(answer.headers["content-type"], "application/json")
  assert.strictEqual(answer.headers["cache-control"], "no-store")
}

describe("Http", () => {
  engineTest.each([
    "/api/v2/",
    "/api/v2//balance",
    "/api/v2/%62alance",
    "/api/v2/verify//resend",
    "/api/v2/verify/vrf_1/vrf_2/resend",
    "/api/v2/constructor",
    "/",
  ])("answers 404 to %s", function* (path) {
    const { handler } = yield* open()
    error(yield* send(handler, path, "no key"), 404, "Not found")
  })

  engineTest.each([
    ["DELETE", "/messages", "GET, POST, HEAD, OPTIONS"],
    ["HEAD", "/verify", "POST, OPTIONS"],
    ["POST", "/verify/vrf_1", "GET, HEAD, OPTIONS"],
    ["HEAD", "/verify/check/consume", "POST, OPTIONS"],
    ["POST", "/docs", "GET, HEAD, OPTIONS"],
    ["POST", "/openapi.json", "GET, HEAD, OPTIONS"],
  ] as const)(
    "answers %s %s with the allowed methods, with or without a key",
    function* ([method, path, allow]) {
      const { call } = yield* open()
      const answer = yield* call(path, { method, headers: { authorization: undefined } })
      assert.strictEqual(answer.status, 405)
      assert.strictEqual(answer.headers["allow"], allow)
      if (method !== "HEAD") error(answer, 405, "Method not allowed")
      const options = yield* call(path, {
        method: "OPTIONS",
        headers: { authorization: undefined },
      })
      assert.strictEqual(options.status, 204)
      assert.strictEqual(options.headers["allow"], allow)
    },
  )

  engineTest("answers HEAD like GET, without the body", function* () {
    const { call } = yield* open()
    const get = yield* call("/balance")
    const head = yield* call("/balance", { method: "HEAD" })
    assert.strictEqual(head.status, 200)
    assert.isUndefined(head.body)
    assert.deepStrictEqual(head.headers, get.headers)
  })

  engineTest("ignores query parameters that the endpoint does not use", function* () {
    const { call } = yield* open()
    assert.strictEqual((yield* call("/balance?limit=0&x=%zz")).status, 200)
  })

  engineTest.each([
    ["/phone", "/phone/balance"],
    ["/phone/", "/phone/balance"],
    ["phone/v2", "/phone/v2/balance"],
    ["/", "/balance"],
    ["", "/balance"],
  ] as const)("can be mounted at %j", function* ([basePath, path]) {
    const { handler, key } = yield* open({ basePath })
    assert.strictEqual((yield* send(handler, path, Redacted.value(key))).status, 200)
    error(yield* send(handler, "/api/v2/balance", Redacted.value(key)), 404, "Not found")
  })

  engineTest("uses the host's address, and rejects a request without one", function* () {
    const { call } = yield* open({
      clientAddress: ({ headers }) => headers["x-real"],
      settings: { allowList: ["198.51.100.9"] },
    })
    const body = { to: digits, message: "hello" }
    const headers = { "x-real": "198.51.100.9" }
    assert.strictEqual((yield* call("/messages", { body, headers })).status, 200)
    assert.strictEqual((yield* call("/messages", { body, peer: "198.51.100.9" })).status, 403)
  })

  engineTest("rejects a proxy that is not an address", function* () {
    const exit = yield* Effect.exit(Http.make({ trustedProxies: ["proxy.local"] }))
    assert.isTrue(Exit.hasDies(exit))
  })
})
