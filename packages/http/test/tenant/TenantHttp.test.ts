import { Proofs } from "@countersign/core/ports/Proofs"
import { assert, describe, it } from "@effect/vitest"
import * as TestEngine from "@countersign/testing/TestEngine"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Http from "../../src/tenant/TenantHttp.ts"
import { type Answer, digits, number, open, send } from "../support/Subject.ts"

const error = (answer: Answer, status: number, text: string): void => {
  assert.strictEqual(answer.status, status)
  assert.deepStrictEqual(answer.body, { error: text })
  assert.strictEqual(answer.headers["content-type"], "application/json")
  assert.strictEqual(answer.headers["cache-control"], "no-store")
}

const endpoints = [
  ["GET", "/messages", undefined],
  ["POST", "/messages", { to: digits, message: "hello" }],
  ["GET", "/balance", undefined],
  ["POST", "/verify", { phone_number: number }],
  ["POST", "/verify/check", { request_id: "vrf_1", code: "1" }],
  ["GET", "/verify/vrf_1", undefined],
  ["POST", "/verify/vrf_1/resend", {}],
  ["POST", "/verify/vrf_1/cancel", undefined],
  ["POST", "/verify/vrf_1/consume", {}],
] as const

describe("Http", () => {
  it.effect.each([
    "/api/v2",
    "/api/v2/",
    "/api/v2/balances",
    "/api/v2/balance/",
    "/api/v2//balance",
    "/api/v2/%62alance",
    "/api/v2/verify/check/it",
    "/api/v2/verify/",
    "/api/v2/verify//resend",
    "/api/v2/verify/vrf_1/",
    "/api/v2/verify/vrf_1/resend/",
    "/api/v2/verify/vrf_1/resends",
    "/api/v2/verify/vrf_1/vrf_2/resend",
    "/api/v2/messages/msg_1/cancel",
    "/api/v2/constructor",
    "/api/v1/balance",
    "/balance",
    "/",
  ])("answers 404 to %s", (path) =>
    Effect.gen(function* () {
      const { handler } = yield* open()
      error(yield* send(handler, path, "no key"), 404, "Not found")
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect.each([
    ["DELETE", "/messages", "GET, POST, HEAD, OPTIONS"],
    ["POST", "/balance", "GET, HEAD, OPTIONS"],
    ["GET", "/verify", "POST, OPTIONS"],
    ["HEAD", "/verify", "POST, OPTIONS"],
    ["PUT", "/verify/check", "POST, OPTIONS"],
    ["GET", "/verify/check", "POST, OPTIONS"],
    ["POST", "/verify/vrf_1", "GET, HEAD, OPTIONS"],
    ["GET", "/verify/vrf_1/resend", "POST, OPTIONS"],
    ["DELETE", "/verify/vrf_1/cancel", "POST, OPTIONS"],
    ["HEAD", "/verify/check/consume", "POST, OPTIONS"],
    ["POST", "/docs", "GET, HEAD, OPTIONS"],
    ["POST", "/openapi.json", "GET, HEAD, OPTIONS"],
  ] as const)(
    "answers %s %s with the allowed methods, with or without a key",
    ([method, path, allow]) =>
      Effect.gen(function* () {
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
      }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("publishes the keys of proofs, without a key, if there are any", () =>
    Effect.gen(function* () {
      const keys = [{ kty: "OKP", crv: "Ed25519", use: "sig", kid: "k1", x: "AAAA" } as const]
      const proofs = { sign: () => Effect.succeed(Redacted.make("proof")), jwks: { keys } }
      const without = yield* open()
      error(yield* without.call("/jwks.json"), 404, "Not found")
      const { call } = yield* open({ id: "other" }).pipe(Effect.provideService(Proofs, proofs))
      const answer = yield* call("/jwks.json", { headers: { authorization: undefined } })
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(answer.body, { keys })
      assert.strictEqual((yield* call("/jwks.json", { method: "POST" })).status, 405)
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("answers HEAD like GET, without the body", () =>
    Effect.gen(function* () {
      const { call } = yield* open()
      const get = yield* call("/balance")
      const head = yield* call("/balance", { method: "HEAD" })
      assert.strictEqual(head.status, 200)
      assert.isUndefined(head.body)
      assert.deepStrictEqual(head.headers, get.headers)
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("ignores query parameters that the endpoint does not use", () =>
    Effect.gen(function* () {
      const { call } = yield* open()
      assert.strictEqual((yield* call("/balance?limit=0&x=%zz")).status, 200)
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect.each([
    ["/phone", "/phone/balance"],
    ["/phone/", "/phone/balance"],
    ["phone/v2", "/phone/v2/balance"],
    ["/", "/balance"],
    ["", "/balance"],
  ] as const)("can be mounted at %j", ([basePath, path]) =>
    Effect.gen(function* () {
      const { handler, key } = yield* open({ basePath })
      assert.strictEqual((yield* send(handler, path, Redacted.value(key))).status, 200)
      error(yield* send(handler, "/api/v2/balance", Redacted.value(key)), 404, "Not found")
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect.each([
    ["no header at all", undefined],
    ["nothing in it", ""],
    ["another scheme", "Basic dXNlcjpwYXNz"],
    ["a scheme alone", "Bearer"],
    ["a scheme and a space", "Bearer "],
    ["no form of a key", "Bearer abc"],
    ["a wrong checksum", `Bearer csk_live_${"a".repeat(16)}_${"b".repeat(43)}_000000`],
    ["two keys", "Bearer abc, Bearer def"],
    ["a key and more", "Bearer abc def"],
  ])("refuses %s in the same way on every endpoint", ([_why, authorization]) =>
    Effect.gen(function* () {
      const { call } = yield* open()
      for (const [method, path, body] of endpoints) {
        const answer = yield* call(path, { method, body, headers: { authorization } })
        error(answer, 401, "Invalid or revoked API key")
        assert.strictEqual(answer.headers["www-authenticate"], "Bearer")
      }
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("accepts the scheme in any case", () =>
    Effect.gen(function* () {
      const { handler, key } = yield* open()
      const headers = { authorization: `bEARER  ${Redacted.value(key)} ` }
      assert.strictEqual((yield* send(handler, "/api/v2/balance", "", { headers })).status, 200)
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("checks the key before the body", () =>
    Effect.gen(function* () {
      const { call } = yield* open()
      const authorization = "Bearer unknown"
      for (const path of ["/messages", "/verify", "/verify/check", "/verify/vrf_1/consume"]) {
        for (const sent of [
          { body: "{", headers: { authorization } },
          { body: "x", headers: { authorization, "content-type": "text/plain" } },
          { body: "x".repeat(70_000), headers: { authorization } },
          { body: {}, headers: { authorization } },
        ]) {
          error(yield* call(path, sent), 401, "Invalid or revoked API key")
        }
      }
      error(
        yield* call("/messages?limit=0", { headers: { authorization } }),
        401,
        "Invalid or revoked API key",
      )
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect(
    "applies the allow list before it reads the body, and to messages alone if the host wants that",
    () =>
      Effect.gen(function* () {
        const settings = { allowList: ["198.51.100.0/24"] }
        const { call } = yield* open({ allowListScope: "messages", settings })
        const message = { to: digits, message: "hello" }
        const refusal = "This IP address is not allowed"
        for (const sent of [
          { body: message },
          { body: "{" },
          { body: {} },
          { body: "x", headers: { "content-type": "text/plain" } },
          { body: "x".repeat(70_000) },
        ]) {
          error(yield* call("/messages", sent), 403, refusal)
        }
        assert.strictEqual(
          (yield* call("/messages", { body: message, peer: "198.51.100.9" })).status,
          200,
        )
        for (const [method, path, body] of endpoints) {
          const guarded = method === "POST" && path === "/messages"
          assert.strictEqual((yield* call(path, { method, body })).status === 403, guarded, path)
        }
      }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("applies the allow list to every endpoint", () =>
    Effect.gen(function* () {
      const { call } = yield* open({
        settings: { allowList: ["198.51.100.0/24"] },
      })
      for (const [method, path, body] of endpoints) {
        error(yield* call(path, { method, body }), 403, "This IP address is not allowed")
        const admitted = yield* call(path, { method, body, peer: "198.51.100.9" })
        assert.notStrictEqual(admitted.status, 403)
      }
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("trusts X-Forwarded-For from the host's proxies only", () =>
    Effect.gen(function* () {
      const { call } = yield* open({
        trustedProxies: ["10.0.0.0/8"],
        settings: { allowList: ["198.51.100.9"] },
      })
      const from = (peer: string, forwarded: string) =>
        Effect.map(
          call("/messages", {
            body: { to: digits, message: "hello" },
            peer,
            headers: { "x-forwarded-for": forwarded },
          }),
          ({ status }) => status,
        )
      assert.strictEqual(yield* from("10.0.0.1", "198.51.100.9"), 200)
      assert.strictEqual(yield* from("10.0.0.1", "198.51.100.9, 203.0.113.7"), 403)
      assert.strictEqual(yield* from("203.0.113.7", "198.51.100.9"), 403)
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("uses the host's address, and rejects a request without one", () =>
    Effect.gen(function* () {
      const { call } = yield* open({
        clientAddress: ({ headers }) => headers["x-real"],
        settings: { allowList: ["198.51.100.9"] },
      })
      const body = { to: digits, message: "hello" }
      const headers = { "x-real": "198.51.100.9" }
      assert.strictEqual((yield* call("/messages", { body, headers })).status, 200)
      assert.strictEqual((yield* call("/messages", { body, peer: "198.51.100.9" })).status, 403)
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("rejects a proxy that is not an address", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(Http.make({ trustedProxies: ["proxy.local"] }))
      assert.isTrue(Exit.hasDies(exit))
    }).pipe(Effect.provide(TestEngine.layer())),
  )
})
