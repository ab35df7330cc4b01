/**
 * Vonage's own packages as the judges of requests and signatures.
 */
import * as Vonage from "@countersign/gateways/Vonage"
import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import { assert, describe, it } from "@effect/vitest"
import { tokenGenerate, verifySignature } from "@vonage/jwt"
import { Messages, SMS, WhatsAppCustom } from "@vonage/messages"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { createHash, createHmac, generateKeyPairSync } from "node:crypto"
import { believes } from "../../gateways/believes.ts"
import { test } from "../../support/testsOver.ts"

const { privateKey, publicKey } = generateKeyPairSync("rsa", {
  modulusLength: 2_048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
})
const applicationId = "aaaaaaaa-bbbb-cccc-dddd-0123456789ab"
const signatureSecret = "a signature secret for the tests"

const options: Vonage.Options = {
  auth: { applicationId, privateKey: Redacted.make(privateKey) },
  signatureSecret: Redacted.make(signatureSecret),
}

const Claims = Schema.Record(Schema.String, Schema.Unknown)
const readClaims = Schema.decodeUnknownSync(Schema.fromJsonString(Claims))

const partsOf = (token: string) => {
  const [header = "", claims = ""] = token.split(".")
  const text = (part: string) => Buffer.from(part, "base64url").toString()
  return { header: readClaims(text(header)), claims: readClaims(text(claims)) }
}

const sent = (
  overrides: Parameters<typeof GatewaySuite.message>[0],
  own: Partial<Vonage.Options>,
  message: SMS | WhatsAppCustom,
) =>
  Effect.gen(function* () {
    const vendor = yield* GatewaySuite.startVendor()
    vendor.conduct({
      _tag: "Answer",
      status: 202,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ message_uuid: "0a1b2c3d" }),
    })
    const { gateway } = yield* Vonage.make({ ...options, ...own, baseUrl: vendor.baseUrl })
    yield* gateway.send(GatewaySuite.message(overrides))
    const client = new Messages({ applicationId, privateKey }, { apiHost: vendor.baseUrl })
    const { messageUUID } = yield* Effect.promise(() => client.send(message))
    assert.strictEqual(messageUUID, "0a1b2c3d")
    const [ours, theirs] = vendor.requests
    assert.isDefined(ours)
    assert.isDefined(theirs)
    return { ours, theirs }
  }).pipe(Effect.scoped, Effect.provide(GatewaySuite.platform))

const bodyOf = ({ body }: GatewaySuite.ReceivedRequest): unknown => JSON.parse(body)

const tokenOf = ({ headers }: GatewaySuite.ReceivedRequest): string =>
  (headers["authorization"] ?? "").replace("Bearer ", "")

const clientRef = `acme.1.${GatewaySuite.message().token.slice(-12)}`

const sms = new SMS({
  channel: "sms",
  messageType: "text",
  to: "8801712345678",
  from: "8809600000000",
  text: GatewaySuite.text,
  clientRef,
  ttl: 90,
  webhookUrl: "https://sms.example.com/callbacks/vonage",
  webhookVersion: "v1",
})

const smsOptions = {
  validity: "90 seconds",
  callbackUrl: "https://sms.example.com/callbacks/vonage",
} as const

describe("The request for a message equals the request of Vonage's SDK", () => {
  test.effect("for a code by SMS", function* () {
    const { ours, theirs } = yield* sent({}, smsOptions, sms)
    assert.deepStrictEqual([ours.method, ours.url], [theirs.method, theirs.url])
    assert.deepStrictEqual(bodyOf(ours), bodyOf(theirs))
    assert.strictEqual(
      ours.headers["content-type"]?.split(";")[0],
      theirs.headers["content-type"]?.split(";")[0],
    )
  })

  test.effect("for a code in a WhatsApp template", function* () {
    const parameters = [{ type: "text", text: GatewaySuite.code }]
    const { ours, theirs } = yield* sent(
      { channel: "whatsapp", sender: "8801700000000" },
      { whatsApp: { template: { name: "otp_code" } } },
      new WhatsAppCustom({
        to: "8801712345678",
        from: "8801700000000",
        clientRef,
        custom: {
          type: "template",
          template: {
            name: "otp_code",
            language: { policy: "deterministic", code: "en_US" },
            components: [
              { type: "body", parameters },
              { type: "button", sub_type: "url", index: "0", parameters },
            ],
          },
        },
      }),
    )
    assert.deepStrictEqual(bodyOf(ours), bodyOf(theirs))
  })

  test.effect("with an equivalent token, which Vonage's validator accepts", function* () {
    // The validator looks at the time of the machine.
    yield* TestClock.setTime(Date.now())
    const { ours, theirs } = yield* sent({}, smsOptions, sms)
    const [mine, other] = [partsOf(tokenOf(ours)), partsOf(tokenOf(theirs))]
    assert.deepStrictEqual(mine.header, other.header)
    assert.sameMembers(Object.keys(mine.claims), Object.keys(other.claims))
    assert.strictEqual(mine.claims["application_id"], other.claims["application_id"])
    const lasts = ({ exp, iat }: typeof mine.claims) => Number(exp) - Number(iat)
    assert.strictEqual(lasts(mine.claims), lasts(other.claims))
    const generated = tokenGenerate(applicationId, privateKey)
    assert.isTrue(verifySignature(generated, publicKey))
    assert.isTrue(verifySignature(tokenOf(ours), publicKey))
  })
})

type Kind = "nothing" | "secret" | "claims" | "tag" | "algorithm"

/** A token as Vonage makes it, but for what is said. */
const tokenFor = (kind: Kind, body: string, jti: string): string => {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
  const claims = {
    iat: Math.floor(Date.now() / 1_000),
    jti,
    iss: "Vonage",
    payload_hash: createHash("sha256").update(body).digest("hex"),
  }
  const header = part({ alg: kind === "algorithm" ? "none" : "HS256", typ: "JWT" })
  const secret = kind === "secret" ? `${signatureSecret}.` : signatureSecret
  const tag = createHmac("sha256", secret)
    .update(`${header}.${part(claims)}`)
    .digest("base64url")
  const shown = kind === "claims" ? part({ ...claims, jti: `${jti}.` }) : part(claims)
  return [header, shown, kind === "tag" ? tag.slice(1) : tag].join(".")
}

const accepts = (body: string, token: string) =>
  believes(
    Vonage.make({
      auth: { apiKey: "a1b2c3d4", apiSecret: Redacted.make("secret") },
      signatureSecret: Redacted.make(signatureSecret),
    }),
    new URL("https://sms.example.com/callbacks/vonage"),
    { authorization: `Bearer ${token}` },
    body,
  )

describe("A report is accepted", () => {
  it("if, and only if, Vonage's own validator accepts its token", async () => {
    const kinds = fc.constantFrom<Kind>("nothing", "secret", "claims", "tag", "algorithm")
    const seen = { true: 0, false: 0 }
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme" }),
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }),
        kinds,
        async (body, jti, kind) => {
          const token = tokenFor(kind, body, jti)
          const expected = verifySignature(token, signatureSecret)
          seen[`${expected}`] += 1
          assert.strictEqual(await accepts(body, token), expected)
        },
      ),
      { numRuns: 300 },
    )
    assert.isAbove(seen.true, 20)
    assert.isAbove(seen.false, 20)
  })

  it("with the body that its token covers only, which Vonage's validator does not check", async () => {
    const token = tokenFor("nothing", "{}", "one")
    assert.isTrue(verifySignature(token, signatureSecret))
    assert.isTrue(await accepts("{}", token))
    assert.isFalse(await accepts("{} ", token))
  })
})
