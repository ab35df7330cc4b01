import type { DeliveryReport } from "@countersign/core/domain/messages/DeliveryReport"
import { StoreUnavailable } from "@countersign/core/domain/errors/Errors"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import { Reports } from "@countersign/core/services/Reports"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as TestClock from "effect/testing/TestClock"
import { test } from "../../../test/support/gatewayTest.ts"
import { logged } from "../../../test/support/observed.ts"
import { serveFetch } from "../../../test/support/fetchServer.ts"
import type { Adapter, CallbackOutcome, CallbackRequest } from "../src/Adapter.ts"
import * as Callbacks from "../src/Callbacks.ts"
import { adapterOf } from "../src/internal/adapter.ts"
import * as Outcomes from "../src/internal/outcomes.ts"

const publicUrl = "https://sms.example.com/hooks"

const reportOn = (number: number): DeliveryReport => ({
  of: { _tag: "Message", organization: OrganizationId("acme"), sequence: number },
  status: "delivered",
  detail: null,
  evidence: { status: "sent" },
})

/** An adapter that gives the same outcome for each request. */
const scripted = (
  read: (request: CallbackRequest) => Effect.Effect<CallbackOutcome>,
  name = "carrier",
): Adapter =>
  adapterOf({}, { name, send: () => Effect.succeed(Outcomes.notSent("")), callback: read })

const always = (outcome: CallbackOutcome): Adapter => scripted(() => Effect.succeed(outcome))

const overloaded = new StoreUnavailable({ reason: "overloaded", retryAfterSeconds: 1 })

/** A store that cannot answer as often as it is said, and what reached it. */
const receiving = (failures = 0) => {
  const received: Array<DeliveryReport> = []
  let left = failures
  const layer = Layer.succeed(
    Reports,
    Reports.of({
      receive: (report) =>
        Effect.suspend(() => {
          left -= 1
          if (left >= 0) return Effect.fail(overloaded)
          received.push(report)
          return Effect.succeed("applied" as const)
        }),
      adopt: () => Effect.succeed(0),
      forMessage: () => Effect.succeed([]),
      unmatched: () => Effect.succeed({ reports: [], next: undefined }),
    }),
  )
  return { layer, received, fail: (times: number) => (left = times) }
}

/** Serves on a store that is unavailable this often; `base` is the address below which the callbacks are. */
const served = (options: Partial<Callbacks.Options>, failures = 0) =>
  Effect.gen(function* () {
    const store = receiving(failures)
    const handler = yield* Callbacks.makeWebHandler({ publicUrl, adapters: [], ...options }).pipe(
      Effect.provide(store.layer),
    )
    const origin = yield* serveFetch(handler)
    return { ...store, origin, base: `${origin}/hooks/callbacks` }
  })

const posted = (url: string, init: RequestInit = {}) =>
  Effect.promise(async () => {
    const response = await fetch(url, { method: "POST", body: "{}", ...init })
    return { status: response.status, headers: response.headers, text: await response.text() }
  })

const get = { method: "GET", body: null }

const statusOf = (url: string, init: RequestInit = {}) =>
  Effect.map(posted(url, init), ({ status }) => status)

const two = { _tag: "Reports", reports: [reportOn(1), reportOn(2)] } as const

describe("Callbacks", () => {
  test("passes every report on before it answers, and nothing else of the request", function* () {
    const { base, received } = yield* served({ adapters: [always(two)] })
    const body = "text=Your+code+is+482913"
    const { headers, status, text } = yield* posted(`${base}/carrier?a=b`, { body })
    assert.deepStrictEqual([status, text], [200, ""])
    assert.strictEqual(headers.get("cache-control"), "no-store")
    assert.deepStrictEqual<unknown>(
      received,
      two.reports.map((report) => ({ ...report, gateway: "carrier" })),
    )
  })

  test("passes the bytes and the configured URL to the reader, for any Host header", function* () {
    const requests: Array<CallbackRequest> = []
    const adapter = scripted((request) => {
      requests.push(request)
      return Effect.succeed({ _tag: "Reports", reports: [] })
    }, "my carrier")
    const { base } = yield* served({ adapters: [adapter] })
    const body = Uint8Array.from([0xff, 0x00, 0x0a])
    const url = `${base}/my%20carrier/acme.1/tag?x=1%27&y=a+b`
    yield* statusOf(url, { body, headers: { "X-Signature": "s" } })
    const [request] = requests
    assert.strictEqual(
      request?.url.href,
      "https://sms.example.com/hooks/callbacks/my%20carrier/acme.1/tag?x=1%27&y=a+b",
    )
    assert.strictEqual(request?.headers["x-signature"], "s")
    assert.deepStrictEqual([...(request?.body ?? [])], [...body])
    assert.strictEqual(request?.method, "POST")
  })

  it("returns the callback URL", () => {
    const url = "https://sms.example.com/hooks/callbacks/my%20carrier"
    assert.strictEqual(Callbacks.urlOf(publicUrl, "my carrier"), url)
    assert.strictEqual(Callbacks.urlOf(`${publicUrl}/`, "my carrier"), url)
    const bare = Callbacks.urlOf("https://sms.example.com", "x")
    assert.strictEqual(bare, "https://sms.example.com/callbacks/x")
  })

  test("is served under another path if a proxy changes it", function* () {
    const { base, origin } = yield* served({ adapters: [always(two)], basePath: "/" })
    assert.strictEqual(yield* statusOf(`${origin}/callbacks/carrier`), 200)
    assert.strictEqual(yield* statusOf(`${base}/carrier`), 404)
  })

  test("answers with the text that the vendor expects", function* () {
    const answer = { contentType: "text/plain", text: "1158201444" }
    const adapter = always({ _tag: "Reports", reports: [], answer })
    const { base } = yield* served({ adapters: [adapter] })
    const { headers, status, text } = yield* posted(`${base}/carrier`, get)
    assert.deepStrictEqual([status, text], [200, "1158201444"])
    assert.match(headers.get("content-type") ?? "", /^text\/plain/)
    assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
  })

  const answers: ReadonlyArray<readonly [string, CallbackOutcome, number]> = [
    ["403 to what is refused", { _tag: "Refused", reason: "Wrong signature" }, 403],
    ["400 to what cannot be read", { _tag: "Malformed", reason: "No id" }, 400],
  ]
  test.each(answers)(
    "answers %s without the content of the request",
    function* ([, outcome, expected]) {
      const { layer, lines } = logged()
      const { base, received } = yield* Effect.provide(
        served({ adapters: [always(outcome)] }),
        layer,
      )
      const { status, text } = yield* posted(`${base}/carrier?secret=inTheQuery`, {
        body: "secretInTheBody",
        headers: { "x-signature": "secretInTheHeader" },
      })
      assert.deepStrictEqual([status, text], [expected, ""])
      assert.deepStrictEqual(received, [])
      assert.lengthOf(lines, 1)
      assert.include(lines[0], "carrier")
      assert.notMatch(lines.join(""), /secretInThe|inTheQuery/)
    },
  )

  test("answers 404 to unknown names, and 405 to other methods", function* () {
    const { base } = yield* served({ adapters: [always(two)] })
    for (const path of ["", "/", "/other", "/carrie", "/%E0%A4%A", "/carrier%2f"]) {
      assert.strictEqual(yield* statusOf(`${base}${path}`), 404, path)
    }
    for (const method of ["PUT", "DELETE", "PATCH", "OPTIONS"]) {
      const { headers, status } = yield* posted(`${base}/carrier`, { method })
      assert.deepStrictEqual([status, headers.get("allow")], [405, "GET, POST"])
    }
  })

  test("reads a bounded part of a body", function* () {
    const { base } = yield* served({ adapters: [always(two)], maxBodyBytes: 8 })
    assert.strictEqual(yield* statusOf(`${base}/carrier`, { body: "12345678" }), 200)
    assert.strictEqual(yield* statusOf(`${base}/carrier`, { body: "123456789" }), 413)
  })

  test("retries while the store is unavailable", function* () {
    const { base, received } = yield* served({ adapters: [always(two)] }, 2)
    const status = yield* Effect.forkChild(statusOf(`${base}/carrier`))
    yield* Effect.forkChild(passing)
    assert.strictEqual(yield* Fiber.join(status), 200)
    assert.lengthOf(received, 2)
  })

  test("answers 503 if the store stays unavailable", function* () {
    const adapter = always({ ...two, once: "a name" })
    const { base, fail, received } = yield* served({ adapters: [adapter] }, 1_000)
    const answering = yield* Effect.forkChild(posted(`${base}/carrier`))
    yield* Effect.forkChild(passing)
    const { headers, status } = yield* Fiber.join(answering)
    assert.deepStrictEqual([status, headers.get("retry-after")], [503, "1"])
    assert.deepStrictEqual(received, [])
    fail(0)
    // Under the same name: it was not taken in.
    assert.strictEqual(yield* statusOf(`${base}/carrier`), 200)
    assert.lengthOf(received, 2)
  })

  test("accepts each replay name once, while it remembers the name", function* () {
    const adapter = scripted(({ url }) =>
      Effect.succeed({
        _tag: "Reports",
        reports: [reportOn(1)],
        once: url.searchParams.get("id") ?? "",
      }),
    )
    const { base, received } = yield* served({ adapters: [adapter], maxRemembered: 2 })
    const counts: Array<number> = []
    for (const id of ["a", "a", "b", "a", "c", "a"]) {
      assert.strictEqual(yield* statusOf(`${base}/carrier?id=${id}`), 200)
      counts.push(received.length)
    }
    // "c" has pushed "a" out.
    assert.deepStrictEqual(counts, [1, 1, 2, 2, 3, 4])
  })

  test("keeps the replay names of two gateways separate", function* () {
    const named = (name: string) => scripted(() => Effect.succeed({ ...two, once: "a" }), name)
    const { base, received } = yield* served({ adapters: [named("one"), named("two")] })
    yield* statusOf(`${base}/one`)
    yield* statusOf(`${base}/two`)
    assert.lengthOf(received, 4)
  })

  test("rejects requests beyond its bound", function* () {
    const arrived = yield* Queue.unbounded<void>()
    const gate = yield* Deferred.make<void>()
    const adapter = scripted(() =>
      Queue.offer(arrived, undefined).pipe(
        Effect.andThen(Deferred.await(gate)),
        Effect.as<CallbackOutcome>(two),
      ),
    )
    const { base } = yield* served({ adapters: [adapter], maxRequests: 1 })
    const first = yield* Effect.forkChild(statusOf(`${base}/carrier`))
    yield* Queue.take(arrived)
    assert.strictEqual(yield* statusOf(`${base}/carrier`), 503)
    yield* Deferred.succeed(gate, undefined)
    assert.strictEqual(yield* Fiber.join(first), 200)
    assert.strictEqual(yield* statusOf(`${base}/carrier`), 200)
  })

  test("answers 500 after a defect of a reader, and continues", function* () {
    const adapter = scripted(({ method }) =>
      method === "GET" ? Effect.die(new Error("broken")) : Effect.succeed(two),
    )
    const { base } = yield* served({ adapters: [adapter], maxRequests: 1 })
    assert.strictEqual(yield* statusOf(`${base}/carrier`, get), 500)
    assert.strictEqual(yield* statusOf(`${base}/carrier`), 200)
  })

  test("can be mounted on a router next to other routes", function* () {
    const { layer, received } = receiving()
    const routes = Callbacks.layer({ publicUrl, adapters: [always(two)] }).pipe(
      Layer.provide(layer),
    )
    const { dispose, handler } = HttpRouter.toWebHandler(routes, { disableLogger: true })
    yield* Effect.addFinalizer(() => Effect.promise(() => dispose()))
    const origin = yield* serveFetch((request) => handler(request))
    assert.strictEqual(yield* statusOf(`${origin}/hooks/callbacks/carrier/more?x=1`), 200)
    assert.strictEqual(yield* statusOf(`${origin}/callbacks/carrier`), 404)
    assert.lengthOf(received, 2)
  })

  test("rejects two gateways with one name, and ignores gateways without reports", function* () {
    const exit = yield* Effect.exit(served({ adapters: [always(two), always(two)] }))
    assert.strictEqual(exit._tag, "Failure")
    const silent = { ...always(two), callback: undefined }
    yield* served({ adapters: [silent, silent] })
  })
})

/** Lets the pauses between tries pass, however many there are. */
const passing = Effect.forever(Effect.andThen(TestClock.adjust("1 second"), Effect.yieldNow))
