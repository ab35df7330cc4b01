/**
 * For how long the id that a gateway has given to a message stays that message's, and which outcomes can be
 * recovered if a node stops before it has written them.
 */
import { canRecover } from "@countersign/core/ports/Gateway"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { test } from "../../../test/support/gatewayTest.ts"
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
const callbackUrl = "https://sms.example.com/callbacks/a"
const day = 86_400_000

const user = { userId: "me", username: "me", userName: "me", password: secret, apiKey: secret }
const kannel = { url, username: "me", password: secret }
const centre = { host: "127.0.0.1", port: 1, systemId: "acme", password: Redacted.make("secret") }
const account = { accountSid: "AC1", authToken: secret }
const vonage = { auth: { apiKey: "key", apiSecret: secret } }
const phone = { credentials: { username: "me", password: secret } }
const meta = {
  accessToken: secret,
  phoneNumberId: "1",
  template: { name: "otp_code" },
  appSecret: secret,
}

/** How long an id is unique, and the kinds of messages whose acceptance can be recovered. */
const of = <E, R>(made: Effect.Effect<Adapter, E, R>) =>
  Effect.map(made, ({ gateway: { capabilities } }) => ({
    idMillis: capabilities.idMillis,
    recovered: (["message", "verification"] as const).filter((purpose) =>
      canRecover(capabilities, { purpose }, { _tag: "Accepted", gatewayId: "g" }),
    ),
  }))

const http = (change: Partial<HttpDescription>) =>
  of(HttpGateway.make({ description: described(url, change), secrets }))

const none: ReadonlyArray<string> = []
const messages = ["message"]
const all = ["message", "verification"]

test.each([
  ["AlphaSms, which looks up by its ids", of(AlphaSms.make(user)), Infinity, none],
  ["Banglalink", of(Banglalink.make(user)), Infinity, none],
  ["BulkSmsBd", of(BulkSmsBd.make(user)), Infinity, none],
  ["Grameenphone", of(Grameenphone.make(user)), Infinity, none],
  ["HttpGateway", http({}), Infinity, none],
  ["HttpGateway with ids of a day", http({ idLifetime: "1 day" }), day, none],
  ["HttpGateway with tokens of an hour", http({ tokenLifetime: "1 hour" }), Infinity, none],
  ["HttpGateway with tokens of a day", http({ tokenLifetime: "1 day" }), Infinity, messages],
  ["Kannel without reports", of(Kannel.make(kannel)), Infinity, none],
  [
    "Kannel with reports",
    of(Kannel.make({ ...kannel, callbackUrl, callbackSecret: secret })),
    Infinity,
    all,
  ],
  ["MimSms", of(MimSms.make(user)), Infinity, none],
  ["Robi", of(Robi.make(user)), Infinity, none],
  ["Smpp, whose receipts have its ids", of(Smpp.make(centre)), 7 * day, none],
  ["Smpp with ids of a day", of(Smpp.make({ ...centre, idLifetime: "1 day" })), day, none],
  ["SmsGate, which looks up by the token", of(SmsGate.make(phone)), Infinity, all],
  ["SmsGate with reports", of(SmsGate.make({ ...phone, signingKey: secret })), Infinity, all],
  ["SslWireless", of(SslWireless.make({ apiToken: secret })), Infinity, none],
  [
    "SslWireless with tokens of a day",
    of(SslWireless.make({ apiToken: secret, tokenLifetime: "1 day" })),
    Infinity,
    messages,
  ],
  ["Twilio without reports", of(Twilio.make(account)), Infinity, none],
  ["Twilio with reports", of(Twilio.make({ ...account, callbackUrl })), Infinity, all],
  ["Vonage without reports", of(Vonage.make(vonage)), Infinity, none],
  [
    "Vonage with reports",
    of(Vonage.make({ ...vonage, signatureSecret: secret, callbackUrl })),
    Infinity,
    all,
  ],
  ["WhatsAppCloud", of(WhatsAppCloud.make(meta)), Infinity, all],
] as const)("the ids and the lost outcomes of %s", function* ([, made, idMillis, recovered]) {
  assert.deepStrictEqual<unknown>(yield* made, { idMillis, recovered })
})
