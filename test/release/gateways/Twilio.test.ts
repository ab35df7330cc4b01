/**
 * Twilio's own SDK as the judge of requests and signatures.
 */
import * as Twilio from "@countersign/gateways/Twilio"
import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import twilio from "twilio"
import { believes } from "../../gateways/believes.ts"
import { createHash } from "node:crypto"
import type { RequestOptions } from "twilio/lib/base/RequestClient.js"

const accountSid = "AC00000000000000000000000000000001"
const authToken = "an auth token for the tests"
const callbackUrl = "https://sms.example.com/callbacks/twilio"

const created = {
  _tag: "Answer",
  status: 201,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ sid: "SM0001", status: "queued", num_segments: "1" }),
} as const

/** The SDK, with its requests sent to loopback. */
class Rerouted extends twilio.RequestClient {
  readonly #baseUrl: string

  constructor(baseUrl: string) {
    super()
    this.#baseUrl = baseUrl
  }

  override request<TData>(options: RequestOptions<TData>) {
    const uri = options.uri.replace("https://api.twilio.com", this.#baseUrl)
    return super.request<TData>({ ...options, uri })
  }
}

type Create = Parameters<ReturnType<typeof twilio>["messages"]["create"]>[0]

/** What two clients have sent for the same message, in a form that can be compared. */
const comparable = (request: GatewaySuite.ReceivedRequest | undefined) => ({
  method: request?.method,
  url: request?.url,
  authorization: request?.headers["authorization"],
  contentType: request?.headers["content-type"]?.split(";")[0],
  accept: request?.headers["accept"],
  form: [...new URLSearchParams(request?.body)].toSorted(([a], [b]) => (a < b ? -1 : 1)),
})

const sameRequest = (
  options: Partial<Twilio.Options>,
  overrides: Parameters<typeof GatewaySuite.message>[0],
  create: Create,
) =>
  Effect.gen(function* () {
    const vendor = yield* GatewaySuite.startVendor()
    vendor.conduct(created)
    const { gateway } = yield* Twilio.make({
      accountSid,
      authToken: Redacted.make(authToken),
      callbackUrl,
      baseUrl: vendor.baseUrl,
      ...options,
    })
    const message = GatewaySuite.message(overrides)
    assert.strictEqual((yield* gateway.send(message))._tag, "Accepted")
    const { apiKey } = options
    const client = twilio(
      apiKey?.sid ?? accountSid,
      apiKey === undefined ? authToken : Redacted.value(apiKey.secret),
      { accountSid, httpClient: new Rerouted(vendor.baseUrl) },
    )
    const sid = yield* Effect.promise(async () => (await client.messages.create(create)).sid)
    assert.strictEqual(sid, "SM0001")
    const [ours, theirs] = vendor.requests
    assert.deepStrictEqual(comparable(ours), comparable(theirs))
  }).pipe(Effect.scoped, Effect.provide(GatewaySuite.platform))

const to = "+8801712345678"
const statusCallback = `${callbackUrl}?message=acme.1.${GatewaySuite.message().token.slice(-12)}`

describe("The request for a message equals the request of Twilio's SDK", () => {
  it.effect("for a code by SMS", () =>
    sameRequest(
      {},
      {},
      { to, from: "+8809600000000", body: GatewaySuite.text, smartEncoded: false, statusCallback },
    ),
  )

  it.effect("for Bangla and emoji through a messaging service, by an API key", () => {
    const text = 'আপনার পার্সেল এসেছে 📦 & 100% = "done"\n+ ok'
    return sameRequest(
      {
        messagingServiceSid: "MG0001",
        validity: "10 minutes",
        apiKey: { sid: "SK0001", secret: Redacted.make("a secret of a key") },
      },
      { purpose: "message", text: Redacted.make(text) },
      { to, messagingServiceSid: "MG0001", body: text, validityPeriod: 600, statusCallback },
    )
  })

  it.effect("for a code in a WhatsApp template", () =>
    sameRequest(
      { whatsApp: { verificationContent: "HX0001" } },
      { channel: "whatsapp", sender: "8801700000000" },
      {
        to: `whatsapp:${to}`,
        from: "whatsapp:+8801700000000",
        contentSid: "HX0001",
        contentVariables: JSON.stringify({ "1": GatewaySuite.code }),
        statusCallback,
      },
    ),
  )
})

/** Anything that a form may hold, names that come twice included. */
const form = fc.array(
  fc.tuple(
    fc.oneof(
      fc.constantFrom("MessageSid", "MessageStatus", "To", "a", "A"),
      fc.string({ unit: "grapheme" }),
    ),
    fc.string({ unit: "grapheme" }),
  ),
  { maxLength: 8 },
)

const query = fc.oneof(
  fc.constant(""),
  fc.constant("?message=acme.1"),
  fc
    .array(fc.tuple(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" })), {
      minLength: 1,
      maxLength: 4,
    })
    .map((pairs) => `?${new URLSearchParams(pairs).toString()}`),
  // As no library would write it.
  fc
    .string({ unit: fc.constantFrom("a", "1", "'", "%", "=", "&", "+", "2", "7", ";") })
    .map((_) => `?${_}`),
)

const address = fc
  .tuple(
    fc.constantFrom("https", "http"),
    fc.constantFrom("", ":443", ":80", ":8443"),
    fc.constantFrom("/", "/callbacks/twilio", "/a%20b/c"),
    query,
  )
  .map(
    ([scheme, port, path, search]) => new URL(`${scheme}://sms.example.com${port}${path}${search}`),
  )

/** Changes that a forger could have signed. */
const tampering = fc.constantFrom("nothing", "port", "quote", "query", "value", "token", "tag")

const paramsOf = (pairs: ReadonlyArray<readonly [string, string]>) => {
  const params = new Map<string, Array<string>>()
  for (const [name, value] of pairs) params.set(name, [...(params.get(name) ?? []), value])
  return Object.fromEntries(
    [...params].map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  )
}

/** The signature that the SDK computes over something that is like the request. */
const signatureFor = (
  kind: string,
  url: URL,
  pairs: ReadonlyArray<readonly [string, string]>,
): string => {
  const standard = url.protocol === "https:" ? ":443" : ":80"
  const port = url.port === "" ? standard : ""
  const signedUrl = {
    port: url.href.replace(url.host, `${url.host}${port}`),
    quote: url.href.replaceAll("%27", "'"),
    query: `${url.href}1`,
  }
  const signed =
    kind === "port" || kind === "quote" || kind === "query" ? signedUrl[kind] : url.href
  const params = paramsOf(kind === "value" ? [...pairs, ["x", "y"]] : pairs)
  const token = kind === "token" ? `${authToken}.` : authToken
  const tag = twilio.getExpectedTwilioSignature(token, signed, params)
  return kind === "tag" ? tag.toLowerCase() : tag
}

const encoded = (pairs: ReadonlyArray<readonly [string, string]>): string =>
  new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString()

const accepts = (url: URL, body: string, signature: string) =>
  believes(
    Twilio.make({ accountSid, authToken: Redacted.make(authToken), callbackUrl }),
    url,
    { "x-twilio-signature": signature },
    body,
  )

describe("A report is accepted", () => {
  it("if, and only if, Twilio's own validator accepts it", async () => {
    const seen = { true: 0, false: 0 }
    await fc.assert(
      fc.asyncProperty(address, form, tampering, async (url, pairs, kind) => {
        fc.pre(!url.search.includes("bodySHA256"))
        const signature = signatureFor(kind, url, pairs)
        const expected = twilio.validateRequest(authToken, signature, url.href, paramsOf(pairs))
        seen[`${expected}`] += 1
        assert.strictEqual(await accepts(url, encoded(pairs), signature), expected)
      }),
      { numRuns: 500 },
    )
    // Neither side is empty, or nothing was compared.
    assert.isAbove(seen.true, 50)
    assert.isAbove(seen.false, 50)
  })

  it("with a hash of its body, if, and only if, Twilio's own validator accepts it", async () => {
    const seen = { true: 0, false: 0 }
    await fc.assert(
      fc.asyncProperty(
        fc.json(),
        fc.constantFrom("nothing", "body", "hash"),
        async (body, kind) => {
          const hash = createHash("sha256").update(body).digest("hex")
          const url = new URL(`${callbackUrl}?bodySHA256=${kind === "hash" ? hash.slice(1) : hash}`)
          const received = kind === "body" ? `${body} ` : body
          const signature = twilio.getExpectedTwilioSignature(authToken, url.href, {})
          const expected = twilio.validateRequestWithBody(authToken, signature, url.href, received)
          seen[`${expected}`] += 1
          assert.strictEqual(await accepts(url, received, signature), expected)
        },
      ),
      { numRuns: 100 },
    )
    assert.isAbove(seen.true, 10)
    assert.isAbove(seen.false, 10)
  })
})
