import { SimulatedGateway } from "@countersign/core/adapters/SimulatedGateway"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import * as TestNumbers from "@countersign/core/engine/TestNumbers"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { TestClock } from "effect/testing"
import { logged } from "../../../../test/support/observed.ts"
import { testsOver } from "../../../../test/support/testsOver.ts"
import { engineTest } from "../support/engineTest.ts"
import {
  browserAt,
  codeTo,
  cookieIn,
  other,
  own,
  serve,
  textsTo,
  wrongFor,
} from "../support/LoginSubject.ts"

const statusOf = Effect.fnUntraced(function* (organization: OrganizationId, phoneNumber: string) {
  const { search } = yield* Verifications
  const found = yield* search({ organization, phoneNumber })
  return found.verifications.map(({ status }) => status)
})

const waiting = {
  status: "waiting",
  phoneNumber: own,
  channel: "sms",
  codeLength: 6,
  expiresAt: "1970-01-01T00:05:00.000Z",
  resendAt: "1970-01-01T00:00:30.000Z",
  resendsRemaining: 3,
  attemptsRemaining: 3,
  now: "1970-01-01T00:00:00.000Z",
}

describe("start", () => {
  engineTest("sends a code, and binds the request to the browser by a cookie", function* () {
    const { browser } = yield* serve()
    const answer = yield* browser.start("01712-345678")
    assert.deepStrictEqual([answer.status, answer.body], [200, waiting])
    assert.match(
      cookieIn(answer),
      /^__Host-countersign-login=1\.[\w-]+\.[\w-]{43}; Max-Age=900; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    assert.strictEqual(answer.headers.get("cache-control"), "no-store")
    assert.match((yield* textsTo(own)).join(), /^\d{6} /)
  })

  engineTest("shows neither the code nor the number in the cookie", function* () {
    const { browser } = yield* serve()
    const cookie = cookieIn(yield* browser.start(own))
    const [, payload = ""] = cookie.split(".")
    const text = atob(payload.replaceAll("-", "+").replaceAll("_", "/"))
    assert.match(text, /"id":"vrf_/)
    assert.notInclude(text, own.slice(1))
    assert.notInclude(text, yield* codeTo(own))
  })

  engineTest.each([
    ["http://app.test", false, "countersign-login=", false],
    ["http://app.test", true, "__Host-countersign-login=", true],
    ["https://app.test", false, "__Host-countersign-login=", true],
  ] as const)("at %s with production %s sets %s", function* ([base, isProduction, name, isSecure]) {
    const { handler } = yield* serve({ isProduction })
    const browser = browserAt(handler, undefined, base)
    const cookie = cookieIn(yield* browser.start(own))
    assert.isTrue(cookie.startsWith(name), cookie)
    assert.strictEqual(cookie.includes("; Secure"), isSecure)
    assert.deepInclude((yield* browser.call("/state")).body, { status: "waiting" })
  })

  engineTest("sends nothing more to the same number before its cooldown is over", function* () {
    const { browser } = yield* serve()
    yield* browser.start(own)
    yield* TestClock.adjust("10 seconds")
    const again = yield* browser.start(own)
    assert.deepStrictEqual(again.body, { ...waiting, now: "1970-01-01T00:00:10.000Z" })
    assert.deepStrictEqual(again.headers.getSetCookie(), [])
    assert.lengthOf(yield* textsTo(own), 1)
  })

  engineTest("sends the same code again after the cooldown", function* () {
    const { browser, organization } = yield* serve()
    yield* browser.start(own)
    const code = yield* codeTo(own)
    yield* TestClock.adjust("30 seconds")
    const again = yield* browser.call("/start", { body: { phoneNumber: own, channel: "whatsapp" } })
    assert.deepInclude(again.body, { channel: "whatsapp", resendsRemaining: 2 })
    assert.lengthOf(yield* textsTo(own), 2)
    assert.strictEqual(yield* codeTo(own), code)
    assert.deepStrictEqual(yield* statusOf(organization, own), ["pending"])
  })

  engineTest("sends another code after the last resend, and after the end of a code", function* () {
    const { browser, organization } = yield* serve()
    yield* browser.start(own)
    for (const _ of [1, 2, 3]) {
      yield* TestClock.adjust("30 seconds")
      yield* browser.start(own)
    }
    const fresh = yield* browser.start(own)
    assert.deepInclude(fresh.body, { resendsRemaining: 3 })
    assert.deepStrictEqual(yield* statusOf(organization, own), ["pending", "failed"])
    yield* TestClock.adjust("5 minutes")
    assert.deepInclude((yield* browser.start(own)).body, { status: "waiting" })
    assert.deepStrictEqual(yield* statusOf(organization, own), ["pending", "expired", "failed"])
  })

  engineTest("with another number cancels the earlier request of the browser", function* () {
    const { browser, organization } = yield* serve()
    yield* browser.start(own)
    const code = yield* codeTo(own)
    assert.deepInclude((yield* browser.start(other)).body, { phoneNumber: other })
    assert.deepStrictEqual(yield* statusOf(organization, own), ["failed"])
    assert.deepInclude((yield* browser.check(code)).body, { code: "wrong_code" })
  })

  engineTest("that is refused leaves the earlier request as it is", function* () {
    const { browser } = yield* serve()
    yield* browser.start(own)
    const refused = yield* browser.call("/start", { body: { phoneNumber: other, locale: "xx" } })
    assert.deepInclude(refused.body, { code: "invalid_request" })
    assert.deepStrictEqual(refused.headers.getSetCookie(), [])
    assert.strictEqual((yield* browser.check(yield* codeTo(own))).status, 200)
  })

  testsOver(
    TestEngine.layer().pipe(
      Layer.provideMerge(
        TestNumbers.layer({
          production: false,
          numbers: [{ phoneNumber: own, code: Redacted.make("1234"), outcome: "delivered" }],
        }),
      ),
    ),
  ).effect("tells the length of the code of a test number", function* () {
    const { browser, verified } = yield* serve()
    assert.deepInclude((yield* browser.start(own)).body, { codeLength: 4 })
    yield* browser.check("1234")
    assert.lengthOf(verified, 1)
  })
})

describe("resend", () => {
  engineTest("sends the same code again, by the cookie of the browser alone", function* () {
    const { browser } = yield* serve()
    yield* browser.start(own)
    const early = yield* browser.call("/resend", { method: "POST" })
    assert.strictEqual(early.status, 429)
    assert.deepStrictEqual(early.body, {
      code: "rate_limited",
      message: "The code was sent a moment ago",
      retryAfterSeconds: 30,
    })
    assert.strictEqual(early.headers.get("retry-after"), "30")
    yield* TestClock.adjust("30 seconds")
    const again = yield* browser.call("/resend", { body: { channel: "whatsapp" } })
    assert.deepInclude(again.body, { channel: "whatsapp", resendsRemaining: 2 })
    assert.lengthOf(yield* textsTo(own), 2)
  })

  engineTest("without a request is not found", function* () {
    const { browser } = yield* serve()
    const answer = yield* browser.call("/resend", { body: {} })
    assert.deepStrictEqual(
      [answer.status, answer.body],
      [404, { code: "request_not_found", message: "Verification request not found" }],
    )
  })
})

describe("check", () => {
  engineTest("with the right code signs in, and its answer is the host's", function* () {
    const { browser, verified } = yield* serve()
    yield* browser.start(own)
    const answer = yield* browser.check(yield* codeTo(own), { phoneNumber: "01712 345678" })
    assert.deepStrictEqual([answer.status, answer.body], [200, { user: own }])
    assert.deepStrictEqual(verified, [{ phoneNumber: own, purpose: "login", metadata: null }])
    assert.deepStrictEqual([...browser.jar], [["session", "of-the-host"]])
    assert.strictEqual(answer.headers.get("cache-control"), "no-store")
  })

  engineTest("with a wrong code tells what remains, until nothing does", function* () {
    const { browser, verified } = yield* serve()
    yield* browser.start(own)
    const code = yield* codeTo(own)
    const first = yield* browser.check(wrongFor(code))
    assert.deepStrictEqual(
      [first.status, first.body],
      [400, { code: "wrong_code", message: "Wrong code", attemptsRemaining: 2 }],
    )
    assert.deepInclude((yield* browser.call("/state")).body, { attemptsRemaining: 2 })
    yield* browser.check(wrongFor(code))
    const last = yield* browser.check(wrongFor(code))
    assert.strictEqual(last.status, 429)
    assert.deepInclude(last.body, { code: "attempts_exhausted" })
    assert.deepStrictEqual((yield* browser.call("/state")).body, { status: "idle" })
    assert.deepInclude((yield* browser.check(code)).body, { code: "attempts_exhausted" })
    assert.deepStrictEqual(verified, [])
  })

  engineTest("after the end of the code tells that it has expired", function* () {
    const { browser } = yield* serve()
    yield* browser.start(own)
    yield* TestClock.adjust("5 minutes")
    const late = yield* browser.check(yield* codeTo(own))
    assert.deepStrictEqual(
      [late.status, late.body],
      [410, { code: "request_expired", message: "The verification request has expired" }],
    )
    assert.deepStrictEqual((yield* browser.call("/state")).body, { status: "idle" })
  })

  const { layer: logs, lines } = logged()
  testsOver(Layer.merge(TestEngine.layer(), logs)).effect(
    "whose host fails is a 500 once, and the log has no number and no code",
    function* () {
      const { browser } = yield* serve({
        onVerified: ({ phoneNumber }) => Effect.die(new Error(`no user ${phoneNumber}`)),
      })
      yield* browser.start(own)
      const code = yield* codeTo(own)
      const answer = yield* browser.check(code)
      assert.deepStrictEqual(
        [answer.status, answer.body],
        [500, { code: "internal", message: "Internal error" }],
      )
      // The request is used up.
      assert.strictEqual(browser.jar.size, 0)
      assert.lengthOf(lines, 1)
      assert.notMatch(lines.join(), new RegExp(`${own.slice(4)}|${code}`))
    },
  )
})

describe("cancel", () => {
  engineTest("ends the request of the browser, and is safe to repeat", function* () {
    const { browser, organization } = yield* serve()
    yield* browser.start(own)
    for (const _ of [1, 2]) {
      const answer = yield* browser.call("/cancel", { body: {} })
      assert.deepStrictEqual([answer.status, answer.body], [200, { status: "idle" }])
      assert.include(cookieIn(answer), "=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax")
    }
    assert.strictEqual(browser.jar.size, 0)
    assert.deepStrictEqual(yield* statusOf(organization, own), ["failed"])
  })
})

describe("state", () => {
  engineTest("is that of the request after a reload, by the clock of the server", function* () {
    const { browser } = yield* serve()
    assert.deepStrictEqual((yield* browser.call("/state")).body, { status: "idle" })
    yield* browser.start(own)
    yield* TestClock.adjust("45 seconds")
    assert.deepStrictEqual((yield* browser.call("/state")).body, {
      ...waiting,
      resendAt: "1970-01-01T00:00:45.000Z",
      now: "1970-01-01T00:00:45.000Z",
    })
    yield* browser.check(yield* codeTo(own))
    assert.deepStrictEqual((yield* browser.call("/state")).body, { status: "idle" })
  })
})

describe("what the host chooses", () => {
  const payment = { amount: "500 BDT", payee: "Rahim" }

  engineTest("replaces what the browser asks for, and comes back with the number", function* () {
    const { browser, verified } = yield* serve({
      purpose: "payment",
      onStart: ({ channel, locale, phoneNumber }) => {
        assert.deepStrictEqual([phoneNumber, channel, locale], [undefined, "sms", undefined])
        return Effect.succeed({ phoneNumber: own, payment, metadata: { order: 7 } })
      },
    })
    const answer = yield* browser.call("/start", { body: { channel: "sms" } })
    assert.deepInclude(answer.body, { phoneNumber: own })
    assert.match((yield* textsTo(own)).join(), /500 BDT.*Rahim/)
    yield* browser.check(yield* codeTo(own))
    assert.deepStrictEqual(verified, [
      { phoneNumber: own, purpose: "payment", metadata: { order: 7 } },
    ])
  })

  engineTest("refuses with its own answer, before anything is sent", function* () {
    const gone = HttpServerResponse.jsonUnsafe({ code: "closed", message: "x" }, { status: 403 })
    const { browser } = yield* serve({ onStart: () => Effect.succeed(gone) })
    const answer = yield* browser.call("/start", { body: {} })
    assert.deepStrictEqual([answer.status, answer.body], [403, { code: "closed", message: "x" }])
    assert.deepStrictEqual(yield* SimulatedGateway.use(({ journal }) => journal()), [])
  })

  const { layer: logs, lines } = logged()
  testsOver(Layer.merge(TestEngine.layer(), logs)).effect(
    "may only have the known members, and the log names others",
    function* () {
      const chosen: object = { phoneNumber: own, amount: "5" }
      const { browser } = yield* serve({ onStart: () => Effect.succeed(chosen) })
      assert.strictEqual((yield* browser.call("/start", { body: {} })).status, 500)
      assert.match(lines.join(), /onStart of the login returns what it may not: amount/)
    },
  )

  engineTest("begins a new request if it has changed, and no other one", function* () {
    let amount = "500 BDT"
    const { browser, organization } = yield* serve({
      onStart: () =>
        Effect.sync(() => ({ payment: { amount, payee: "Rahim" }, metadata: { amount } })),
    })
    yield* browser.start(own)
    yield* browser.start(own)
    assert.lengthOf(yield* textsTo(own), 1)
    amount = "5 BDT"
    yield* browser.start(own)
    assert.match((yield* textsTo(own))[0] ?? "", /(?<!\d)5 BDT/)
    assert.deepStrictEqual(yield* statusOf(organization, own), ["pending", "failed"])
  })
})
