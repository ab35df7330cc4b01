import { defaults, Limits } from "@countersign/core/domain/limits/Limits"
import { OptOuts } from "@countersign/core/services/OptOuts"
import { Proofs } from "@countersign/core/ports/Proofs"
import { assert, describe } from "@effect/vitest"
import * as TestEngine from "@countersign/testing/TestEngine"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Client from "../../src/tenant/Client.ts"
import * as Http from "../../src/tenant/TenantHttp.ts"
import { digits, number } from "../support/Subject.ts"
import { test } from "../../../../test/support/testsOver.ts"

const rejected = "+8801711111111"

const engine = TestEngine.layer({
  gateway: {
    behave: ({ phoneNumber }) =>
      phoneNumber === rejected ? { _tag: "Reject", message: "no" } : { _tag: "Deliver" },
    isOnWhatsApp: () => false,
  },
})

/** A client that reaches the interface without a socket, and its service. */
const connected = Effect.fnUntraced(function* (
  options: { readonly apiKey?: string; readonly limits?: Limits; readonly proofs?: Proofs } = {},
) {
  const { limits = defaults, proofs } = options
  const context = yield* Layer.build(
    engine.pipe(
      Layer.provide(Layer.succeed(Limits, limits)),
      Layer.provideMerge(Layer.succeed(Proofs, proofs)),
    ),
  )
  const { fetch: handler } = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Http.toWebHandler(Layer.succeedContext(context), { clientAddress: () => "203.0.113.7" }),
    ),
    ({ dispose }) => Effect.promise(dispose),
  )
  const opened = yield* Effect.provideContext(TestEngine.open(), context)
  const fetch: typeof globalThis.fetch = (input, init) => handler(new Request(input, init))
  const client = yield* Client.make({
    baseUrl: "http://countersign.test/api/v2",
    apiKey: options.apiKey === undefined ? opened.key : Redacted.make(options.apiKey),
  }).pipe(
    Effect.provide(FetchHttpClient.layer),
    Effect.provideService(FetchHttpClient.Fetch, fetch),
  )
  const latestCode = Effect.provideContext(TestEngine.latestCode(number), context)
  const { organization } = opened
  const optOut = Effect.provideContext(
    OptOuts.use((_) => _.add({ organization, phoneNumbers: [digits] })),
    context,
  )
  return { client, latestCode, optOut }
})

describe("Client", () => {
  test.live("decodes every success", function* () {
    const { client, latestCode } = yield* connected()
    const message = yield* client.messages.send({ payload: { to: digits, message: "hello" } })
    assert.strictEqual(message.data.credits_remaining, 99.5)
    const request = yield* client.verifications.send({ payload: { phone_number: number } })
    const { request_id } = request.data
    const checked = yield* client.verifications.check({
      payload: { request_id, code: yield* latestCode },
    })
    assert.strictEqual(checked.data.status, "verified")
    const params = { request_id }
    const consumed = yield* client.verifications.consume({ params, payload: {} })
    assert.strictEqual(consumed.data.to, number)
    const status = yield* client.verifications.status({ params })
    assert.strictEqual(status.data.consumed_at, consumed.data.consumed_at)
    const log = yield* client.messages.list({ query: { limit: 1, page: 2 } })
    assert.deepStrictEqual(log.pagination, { page: 2, limit: 1, total: 2, total_pages: 2 })
    assert.strictEqual(log.data[0]?.message, "hello")
    const balance = yield* client.account.balance()
    assert.deepStrictEqual(balance.data, { balance: 99, currency: "BDT" })
  })

  test.live("decodes refusals by their tags", function* () {
    const { client, latestCode, optOut } = yield* connected()
    yield* optOut
    const tagOf = <A>(effect: Effect.Effect<A, { readonly _tag: string }>) =>
      Effect.map(Effect.flip(effect), ({ _tag }) => _tag)
    const { cancel, check, consume, resend, send } = client.verifications
    const { list, send: sendMessage } = client.messages
    const to = { to: digits, message: "hello" }
    for (const [call, tag] of [
      [sendMessage({ payload: { to: "1", message: "" } }), "InvalidRequest"],
      [sendMessage({ payload: { ...to, brand_id: "unknown" } }), "NotSendable"],
      [sendMessage({ payload: { ...to, class: "promotional" } }), "NotSendable"],
      [sendMessage({ payload: { ...to, to: rejected } }), "SendingFailed"],
      [sendMessage({ payload: { ...to, message: "x".repeat(70_000) } }), "BodyTooLarge"],
      [list({ query: { limit: 0 } }), "InvalidRequest"],
      [send({ payload: { phone_number: digits } }), "InvalidRequest"],
      [send({ payload: { phone_number: number, channel: "whatsapp" } }), "NotSendable"],
      [send({ payload: { phone_number: rejected } }), "InternalError"],
      [check({ payload: { request_id: "none", code: "1" } }), "RequestNotFound"],
      [check({ payload: { request_id: "none", code: "" } }), "InvalidRequest"],
    ] as const) {
      assert.strictEqual(yield* tagOf<unknown>(call), tag)
    }
    const { data } = yield* send({ payload: { phone_number: number } })
    const right = yield* latestCode
    const code = right === "000000" ? "000001" : "000000"
    const wrong = yield* Effect.flip(check({ payload: { request_id: data.request_id, code } }))
    assert.strictEqual(wrong._tag, "WrongCode")
    assert.strictEqual(wrong.message, "Wrong code")
    assert.nestedPropertyVal(wrong, "data.attempts_remaining", 2)
    yield* Effect.flip(check({ payload: { request_id: data.request_id, code } }))
    assert.strictEqual(
      yield* tagOf(check({ payload: { request_id: data.request_id, code } })),
      "AttemptsExhausted",
    )
    const params = { request_id: data.request_id }
    assert.strictEqual(yield* tagOf(resend({ params, payload: {} })), "AttemptsExhausted")
    const other = yield* send({ payload: { phone_number: number, metadata: { a: [1] } } })
    const pending = { params: { request_id: other.data.request_id } }
    assert.strictEqual(yield* tagOf(resend({ ...pending, payload: {} })), "RateLimited")
    assert.strictEqual(yield* tagOf(consume({ ...pending, payload: {} })), "NotVerified")
    const status = yield* client.verifications.status(pending)
    assert.deepStrictEqual(status.data.metadata, { a: [1] })
    yield* check({ payload: { phone_number: number, code: yield* latestCode } })
    assert.strictEqual(yield* tagOf(cancel(pending)), "AlreadyVerified")
    yield* consume({ ...pending, payload: {} })
    assert.strictEqual(yield* tagOf(consume({ ...pending, payload: {} })), "AlreadyConsumed")
    const again = send({ payload: { phone_number: number } })
    yield* Effect.replicateEffect(again, 5)
    assert.strictEqual(yield* tagOf(again), "TooManyPending")
    yield* Effect.replicateEffect(Effect.ignore(again), 2)
    assert.strictEqual(yield* tagOf(again), "RateLimited")
    const stranger = yield* connected({ apiKey: "nonsense" })
    assert.deepInclude(yield* Effect.flip(stranger.client.account.balance()), {
      _tag: "Unauthorized",
      message: "Invalid or revoked API key",
    })
  })

  test.live("gives a call an idempotency key, which no other call has", function* () {
    const { client, latestCode } = yield* connected()
    const { messages, verifications } = client
    const withKey = Client.withIdempotencyKey("a")
    const payload = { phone_number: number }
    const send = verifications.send({ payload })
    const first = yield* withKey(send)
    assert.deepStrictEqual(yield* withKey(send), first)
    const { request_id } = first.data
    assert.notStrictEqual((yield* send).data.request_id, request_id)
    const other = verifications.send({ payload: { ...payload, expiry: 60 } })
    const mismatch = yield* Effect.flip(withKey(other))
    assert.strictEqual(mismatch._tag, "IdempotencyMismatch")
    const message = messages.send({ payload: { to: digits, message: "hello" } })
    assert.deepStrictEqual(yield* withKey(message), yield* withKey(message))
    yield* verifications.check({ payload: { ...payload, code: yield* latestCode } })
    const newest = yield* verifications.send({ payload })
    const params = { request_id: newest.data.request_id }
    yield* verifications.check({ payload: { ...params, code: yield* latestCode } })
    const consume = verifications.consume({ params, payload: {} })
    assert.deepStrictEqual(yield* withKey(consume), yield* withKey(consume))
    assert.strictEqual((yield* Effect.flip(consume))._tag, "AlreadyConsumed")
  })

  test.live(
    "keeps the key of a call for the retries of the host, and decodes the wait",
    function* () {
      const sent: Array<string | null> = []
      const fetch: typeof globalThis.fetch = (input, init) => {
        sent.push(new Request(input, init).headers.get("idempotency-key"))
        const body = { error: "The first call has no answer yet", retry_after: 3 }
        return Promise.resolve(Response.json(body, { status: sent.length < 3 ? 503 : 409 }))
      }
      const { verifications } = yield* Client.make({
        baseUrl: "http://countersign.test/api/v2",
        apiKey: Redacted.make("key"),
        transformClient: HttpClient.retryTransient({ times: 5 }),
      }).pipe(
        Effect.provide(FetchHttpClient.layer),
        Effect.provideService(FetchHttpClient.Fetch, fetch),
      )
      const send = verifications.send({ payload: { phone_number: number } })
      const error = yield* send.pipe(Client.withIdempotencyKey("k-1"), Effect.flip)
      assert.deepStrictEqual(sent, ["k-1", "k-1", "k-1"])
      assert.deepInclude(error, { _tag: "IdempotencyInFlight", retry_after: 3 })
      yield* Effect.flip(send)
      assert.deepStrictEqual(sent.slice(3), [null])
    },
  )

  test.live("reads the public keys of proofs, if there are any", function* () {
    const keys = [{ kty: "OKP", crv: "Ed25519", use: "sig", kid: "k1", x: "AAAA" } as const]
    const sign = () => Effect.succeed(Redacted.make("a.b.c"))
    const { client, latestCode } = yield* connected({ proofs: { sign, jwks: { keys } } })
    assert.deepStrictEqual(yield* client.proofs.keys(), { keys })
    const { data } = yield* client.verifications.send({ payload: { phone_number: number } })
    const { request_id } = data
    yield* client.verifications.check({ payload: { request_id, code: yield* latestCode } })
    const used = yield* client.verifications.consume({ params: { request_id }, payload: {} })
    assert.strictEqual(used.data.proof, "a.b.c")
    const without = yield* connected()
    const error = yield* Effect.flip(without.client.proofs.keys())
    assert.strictEqual(error._tag, "KeysNotFound")
  })
})
