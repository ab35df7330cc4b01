import { assert, describe, it } from "@effect/vitest"
import * as Money from "@countersign/core/domain/values/Money"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Settings from "../src/Settings.ts"

const read = (env: Record<string, string>) =>
  Effect.provideService(
    Settings.settings,
    ConfigProvider.ConfigProvider,
    ConfigProvider.fromEnv({ env }),
  )

describe("settings", () => {
  it.effect("have defaults, also for empty values", () =>
    Effect.gen(function* () {
      const defaults = {
        host: "127.0.0.1",
        port: 3000,
        dataDir: ".countersign",
        databaseUrl: undefined,
        demoBalance: Money.make("100"),
        settleAfterSeconds: 300,
        retentionDays: undefined,
        gatewayTimeoutMillis: 2_000,
        delivery: "at-once" as const,
        fallback: undefined,
        trustedProxies: [],
        secret: undefined,
        testNumbers: { numbers: [], production: false, allowInProduction: false },
      }
      assert.deepEqual(yield* read({}), defaults)
      assert.deepEqual(
        yield* read({ PORT: "", DATABASE_URL: "", COUNTERSIGN_SECRET: "" }),
        defaults,
      )
    }),
  )

  it.effect("are read from the environment", () =>
    Effect.gen(function* () {
      const { databaseUrl, secret, testNumbers, ...plain } = yield* read({
        HOST: "0.0.0.0",
        PORT: "0",
        DATA_DIR: "/tmp/elsewhere",
        DATABASE_URL: "postgresql://me:secret@db.example/it",
        DEMO_BALANCE: "0.5",
        SETTLE_AFTER_SECONDS: "1",
        RETENTION_DAYS: "365",
        GATEWAY_TIMEOUT_MS: "150",
        DELIVERY: "by-hand",
        SMS_FALLBACK_SECONDS: "20",
        WHATSAPP_FIRST: "true",
        TRUSTED_PROXIES: "10.0.0.0/8, 127.0.0.1,::1",
        COUNTERSIGN_SECRET: "p".repeat(32),
        TEST_NUMBERS: "+8801711111111=730164, +8801722222222=730165:not-on-whatsapp",
      })
      assert.deepEqual(plain, {
        host: "0.0.0.0",
        port: 0,
        dataDir: "/tmp/elsewhere",
        demoBalance: Money.make("0.5"),
        settleAfterSeconds: 1,
        retentionDays: 365,
        gatewayTimeoutMillis: 150,
        delivery: "by-hand",
        fallback: { reportWithin: "20 seconds", whatsappFirst: true },
        trustedProxies: ["10.0.0.0/8", "127.0.0.1", "::1"],
      })
      assert.notInclude(String(databaseUrl), "secret")
      assert.strictEqual(
        databaseUrl && Redacted.value(databaseUrl),
        "postgresql://me:secret@db.example/it",
      )
      assert.strictEqual(secret && Redacted.value(secret), "p".repeat(32))
      assert.deepEqual(
        testNumbers.numbers.map(({ code, phoneNumber, outcome }) => [
          phoneNumber,
          Redacted.value(code),
          outcome,
        ]),
        [
          ["+8801711111111", "730164", "delivered"],
          ["+8801722222222", "730165", "not-on-whatsapp"],
        ],
      )
      assert.notInclude(JSON.stringify(testNumbers), "730164")
    }),
  )

  it.effect.each([
    [{ WHATSAPP_FIRST: "true" }, { reportWithin: undefined, whatsappFirst: true }],
    [{ SMS_FALLBACK_SECONDS: "600" }, { reportWithin: "600 seconds", whatsappFirst: false }],
    [{ WHATSAPP_FIRST: "false" }, undefined],
  ] as const)("%j falls back on SMS like %j", ([env, fallback]) =>
    Effect.gen(function* () {
      assert.deepEqual((yield* read(env)).fallback, fallback)
    }),
  )

  it.effect.each([
    ["PORT", "abc", /whole number from 0 to 65535.*"abc"/],
    ["PORT", "65536", /whole number/],
    ["PORT", "-1", /whole number/],
    ["PORT", "3000.5", /whole number/],
    ["PORT", "3e3", /whole number/],
    ["DEMO_BALANCE", "much", /decimal number.*"much"/],
    ["DEMO_BALANCE", "-1", /must not be negative/],
    ["DEMO_BALANCE", "0.00001", /decimal number/],
    ["SETTLE_AFTER_SECONDS", "0", /whole number from 1/],
    ["RETENTION_DAYS", "0", /whole number from 1/],
    ["RETENTION_DAYS", "1.5", /whole number/],
    ["GATEWAY_TIMEOUT_MS", "1", /whole number from 10/],
    ["DELIVERY", "never", /at-once, by-hand, or a number of seconds from 1 to 3600.*"never"/],
    ["DELIVERY", "0", /number of seconds/],
    ["DELIVERY", "3601", /number of seconds/],
    ["DELIVERY", "1.5", /number of seconds/],
    ["SMS_FALLBACK_SECONDS", "0", /whole number from 1 to 600/],
    ["SMS_FALLBACK_SECONDS", "601", /whole number from 1 to 600/],
    ["WHATSAPP_FIRST", "1", /true or false/],
    ["TRUSTED_PROXIES", "10.0.0.0/8,proxy.example", /"proxy.example" is no IP address/],
    ["TRUSTED_PROXIES", "10.0.0.0/8,", /commas/],
    ["DATABASE_URL", "mysql://me:s3cret@db.example/it", /must be a URL such as postgres:/],
    ["DATABASE_URL", "s3cret", /must be a URL/],
    ["COUNTERSIGN_SECRET", "s3cret", /at least 32 characters/],
    ["INBOX_IN_PRODUCTION", "yes", /true or false/],
    ["TEST_NUMBERS", "+8801711111111", /must be NUMBER=CODE or NUMBER=CODE:OUTCOME/],
    ["TEST_NUMBERS", "+8801711111111=1234,", /must be NUMBER=CODE/],
    ["TEST_NUMBERS", "+8801711111111=s3cret:lost", /one of delivered, undelivered/],
    ["TEST_NUMBERS", "+8801711111111=s3cret", /number 1 must have a code of 4 to 15 digits/],
    ["TEST_NUMBERS", "8801711111111=1234", /number 1 must be in E\.164/],
    ["TEST_NUMBERS", "+8801711111111=1234,+8801711111111=1235", /number 2 is named twice/],
    ["TEST_NUMBERS_IN_PRODUCTION", "1", /true or false/],
  ] as const)("%s=%s is refused in one line that shows no secrets", ([name, value, expected]) =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(read({ [name]: value }))
      assert.match(message, expected)
      assert.isTrue(message.startsWith(`${name} `))
      assert.notInclude(message, "\n")
      assert.notInclude(message, "s3cret")
    }),
  )

  it.effect("do not let the inbox into production by accident", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(read({ NODE_ENV: "production" }))
      assert.strictEqual(error._tag, "NotForProduction")
      assert.include(error.message, "INBOX_IN_PRODUCTION=true")
      yield* read({ NODE_ENV: "production", INBOX_IN_PRODUCTION: "true" })
      yield* read({ NODE_ENV: "development" })
    }),
  )

  it.effect("do not let test numbers into production by accident", () =>
    Effect.gen(function* () {
      const env = {
        NODE_ENV: "production",
        INBOX_IN_PRODUCTION: "true",
        TEST_NUMBERS: "+8801711111111=730164",
      }
      const error = yield* Effect.flip(read(env))
      assert.strictEqual(error._tag, "TestNumbersNotForProduction")
      assert.include(error.message, "TEST_NUMBERS_IN_PRODUCTION=true")
      assert.notInclude(error.message, "730164")
      const { testNumbers } = yield* read({ ...env, TEST_NUMBERS_IN_PRODUCTION: "true" })
      assert.isTrue(testNumbers.production && testNumbers.allowInProduction)
      // What is not named needs no permission.
      yield* read({ ...env, TEST_NUMBERS: "" })
    }),
  )
})
