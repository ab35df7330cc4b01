/**
 * What is repeated, how often, and after which wait.
 */
import { afterEach, assert, describe, it, vi } from "vitest"
import { createClient } from "../src/index.ts"
import { calls, keyed, reading, writing } from "./support/calls.ts"
import {
  answer,
  apiKey,
  clientOf,
  inTurn,
  type Play,
  playedService,
} from "./support/playedService.ts"

const busy = (seconds: number): Play =>
  answer(503, { error: "Later", retry_after: seconds }, { "retry-after": String(seconds) })

const fine = answer(200, { success: true, data: { balance: 1, currency: "BDT" } })

const hangUp: Play = (response) => response.destroy()

const never: Play = () => {}

const page = (status: number): Play => answer(status, "<h1>Bad Gateway</h1>")

/** Short for those that never answer, and long for those that may be slow on a busy machine. */
const timeoutFor = (play: Play) => (play === never ? "500 milliseconds" : "20 seconds")

const passing: ReadonlyArray<readonly [string, Play]> = [
  ["a broken connection", hangUp],
  ["silence", never],
  ["a 503 of the service", busy(1)],
  ["a 502 of a proxy", page(502)],
  ["a 503 of a proxy", page(503)],
  ["a 504 of a proxy", page(504)],
]

describe("a call that reads", () => {
  it.each(passing)("is repeated after %s, and succeeds", async (_name, play) => {
    using service = await playedService(inTurn(play, play, fine))
    const { client, waits } = clientOf(service, { timeout: timeoutFor(play) })
    assert.deepStrictEqual(await client.balance(), {
      ok: true,
      data: { balance: 1, currency: "BDT" },
    })
    assert.lengthOf(service.heard, 3)
    assert.lengthOf(waits, 2)
  })

  it.each(reading)("is repeated up to the configured number: %s", async (call) => {
    for (const retries of [0, 1, 2, 5]) {
      using service = await playedService(busy(1))
      const { client, waits } = clientOf(service, { retries })
      const result = await calls[call](client)
      assert(!result.ok && result.error.code === "unavailable")
      assert.isFalse(result.error.mayHaveTakenEffect)
      assert.lengthOf(service.heard, retries + 1)
      assert.lengthOf(waits, retries)
    }
  })

  it("returns the last answer", async () => {
    using service = await playedService(inTurn(hangUp, page(504), answer(401, { error: "No" })))
    const result = await clientOf(service).client.balance()
    assert(!result.ok)
    assert.strictEqual(result.error.code, "unauthorized")
  })

  it.each([400, 401, 403, 404, 422, 429, 500])("is not repeated after %i", async (status) => {
    using service = await playedService(answer(status, { error: "No", retry_after: 1 }))
    await clientOf(service).client.messages.list()
    assert.lengthOf(service.heard, 1)
  })
})

/** The key of each request that the service has received. */
const keysOf = ({ heard }: Awaited<ReturnType<typeof playedService>>) =>
  heard.map(({ headers }) => headers["idempotency-key"])

describe("a call with an idempotency key", () => {
  it.each(keyed)("is repeated under one key, for every kind of failure: %s", async (call) => {
    for (const [name, play] of passing) {
      using service = await playedService(play)
      const { client, waits } = clientOf(service, { timeout: timeoutFor(play) })
      await calls[call](client)
      const [key, ...others] = keysOf(service)
      assert.match(key?.toString() ?? "", /^[0-9a-f-]{36}$/, name)
      assert.deepStrictEqual(others, [key, key], name)
      assert.lengthOf(waits, 2, name)
    }
  })

  it.each(keyed)("has a key of its own, or the one of its caller: %s", async (call) => {
    using service = await playedService(answer(401, { error: "No" }))
    const { client } = clientOf(service)
    await calls[call](client)
    await calls[call](client)
    await client.messages.send({ phoneNumber: "1", text: "a", idempotencyKey: "order 1" })
    const [one, two, given] = keysOf(service)
    assert.notStrictEqual(one, two)
    assert.strictEqual(given, "order 1")
  })

  it("waits for the answer of the first call, as long as the service asks for", async () => {
    const inFlight = answer(
      409,
      { error: "No answer yet", retry_after: 3 },
      { "retry-after": "3", "countersign-error": "idempotency_in_flight" },
    )
    using service = await playedService(inTurn(inFlight, answer(401, { error: "No" })))
    const { client, waits } = clientOf(service)
    await client.verifications.send({ phoneNumber: "+8801712345678" })
    assert.lengthOf(service.heard, 2)
    assert(waits[0] !== undefined && waits[0] >= 3_000 && waits[0] < 3_500)
  })

  it.each([400, 402, 409, 410, 422, 429, 500])("is not repeated after %i", async (status) => {
    using service = await playedService(answer(status, { error: "No", retry_after: 1 }))
    await clientOf(service).client.messages.send({ phoneNumber: "1", text: "a" })
    assert.lengthOf(service.heard, 1)
  })

  it("may have taken effect when its caller aborts it before a retry", async () => {
    using service = await playedService(busy(1))
    const aborting = new AbortController()
    const { client } = clientOf(service, { delay: async () => aborting.abort() })
    const { signal } = aborting
    const result = await client.messages.send({ phoneNumber: "1", text: "a", signal })
    assert(!result.ok && result.error.code === "aborted")
    assert.isTrue(result.error.mayHaveTakenEffect)
  })
})

describe("the budget of retries", () => {
  it("is shared by the calls of a client, and grows by one with every five calls", async () => {
    using service = await playedService(busy(1))
    const { client, waits } = clientOf(service)
    for (let call = 0; call < 50; call++) await client.balance()
    assert.lengthOf(waits, 19)
  })
})

describe("a call that writes and has no key", () => {
  const unkeyed = writing.filter((call) => !keyed.includes(call))

  it.each(unkeyed)("is sent once, for every kind of failure: %s", async (call) => {
    for (const [name, play] of passing) {
      using service = await playedService(play)
      const { client, waits } = clientOf(service, {
        timeout: timeoutFor(play),
        retries: 10,
      })
      const result = await calls[call](client)
      assert(!result.ok && "mayHaveTakenEffect" in result.error, name)
      assert.isTrue(result.error.mayHaveTakenEffect, name)
      assert.lengthOf(service.heard, 1, name)
      assert.isEmpty(waits)
    }
  })
})

describe("the wait", () => {
  it("doubles, varies, and has an upper bound", async () => {
    using service = await playedService(page(502))
    const { client, waits } = clientOf(service, { retries: 10 })
    await client.balance()
    const full = [250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000, 10_000]
    assert.lengthOf(waits, full.length)
    for (const [index, most] of full.entries()) {
      const wait = waits[index] ?? 0
      assert.isAtLeast(wait, most / 2)
      assert.isAtMost(wait, most)
    }
    assert.strictEqual(new Set(waits).size, waits.length)
  })

  it("is as long as Retry-After, and a little longer", async () => {
    using service = await playedService(inTurn(busy(1), busy(10), fine))
    const { client, waits } = clientOf(service)
    assert.isTrue((await client.balance()).ok)
    const [first = 0, second = 0] = waits
    assert.isTrue(first >= 1_000 && first <= 1_250, String(first))
    assert.isTrue(second >= 10_000 && second <= 10_250, String(second))
  })

  it("is left to the caller if it would be longer than ten seconds", async () => {
    using service = await playedService(busy(11))
    const { client, waits } = clientOf(service)
    const result = await client.balance()
    assert(!result.ok && result.error.code === "unavailable")
    assert.strictEqual(result.error.retryAfterSeconds, 11)
    assert.lengthOf(service.heard, 1)
    assert.isEmpty(waits)
  })

  it.each(["Wed, 21 Oct 2026 07:28:00 GMT", "-1", "1.5", "soon"])(
    "is the client's own if Retry-After is %o",
    async (header) => {
      const refusal = answer(503, "<h1>Later</h1>", { "retry-after": header })
      using service = await playedService(inTurn(refusal, fine))
      const { client, waits } = clientOf(service)
      assert.isTrue((await client.balance()).ok)
      assert.isAtMost(waits[0] ?? 0, 250)
    },
  )

  it("ends with the signal, and nothing is sent afterwards", async () => {
    using service = await playedService(busy(1))
    for (const fails of [false, true]) {
      const controller = new AbortController()
      const { client } = clientOf(service, {
        delay: async (_millis, signal) => {
          assert.strictEqual(signal, controller.signal)
          controller.abort()
          if (fails) throw new Error("aborted")
        },
      })
      const before = service.heard.length
      const result = await client.balance({ signal: controller.signal })
      assert(!result.ok && result.error.code === "aborted")
      assert.isFalse(result.error.mayHaveTakenEffect)
      assert.lengthOf(service.heard, before + 1)
    }
  })
})

describe("the runtime's own timer", () => {
  afterEach(() => void vi.useRealTimers())

  const unavailable = () => Promise.resolve(new Response("<h1>Later</h1>", { status: 503 }))

  it("waits if no other timer is given", async () => {
    vi.useFakeTimers()
    const fetch = vi.fn<typeof unavailable>(unavailable)
    const pending = createClient({ baseUrl: "http://127.0.0.1", apiKey, fetch }).balance()
    await vi.advanceTimersByTimeAsync(100)
    assert.strictEqual(fetch.mock.calls.length, 1)
    await vi.advanceTimersByTimeAsync(150)
    assert.strictEqual(fetch.mock.calls.length, 2)
    await vi.advanceTimersByTimeAsync(500)
    assert.strictEqual(fetch.mock.calls.length, 3)
    assert.isFalse((await pending).ok)
    await vi.advanceTimersByTimeAsync(60_000)
    assert.strictEqual(fetch.mock.calls.length, 3)
  })

  it("is cleared with the signal", async () => {
    vi.useFakeTimers()
    const controller = new AbortController()
    const fetch = vi.fn<typeof unavailable>(unavailable)
    const { signal } = controller
    const pending = createClient({ baseUrl: "http://127.0.0.1", apiKey, fetch }).balance({ signal })
    await vi.advanceTimersByTimeAsync(100)
    // Other tests of this process may have timers.
    const waiting = vi.getTimerCount()
    controller.abort()
    const result = await pending
    assert(!result.ok && result.error.code === "aborted")
    assert.strictEqual(fetch.mock.calls.length, 1)
    assert.strictEqual(vi.getTimerCount(), waiting - 1)
  })

  it("is not set if the signal came between an answer and the wait", async () => {
    vi.useFakeTimers()
    const controller = new AbortController()
    const client = createClient({
      baseUrl: "http://127.0.0.1",
      apiKey,
      fetch: (_url, { signal: ofRequest }) => {
        // A request is let go of when its answer has been read.
        ofRequest?.addEventListener("abort", () => controller.abort())
        return unavailable()
      },
    })
    const result = await client.balance({ signal: controller.signal })
    assert(!result.ok && result.error.code === "aborted")
    assert.strictEqual(vi.getTimerCount(), 0)
  })
})
