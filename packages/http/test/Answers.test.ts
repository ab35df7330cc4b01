import { Limits, defaults } from "@countersign/core/domain/Limits"
import * as Money from "@countersign/core/domain/Money"
import { SimulatedGateway } from "@countersign/core/adapters/SimulatedGateway"
import { assert, describe, it } from "@effect/vitest"
import * as TestEngine from "@countersign/testing/TestEngine"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import { type Answer, digits, number, open } from "./support/Subject.ts"

const rejected = "+8801711111111"
const silent = "+8801722222222"
const notOnWhatsApp = "+8801733333333"

const layer = TestEngine.layer({
  gateway: {
    behave: ({ to }) => {
      if (to === rejected) return { _tag: "Reject", message: "no such number" }
      return to === silent ? { _tag: "NeverAnswer" } : { _tag: "Deliver" }
    },
    isOnWhatsApp: (to) => to !== notOnWhatsApp,
  },
})

const field = (answer: Answer, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>(
    (value, name) =>
      typeof value === "object" && value !== null
        ? Object.entries(value).find(([key]) => key === name)?.[1]
        : undefined,
    answer.body,
  )

const text = (answer: Answer, ...path: ReadonlyArray<string>): string => {
  const value = field(answer, ...path)
  assert.isString(value)
  return String(value)
}

const is = (answer: Answer, status: number, body: unknown): void => {
  assert.strictEqual(answer.status, status)
  assert.deepStrictEqual(answer.body, body)
  assert.strictEqual(answer.headers["content-type"], "application/json")
  assert.strictEqual(answer.headers["cache-control"], "no-store")
}

const isRetryable = (answer: Answer, status: number, error: string, seconds: number): void => {
  is(answer, status, { error, retry_after: seconds })
  assert.strictEqual(answer.headers["retry-after"], String(seconds))
}

/** A request that is answered after the gateway has kept silent for as long as it may. */
const afterSilence = Effect.fnUntraced(function* (call: Effect.Effect<Answer>) {
  const { dispatches } = yield* SimulatedGateway
  const before = yield* dispatches
  const fiber = yield* Effect.forkChild(call)
  // The body of a request comes in real time.
  while ((yield* dispatches) === before) yield* Effect.yieldNow
  yield* TestClock.adjust("10 seconds")
  return yield* Fiber.join(fiber)
})

describe("POST /messages", () => {
  it.effect("answers 200 with the send result", () =>
    Effect.gen(function* () {
      const { call } = yield* open()
      for (const to of [digits, number]) {
        const answer = yield* call("/messages", { body: { to, message: "hello" } })
        const gateway_id = text(answer, "data", "gateway_id")
        assert.match(gateway_id, /^sim_msg_/)
        is(answer, 200, {
          success: true,
          data: {
            gateway_id,
            to: digits,
            channel: "sms",
            status: "delivered",
            credits_remaining: to === digits ? 99.5 : 99,
          },
        })
      }
      const body = { to: digits, message: "hello", channel: "whatsapp" }
      const whatsapp = yield* call("/messages", { body })
      assert.strictEqual(field(whatsapp, "data", "channel"), "whatsapp")
      assert.strictEqual(field(whatsapp, "data", "credits_remaining"), 99)
    }).pipe(Effect.provide(layer)),
  )

  it.effect("answers 400 {error} when the sender or the recipient is not usable", () =>
    Effect.gen(function* () {
      const { call } = yield* open()
      const body = { to: digits, message: "hello", brand_id: "nobody" }
      is(yield* call("/messages", { body }), 400, { error: "Brand not found" })
      is(yield* call("/messages", { body: { ...body, brand_id: "profile" } }), 400, {
        error: "Brand cannot send over sms",
      })
      const whatsapp = { to: notOnWhatsApp, message: "hello", channel: "whatsapp" }
      is(yield* call("/messages", { body: whatsapp }), 400, {
        error: "The recipient is not on WhatsApp",
      })
    }).pipe(Effect.provide(layer)),
  )

  it.effect("answers 402 with both amounts in BDT", () =>
    Effect.gen(function* () {
      const { call } = yield* open({ balance: Money.make("0.25") })
      is(yield* call("/messages", { body: { to: digits, message: "hello" } }), 402, {
        error: "Insufficient balance",
        required: 0.5,
        available: 0.25,
      })
    }).pipe(Effect.provide(layer)),
  )

  it.effect("answers 429 and says when to come again", () =>
    Effect.gen(function* () {
      const { call } = yield* open({
        settings: { limits: { messagesPerOrganization: { max: 1, windowMillis: 30_000 } } },
      })
      const send = call("/messages", { body: { to: digits, message: "hello" } })
      assert.strictEqual((yield* send).status, 200)
      yield* TestClock.adjust("10500 millis")
      isRetryable(yield* send, 429, "Rate limit exceeded", 20)
    }).pipe(Effect.provide(layer)),
  )

  it.effect("answers 500 with status failed or unknown", () =>
    Effect.gen(function* () {
      const { call } = yield* open()
      is(yield* call("/messages", { body: { to: rejected, message: "hello" } }), 500, {
        error: "The message could not be sent",
        status: "failed",
      })
      is(yield* afterSilence(call("/messages", { body: { to: silent, message: "hello" } })), 500, {
        error: "It is not known whether the message was sent",
        status: "unknown",
      })
      is(yield* call("/balance"), 200, { success: true, data: { balance: 99.5, currency: "BDT" } })
    }).pipe(Effect.provide(layer)),
  )
})

describe("GET /messages", () => {
  it.effect("answers 200 with entries, newest first, and where the page is", () =>
    Effect.gen(function* () {
      const { call } = yield* open()
      yield* TestClock.setTime(Date.parse("2026-01-31T09:30:00.123Z"))
      yield* call("/messages", { body: { to: digits, message: "hello" } })
      yield* call("/messages", { body: { to: rejected, message: "hello again" } })
      yield* call("/verify", { body: { phone_number: number } })
      const answer = yield* call("/messages?limit=2")
      const [first, second] = Object.values(field(answer, "data") ?? {})
      is(answer, 200, {
        success: true,
        data: [
          {
            id: first.id,
            recipient: digits,
            message: "•••••• is your verification code. Do not share it with anyone.",
            channel: "non-mask",
            status: "delivered",
            price: "0.50",
            gatewayId: `sim_${first.id}`.replace(/_3$/, ""),
            errorMessage: null,
            createdAt: "2026-01-31T09:30:00.123Z",
          },
          {
            id: second.id,
            recipient: rejected.slice(1),
            message: "hello again",
            channel: "non-mask",
            status: "rejected",
            price: "0.00",
            gatewayId: null,
            errorMessage: "no such number",
            createdAt: "2026-01-31T09:30:00.123Z",
          },
        ],
        pagination: { page: 1, limit: 2, total: 3, total_pages: 2 },
      })
    }).pipe(Effect.provide(layer)),
  )

  it.effect("filters by both ends of a range, and by none of them alone", () =>
    Effect.gen(function* () {
      const { call } = yield* open()
      const total = (query: string) =>
        Effect.map(call(`/messages?${query}`), (answer) => field(answer, "pagination", "total"))
      for (const at of [
        "2026-01-30T23:59:59.999Z",
        "2026-01-31T00:00:00Z",
        "2026-01-31T23:59:59.999Z",
        "2026-02-01T00:00:00Z",
      ]) {
        yield* TestClock.setTime(Date.parse(at))
        yield* call("/messages", { body: { to: digits, message: "hello" } })
      }
      assert.strictEqual(yield* total("from=2026-01-31&to=2026-01-31"), 2)
      assert.strictEqual(yield* total("from=2026-01-31&to=2026-02-01"), 3)
      assert.strictEqual(yield* total("from=2026-01-31"), 4)
      assert.strictEqual(yield* total("to=2026-01-31"), 4)
      assert.strictEqual(
        yield* total("from=2026-01-31T00:00:00Z&to=2026-01-31T05:59:59.999-18:00"),
        2,
      )
      assert.strictEqual(
        yield* total("from=2026-01-31T06:00:00.001%2B06:00&to=2026-01-31T23:59:59.998Z"),
        0,
      )
    }).pipe(Effect.provide(layer)),
  )
})

describe("GET /balance", () => {
  it.effect("answers 200 with what can be spent", () =>
    Effect.gen(function* () {
      const { call } = yield* open({ balance: Money.make("12.3456") })
      is(yield* call("/balance"), 200, {
        success: true,
        data: { balance: 12.3456, currency: "BDT" },
      })
    }).pipe(Effect.provide(layer)),
  )
})

describe("POST /verify", () => {
  it.effect("answers 200 with the request, and its number with the plus", () =>
    Effect.gen(function* () {
      const { call } = yield* open()
      const body = { phone_number: number, code_length: 8, expiry: 90, locale: "bn-bd" }
      const answer = yield* call("/verify", { body })
      const request_id = text(answer, "data", "request_id")
      assert.match(request_id, /^vrf_[0-9a-f]{44}$/)
      is(answer, 200, {
        success: true,
        data: { request_id, to: number, channel: "sms", status: "pending", expires_in: 90 },
      })
      assert.strictEqual((yield* TestEngine.latestCode(number)).length, 8)
    }).pipe(Effect.provide(layer)),
  )

  it.effect("answers 400 {error} when the number is not on WhatsApp", () =>
    Effect.gen(function* () {
      const { call } = yield* open()
      const body = { phone_number: notOnWhatsApp, channel: "whatsapp" }
      is(yield* call("/verify", { body }), 400, { error: "The recipient is not on WhatsApp" })
    }).pipe(Effect.provide(layer)),
  )

  it.effect("answers 402 with both amounts in BDT", () =>
    Effect.gen(function* () {
      const { call } = yield* open({ balance: Money.zero })
      is(yield* call("/verify", { body: { phone_number: number } }), 402, {
        error: "Insufficient balance",
        required: 0.5,
        available: 0,
      })
    }).pipe(Effect.provide(layer)),
  )

  it.effect("answers 429 with a time to come again, in the body only where it is documented", () =>
    Effect.gen(function* () {
      const { call } = yield* open()
      const send = call("/verify", { body: { phone_number: number } })
      for (let sent = 0; sent < 5; sent++) assert.strictEqual((yield* send).status, 200)
      const pending = yield* send
      is(pending, 429, { error: "Too many pending verifications for this number" })
      assert.strictEqual(pending.headers["retry-after"], "300")
      for (let sent = 0; sent < 4; sent++) assert.strictEqual((yield* send).status, 429)
      isRetryable(yield* send, 429, "Rate limit exceeded", 60)
    }).pipe(Effect.provide(layer)),
  )

  it.effect("answers 500 {error} when the gateway refuses, and 200 when nobody can say", () =>
    Effect.gen(function* () {
      const { call } = yield* open()
      const refused = yield* call("/verify", { body: { phone_number: rejected } })
      is(refused, 500, { error: "The code could not be sent" })
      assert.strictEqual(refused.headers["countersign-error"], "sending_failed")
      const unsure = yield* afterSilence(call("/verify", { body: { phone_number: silent } }))
      assert.strictEqual(unsure.status, 200)
      assert.strictEqual(field(unsure, "data", "status"), "pending")
    }).pipe(Effect.provide(layer)),
  )
})

describe("POST /verify/check", () => {
  const sent = Effect.fnUntraced(function* () {
    const subject = yield* open()
    yield* TestClock.setTime(Date.parse("2026-01-31T09:30:00.000Z"))
    const answer = yield* subject.call("/verify", { body: { phone_number: number } })
    const request_id = text(answer, "data", "request_id")
    const right = yield* TestEngine.latestCode(number)
    const wrong = right === "000000" ? "000001" : "000000"
    const check = (code: string) => subject.call("/verify/check", { body: { request_id, code } })
    return { ...subject, request_id, right, wrong, check }
  })

  it.effect("answers 200 for the right code, and the same again for any", () =>
    Effect.gen(function* () {
      const { check, request_id, right } = yield* sent()
      yield* TestClock.adjust("1500 millis")
      const data = {
        request_id,
        to: number,
        status: "verified",
        verified_at: "2026-01-31T09:30:01.500Z",
      }
      is(yield* check(right), 200, { success: true, data })
      yield* TestClock.adjust("1 day")
      is(yield* check("anything"), 200, { success: true, data })
    }).pipe(Effect.provide(layer)),
  )

  it.effect("answers 400 for a wrong code, and 429 once the attempts are used up", () =>
    Effect.gen(function* () {
      const { check, request_id, right, wrong } = yield* sent()
      const error = "Wrong code"
      for (const [code, attempts_remaining] of [
        [wrong, 2],
        ["\ud800\u0000 no code at all", 1],
      ] as const) {
        const data = { request_id, status: "pending", attempts_remaining }
        is(yield* check(code), 400, { success: false, error, data })
      }
      for (const code of [wrong, right]) {
        const answer = yield* check(code)
        is(answer, 429, {
          success: false,
          error: "The verification request has failed",
          data: { request_id, status: "failed" },
        })
        assert.notProperty(answer.headers, "retry-after")
      }
    }).pipe(Effect.provide(layer)),
  )

  it.effect("answers 410 once the time is over, whatever the code", () =>
    Effect.gen(function* () {
      const { check, request_id, right } = yield* sent()
      yield* TestClock.adjust(Duration.seconds(300))
      is(yield* check(right), 410, {
        success: false,
        error: "The verification request has expired",
        data: { request_id, status: "expired" },
      })
    }).pipe(Effect.provide(layer)),
  )

  it.effect("answers 404 for what it does not know, and for what is somebody else's", () =>
    Effect.gen(function* () {
      const { request_id } = yield* sent()
      const { call } = yield* open({ id: "other" })
      for (const id of [request_id, `vrf_${"0".repeat(44)}`, "\u0000", "' or 1=1", "\ud800"]) {
        is(yield* call("/verify/check", { body: { request_id: id, code: "1" } }), 404, {
          error: "Verification request not found",
        })
      }
    }).pipe(Effect.provide(layer)),
  )

  it.effect("answers 429 with a time to come again when an organization checks too often", () =>
    Effect.gen(function* () {
      const { call } = yield* open()
      const check = call("/verify/check", { body: { request_id: "none", code: "1" } })
      for (let checked = 0; checked < 20; checked++) {
        assert.strictEqual((yield* check).status, 404)
      }
      isRetryable(yield* check, 429, "Rate limit exceeded", 60)
    }).pipe(Effect.provide(layer)),
  )

  it.effect("checks no more often than the host wants", () =>
    Effect.gen(function* () {
      const { call } = yield* open()
      const check = call("/verify/check", { body: { request_id: "none", code: "1" } })
      assert.strictEqual((yield* check).status, 404)
      isRetryable(yield* check, 429, "Rate limit exceeded", 5)
    }).pipe(
      Effect.provide(
        Layer.provide(
          layer,
          Layer.succeed(Limits, {
            ...defaults,
            checksPerOrganization: { max: 1, windowMillis: 5_000 },
          }),
        ),
      ),
    ),
  )
})
