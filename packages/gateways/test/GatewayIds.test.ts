/**
 * For how long the id that a gateway has given to a message stays that message's, and which outcomes can be
 * recovered if a node stops before it has written them.
 */
import { canRecover, type Gateway } from "@countersign/core/ports/Gateway"
import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Adapter } from "../src/Adapter.ts"
import * as AlphaSms from "../src/AlphaSms.ts"
import * as Banglalink from "../src/Banglalink.ts"
import * as BulkSmsBd from "../src/BulkSmsBd.ts"
import * as Grameenphone from "../src/Grameenphone.ts"
import type { HttpDescription } from "../src/HttpDescription.ts"
import * as HttpGateway from "../src/HttpGateway.ts"
import * as Kannel from "../src/Kannel.ts"
import * as MimSms from "../src/MimSms.ts"
import * as Robi from "../src/Robi.ts"
import * as Smpp from "../src/Smpp.ts"
import * as SmsGate from "../src/SmsGate.ts"
import * as SslWireless from "../src/SslWireless.ts"
import * as Twilio from "../src/Twilio.ts"
import * as Vonage from "../src/Vonage.ts"
import * as WhatsAppCloud from "../src/WhatsAppCloud.ts"
import { described, secrets } from "./support/described.ts"

const secret = Redacted.make("a secret")
const url = "http://127.0.0.1:1"
const centre = { host: "127.0.0.1", port: 1, systemId: "acme", password: Redacted.make("secret") }
const day = 86_400_000

const idMillisOf = <E, R>(made: Effect.Effect<Adapter, E, R>) =>
  Effect.map(
    made,
    ({ gateway }): Gateway["Service"]["capabilities"]["idMillis"] => gateway.capabilities.idMillis,
  )

const http = (change: Partial<HttpDescription>) =>
  idMillisOf(HttpGateway.make({ description: described(url, change), secrets }))

describe("an id is unique", () => {
  it.effect.each([
    ["AlphaSms", idMillisOf(AlphaSms.make({ apiKey: secret })), Infinity],
    ["Banglalink", idMillisOf(Banglalink.make({ userId: "me", password: secret })), Infinity],
    ["BulkSmsBd", idMillisOf(BulkSmsBd.make({ apiKey: secret })), Infinity],
    ["Grameenphone", idMillisOf(Grameenphone.make({ username: "me", password: secret })), Infinity],
    ["HttpGateway", http({}), Infinity],
    ["HttpGateway with a time", http({ idLifetime: "1 day" }), day],
    ["Kannel", idMillisOf(Kannel.make({ url, username: "me", password: secret })), Infinity],
    ["MimSms", idMillisOf(MimSms.make({ userName: "me", apiKey: secret })), Infinity],
    ["Robi", idMillisOf(Robi.make({ username: "me", password: secret })), Infinity],
    ["Smpp", idMillisOf(Smpp.make(centre)), 7 * day],
    ["Smpp with a time", idMillisOf(Smpp.make({ ...centre, idLifetime: "1 day" })), day],
    [
      "SmsGate",
      idMillisOf(SmsGate.make({ credentials: { username: "me", password: secret } })),
      Infinity,
    ],
    ["SslWireless", idMillisOf(SslWireless.make({ apiToken: secret })), Infinity],
    ["Twilio", idMillisOf(Twilio.make({ accountSid: "AC1", authToken: secret })), Infinity],
    ["Vonage", idMillisOf(Vonage.make({ auth: { apiKey: "key", apiSecret: secret } })), Infinity],
    [
      "WhatsAppCloud",
      idMillisOf(
        WhatsAppCloud.make({
          accessToken: secret,
          phoneNumberId: "1",
          template: { name: "otp_code" },
          appSecret: secret,
        }),
      ),
      Infinity,
    ],
  ] as const)("for %s", ([, made, expected]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* made, expected)
    }).pipe(Effect.scoped, Effect.provide(GatewaySuite.platform)),
  )
})

/** The kinds of messages whose acceptance can be recovered. */
const recoveredBy = <E, R>(made: Effect.Effect<Adapter, E, R>) =>
  Effect.map(made, ({ gateway: { capabilities } }) =>
    (["message", "verification"] as const).filter((purpose) =>
      canRecover(capabilities, { purpose }, { _tag: "Accepted", gatewayId: "g" }),
    ),
  )

describe("a lost outcome", () => {
  const callbackUrl = "https://sms.example.com/callbacks/a"
  const none: ReadonlyArray<string> = []
  const messages = ["message"]
  const all = ["message", "verification"]
  const user = { userId: "me", username: "me", userName: "me", password: secret, apiKey: secret }
  const kannel = { url, username: "me", password: secret }
  const account = { accountSid: "AC1", authToken: secret }
  const vonage = { auth: { apiKey: "key", apiSecret: secret } }
  const phone = { credentials: { username: "me", password: secret } }
  const meta = {
    accessToken: secret,
    phoneNumberId: "1",
    template: { name: "otp_code" },
    appSecret: secret,
  }
  const httpWith = (change: Partial<HttpDescription>) =>
    recoveredBy(HttpGateway.make({ description: described(url, change), secrets }))

  it.effect.each([
    ["AlphaSms, which looks up by its ids", recoveredBy(AlphaSms.make(user)), none],
    ["Banglalink", recoveredBy(Banglalink.make(user)), none],
    ["BulkSmsBd", recoveredBy(BulkSmsBd.make(user)), none],
    ["Grameenphone", recoveredBy(Grameenphone.make(user)), none],
    ["HttpGateway", httpWith({}), none],
    ["HttpGateway with tokens of an hour", httpWith({ tokenLifetime: "1 hour" }), none],
    ["HttpGateway with tokens of a day", httpWith({ tokenLifetime: "1 day" }), messages],
    ["Kannel without reports", recoveredBy(Kannel.make(kannel)), none],
    [
      "Kannel with reports",
      recoveredBy(Kannel.make({ ...kannel, callbackUrl, callbackSecret: secret })),
      all,
    ],
    ["MimSms", recoveredBy(MimSms.make(user)), none],
    ["Robi", recoveredBy(Robi.make(user)), none],
    ["Smpp, whose receipts have its ids", recoveredBy(Smpp.make(centre)), none],
    ["SmsGate, which looks up by the token", recoveredBy(SmsGate.make(phone)), all],
    ["SmsGate with reports", recoveredBy(SmsGate.make({ ...phone, signingKey: secret })), all],
    ["SslWireless", recoveredBy(SslWireless.make({ apiToken: secret })), none],
    [
      "SslWireless with tokens of a day",
      recoveredBy(SslWireless.make({ apiToken: secret, tokenLifetime: "1 day" })),
      messages,
    ],
    ["Twilio without reports", recoveredBy(Twilio.make(account)), none],
    ["Twilio with reports", recoveredBy(Twilio.make({ ...account, callbackUrl })), all],
    ["Vonage without reports", recoveredBy(Vonage.make(vonage)), none],
    [
      "Vonage with reports",
      recoveredBy(Vonage.make({ ...vonage, signatureSecret: secret, callbackUrl })),
      all,
    ],
    ["WhatsAppCloud", recoveredBy(WhatsAppCloud.make(meta)), all],
  ] as const)("is recovered only where the vendor can: %s", ([, made, expected]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual<ReadonlyArray<string>>(yield* made, expected)
    }).pipe(Effect.scoped, Effect.provide(GatewaySuite.platform)),
  )
})
