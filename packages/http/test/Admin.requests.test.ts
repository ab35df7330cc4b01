import { SendingFailed } from "@countersign/core/domain/Errors"
import * as FieldProblem from "@countersign/core/domain/FieldProblem"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ofError } from "../src/internal/admin/refusals.ts"
import { ask, type Call, mount, operator, tenant, world } from "./support/AdminSubject.ts"

const engine = TestEngine.layer()

/** An engine whose gateway refuses each message. */
const refusing = TestEngine.layer({
  gateway: { behave: () => ({ _tag: "Reject", message: "Refused" }) },
})

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

const invalid: ReadonlyArray<readonly [path: string, call: Call, details: object]> = [
  [`${of}/api-keys`, { body: {} }, { name: ["is required"] }],
  [`${of}/api-keys`, { body: { name: 5 } }, { name: ["must be a string"] }],
  [
    `${of}/api-keys`,
    { body: { name: "x", expiresAt: "tomorrow" } },
    { expiresAt: ["must be an ISO 8601 date, or date-time with offset"] },
  ],
  [`${of}/api-keys`, { body: { name: "" } }, { name: ["must have 1 to 100 printable characters"] }],
  [`${of}/api-keys`, { body: { name: "x", scopes: 5 } }, { scopes: ["must be a list or null"] }],
  [
    `${of}/brands`,
    { body: { kind: "x", sender: 5, isDefault: "yes" } },
    {
      kind: ["must be one of masking, non-masking, whatsapp"],
      sender: ["must be a string"],
      isDefault: ["must be true or false or null"],
    },
  ],
  [`${of}/webhooks`, { body: { url: "x", after: "1" } }, { after: ["must be a number or null"] }],
  [`${of}/top-ups`, { body: { amount: "5", note: "x" } }, { paymentId: ["is required"] }],
  [`${of}/top-ups`, { body: { amount: "5", paymentId: "p" } }, { note: ["is required"] }],
  [
    `${of}/top-ups`,
    { body: { amount: "5", note: " ", paymentId: "p" } },
    { note: ["must not be empty"] },
  ],
  [
    `${of}/top-ups`,
    { body: { amount: "-5", note: "x", paymentId: "p" } },
    { amount: ["must be positive"] },
  ],
  [`${of}/ledger?limit=many`, {}, { limit: ["must be an integer"] }],
  [`${of}/statement`, {}, { from: ["is required"], to: ["is required"] }],
  [`${of}/messages?cursor=x`, {}, { cursor: ["must be a cursor of the search"] }],
  [
    `${of}/erase`,
    { body: { phoneNumber: "+8801712345678", reason: "" } },
    { reason: ["must not be empty"] },
  ],
  [
    `${of}/guesses/reset`,
    { body: { phoneNumber: "+8801712345678", reason: "\n" } },
    { reason: ["must not be empty"] },
  ],
  [
    `${of}/erase`,
    { body: { phoneNumber: "12", reason: "asked" } },
    { phoneNumber: ["must be in E.164 format, such as 8801712345678"] },
  ],
  [
    `${of}/export?phoneNumber=12`,
    {},
    { phoneNumber: ["must be in E.164 format, such as 8801712345678"] },
  ],
  [
    of,
    { method: "PATCH", body: { limits: { spendPerDay: "much" } } },
    {
      limits: [
        "spendPerDay must be a decimal number with at most 11 digits before the point and 4 after it",
      ],
    },
  ],
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

  it.effect("gives the problems of fields codes and parameters, for translations", () =>
    Effect.gen(function* () {
      yield* world
      const send = yield* mount()
      const problemsOf = (path: string, call: Call) =>
        Effect.map(ask(send, `${of}${path}`, call), ({ body }) => Object(body).problems)
      const phoneNumber = FieldProblem.make("not_e164", { plus: "optional" })
      assert.deepStrictEqual(
        yield* problemsOf("/erase", { body: { phoneNumber: "12", reason: "asked" } }),
        { phoneNumber: [phoneNumber] },
      )
      const options = ["masking", "non-masking", "whatsapp"]
      assert.deepStrictEqual(
        yield* problemsOf("/brands", { body: { kind: "x", isDefault: "yes" } }),
        {
          kind: [FieldProblem.make("unknown_option", { options })],
          sender: [FieldProblem.make("required", {})],
          isDefault: [{ code: "invalid", params: {}, message: "must be true or false or null" }],
        },
      )
      assert.deepStrictEqual(yield* problemsOf("/messages?from=yesterday", {}), {
        from: [FieldProblem.make("not_iso_date", {})],
      })
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
      const headers = { host: "admin.example" }
      assert.strictEqual((yield* ask(yield* mount({ hosts: wrong }), of, { headers })).status, 200)
    }).pipe(Effect.provide(engine), Effect.scoped),
  )

  it.effect.each(invalid)("names the problems of %s %j", ([path, call, details]) =>
    Effect.gen(function* () {
      yield* world
      const answer = yield* ask(yield* mount(), path, call)
      assert.strictEqual(answer.status, 422, answer.text)
      assert.deepInclude(answer.body, { code: "invalid_request", details })
    }).pipe(Effect.provide(engine), Effect.scoped),
  )

  it.effect("refuses bodies that it cannot read", () =>
    Effect.gen(function* () {
      yield* world
      const send = yield* mount()
      const text = { "content-type": "text/plain" }
      for (const [body, headers, status] of [
        ["{", {}, 422],
        ["[]", {}, 422],
        ['"x"', {}, 422],
        ["{}", text, 415],
        [JSON.stringify({ name: "x".repeat(70_000) }), {}, 413],
      ] as const) {
        const answer = yield* ask(send, `${of}/api-keys`, { body, headers })
        assert.strictEqual(answer.status, status, body.slice(0, 10))
      }
    }).pipe(Effect.provide(engine), Effect.scoped),
  )

  it.effect.each([
    "/",
    "",
    "/organization",
    "/organizations/%zz",
    "/organizations/a%20b",
    "/organizations/acme/brands/%00/withdraw",
    "/organizations/acme/messages/%F0%9F",
    "/constructor",
  ])("answers 404 to the path %s", (path) =>
    Effect.gen(function* () {
      yield* world
      const answer = yield* ask(yield* mount(), path)
      assert.strictEqual(answer.status, 404, answer.text)
      assert.property(answer.body, "code")
    }).pipe(Effect.provide(engine), Effect.scoped),
  )

  it.effect("answers 405 to a method that it does not know", () =>
    Effect.gen(function* () {
      const send = yield* mount()
      assert.strictEqual((yield* ask(send, "/session", { method: "OPTIONS" })).status, 405)
    }).pipe(Effect.provide(engine), Effect.scoped),
  )

  it.effect("sends the answer of the host as it is", () =>
    Effect.gen(function* () {
      const login = new Response(null, { status: 302, headers: { location: "/login" } })
      const answer = yield* ask(yield* mount({ authorize: () => login }), "/session")
      assert.strictEqual(answer.status, 302)
      assert.strictEqual(answer.headers.get("location"), "/login")
    }).pipe(Effect.provide(engine), Effect.scoped),
  )

  it.effect("tells the client nothing of an error in authorize", () =>
    Effect.gen(function* () {
      const authorize = () => {
        throw new Error("the session store is down")
      }
      const answer = yield* ask(yield* mount({ authorize }), "/session")
      assert.strictEqual(answer.status, 500)
      assert.deepStrictEqual(answer.body, { error: "Internal error", code: "internal" })
    }).pipe(Effect.provide(engine), Effect.scoped),
  )

  it.effect("gives authorize the request without its body", () =>
    Effect.gen(function* () {
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
    }).pipe(Effect.provide(engine), Effect.scoped),
  )

  it.effect("shows a tenant its own organization only", () =>
    Effect.gen(function* () {
      yield* world
      const all = yield* ask(yield* mount(), "/organizations?limit=1")
      assert.nestedPropertyVal(all.body, "organizations.length", 1)
      assert.nestedPropertyVal(all.body, "next", "acme")
      const more = yield* ask(yield* mount(), "/organizations?after=acme")
      assert.nestedPropertyVal(more.body, "organizations[0].id", "other")
      const own = yield* ask(yield* mount({ authorize: () => tenant }), "/organizations")
      assert.nestedPropertyVal(own.body, "organizations.length", 1)
      assert.nestedPropertyVal(own.body, "organizations[0].id", "acme")
      assert.nestedPropertyVal(own.body, "organizations[0].activeApiKeys", 1)
      assert.nestedPropertyVal(own.body, "next", null)
    }).pipe(Effect.provide(engine), Effect.scoped),
  )

  it.effect("lets only operators approve a sender", () =>
    Effect.gen(function* () {
      yield* world
      const body = { kind: "masking", sender: "Acme", status: "approved" }
      const send = yield* mount({ authorize: () => tenant })
      const saved = yield* ask(send, `${of}/brands`, { body })
      assert.nestedPropertyVal(saved.body, "status", "pending")
      const approved = yield* ask(yield* mount(), `${of}/brands`, { body })
      assert.nestedPropertyVal(approved.body, "status", "approved")
    }).pipe(Effect.provide(engine), Effect.scoped),
  )

  it.effect.each([
    ["limits", { limits: { attempts: 4 } }],
    ["limits", { limits: { spendPerDay: null }, name: "Free" }],
    ["resetLimits", { resetLimits: ["attempts"] }],
    ["allowedPrefixes", { allowedPrefixes: ["880"] }],
    ["limits and allowedPrefixes", { limits: {}, allowedPrefixes: [] }],
  ] as const)("lets only operators change %s", ([names, body]) =>
    Effect.gen(function* () {
      yield* world
      const send = yield* mount({ authorize: () => tenant })
      const before = yield* ask(send, of)
      assert.deepStrictEqual((yield* ask(send, of, { method: "PATCH", body })).body, {
        error: `Only operators may change ${names}`,
        code: "forbidden",
      })
      assert.deepStrictEqual((yield* ask(send, of)).body, before.body)
      const own = { name: "Acme 2", allowList: [], balanceLowAt: "5", blockedPrefixes: ["8809"] }
      const changed = yield* ask(send, of, { method: "PATCH", body: own })
      assert.deepInclude(changed.body, { ...own, balanceLowAt: "5.00" })
      assert.strictEqual((yield* ask(yield* mount(), of, { method: "PATCH", body })).status, 200)
    }).pipe(Effect.provide(engine), Effect.scoped),
  )

  it.effect("answers 502 if the gateway refuses, or it is not known whether it sent", () =>
    Effect.gen(function* () {
      yield* TestEngine.open()
      const send = yield* mount()
      for (const [path, body] of [
        ["messages", { phoneNumber: "+8801712345678", text: "Hello" }],
        ["verifications", { phoneNumber: "+8801712345679" }],
      ] as const) {
        const answer = yield* ask(send, `${of}/${path}`, { body })
        assert.strictEqual(answer.status, 502, path)
        const error = "The message could not be sent"
        const params = { status: "failed" }
        assert.deepStrictEqual(answer.body, { error, code: "sending_failed", params })
      }
      assert.strictEqual(ofError(new SendingFailed({ status: "unknown" })).status, 502)
    }).pipe(Effect.provide(refusing), Effect.scoped),
  )

  it.effect("does not send with the sender of a tenant before an operator approves it", () =>
    Effect.gen(function* () {
      yield* world
      const asTenant = yield* mount({ authorize: () => tenant })
      const asOperator = yield* mount()
      const message = { phoneNumber: "+8801712345678", text: "Hello" }
      const path = `${of}/brands/mine`
      const body = {
        kind: "non-masking",
        sender: "8809600000009",
        isDefault: true,
        status: "approved",
      }
      const put: Call = { method: "PUT", body }
      // Also for a sender that was approved before, and is no longer what was approved.
      for (const change of [put, { ...put, body: { ...body, sender: "8809600000008" } }]) {
        const saved = yield* ask(asTenant, path, change)
        assert.deepInclude(saved.body, { status: "pending", isDefault: true })
        for (const sender of [undefined, "mine", "8809600000009", "8809600000008"]) {
          const answer = yield* ask(asTenant, `${of}/messages`, { body: { ...message, sender } })
          assert.isAtLeast(answer.status, 400, answer.text)
        }
        const refused = yield* ask(asTenant, `${of}/messages`, { body: message })
        assert.include(refused.text, `"problems":{"brand":[{"code":"brand_not_approved"`)
        yield* ask(asOperator, path, change)
        const sent = yield* ask(asTenant, `${of}/messages`, { body: message })
        assert.strictEqual(sent.status, 200, sent.text)
      }
    }).pipe(Effect.provide(engine), Effect.scoped),
  )

  it.effect("reads the ledger from the newest entry to the oldest", () =>
    Effect.gen(function* () {
      yield* world
      const send = yield* mount()
      const sequences: Array<unknown> = []
      let before = ""
      for (;;) {
        const { body } = yield* ask(send, `${of}/ledger?limit=2${before}`)
        assert.isObject(body)
        const page = Object(body)
        sequences.push(...page.entries.map(({ sequence }: { sequence: number }) => sequence))
        if (page.next === null) break
        before = `&before=${page.next}`
      }
      assert.deepStrictEqual(sequences, [3, 2, 1])
    }).pipe(Effect.provide(engine), Effect.scoped),
  )

  it.effect("describes itself at its own address", () =>
    Effect.gen(function* () {
      const send = yield* mount()
      const answer = yield* ask(send, "/openapi.json")
      assert.nestedPropertyVal(answer.body, "servers[0].url", "/admin/api")
      assert.nestedPropertyVal(answer.body, "openapi", "3.1.0")
      const refused = yield* ask(yield* mount({ authorize: () => undefined }), "/openapi.json")
      assert.strictEqual(refused.status, 401)
    }).pipe(Effect.provide(engine), Effect.scoped),
  )
})
