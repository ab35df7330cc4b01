/**
 * What each answer of the service is to a caller.
 */
import { assert, describe, it } from "vitest"
import { type Call, calls, reading } from "./support/calls.ts"
import { answer, clientOf, playedService } from "./support/playedService.ts"
import { refusals } from "./support/refusals.ts"

const sent = { request_id: "vrf_1", to: "+8801712345678", channel: "sms", status: "pending" }
const checked = { request_id: "vrf_1", to: "+8801712345678", status: "verified" }
const taken = { gateway_id: "g1", to: "8801712345678", channel: "whatsapp", status: "delivered" }
const entry = {
  id: "msg_1",
  recipient: "8801712345678",
  message: "Hello",
  channel: "non-mask",
  status: "delivered",
  price: "0.50",
  gatewayId: null,
  errorMessage: null,
  createdAt: "2026-01-31T09:30:00.000Z",
}
const { message: text, recipient, ...same } = entry
const readEntry = { ...same, phoneNumber: recipient, text, createdAt: new Date(entry.createdAt) }
const pages = { page: 1, limit: 50, total: 1, total_pages: 1 }
const noon = "2026-01-31T12:00:00.000Z"

const used = {
  ...checked,
  verified_at: noon,
  consumed_at: noon,
  purpose: null,
  metadata: {},
  proof: "a.b.c",
}
const state = {
  ...sent,
  created_at: noon,
  expires_at: noon,
  verified_at: null,
  consumed_at: null,
  attempts_remaining: 3,
  resends_remaining: 0,
  resend_at: noon,
  purpose: "login",
  metadata: {},
  messages: [{ id: "msg_1", channel: "sms", status: "delivered", created_at: noon }],
}
const readRequest = { requestId: "vrf_1", phoneNumber: "+8801712345678" }

const successes: ReadonlyArray<readonly [Call, object, object]> = [
  [
    "verifications.send",
    { data: { ...sent, expires_in: 300 } },
    { ...readRequest, channel: "sms", status: "pending", expiresInSeconds: 300 },
  ],
  [
    "verifications.check",
    { data: { ...checked, verified_at: noon } },
    { ...readRequest, status: "verified", verifiedAt: new Date(noon), isFirst: false },
  ],
  [
    "verifications.resend",
    { data: { ...sent, expires_in: 30, resends_remaining: 2 } },
    {
      ...readRequest,
      channel: "sms",
      status: "pending",
      expiresInSeconds: 30,
      resendsRemaining: 2,
    },
  ],
  [
    "verifications.cancel",
    { data: { request_id: "vrf_1", status: "failed" } },
    { requestId: "vrf_1", status: "failed" },
  ],
  [
    "verifications.consume",
    { data: used },
    {
      ...readRequest,
      status: "verified",
      verifiedAt: new Date(noon),
      consumedAt: new Date(noon),
      purpose: null,
      metadata: {},
      proof: "a.b.c",
    },
  ],
  [
    "verifications.status",
    { data: state },
    {
      ...readRequest,
      channel: "sms",
      status: "pending",
      createdAt: new Date(noon),
      expiresAt: new Date(noon),
      verifiedAt: null,
      consumedAt: null,
      attemptsRemaining: 3,
      resendsRemaining: 0,
      resendAt: new Date(noon),
      purpose: "login",
      metadata: {},
      messages: [{ id: "msg_1", channel: "sms", status: "delivered", createdAt: new Date(noon) }],
    },
  ],
  [
    "messages.send",
    { data: { ...taken, credits_remaining: 99.5 } },
    {
      gatewayId: "g1",
      phoneNumber: "8801712345678",
      channel: "whatsapp",
      status: "delivered",
      creditsRemaining: 99.5,
    },
  ],
  [
    "messages.list",
    { data: [entry], pagination: pages },
    { messages: [readEntry], page: 1, limit: 50, total: 1, totalPages: 1 },
  ],
  ["messages.get", { data: entry }, readEntry],
  ["balance", { data: { balance: 99.5, currency: "BDT" } }, { balance: 99.5, currency: "BDT" }],
]

describe("a refusal", () => {
  it.each(refusals)("%s: %i %o is %o", async (call, status, body, expected) => {
    const headers = { "countersign-error": String(expected["code"]), "retry-after": "9" }
    using service = await playedService(answer(status, { error: "Why not", ...body }, headers))
    const { client } = clientOf(service)
    const result = await calls[call](client)
    const message = "error" in body ? body.error : "Why not"
    const error = { ...expected, message, status }
    assert.deepStrictEqual<unknown>(result, { ok: false, error })
  })

  it.each(["", "Not a code", "not_found"])(
    "gets the code of its kind if the header is %o",
    async (header) => {
      const headers = { "countersign-error": header }
      using service = await playedService(answer(401, { error: "Why not" }, headers))
      const result = await clientOf(service).client.balance()
      assert.deepStrictEqual<unknown>(result, {
        ok: false,
        error: { code: "unauthorized", message: "Why not", status: 401 },
      })
    },
  )

  it.each(["not_found", ""])(
    "that only the header distinguishes is unexpected if the header is %o",
    async (header) => {
      const headers = { "countersign-error": header }
      using service = await playedService(answer(400, { error: "Why not" }, headers))
      const result = await calls["messages.send"](clientOf(service).client)
      assert(!result.ok && result.error.code === "unexpected_response")
    },
  )

  it.each([
    ["body_too_large", "body_too_large"],
    ["", undefined],
    ["Not a code", undefined],
    ["x".repeat(41), undefined],
    ["<b>", undefined],
  ])("of an unknown kind has the header %o as its reason: %s", async (header, reason) => {
    const headers = { "countersign-error": header }
    using service = await playedService(answer(413, { error: "Why not" }, headers))
    const result = await clientOf(service).client.balance()
    assert(!result.ok && result.error.code === "unexpected_response")
    assert.strictEqual(result.error.reason, reason)
  })

  it("names fields by the client's names", async () => {
    const why = ["is wrong"]
    const cases: ReadonlyArray<readonly [Call, ReadonlyArray<string>, ReadonlyArray<string>]> = [
      [
        "verifications.send",
        ["phone_number", "channel", "code_length", "expiry", "locale", "brand_id"],
        ["phoneNumber", "channel", "codeLength", "expiresIn", "locale", "sender"],
      ],
      [
        "verifications.check",
        ["request_id", "phone_number", "code"],
        ["requestId", "phoneNumber", "code"],
      ],
      ["messages.send", ["to", "message", "brand_id"], ["phoneNumber", "text", "sender"]],
      ["messages.list", ["limit", "page", "from", "to"], ["limit", "page", "from", "to"]],
      ["messages.list", ["constructor", "__proto__"], ["constructor", "__proto__"]],
    ]
    for (const [call, wire, own] of cases) {
      const named = Object.fromEntries(wire.map((field) => [field, why]))
      using service = await playedService(answer(422, { error: "Wrong", details: named }))
      const result = await calls[call](clientOf(service).client)
      assert(!result.ok && result.error.code === "invalid_request")
      assert.deepStrictEqual(Object.keys(result.error.details), own)
    }
  })
})

describe("a success", () => {
  it.each(successes)("%s: %o is %o", async (call, body, expected) => {
    using service = await playedService(answer(200, { success: true, ...body }))
    const result = await calls[call](clientOf(service).client)
    assert.deepStrictEqual<unknown>(result, { ok: true, data: expected })
  })

  it("of a check is the first only if the header says so", async () => {
    const body = { success: true, data: { ...checked, verified_at: noon } }
    for (const [first, isFirst] of [
      ["true", true],
      ["false", false],
      ["", false],
    ] as const) {
      const headers = { "countersign-first": first }
      using service = await playedService(answer(200, body, headers))
      const result = await calls["verifications.check"](clientOf(service).client)
      assert(result.ok && "isFirst" in result.data)
      assert.strictEqual(result.data.isFirst, isFirst)
    }
  })

  it("may have unknown members", async () => {
    const data = { balance: 1, currency: "BDT", held: 3 }
    using service = await playedService(answer(200, { success: true, data, more: [] }))
    const result = await clientOf(service).client.balance()
    assert.deepStrictEqual(result, { ok: true, data: { balance: 1, currency: "BDT" } })
  })

  it.each(successes)("%s: without one of its members, %o is not a success", async (call, body) => {
    for (const incomplete of withoutEach({ success: true, ...body })) {
      using service = await playedService(answer(200, incomplete))
      const result = await calls[call](clientOf(service).client)
      const about = JSON.stringify(incomplete)
      assert(!result.ok && result.error.code === "unexpected_response", about)
      assert.strictEqual(result.error.mayHaveTakenEffect, !reading.includes(call))
    }
  })
})

/** The value without one of its members, however deep; and with each of them turned into `true` or 1. */
function* withoutEach(value: unknown): Generator<unknown> {
  if (typeof value !== "object" || value === null) return
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      for (const inner of withoutEach(item)) yield value.with(index, inner)
    }
    return
  }
  for (const [name, member] of Object.entries(value)) {
    const { [name]: _, ...others } = { ...value, [name]: member }
    yield others
    yield { ...others, [name]: member === true ? 1 : true }
    for (const inner of withoutEach(member)) yield { ...others, [name]: inner }
  }
}
