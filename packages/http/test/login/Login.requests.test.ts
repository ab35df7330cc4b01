import { Organizations } from "@countersign/core/services/Organizations"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as TestEngine from "@countersign/testing/TestEngine"
import * as Layer from "effect/Layer"
import { recording } from "../../../../test/support/observed.ts"
import { testsOver } from "../../../../test/support/testsOver.ts"
import * as Login from "../../src/login/Login.ts"
import * as Settings from "../../src/login/LoginSettings.ts"
import { clientOf } from "../../src/login/internal/browser.ts"
import { engineTest } from "../support/engineTest.ts"
import { browserAt, type Call, codeTo, host, own, serve } from "../support/LoginSubject.ts"

const codeIn = (body: unknown): unknown => Object(body).code

describe("a request", () => {
  const refusals: ReadonlyArray<readonly [what: string, string, Call, number, string]> = [
    ["an unknown path", "/begin", { body: {} }, 404, "not_found"],
    ["no path", "", { body: {} }, 404, "not_found"],
    ["another method", "/start", {}, 405, "method_not_allowed"],
    ["a part of a method", "/start", { method: "OST", body: {} }, 405, "method_not_allowed"],
    ["another method of a read", "/state", { body: {} }, 405, "method_not_allowed"],
    [
      "a form",
      "/start",
      { body: "a=1", headers: { "content-type": "text/plain" } },
      415,
      "unsupported_media_type",
    ],
    ["no JSON", "/start", { body: "{" }, 400, "invalid_request"],
    ["a list", "/check", { body: [] }, 400, "invalid_request"],
    [
      "a body that is too large",
      "/start",
      { body: { phoneNumber: "1".repeat(9_000) } },
      413,
      "body_too_large",
    ],
    ["a code that is a number", "/check", { body: { code: 123456 } }, 400, "invalid_request"],
    ["no code", "/check", { body: {} }, 400, "invalid_request"],
    [
      "a member that a cancel does not have",
      "/cancel",
      { body: { id: 1 } },
      400,
      "invalid_request",
    ],
  ]

  engineTest.each(refusals)("with %s is refused", function* ([, path, call, status, code]) {
    const { browser } = yield* serve()
    const answer = yield* browser.call(path, call)
    assert.deepStrictEqual([answer.status, codeIn(answer.body)], [status, code])
    assert.strictEqual(answer.headers.get("cache-control"), "no-store")
  })

  engineTest("with a misspelt member names the one that was meant", function* () {
    const { browser } = yield* serve()
    const answer = yield* browser.call("/start", { body: { phonenumber: own, purpose: "x" } })
    const unknown = { code: "unknown_field" } as const
    assert.deepStrictEqual(answer.body, {
      code: "invalid_request",
      message: "Validation failed",
      details: {
        phonenumber: [
          {
            ...unknown,
            params: { meant: "phoneNumber" },
            message: "is not a field; did you mean phoneNumber?",
          },
        ],
        purpose: [{ ...unknown, params: { meant: null }, message: "is not a field of this input" }],
      },
    })
  })

  engineTest.each([
    ["01712-345678", 200],
    ["+880 1712 345678", 200],
    ["০১৭১২৩৪৫৬৭৮", 200],
    ["017", 400],
    ["hello", 400],
  ] as const)("reads the number %s as people type it", function* ([phoneNumber, status]) {
    const { browser } = yield* serve()
    assert.strictEqual((yield* browser.start(phoneNumber)).status, status)
  })

  engineTest("may come with a body that a parser of the host has read", function* () {
    const { browser } = yield* serve()
    const answer = yield* browser.call("/start", {
      body: "spent",
      parsed: { phoneNumber: own },
    })
    assert.strictEqual(answer.status, 200)
  })

  engineTest("is answered below the document's paths, which name the base", function* () {
    const { browser } = yield* serve()
    const { body, status } = yield* browser.call("/openapi.json")
    assert.strictEqual(status, 200)
    assert.deepStrictEqual(Object(body).servers, [{ url: "/login" }])
    assert.deepStrictEqual(Object.keys(Object(body).paths), [
      "/start",
      "/resend",
      "/check",
      "/cancel",
      "/state",
    ])
  })
})

describe("a page of another site", () => {
  const sites: ReadonlyArray<readonly [Readonly<Record<string, string>>, boolean]> = [
    [{}, true],
    [{ "sec-fetch-site": "same-origin" }, true],
    [{ "sec-fetch-site": "none" }, true],
    [{ "sec-fetch-site": "same-site" }, false],
    [{ "sec-fetch-site": "cross-site" }, false],
    [{ "sec-fetch-site": "cross-site", origin: host }, false],
    [{ origin: host }, true],
    [{ origin: "https://evil.test" }, false],
    [{ origin: "https://app.test.evil.test" }, false],
    [{ origin: "https://app.test:8443" }, false],
    [{ origin: "null" }, false],
    [{ "sec-fetch-site": "same-site", origin: "https://www.app.test" }, true],
    [{ "sec-fetch-site": "cross-site", origin: "https://www.app.test" }, true],
    [{ origin: "https://www.app.test:444" }, false],
  ]

  engineTest.each(sites)("%j is served: %s", function* ([headers, isServed]) {
    const { browser } = yield* serve({ origins: ["https://www.app.test"] })
    const { body } = yield* browser.call("/check", { body: { code: "1" }, headers })
    assert.strictEqual(codeIn(body), isServed ? "request_not_found" : "foreign_origin")
  })

  engineTest("is refused on every endpoint, and gets no cookie", function* () {
    const { browser } = yield* serve()
    const headers = { "sec-fetch-site": "cross-site" }
    for (const [path, body] of [
      ["/start", { phoneNumber: own }],
      ["/check", { code: "1" }],
      ["/resend", {}],
      ["/cancel", {}],
      ["/state", undefined],
    ] as const) {
      const answer = yield* browser.call(path, { body, headers })
      assert.deepStrictEqual([answer.status, codeIn(answer.body)], [403, "foreign_origin"])
    }
    assert.strictEqual(browser.jar.size, 0)
  })

  engineTest("reads answers only if the host lists its origin", function* () {
    const listed = "https://www.app.test"
    const { browser } = yield* serve({ origins: [listed] })
    const preflight = (origin: string) =>
      browser.call("/start", { method: "OPTIONS", headers: { origin } })
    const allowed = yield* preflight(listed)
    assert.deepInclude(Object.fromEntries(allowed.headers), {
      "access-control-allow-origin": listed,
      "access-control-allow-credentials": "true",
      "access-control-allow-methods": "POST, OPTIONS",
      "access-control-allow-headers": "Content-Type",
      vary: "Origin",
    })
    const refused = yield* preflight("https://evil.test")
    assert.isNull(refused.headers.get("access-control-allow-origin"))
    yield* browser.call("/start", { body: { phoneNumber: own }, headers: { origin: listed } })
    const body = { code: yield* codeTo(own) }
    const signedIn = yield* browser.call("/check", { body, headers: { origin: listed } })
    assert.strictEqual(signedIn.headers.get("access-control-allow-origin"), listed)
    assert.strictEqual(signedIn.headers.get("access-control-expose-headers"), "Retry-After")
    const others = yield* serve({ id: "without-origins" })
    const plain = yield* others.browser.call("/state", { headers: { origin: host } })
    assert.isNull(plain.headers.get("vary"))
  })
})

describe("the visitor", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["", undefined],
    ["unix", "unix"],
  ])("at %j is %j", (address, client) => {
    assert.strictEqual(clientOf(address), client)
  })

  const oneSend = { sendsPerClient: { max: 1, windowMillis: 60_000 } }

  /** The statuses of sends to different numbers, by one visitor each. */
  const statuses = Effect.fnUntraced(function* (
    options: Partial<Login.Options>,
    visitors: ReadonlyArray<Readonly<Record<string, string>>>,
  ) {
    const { handler, organization } = yield* serve(options)
    yield* Organizations.use(({ update }) => update({ id: organization, limits: oneSend }))
    return yield* Effect.forEach(visitors, (headers, at) =>
      Effect.map(
        browserAt(handler, "10.0.0.1").call("/start", {
          body: { phoneNumber: `+880171234567${at}` },
          headers,
        }),
        ({ status }) => status,
      ),
    )
  })

  engineTest("is at the address that a trusted proxy names", function* () {
    const visitors = ["203.0.113.7", "203.0.113.8", "203.0.113.7"].map((address) => ({
      "x-forwarded-for": address,
    }))
    assert.deepStrictEqual(
      yield* statuses({ trustedProxies: ["10.0.0.0/8"] }, visitors),
      [200, 200, 429],
    )
  })

  engineTest("is not what its own headers say", function* () {
    const visitors = [{ "x-forwarded-for": "203.0.113.7" }, { "x-forwarded-for": "203.0.113.8" }]
    assert.deepStrictEqual(yield* statuses({}, visitors), [200, 429])
  })

  engineTest("has the name that the host gives, or none", function* () {
    const client: Login.Options["client"] = ({ headers }) => headers["x-device"]
    const visitors = [{ "x-device": "a" }, { "x-device": "b" }, { "x-device": "a" }, {}, {}]
    assert.deepStrictEqual(yield* statuses({ client }, visitors), [200, 200, 429, 200, 200])
  })
})

describe("spans", () => {
  const { layer, written } = recording()
  testsOver(Layer.merge(TestEngine.layer(), layer)).effect(
    "have neither the number nor the code",
    function* () {
      const { browser } = yield* serve()
      yield* browser.start(own)
      const code = yield* codeTo(own)
      yield* browser.check(code)
      assert.include(written(), "Verifications.verify")
      assert.notMatch(written(), new RegExp(`${own.slice(1)}|"${code}"`))
    },
  )
})

describe("settings", () => {
  it.each([
    [{ purpose: "Login" }, /^purpose must have 1 to 32 characters/],
    [{ purpose: "" }, /^purpose must have/],
    [{ country: "XX" }, /^country: XX is no country/],
    [{ country: "bd" }, /^country: bd is no country with a numbering plan: write "BD"/],
    [{ origins: ["app.test"] }, /^origins: "app.test" must be written as https:/],
    [{ origins: ["https://app.test/"] }, /^origins: /],
    [{ origins: ["null"] }, /^origins: /],
    [{ trustedProxies: ["x"] }, /"x" is no IP address/],
  ])("%j are refused", (settings, message) => {
    assert.throws(() => Settings.read(settings), TypeError, message)
  })

  engineTest("with an organization that cannot exist end the start", function* () {
    const exit = yield* Effect.exit(
      Login.make({ organization: "no id", onVerified: () => Effect.never }),
    )
    assert.isTrue(Exit.isFailure(exit))
  })
})
