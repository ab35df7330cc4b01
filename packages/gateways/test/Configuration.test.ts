/** The options that each vendor reads from the environment. */
import { Gateway } from "@countersign/core/ports/Gateway"
import { assert, describe } from "@effect/vitest"
import type * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { test } from "../../../test/support/gatewayTest.ts"
import * as AlphaSms from "../src/AlphaSms.ts"
import * as Banglalink from "../src/Banglalink.ts"
import * as BulkSmsBd from "../src/BulkSmsBd.ts"
import * as Grameenphone from "../src/Grameenphone.ts"
import * as Kannel from "../src/Kannel.ts"
import * as MimSms from "../src/MimSms.ts"
import * as Robi from "../src/Robi.ts"
import * as Smpp from "../src/Smpp.ts"
import * as SmsGate from "../src/SmsGate.ts"
import * as SslWireless from "../src/SslWireless.ts"
import * as Twilio from "../src/Twilio.ts"
import * as Vonage from "../src/Vonage.ts"
import * as WhatsAppCloud from "../src/WhatsAppCloud.ts"

type Environment = Readonly<Record<string, string>>

/** Without what is `undefined`. Secrets and URLs are texts. */
const plain = (value: unknown): unknown => {
  if (Redacted.isRedacted(value)) return Redacted.value(value)
  if (value instanceof URL) return value.href
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      member === undefined ? [] : [[name, plain(member)]],
    ),
  )
}

const from = (env: Environment) => ConfigProvider.fromEnv({ env })

const twilio = { TWILIO_ACCOUNT_SID: "AC1", TWILIO_AUTH_TOKEN: "token" }
const kannel = {
  KANNEL_URL: "http://127.0.0.1:13013/cgi-bin/sendsms",
  KANNEL_USERNAME: "countersign",
  KANNEL_PASSWORD: "password",
}
const callbackUrl = "https://sms.example.com/callbacks/kannel"

const rows: ReadonlyArray<
  readonly [string, Config.Config<unknown>, Environment, Readonly<Record<string, unknown>>]
> = [
  [
    "Twilio",
    Twilio.config,
    { ...twilio, TWILIO_API_KEY_SID: "SK1", TWILIO_API_KEY_SECRET: "secret" },
    {
      accountSid: "AC1",
      authToken: "token",
      apiKey: { sid: "SK1", secret: "secret" },
      whatsApp: {},
    },
  ],
  [
    "Vonage, for an application",
    Vonage.config,
    { VONAGE_APPLICATION_ID: "app", VONAGE_PRIVATE_KEY: "pem", VONAGE_SIGNATURE_SECRET: "secret" },
    { auth: { applicationId: "app", privateKey: "pem" }, signatureSecret: "secret", whatsApp: {} },
  ],
  [
    "Vonage, for the account",
    Vonage.config,
    { VONAGE_API_KEY: "key", VONAGE_API_SECRET: "secret", VONAGE_WHATSAPP_TEMPLATE: "otp" },
    { auth: { apiKey: "key", apiSecret: "secret" }, whatsApp: { template: { name: "otp" } } },
  ],
  [
    "WhatsApp Cloud",
    WhatsAppCloud.config,
    {
      WHATSAPP_ACCESS_TOKEN: "token",
      WHATSAPP_PHONE_NUMBER_ID: "77",
      WHATSAPP_TEMPLATE: "otp",
      WHATSAPP_APP_SECRET: "secret",
    },
    { accessToken: "token", phoneNumberId: "77", template: { name: "otp" }, appSecret: "secret" },
  ],
  [
    "SSL Wireless",
    SslWireless.config,
    { SSL_WIRELESS_API_TOKEN: "token", SSL_WIRELESS_SID: "ACME" },
    { apiToken: "token", sid: "ACME" },
  ],
  [
    "BulkSMSBD",
    BulkSmsBd.config,
    { BULKSMSBD_API_KEY: "key", BULKSMSBD_BASE_URL: "http://127.0.0.1:1" },
    { apiKey: "key", baseUrl: "http://127.0.0.1:1" },
  ],
  [
    "Alpha SMS",
    AlphaSms.config,
    { ALPHA_SMS_API_KEY: "key", ALPHA_SMS_SENDER_ID: "ACME" },
    { apiKey: "key", senderId: "ACME" },
  ],
  [
    "SMSGate",
    SmsGate.config,
    { SMSGATE_USERNAME: "user", SMSGATE_PASSWORD: "password", SMSGATE_SIM_NUMBER: "2" },
    { credentials: { username: "user", password: "password" }, simNumber: 2 },
  ],
  [
    "Kannel",
    Kannel.config,
    { ...kannel, KANNEL_CALLBACK_URL: callbackUrl, KANNEL_CALLBACK_SECRET: "secret" },
    {
      url: kannel.KANNEL_URL,
      username: "countersign",
      password: "password",
      callbackUrl,
      callbackSecret: "secret",
    },
  ],
  [
    "SMPP",
    Smpp.config,
    {
      SMPP_HOST: "127.0.0.1",
      SMPP_PORT: "2776",
      SMPP_SYSTEM_ID: "acme",
      SMPP_PASSWORD: "secret",
      SMPP_TLS: "false",
      SMPP_PER_SECOND: "50",
    },
    {
      host: "127.0.0.1",
      port: 2776,
      tls: false,
      systemId: "acme",
      password: "secret",
      perSecond: 50,
    },
  ],
  [
    "MimSMS",
    MimSms.config,
    { MIMSMS_USER_NAME: "me", MIMSMS_API_KEY: "key", MIMSMS_TRANSACTION_TYPE: "P" },
    { userName: "me", apiKey: "key", transactionType: "P" },
  ],
  [
    "Grameenphone",
    Grameenphone.config,
    { GRAMEENPHONE_USERNAME: "user", GRAMEENPHONE_PASSWORD: "word" },
    { username: "user", password: "word" },
  ],
  [
    "Robi",
    Robi.config,
    { ROBI_USERNAME: "user", ROBI_PASSWORD: "word", ROBI_SENDER: "ACME" },
    { username: "user", password: "word", sender: "ACME" },
  ],
  [
    "Banglalink",
    Banglalink.config,
    { BANGLALINK_USER_ID: "user", BANGLALINK_PASSWORD: "word" },
    { userId: "user", password: "word" },
  ],
]

describe("the options of a vendor", () => {
  test.each(rows)(
    "are read from the environment: %s",
    function* ([, config, environment, expected]) {
      const options = yield* config.parse(from(environment))
      assert.deepStrictEqual(plain(options), expected)
    },
  )

  test("from the environment make a gateway, and those of the host override them", function* () {
    const context = yield* Effect.provideService(
      Layer.build(Robi.layerConfig({ name: "operator" })),
      ConfigProvider.ConfigProvider,
      from({ ROBI_USERNAME: "user", ROBI_PASSWORD: "word" }),
    )
    assert.strictEqual(Context.get(context, Gateway).name, "operator")
  })

  test("of Kannel have a callback URL and its secret, or neither", function* () {
    for (const half of [{ KANNEL_CALLBACK_URL: callbackUrl }, { KANNEL_CALLBACK_SECRET: "s3" }]) {
      const exit = yield* Effect.exit(Kannel.config.parse(from({ ...kannel, ...half })))
      assert.match(String(exit), /go together/)
      assert.notInclude(String(exit), "s3")
    }
  })
})
