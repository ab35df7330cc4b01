import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ask, type Call, mount, operator, world } from "../support/AdminSubject.ts"
import { engineTest } from "../support/engineTest.ts"

const of = "/organizations/acme"

/** A change without an effect worth mentioning. */
const change: Call = { method: "PATCH", body: { name: "Acme" } }

/** The headers of a write, and whether it is allowed. The host is `admin.test`. */
const crossSite: ReadonlyArray<readonly [Readonly<Record<string, string>>, boolean]> = [
  [{}, true],
  [{ cookie: "session=1" }, false],
  [{ "sec-fetch-site": "same-origin", cookie: "session=1" }, true],
  [{ "sec-fetch-site": "same-site", cookie: "session=1" }, false],
  [{ "sec-fetch-site": "cross-site", cookie: "session=1" }, false],
  [{ "sec-fetch-site": "cross-site" }, false],
  [{ "sec-fetch-site": "none", cookie: "session=1" }, false],
  [{ "sec-fetch-site": "cross-site", origin: "http://admin.test" }, false],
  [{ origin: "http://admin.test", cookie: "session=1" }, true],
  [{ origin: "https://admin.test", cookie: "session=1" }, true],
  [{ origin: "http://admin.test:81", cookie: "session=1" }, false],
  [{ origin: "http://evil.test", cookie: "session=1" }, false],
  [{ origin: "http://evil.test" }, false],
  [{ origin: "http://admin.test.evil.test", cookie: "session=1" }, false],
  [{ origin: "null", cookie: "session=1" }, false],
  [{ origin: "", cookie: "session=1" }, false],
]

const form = {
  method: "POST",
  body: "password=secret",
  headers: {
    "content-type": "application/x-www-form-urlencoded",
    "sec-fetch-site": "same-origin",
  },
} as const

/** A login that answers with what it was sent. */
const login = (seen: Array<string>) => ({
  authorize: async (request: Request) => {
    seen.push(await request.text())
    return new Response(null, { status: 303, headers: { location: "./" } })
  },
})

describe("the admin API", () => {
  engineTest("sends the answer of the host as it is", function* () {
    const login = new Response(null, { status: 302, headers: { location: "/login" } })
    const answer = yield* ask(yield* mount({ authorize: () => login }), "/session")
    assert.strictEqual(answer.status, 302)
    assert.strictEqual(answer.headers.get("location"), "/login")
  })

  engineTest("tells the client nothing of an error in authorize", function* () {
    const authorize = () => {
      throw new Error("the session store is down")
    }
    const answer = yield* ask(yield* mount({ authorize }), "/session")
    assert.strictEqual(answer.status, 500)
    assert.deepStrictEqual(answer.body, { error: "Internal error", code: "internal" })
  })

  engineTest("gives authorize the request without its body", function* () {
    yield* world
    const seen: Array<unknown> = []
    const authorize = (request: Request, source: unknown) => {
      seen.push(request.method, request.url, request.headers.get("cookie"), request.body)
      assert.instanceOf(source, Request)
      return operator
    }
    const headers = { cookie: "a=b", "sec-fetch-site": "same-origin" }
    const answer = yield* ask(yield* mount({ authorize }), of, { ...change, headers })
    assert.strictEqual(answer.status, 200)
    assert.deepStrictEqual(seen, [
      "PATCH",
      "http://admin.test/admin/api/organizations/acme",
      "a=b",
      null,
    ])
  })

  engineTest.each(
    crossSite.map(([headers, isAllowed]) => ({
      answer: isAllowed ? "allows" : "refuses",
      names: Object.entries(headers).flat().join(" ") || "none",
      headers,
      isAllowed,
    })),
  )("$answer a write with the headers: $names", function* ({ headers, isAllowed }) {
    yield* world
    const answer = yield* ask(yield* mount(), of, { ...change, headers })
    assert.strictEqual(answer.status, isAllowed ? 200 : 403)
  })

  engineTest("does not answer reads that a page of another site makes", function* () {
    yield* world
    const send = yield* mount()
    for (const [site, status] of [
      ["same-origin", 200],
      ["none", 200],
      ["same-site", 403],
      ["cross-site", 403],
    ] as const) {
      const answer = yield* ask(send, of, { headers: { "sec-fetch-site": site } })
      assert.strictEqual(answer.status, status, site)
    }
  })

  engineTest("serves the given hosts only", function* () {
    yield* world
    const [right, wrong] = [["admin.test"], ["admin.example"]]
    assert.strictEqual((yield* ask(yield* mount({ hosts: right }), of)).status, 200)
    const answer = yield* ask(yield* mount({ hosts: wrong }), of)
    assert.strictEqual(answer.status, 421)
    const headers = { host: "Admin.Example" }
    assert.strictEqual((yield* ask(yield* mount({ hosts: wrong }), of, { headers })).status, 200)
  })
})

describe("a form of a page", () => {
  engineTest("is passed to the host's login, whose answer is sent", function* () {
    const seen: Array<string> = []
    const send = yield* mount(login(seen))
    const response = yield* Effect.promise(() => send("/org/acme", form))
    assert.strictEqual(response.status, 303)
    assert.strictEqual(response.headers.get("location"), "./")
    assert.deepStrictEqual(seen, ["password=secret"])
  })

  engineTest("is refused before the login if it is of another site", function* () {
    const seen: Array<string> = []
    const send = yield* mount(login(seen))
    const headers = { ...form.headers, "sec-fetch-site": "cross-site" }
    const response = yield* Effect.promise(() => send("/", { ...form, headers }))
    assert.strictEqual(response.status, 403)
    assert.deepStrictEqual(seen, [])
  })

  engineTest("reaches the login empty if it is too large", function* () {
    const seen: Array<string> = []
    const send = yield* mount(login(seen))
    const body = `password=${"x".repeat(5_000)}`
    yield* Effect.promise(() => send("/", { ...form, body }))
    assert.deepStrictEqual(seen, [""])
  })

  engineTest("is taken by no page", function* () {
    const send = yield* mount({ authorize: () => operator })
    const response = yield* Effect.promise(() => send("/", form))
    assert.strictEqual(response.status, 405)
  })
})
