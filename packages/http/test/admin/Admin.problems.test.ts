import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import { assert, describe } from "@effect/vitest"
import { ask, type Call, mount, world } from "../support/AdminSubject.ts"
import { engineTest } from "../support/engineTest.ts"

const of = "/organizations/acme"

const invalid: ReadonlyArray<readonly [path: string, call: Call, details: object]> = [
  [`${of}/api-keys`, { body: {} }, { name: ["is required"] }],
  [
    `${of}/api-keys`,
    { body: { name: "x", expiresAt: "tomorrow" } },
    { expiresAt: ["must be an ISO 8601 date, or date-time with offset"] },
  ],
  [
    `${of}/brands`,
    { body: { kind: "x", sender: 5, isDefault: "yes" } },
    {
      kind: ["must be one of masking, non-masking, whatsapp"],
      sender: ["must be a string"],
      isDefault: ["must be true or false"],
    },
  ],
  [`${of}/top-ups`, { body: { amount: "5", note: "x" } }, { paymentId: ["is required"] }],
  [`${of}/statement`, {}, { from: ["is required"], to: ["is required"] }],
  [`${of}/messages?cursor=x`, {}, { cursor: ["must be a cursor of the search"] }],
  [
    `${of}/erase`,
    { body: { phoneNumber: "+8801712345678", reason: "\u0000\u200b" } },
    { reason: ["must not be empty"] },
  ],
  [
    `${of}/erase`,
    { body: { phoneNumber: "+8801712345678", reason: "x".repeat(201) } },
    { reason: ["must be at most 200 characters"] },
  ],
  [`${of}/messages?limit=x`, {}, { limit: ["must be an integer"] }],
  [`${of}/messages?limit=0`, {}, { limit: ["must be between 1 and 1000"] }],
  [
    "/organizations?after=%00",
    {},
    { after: ["must have 1 to 64 characters of A-Z, a-z, 0-9, _ and -"] },
  ],
  [
    `${of}/totals?from=2020-01-01&to=2030-01-01`,
    {},
    { to: ["must be closer to from, because a period can have at most 1000 slots"] },
  ],
  [
    `${of}/export?phoneNumber=12`,
    {},
    { phoneNumber: ["must be in E.164 format, such as 8801712345678"] },
  ],
]

describe("the admin API", () => {
  engineTest("gives the problems of fields codes and parameters, for translations", function* () {
    yield* world
    const call = { body: { kind: "x", isDefault: "yes" } }
    const { body } = yield* ask(yield* mount(), `${of}/brands`, call)
    const options = ["masking", "non-masking", "whatsapp"]
    assert.deepStrictEqual(Object(body).problems, {
      kind: [FieldProblem.make("unknown_option", { options })],
      sender: [FieldProblem.make("required", {})],
      isDefault: [FieldProblem.make("not_boolean", {})],
    })
  })

  engineTest.each(invalid)("names the problems of %s %j", function* ([path, call, details]) {
    yield* world
    const answer = yield* ask(yield* mount(), path, call)
    assert.strictEqual(answer.status, 422, answer.text)
    assert.deepInclude(answer.body, { code: "invalid_request", details })
    assert.containsAllKeys(Object(answer.body).problems, details)
  })

  engineTest("names the methods of a path that does not have the one of a request", function* () {
    yield* world
    const send = yield* mount()
    for (const [method, path, allow] of [
      ["PUT", of, "GET, HEAD, PATCH"],
      ["GET", `${of}/suspend`, "POST"],
      ["HEAD", `${of}/suspend`, "POST"],
      ["POST", `${of}/webhooks/whk_1`, "PATCH, DELETE"],
      ["DELETE", `${of}/ledger.csv`, "GET, HEAD"],
    ] as const) {
      const { headers, status } = yield* ask(send, path, { method })
      assert.deepStrictEqual([status, headers.get("allow")], [405, allow], `${method} ${path}`)
    }
  })

  engineTest("refuses bodies that it cannot read", function* () {
    yield* world
    const send = yield* mount()
    const text = { "content-type": "text/plain" }
    for (const [body, headers, status] of [
      ["{", {}, 422],
      ["[]", {}, 422],
      ['"x"', {}, 422],
      // Deeper than the stack of a program that writes it again.
      [`{"name":${"[".repeat(20_000)}${"]".repeat(20_000)}}`, {}, 422],
      // Infinity, which would be written again as null: a key that never expires.
      ['{"name":"x","expiresAt":1e400}', {}, 422],
      ["{}", text, 415],
      [JSON.stringify({ name: "x".repeat(70_000) }), {}, 413],
    ] as const) {
      const answer = yield* ask(send, `${of}/api-keys`, { body, headers })
      assert.strictEqual(answer.status, status, body.slice(0, 10))
    }
  })

  engineTest("takes the recipients of a batch in a body of their own size", function* () {
    yield* world
    const send = yield* mount()
    const bodyOf = (length: number) => ({
      text: "Hello",
      recipients: Array.from({ length }, (_, index) => ({
        phoneNumber: `+88017${String(index).padStart(8, "0")}`,
      })),
    })
    const path = `${of}/batch-estimate`
    const { body, status } = yield* ask(send, path, { body: bodyOf(3_000) })
    assert.strictEqual(status, 200)
    assert.deepInclude(body, { recipients: 3_000, duplicates: 0, refused: 0 })
    assert.strictEqual((yield* ask(send, path, { body: bodyOf(300_000) })).status, 413)
  })

  engineTest.each([
    "/",
    "",
    "/organization",
    "/organizations/%zz",
    "/organizations/a%20b",
    "/organizations/acme/messages/%00",
    "/organizations/acme/messages/%F0%9F",
    "/constructor",
  ])("answers 404 to the path %s", function* (path) {
    yield* world
    const answer = yield* ask(yield* mount(), path)
    assert.strictEqual(answer.status, 404, answer.text)
    assert.property(answer.body, "code")
  })

  engineTest("answers 405 to a method that it does not know", function* () {
    const send = yield* mount()
    const refused = yield* ask(send, "/session", { method: "OPTIONS" })
    assert.strictEqual(refused.status, 405)
    assert.strictEqual(refused.headers.get("allow"), "GET, HEAD, POST, PUT, PATCH, DELETE")
  })
})
