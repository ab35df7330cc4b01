/**
 * What goes out.
 */
import { assert, describe, it } from "vitest"
import { answer, apiKey, clientOf, playedService } from "./support/playedService.ts"
import type { Client } from "../src/index.ts"

const from = new Date("2026-01-01T00:00:00.000Z")

const requests: ReadonlyArray<
  readonly [string, (client: Client) => Promise<unknown>, request: string, body?: object]
> = [
  [
    "a code, with nothing but a number",
    ({ verifications }) => verifications.send({ phoneNumber: "+8801712345678" }),
    "POST /verify",
    { phone_number: "+8801712345678" },
  ],
  [
    "a code, with everything",
    ({ verifications }) =>
      verifications.send({
        phoneNumber: "+8801712345678",
        channel: "whatsapp",
        codeLength: 4,
        expiresIn: "1 minute",
        locale: "bn-bd",
        sender: "ACME",
        client: "203.0.113.7",
        purpose: "pay",
        metadata: { account: "a-17", tries: [1, null] },
        payment: { amount: "BDT 500", payee: "Rahim Store" },
      }),
    "POST /verify",
    {
      phone_number: "+8801712345678",
      channel: "whatsapp",
      code_length: 4,
      expiry: 60,
      locale: "bn-bd",
      brand_id: "ACME",
      client: "203.0.113.7",
      purpose: "pay",
      metadata: { account: "a-17", tries: [1, null] },
      payment: { amount: "BDT 500", payee: "Rahim Store" },
    },
  ],
  [
    "a check",
    ({ verifications }) => verifications.check({ requestId: "vrf_1", code: "০১২৩" }),
    "POST /verify/check",
    { request_id: "vrf_1", code: "০১২৩" },
  ],
  [
    "a check by number",
    ({ verifications }) =>
      verifications.check({
        phoneNumber: "+8801712345678",
        code: "1",
        client: "203.0.113.7",
        purpose: "login",
      }),
    "POST /verify/check",
    { phone_number: "+8801712345678", code: "1", client: "203.0.113.7", purpose: "login" },
  ],
  [
    "a code, again",
    ({ verifications }) =>
      verifications.resend({ requestId: "vrf_1", channel: "whatsapp", client: "203.0.113.7" }),
    "POST /verify/vrf_1/resend",
    { channel: "whatsapp", client: "203.0.113.7" },
  ],
  [
    "the end of a request",
    ({ verifications }) => verifications.cancel({ requestId: "vrf_1" }),
    "POST /verify/vrf_1/cancel",
    {},
  ],
  [
    "the use of a request",
    ({ verifications }) =>
      verifications.consume({ requestId: "vrf_1", purpose: "login", audience: "shop" }),
    "POST /verify/vrf_1/consume",
    { purpose: "login", audience: "shop" },
  ],
  [
    "a state",
    ({ verifications }) => verifications.status({ requestId: "vrf_1" }),
    "GET /verify/vrf_1",
  ],
  [
    "an id that no request has",
    ({ verifications }) => verifications.status({ requestId: "a/../b?\ud800" }),
    "GET /verify/a%2F..%2Fb%3F%EF%BF%BD",
  ],
  [
    "a message",
    ({ messages }) =>
      messages.send({ phoneNumber: "8801712345678", text: "হ্যালো", sender: undefined }),
    "POST /messages",
    { to: "8801712345678", message: "হ্যালো" },
  ],
  ["the log", ({ messages }) => messages.list(), "GET /messages"],
  [
    "a page of the log",
    ({ messages }) => messages.list({ limit: 2, page: 3, from, to: "2026-01-31T00:00:00+06:00" }),
    "GET /messages?limit=2&page=3&from=2026-01-01T00%3A00%3A00.000Z&to=2026-01-31T00%3A00%3A00%2B06%3A00",
  ],
  [
    "a page from an invalid time",
    ({ messages }) => messages.list({ from: new Date(Number.NaN), to: "" }),
    "GET /messages?from=Invalid+Date&to=",
  ],
  ["the balance", (client) => client.balance(), "GET /balance"],
]

/** An input as JavaScript passes it, with fields that its type does not have. */
const more = <A extends object>(input: A, fields: object): A => ({ ...input, ...fields })

describe("a request", () => {
  it.for(requests)("is sent as documented: %s", async ([_name, ask, request, body]) => {
    using service = await playedService(answer(401, { error: "No" }))
    await ask(clientOf(service).client)
    const [heard] = service.heard
    assert.strictEqual(`${heard?.method} ${heard?.url}`, request.replace(" ", " /api/v2"))
    assert.strictEqual(heard?.headers.authorization, `Bearer ${apiKey}`)
    assert.strictEqual(heard?.headers.accept, "application/json")
    assert.strictEqual(
      heard?.headers["content-type"],
      body === undefined ? undefined : "application/json",
    )
    assert.deepStrictEqual(heard?.body === "" ? undefined : JSON.parse(heard?.body ?? ""), body)
  })

  it("keeps the path of the base URL, with or without a slash at its end", async () => {
    using service = await playedService(answer(401, { error: "No" }))
    for (const path of ["", "/", "/a", "/a//"]) {
      await clientOf(service, { baseUrl: `${service.origin}${path}` }).client.balance()
    }
    assert.deepStrictEqual(
      service.heard.map(({ url }) => url),
      ["/balance", "/balance", "/a/balance", "/a/balance"],
    )
  })

  it("is made by methods that work without their object", async () => {
    using service = await playedService(answer(401, { error: "No" }))
    const { balance, messages } = clientOf(service).client
    const { list } = messages
    assert.isFalse((await balance()).ok)
    assert.isFalse((await list()).ok)
  })

  it("uses the runtime's fetch at the time of the call", async () => {
    using service = await playedService(answer(401, { error: "No" }))
    const { client } = clientOf(service)
    const { fetch } = globalThis
    let calls = 0
    globalThis.fetch = (input, init) => {
      calls += 1
      return fetch(input, init)
    }
    try {
      await client.balance()
    } finally {
      globalThis.fetch = fetch
    }
    assert.strictEqual(calls, 1)
  })

  it.each<readonly [unknown, string]>([
    [300, "300 seconds"],
    [300_000, "300 seconds"],
    ["300", "60 seconds"],
    ["5 minutess", "60 seconds"],
    [null, "60 seconds"],
  ])("is not made for the duration %j, whose answer says what to write", async (given, written) => {
    using service = await playedService(answer(401, { error: "No" }))
    const { verifications } = clientOf(service).client
    const input = { phoneNumber: "+8801712345678" }
    const result = await verifications.send(more(input, { expiresIn: given }))
    const problem = `must be a number with its unit: write "${written}"`
    assert(!result.ok && result.error.code === "invalid_request")
    assert.strictEqual(result.error.message, `expiresIn ${problem}`)
    assert.deepStrictEqual(result.error.details, { expiresIn: [problem] })
    assert.lengthOf(service.heard, 0)
  })

  it("is not made for an input with an unknown field, whose answer names the known ones", async () => {
    using service = await playedService(answer(401, { error: "No" }))
    const { balance, messages, verifications } = clientOf(service).client
    const misspelt = { requestId: "vrf_1", code: "1", purpos: "login" }
    const unknown = { code: "invalid_request", status: undefined } as const
    assert.deepStrictEqual(await verifications.check(misspelt), {
      ok: false,
      error: {
        ...unknown,
        message: "purpos is not a field of this call",
        details: {
          purpos: [
            "is not a field; the fields are requestId, phoneNumber, code, client, purpose, signal",
          ],
        },
      },
    })
    const others = [
      verifications.send(more({ phoneNumber: "+8801712345678" }, { idempotency_key: "k" })),
      verifications.consume(more({ requestId: "vrf_1" }, { purpos: "login" })),
      verifications.status(more({ requestId: "vrf_1" }, { idempotencyKey: "k" })),
      messages.list(more({ limit: 1 }, { form: from })),
      messages.get("msg_1", more({ signal: undefined }, { organization: "acme" })),
      balance(more({ signal: undefined }, { organization: "acme" })),
    ]
    for (const call of others) {
      const result = await call
      assert(!result.ok && result.error.code === "invalid_request")
    }
    assert.deepStrictEqual(service.heard, [])
    // A misspelt field whose value is undefined changes nothing.
    await balance(more({ signal: undefined }, { organization: undefined }))
    assert.strictEqual(service.heard.length, 1)
  })
})
