import { ApiKeys } from "@countersign/core/services/ApiKeys"
import { Messages } from "@countersign/core/services/Messages"
import { Organizations } from "@countersign/core/services/Organizations"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { fromWeb, HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Redacted from "effect/Redacted"
import * as Http from "../../src/tenant/TenantHttp.ts"
import * as AdmissionGate from "../../src/mount/AdmissionGate.ts"
import * as RequestContext from "../../src/mount/RequestContext.ts"
import { engineTest } from "../support/engineTest.ts"

const encoder = new TextEncoder()

interface Sent {
  readonly path?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly context?: RequestContext.RequestContext
}

/** Both ways of one application, for an organization whose key has authenticated. */
const serve = Effect.fnUntraced(function* (options: Http.DrainingOptions = {}) {
  const gate = AdmissionGate.makeAdmissionGate(options)
  const { fastPath, handler } = yield* Http.makeApplication({ ...options, gate })
  const opened = yield* TestEngine.open()
  const authorization = `Bearer ${Redacted.value(opened.key)}`
  const requestOf = ({
    body = "{}",
    context,
    headers,
    method = "POST",
    path = "/verify",
  }: Sent) => {
    const source = new Request(`http://countersign.test/api/v2${path}`, {
      method,
      headers: {
        authorization,
        "content-type": "application/json",
        "content-length": String(encoder.encode(body).byteLength),
        ...headers,
      },
      ...(method === "GET" ? {} : { body }),
    })
    if (context !== undefined) RequestContext.attach(source, context)
    return fromWeb(source)
  }
  const handled = (sent: Sent) =>
    Effect.scoped(Effect.provideService(handler, HttpServerRequest, requestOf(sent)))
  const take = (sent: Sent) => fastPath?.(requestOf(sent))
  /** Fails if the fast path does not take the request. */
  const answered = (sent: Sent) => {
    const call = take(sent)
    if (call === undefined) return Effect.die(new Error("Left to the handler"))
    return Effect.ensuring(call.answer(encoder.encode(sent.body ?? "{}")), Effect.sync(call.end))
  }
  yield* handled({ path: "/balance", method: "GET" })
  return { ...opened, answered, authorization, gate, handled, take }
})

const phone_number = "+8801712345678"
const right = JSON.stringify({ phone_number })

/** Requests whose answers do not depend on earlier ones, by both ways. */
const comparable: ReadonlyArray<readonly [name: string, sent: Sent, status: number]> = [
  ["no JSON", { body: "{" }, 400],
  ["an empty body", { body: "" }, 400],
  ["a list", { body: "[]" }, 400],
  ["missing fields", { body: "{}" }, 400],
  ["missing fields of a message", { path: "/messages" }, 422],
  [
    "an unknown request",
    { path: "/verify/check", body: '{"request_id":"vrf_1","code":"123456"}' },
    404,
  ],
  ["an invalid idempotency key", { body: right, headers: { "idempotency-key": "" } }, 400],
  ["a query", { path: "/verify?x=1", body: "{" }, 400],
  ["a charset", { body: "{", headers: { "content-type": "application/json; charset=utf-8" } }, 400],
]

const left: ReadonlyArray<readonly [name: string, sent: Sent]> = [
  ["another method", { method: "PUT" }],
  ["another path", { path: "/verify/vrf_1/resend" }],
  ["a path outside of the base path", { context: { basePath: "/other" } }],
  ["no key", { headers: { authorization: "" } }],
  ["a key that has not authenticated", { headers: { authorization: "Bearer csk_test_a_b_c" } }],
  ["a body of another type", { headers: { "content-type": "text/plain" } }],
  ["a compressed body", { headers: { "content-encoding": "gzip" } }],
  ["a body over the limit", { headers: { "content-length": "65537" } }],
  ["a body that the host has read", { context: { body: { phone_number } } }],
]

describe("the fast path", () => {
  engineTest.each(comparable)("answers as the handler does: %s", function* ([, sent, status]) {
    const { answered, handled } = yield* serve()
    const fast = yield* answered(sent)
    assert.strictEqual(fast.status, status)
    assert.deepStrictEqual(fast, yield* handled(sent))
  })

  engineTest("sends a code and checks it", function* () {
    const { answered, gate } = yield* serve()
    const sent = yield* answered({ body: right })
    assert.strictEqual(sent.status, 200)
    const wrong = JSON.stringify({ phone_number, code: "not it" })
    const checked = yield* answered({ path: "/verify/check", body: wrong })
    assert.strictEqual(checked.headers["countersign-error"], "wrong_code")
    assert.strictEqual(gate.size, 0)
  })

  engineTest.each(left)("leaves to the handler: %s", function* ([, sent]) {
    const { gate, take } = yield* serve()
    const call = take(sent)
    // The end of the test waits for the calls that were admitted.
    call?.end()
    assert.isUndefined(call)
    assert.strictEqual(gate.size, 0)
  })

  engineTest("leaves a request to the handler while the key has no room", function* () {
    const { gate, handled, take } = yield* serve({ maxRequestsPerKey: 1 })
    const call = take({})
    assert.isUndefined(take({}))
    assert.strictEqual((yield* handled({})).status, 503)
    call?.end()
    assert.strictEqual(gate.size, 0)
    const next = take({})
    assert.isDefined(next)
    next?.end()
  })

  engineTest(
    "refuses a key from its revocation on, and then leaves it to the handler",
    function* () {
      const { answered, keyId, organization, take } = yield* serve()
      yield* ApiKeys.use((keys) => keys.revoke({ organization, id: keyId }))
      assert.strictEqual((yield* answered({ body: right })).status, 401)
      assert.isUndefined(take({ body: right }))
    },
  )

  engineTest("applies the allow list", function* () {
    const { answered, organization } = yield* serve()
    yield* Organizations.use((organizations) =>
      organizations.update({ id: organization, allowList: ["192.0.2.0/24"] }),
    )
    const from = (clientAddress: string) => ({ body: "{", context: { clientAddress } })
    assert.strictEqual((yield* answered(from("198.51.100.7"))).status, 403)
    assert.strictEqual((yield* answered(from("192.0.2.7"))).status, 400)
  })

  engineTest("answers 500 to a defect", function* () {
    const messages = yield* Messages
    const broken = { ...messages, send: () => Effect.die(new Error(phone_number)) }
    const { answered } = yield* Effect.provideService(serve(), Messages, broken)
    const { headers, status } = yield* answered({ path: "/messages" })
    assert.deepStrictEqual([status, headers["countersign-error"]], [500, "internal"])
  })
})
