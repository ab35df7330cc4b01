import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ask, type Call, mount, world } from "../support/AdminSubject.ts"

const engine = TestEngine.layer()

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

describe("the admin API", () => {
  it.effect.each(
    crossSite.map(([headers, isAllowed]) => ({
      answer: isAllowed ? "allows" : "refuses",
      names: Object.entries(headers).flat().join(" ") || "none",
      headers,
      isAllowed,
    })),
  )("$answer a write with the headers: $names", ({ headers, isAllowed }) =>
    Effect.gen(function* () {
      yield* world
      const answer = yield* ask(yield* mount(), of, { ...change, headers })
      assert.strictEqual(answer.status, isAllowed ? 200 : 403)
    }).pipe(Effect.provide(engine), Effect.scoped),
  )

  it.effect("does not answer reads that a page of another site makes", () =>
    Effect.gen(function* () {
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
    }).pipe(Effect.provide(engine), Effect.scoped),
  )

  it.effect("serves the given hosts only", () =>
    Effect.gen(function* () {
      yield* world
      const [right, wrong] = [["admin.test"], ["admin.example"]]
      assert.strictEqual((yield* ask(yield* mount({ hosts: right }), of)).status, 200)
      const answer = yield* ask(yield* mount({ hosts: wrong }), of)
      assert.strictEqual(answer.status, 421)
      const headers = { host: "Admin.Example" }
      assert.strictEqual((yield* ask(yield* mount({ hosts: wrong }), of, { headers })).status, 200)
    }).pipe(Effect.provide(engine), Effect.scoped),
  )
})
