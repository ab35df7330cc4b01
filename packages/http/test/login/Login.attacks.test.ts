/** What the login stops. `docs/guides/login.md` names these tests. */
import { SimulatedGateway } from "@countersign/core/adapters/SimulatedGateway"
import * as MemoryStore from "@countersign/core/adapters/MemoryStore"
import { StoreUnavailable } from "@countersign/core/domain/errors/Errors"
import { Organizations } from "@countersign/core/services/Organizations"
import { Store } from "@countersign/core/ports/Store"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { TestClock } from "effect/testing"
import { testsOver } from "../../../../test/support/testsOver.ts"
import { engineTest } from "../support/engineTest.ts"
import {
  type Answer,
  browserAt,
  codeTo,
  cookieIn,
  other,
  own,
  serve,
  serveFor,
  textsTo,
  wrongFor,
} from "../support/LoginSubject.ts"

const name = "__Host-countersign-login"

const codeOf = ({ body }: Answer): unknown => Object(body).code

const isLetter = (letter: string): boolean => letter !== "." && letter !== "="

describe("replay", () => {
  engineTest("of a check with its cookie signs in no second time", function* () {
    const { browser, handler, verified } = yield* serve()
    yield* browser.start(own)
    const cookie = browser.jar.get(name) ?? ""
    const code = yield* codeTo(own)
    yield* browser.check(code)
    const thief = browserAt(handler, "198.51.100.9")
    for (const typed of [code, wrongFor(code)]) {
      thief.jar.set(name, cookie)
      const answer = yield* thief.check(typed)
      assert.deepStrictEqual([answer.status, codeOf(answer)], [409, "already_consumed"])
    }
    assert.deepInclude((yield* thief.call("/resend", { body: {} })).body, {
      code: "already_verified",
    })
    assert.lengthOf(verified, 1)
  })
})

describe("another browser", () => {
  engineTest("cannot use a code that it has not asked for", function* () {
    const { browser, handler, verified } = yield* serve()
    yield* browser.start(own)
    const code = yield* codeTo(own)
    const stranger = browserAt(handler)
    assert.strictEqual(codeOf(yield* stranger.check(code)), "request_not_found")
    yield* stranger.start(other)
    assert.strictEqual(codeOf(yield* stranger.check(code)), "wrong_code")
    assert.deepStrictEqual(verified, [])
    assert.strictEqual((yield* browser.check(code)).status, 200)
  })

  engineTest("that asks for a code to the same number leaves this one's valid", function* () {
    const { browser, handler, verified } = yield* serve()
    yield* browser.start(own)
    const code = yield* codeTo(own)
    const stranger = browserAt(handler, "198.51.100.9")
    yield* stranger.start(own)
    yield* stranger.call("/cancel", { body: {} })
    assert.strictEqual((yield* browser.check(code)).status, 200)
    assert.lengthOf(verified, 1)
  })

  engineTest("cannot make a cookie: no changed character is accepted", function* () {
    const { browser, handler } = yield* serve()
    yield* browser.start(own)
    const cookie = browser.jar.get(name) ?? ""
    const stranger = browserAt(handler)
    // Some of the characters: `BrowserTokens` tests all of them.
    const places = [...cookie].flatMap((letter, at) =>
      isLetter(letter) && at % 32 === 2 ? [at] : [],
    )
    assert.isAbove(places.length, 5)
    for (const at of places) {
      const changed = cookie.at(at) === "A" ? "B" : "A"
      stranger.jar.set(name, `${cookie.slice(0, at)}${changed}${cookie.slice(at + 1)}`)
      assert.deepStrictEqual((yield* stranger.call("/state")).body, { status: "idle" })
      assert.strictEqual(codeOf(yield* stranger.check("000000")), "request_not_found")
    }
  })
})

describe("fixation", () => {
  engineTest("by a planted cookie does not make the victim type for the attacker", function* () {
    const { browser, handler, verified } = yield* serve()
    const attacker = browserAt(handler, "198.51.100.9")
    yield* attacker.start(other)
    yield* browser.start(own)
    browser.jar.set(name, attacker.jar.get(name) ?? "")
    const code = yield* codeTo(own)
    // The page shows the victim's number, and sends it.
    const answer = yield* browser.check(code, { phoneNumber: own })
    assert.deepStrictEqual([answer.status, codeOf(answer)], [409, "number_changed"])
    assert.deepInclude((yield* attacker.call("/state")).body, { attemptsRemaining: 3 })
    assert.deepStrictEqual(verified, [])
  })

  engineTest("is not possible from a neighbour: the cookie is of this host alone", function* () {
    const { browser } = yield* serve()
    const cookie = cookieIn(yield* browser.start(own))
    // The conditions of `__Host-`.
    assert.match(cookie, /^__Host-.*; Path=\/; HttpOnly; Secure/)
    assert.notInclude(cookie, "Domain")
    browser.jar.set("countersign-login", browser.jar.get(name) ?? "")
    browser.jar.delete(name)
    assert.deepStrictEqual((yield* browser.call("/state")).body, { status: "idle" })
  })
})

describe("another number", () => {
  engineTest("than the one that got the code is never signed in", function* () {
    const { browser, verified } = yield* serve()
    yield* browser.start(own)
    const code = yield* codeTo(own)
    const answer = yield* browser.check(code, { phoneNumber: other })
    assert.strictEqual(codeOf(answer), "number_changed")
    assert.deepInclude((yield* browser.call("/state")).body, { attemptsRemaining: 3 })
    yield* browser.check(code)
    assert.deepStrictEqual(
      verified.map(({ phoneNumber }) => phoneNumber),
      [own],
    )
  })
})

describe("another purpose", () => {
  engineTest("does not accept the cookie, nor a request of the engine", function* () {
    const login = yield* serve()
    const payment = yield* serveFor(login.organization, { purpose: "payment" })
    yield* login.browser.start(own)
    const cookie = login.browser.jar.get(name) ?? ""
    payment.browser.jar.set("__Host-countersign-payment", cookie)
    const code = yield* codeTo(own)
    assert.strictEqual(codeOf(yield* payment.browser.check(code)), "request_not_found")
    assert.deepStrictEqual(payment.verified, [])
    // Both have a request of their own in one browser.
    payment.browser.jar.clear()
    payment.browser.jar.set(name, cookie)
    yield* payment.browser.start(own)
    assert.strictEqual(payment.browser.jar.size, 2)
  })

  engineTest("or another organization: a cookie is of the one that signed it", function* () {
    const { browser } = yield* serve()
    const neighbour = yield* serve({ id: "neighbour" })
    yield* browser.start(own)
    neighbour.browser.jar.set(name, browser.jar.get(name) ?? "")
    assert.strictEqual(
      codeOf(yield* neighbour.browser.check(yield* codeTo(own))),
      "request_not_found",
    )
  })
})

describe("race of two tabs", () => {
  engineTest("with the right code signs in once", function* () {
    const { browser, verified } = yield* serve()
    yield* browser.start(own)
    const code = yield* codeTo(own)
    const answers = yield* Effect.all(
      Array.from({ length: 6 }, () => browser.check(code)),
      { concurrency: "unbounded" },
    )
    assert.lengthOf(verified, 1)
    assert.deepStrictEqual(
      answers.map(({ status }) => status).toSorted(),
      [200, 409, 409, 409, 409, 409],
    )
  })

  engineTest("with wrong codes uses no attempt twice, and none is left over", function* () {
    const { browser, verified } = yield* serve()
    yield* browser.start(own)
    const code = yield* codeTo(own)
    const answers = yield* Effect.all(
      Array.from({ length: 8 }, () => browser.check(wrongFor(code))),
      { concurrency: "unbounded" },
    )
    assert.lengthOf(
      answers.filter(({ status }) => status === 400),
      2,
    )
    assert.strictEqual(codeOf(yield* browser.check(code)), "attempts_exhausted")
    assert.deepStrictEqual(verified, [])
  })

  engineTest("that starts with another number tells the first tab", function* () {
    const { browser, verified } = yield* serve()
    yield* browser.start(own)
    const first = yield* codeTo(own)
    yield* browser.start(other)
    const answer = yield* browser.check(first, { phoneNumber: own })
    assert.strictEqual(codeOf(answer), "number_changed")
    assert.deepInclude((yield* browser.call("/state")).body, {
      phoneNumber: other,
      attemptsRemaining: 3,
    })
    assert.deepStrictEqual(verified, [])
  })

  engineTest("that starts twice after the cooldown sends one message", function* () {
    const { browser } = yield* serve()
    yield* browser.start(own)
    yield* TestClock.adjust("30 seconds")
    const before = (yield* textsTo(own)).length
    const answers = yield* Effect.all([browser.start(own), browser.start(own)], {
      concurrency: "unbounded",
    })
    assert.deepStrictEqual(
      answers.map(({ status }) => status),
      [200, 200],
    )
    assert.strictEqual((yield* textsTo(own)).length, before + 1)
  })
})

describe("enumeration", () => {
  engineTest("finds no difference between a number that has signed in and a new one", function* () {
    const { browser, handler } = yield* serve()
    yield* browser.start(own)
    yield* browser.check(yield* codeTo(own))
    const shapes = []
    for (const number of [own, other]) {
      const visitor = browserAt(handler, "198.51.100.9")
      const started = yield* visitor.start(number)
      const wrong = yield* visitor.check(wrongFor(yield* codeTo(number)))
      shapes.push([
        started.status,
        { ...Object(started.body), phoneNumber: "x" },
        wrong.status,
        wrong.body,
        [...started.headers.keys()],
        cookieIn(started).length,
      ])
    }
    assert.deepStrictEqual(shapes[0], shapes[1])
  })
})

describe("pumping", () => {
  engineTest("by one visitor over many numbers ends at the limit of each client", function* () {
    const { handler, organization } = yield* serve()
    const organizations = yield* Organizations
    yield* organizations.update({
      id: organization,
      limits: { sendsPerClient: { max: 3, windowMillis: 3_600_000 } },
    })
    const statuses = []
    for (const at of [1, 2, 3, 4, 5]) {
      // A new browser each time, on another address of the same IPv6 network.
      const bot = browserAt(handler, `2001:db8::${at}`)
      statuses.push((yield* bot.start(`+880171234567${at}`)).status)
    }
    assert.deepStrictEqual(statuses, [200, 200, 200, 429, 429])
    assert.lengthOf(yield* SimulatedGateway.use(({ journal }) => journal()), 3)
    const person = browserAt(handler, "2001:db8:0:1::1")
    assert.strictEqual((yield* person.start(other)).status, 200)
  })

  engineTest("of one number ends at the limits of the number", function* () {
    const { handler } = yield* serve()
    const statuses = []
    for (const at of [1, 2, 3, 4, 5, 6]) {
      statuses.push((yield* browserAt(handler, `203.0.113.${at}`).start(own)).status)
    }
    assert.deepStrictEqual(statuses, [200, 200, 200, 200, 200, 429])
  })
})

describe("a secret that rotates", () => {
  const store = MemoryStore.make()
  const secrets = ["k1", "k2"].map((one) => Redacted.make(one.padEnd(32, "x")))
  const [old = TestEngine.codeSecret, next = TestEngine.codeSecret] = secrets
  const shared = Layer.succeed(Store, store)

  testsOver(TestEngine.layer({ store: shared, codeSecrets: [old] })).effect(
    "keeps the requests of browsers while both are accepted",
    function* () {
      const before = yield* serve()
      yield* before.browser.start(own)
      const code = yield* codeTo(own)
      const check = Effect.fnUntraced(function* () {
        const after = yield* serveFor(before.organization)
        after.browser.jar.set(name, before.browser.jar.get(name) ?? "")
        return yield* after.browser.check(code, { phoneNumber: own })
      })
      const under = (...codeSecrets: readonly [typeof next, ...Array<typeof next>]) =>
        Effect.provide(check(), TestEngine.layer({ store: shared, codeSecrets }))
      assert.strictEqual(codeOf(yield* under(next)), "request_not_found")
      assert.strictEqual((yield* under(next, old)).status, 200)
    },
  )
})

describe("an answer of the database that is lost", () => {
  /** Loses the answer to the first commit of a code. */
  const losing = () => {
    let isLost = false
    const memory = MemoryStore.make()
    return Layer.succeed(
      Store,
      Store.of({
        ...memory,
        execute: (command) =>
          Effect.flatMap(memory.execute(command), (result) => {
            if (isLost || command._tag !== "RequestVerification") return Effect.succeed(result)
            isLost = true
            return Effect.fail(new StoreUnavailable({ reason: "timeout", retryAfterSeconds: 2 }))
          }),
      }),
    )
  }

  testsOver(TestEngine.layer({ store: losing() })).effect(
    "still binds the request to its browser, which goes on with it",
    function* () {
      const { browser, verified } = yield* serve()
      const answer = yield* browser.start(own)
      assert.deepStrictEqual([answer.status, codeOf(answer)], [503, "unavailable"])
      assert.strictEqual(answer.headers.get("retry-after"), "2")
      assert.deepInclude((yield* browser.call("/state")).body, { status: "waiting" })
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual((yield* browser.start(own)).status, 200)
      assert.strictEqual((yield* browser.check(yield* codeTo(own))).status, 200)
      assert.lengthOf(verified, 1)
    },
  )
})

describe("a gateway that does not answer", () => {
  testsOver(TestEngine.layer({ gateway: { behave: () => ({ _tag: "NeverAnswer" }) } })).effect(
    "leaves the request with its browser, because the code may arrive",
    function* () {
      const { browser, verified } = yield* serve()
      const answer = yield* Effect.forkChild(browser.start(own))
      yield* TestClock.adjust("1 minute")
      assert.deepInclude((yield* Fiber.join(answer)).body, { status: "waiting" })
      yield* browser.check(yield* codeTo(own))
      assert.lengthOf(verified, 1)
    },
  )
})
