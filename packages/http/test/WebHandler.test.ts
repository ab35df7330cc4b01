import { Accounts } from "@countersign/core/services/Accounts"
import { Messages } from "@countersign/core/services/Messages"
import { assert, describe } from "@effect/vitest"
import * as TestEngine from "@countersign/testing/TestEngine"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Http from "../src/tenant/TenantHttp.ts"
import { recording } from "../../../test/support/observed.ts"
import { digits, number } from "./support/Subject.ts"
import { test } from "../../../test/support/testsOver.ts"

const base = "http://countersign.test/api/v2"

const request = (path: string, key: string, body?: unknown): Request =>
  new Request(`${base}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

/** A handler and a runtime over the same services. */
const shared = Effect.fnUntraced(function* (
  options: Http.WebOptions = {},
  layer: Layer.Layer<TestEngine.TestEngine> = TestEngine.layer(),
) {
  const runtime = yield* Effect.acquireRelease(
    Effect.sync(() => ManagedRuntime.make(layer)),
    (runtime) => runtime.disposeEffect,
  )
  const opened = yield* runtime.contextEffect.pipe(
    Effect.flatMap((context) => Effect.provideContext(TestEngine.open(), context)),
  )
  const { fetch: handler } = yield* Effect.acquireRelease(
    Effect.sync(() => Http.toWebHandler(layer, { ...options, memoMap: runtime.memoMap })),
    ({ dispose }) => Effect.promise(dispose),
  )
  const call = (path: string, body?: unknown) =>
    Effect.promise(() => handler(request(path, Redacted.value(opened.key), body)))
  return { ...opened, call, handler, runtime }
})

/** A request whose body is still on its way. */
const unfinished = (key: string) => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const init: RequestInit & { readonly duplex: "half" } = {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: readable,
    duplex: "half",
  }
  return {
    request: new Request(`${base}/verify`, init),
    finish: async () => {
      await writer.write(new TextEncoder().encode(JSON.stringify({ phone_number: number })))
      await writer.close()
    },
  }
}

describe("a load above the bounds", () => {
  for (const [what, options] of [
    ["in all", { maxRequests: 2 }],
    ["with one key", { maxRequestsPerKey: 2 }],
  ] as const) {
    test.live(`gets 503 for requests beyond the bound ${what}`, function* () {
      const { call, handler, key, runtime, organization } = yield* shared(options)
      const inside = [unfinished(Redacted.value(key)), unfinished(Redacted.value(key))]
      const answers = inside.map(({ request }) => handler(request))
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      const refused = yield* call("/verify", { phone_number: number })
      assert.strictEqual(refused.status, 503)
      assert.strictEqual(refused.headers.get("retry-after"), "1")
      assert.strictEqual(refused.headers.get("countersign-error"), "unavailable")
      assert.deepStrictEqual(yield* Effect.promise(() => refused.json()), {
        error: "Temporarily unavailable",
        retry_after: 1,
      })
      // A request with another key is refused only by the total bound.
      const other = yield* Effect.promise(() => handler(request("/balance", "csk_other")))
      assert.strictEqual(other.status, what === "in all" ? 503 : 401)

      yield* Effect.promise(() => Promise.all(inside.map(({ finish }) => finish())))
      const accepted = yield* Effect.promise(() => Promise.all(answers))
      assert.deepStrictEqual(
        accepted.map(({ status }) => status),
        [200, 200],
      )
      assert.strictEqual((yield* call("/balance")).status, 200)
      // Nothing was charged for the one that was sent away.
      const entries = yield* Effect.promise(() =>
        runtime.runPromise(Accounts.use((accounts) => accounts.entries({ organization }))),
      )
      assert.strictEqual(entries.filter(({ kind }) => kind === "hold").length, 2)
    })
  }
})

describe("toWebHandler", () => {
  test.live("rejects requests when its services cannot be built", function* () {
    const broken = Layer.effectDiscard(Effect.fail("no database"))
    const { dispose, fetch: handler } = Http.toWebHandler(
      Layer.provideMerge(broken, TestEngine.layer()),
    )
    const result = yield* Effect.exit(Effect.tryPromise(() => handler(request("/balance", "x"))))
    assert.strictEqual(result._tag, "Failure")
    yield* Effect.promise(dispose)
  })

  test.live("interrupts a request whose signal is aborted", function* () {
    const { handler, key } = yield* shared()
    const aborted = new AbortController()
    aborted.abort()
    const signal = aborted.signal
    const response = yield* Effect.promise(() =>
      handler(new Request(request("/balance", Redacted.value(key)), { signal })),
    )
    assert.oneOf(response.status, [200, 499])
  })

  test.live("makes no spans without a collector", function* () {
    const seen: Array<boolean> = []
    const observed = Layer.effect(
      Messages,
      Effect.map(Messages, (messages) =>
        Messages.of({
          ...messages,
          list: (input) =>
            Effect.flatMap(References.TracerEnabled, (enabled) => {
              seen.push(enabled)
              return messages.list(input)
            }),
        }),
      ),
    )
    const engine = Layer.provideMerge(observed, TestEngine.layer())
    const alone = yield* shared({}, engine)
    yield* alone.call("/messages")
    const traced = yield* shared({}, Layer.provideMerge(Layer.fresh(engine), recording().layer))
    yield* traced.call("/messages")
    assert.deepStrictEqual(seen, [false, true])
  })

  test.live("keeps the content of requests out of spans", function* () {
    const { layer, spans, written } = recording()
    const { call, key } = yield* shared({}, Layer.provideMerge(TestEngine.layer(), layer))
    spans.length = 0
    yield* call("/verify", { phone_number: number })
    yield* call(`/messages?limit=1&recipient=${digits}&x=${encodeURIComponent(number)}`)
    yield* call("/messages", { to: digits, message: "my secret" })
    const names = spans.map(({ name }) => name)
    assert.includeMembers(names, ["Verifications.send", "POST"])
    for (const hidden of [digits, "my secret", Redacted.value(key), "Bearer"]) {
      assert.notInclude(written(), hidden)
    }
    assert.include(written(), "+8801*****678")
  })
})

describe("layerRoutes", () => {
  test.live("serves everything below the base path, and leaves the rest to the host", function* () {
    const routes = Layer.mergeAll(
      Http.layerRoutes(),
      HttpRouter.add("GET", "/health", HttpServerResponse.text("fine")),
    )
    const engine = TestEngine.layer()
    const { dispose, handler } = HttpRouter.toWebHandler(Layer.provide(routes, engine), {
      disableLogger: true,
    })
    const statusOf = (path: string, init?: RequestInit) =>
      Effect.promise(async () => {
        const { headers, status } = await handler(
          new Request(`http://countersign.test${path}`, init),
        )
        return [status, headers.get("content-type")]
      })
    assert.deepStrictEqual(yield* statusOf("/api/v2/balance"), [401, "application/json"])
    assert.deepStrictEqual(yield* statusOf("/api/v2/nothing"), [404, "application/json"])
    assert.deepStrictEqual(yield* statusOf("/api/v2"), [404, "application/json"])
    assert.deepStrictEqual(yield* statusOf("/api/v2/balance", { method: "DELETE" }), [
      405,
      "application/json",
    ])
    assert.deepStrictEqual(yield* statusOf("/api/v2/docs"), [200, "text/html"])
    assert.deepStrictEqual(yield* statusOf("/health"), [200, "text/plain"])
    assert.deepStrictEqual(yield* statusOf("/other"), [404, null])
    yield* Effect.promise(dispose)
  })
})

describe("The page", () => {
  test.live("needs no key, and loads nothing from other hosts", function* () {
    const { handler } = yield* shared()
    const response = yield* Effect.promise(() => handler(new Request(`${base}/docs`)))
    assert.strictEqual(response.status, 200)
    const policy = response.headers.get("content-security-policy") ?? ""
    assert.include(policy, "default-src 'none'")
    assert.notMatch(policy, /https?:/)
    const page = yield* Effect.promise(() => response.text())
    assert.notMatch(page, /<(?:script|link|img)[^>]*(?:src|href)="https?:/)
    assert.include(page, "/verify/check")
  })
})
