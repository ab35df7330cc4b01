/** For how long the id that a gateway has given to a message stays that message's. */
import type { Gateway } from "@countersign/core/ports/Gateway"
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
    ["HttpGateway with a time", http({ idSeconds: 86_400 }), day],
    ["Kannel", idMillisOf(Kannel.make({ url, username: "me", password: secret })), Infinity],
    ["MimSms", idMillisOf(MimSms.make({ userName: "me", apiKey: secret })), Infinity],
    ["Robi", idMillisOf(Robi.make({ username: "me", password: secret })), Infinity],
    ["Smpp", idMillisOf(Smpp.make(centre)), 7 * day],
    ["Smpp with a time", idMillisOf(Smpp.make({ ...centre, idMillis: day })), day],
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
