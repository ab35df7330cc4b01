import { assert, describe } from "@effect/vitest"
import { digits, number, open } from "./support/Subject.ts"
import { engineTest } from "./support/engineTest.ts"

const withBodies = [
  ["/messages", 422],
  ["/verify", 400],
  ["/verify/check", 400],
] as const

const taken = [
  "?limit=200&page=1000000000",
  "?limit=007",
  "?other=1&other=2",
  "?from=2026-02-28",
  "?to=2026-02-28T10:00:00Z",
  "?from=2026-01-01&to=2026-01-01",
  "?from=2026-01-01T00:00:00+06:00&to=2026-01-01T00:00:00%2B06:00",
  "?from=2026-01-01T00:00:00+0600&to=2026-02-01",
]

const anyDate = ["must be an ISO 8601 date, or date-time with offset"]
const isString = ["must be a string"]
const isInteger = ["must be an integer"]
const isChannel = ["must be sms or whatsapp"]
const isLimit = ["must be between 1 and 200"]
const isPage = ["must be between 1 and 1000000000"]

/** Requests that the service refuses, with the details of the answer. Core tests which values have which problem. */
const invalid: ReadonlyArray<
  readonly [path: string, body: object, details: Record<string, ReadonlyArray<string>>]
> = [
  [
    "/messages",
    { message: ["hello"], channel: 1, brand_id: {} },
    { to: ["is required"], message: isString, channel: isChannel, brand_id: isString },
  ],
  // A rule of one field is reported beside a type of another.
  [
    "/messages",
    { to: "0171", message: 5 },
    { to: ["must be in E.164 format, such as 8801712345678"], message: isString },
  ],
  ["/messages", { __proto__: { to: digits }, message: "x" }, { to: ["is required"] }],
  [
    "/verify",
    { phone_number: digits, code_length: 3, expiry: 59, locale: "en", brand_id: "unknown" },
    {
      phone_number: ["must be in E.164 format with a leading plus, such as +8801712345678"],
      code_length: ["must be between 4 and 10"],
      expiry: ["must be between 60 and 3600"],
      locale: ["must be one of en-us, bn-bd"],
      brand_id: ["brand not found"],
    },
  ],
  [
    "/verify",
    { phone_number: number, code_length: "6", expiry: 300.5, locale: 5, payment: "500" },
    {
      code_length: isInteger,
      expiry: isInteger,
      locale: isString,
      payment: ["must be an object"],
    },
  ],
  // Nothing is said of a sender that cannot be looked for.
  ["/verify", { phone_number: number, channel: "fax", brand_id: "x" }, { channel: isChannel }],
  [
    "/verify",
    { phone_number: number, brand_id: "profile" },
    { brand_id: ["brand cannot send over sms"] },
  ],
  [
    "/verify/check",
    { code: 123456, client: "" },
    {
      request_id: ["is required"],
      code: isString,
      client: ["must have between 1 and 128 characters"],
    },
  ],
  ["/verify/check", { request_id: "", code: "1" }, { request_id: ["must not be empty"] }],
  ["/verify/vrf_1/resend", { channel: "fax", request_id: 5 }, { channel: isChannel }],
  [
    "/verify/vrf_1/consume",
    { purpose: "", audience: "\n" },
    {
      purpose: [
        "must have 1 to 32 characters of a-z, 0-9, _, . and -, and begin with a letter or digit",
      ],
      audience: ["must have 1 to 200 printable characters"],
    },
  ],
  ["/messages?limit=", {}, { limit: isInteger }],
  ["/messages?limit=1&limit=1&page=0", {}, { limit: ["must be given once"], page: isPage }],
  ["/messages?from=&to=2026-02-30&limit=0", {}, { from: anyDate, to: anyDate, limit: isLimit }],
  [
    "/messages?from=2026-01-01T00:00:01Z&to=2026-01-01T06:00:00%2B06:00",
    {},
    { from: ["must not be after to"] },
  ],
]

describe("Requests", () => {
  engineTest("rejects a compressed body", function* () {
    const { call } = yield* open()
    for (const [path] of withBodies) {
      const answer = yield* call(path, { body: "{}", headers: { "content-encoding": "gzip" } })
      assert.strictEqual(answer.status, 415)
      assert.deepStrictEqual(answer.body, { error: "Content-Encoding is not supported" })
    }
  })

  engineTest.each([
    ["", "The body is empty"],
    ["{}{}", "The body is not valid JSON"],
    ["[".repeat(60_000), "The body is not valid JSON"],
    [`${"[".repeat(30_000)}${"]".repeat(30_000)}`, "The body must be a JSON object"],
    ["1e999", "The body must be a JSON object"],
  ] as const)("names no field if the body is %j", function* ([body, error]) {
    const { call } = yield* open()
    for (const [path, status] of withBodies) {
      const answer = yield* call(path, { body })
      assert.deepStrictEqual([answer.status, answer.body], [status, { error, details: {} }])
    }
  })

  engineTest("reads an empty body of an endpoint that needs none", function* () {
    const { call } = yield* open()
    assert.strictEqual((yield* call("/verify/vrf_1/resend", { body: "" })).status, 404)
  })

  engineTest("reads a body up to the limit of the host exactly", function* () {
    const { call } = yield* open({ maxBodyBytes: 100 })
    const padded = (bytes: number) => {
      const bare = JSON.stringify({ to: digits, message: "hello", pad: "" })
      return `${bare.slice(0, -2)}${"x".repeat(bytes - bare.length)}"}`
    }
    assert.strictEqual((yield* call("/messages", { body: padded(100) })).status, 200)
    const larger = yield* call("/messages", { body: padded(101) })
    assert.strictEqual(larger.status, 413)
    assert.deepStrictEqual(larger.body, { error: "The body is too large" })
  })

  engineTest.each(invalid)("%s refuses %j", function* ([path, body, details]) {
    const { call } = yield* open()
    const answer = yield* call(path, path.includes("?") ? {} : { body })
    assert.strictEqual(answer.status, path.startsWith("/messages") ? 422 : 400)
    assert.deepStrictEqual(answer.body, { error: "Validation failed", details })
  })

  engineTest.each(taken)("accepts the query %j", function* (query) {
    const { call } = yield* open()
    assert.strictEqual((yield* call(`/messages${query}`)).status, 200)
  })

  engineTest("uses the last of repeated members, and ignores unknown ones", function* () {
    const { call } = yield* open()
    const body = `{"to": 5, "message": "hello", "to": "${digits}", "nested": {"to": [[[{}]]]}, "__proto__": {"channel": "fax"}, "constructor": 1, "address": "", "organization": "other", "unreadable": {"to": ["x"]}}`
    assert.strictEqual((yield* call("/messages", { body })).status, 200)
  })
})
