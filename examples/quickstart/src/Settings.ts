/**
 * What the environment says about how the quickstart runs.
 */
import * as Fallback from "@countersign/core/engine/SmsFallback"
import { allowListProblems } from "@countersign/core/domain/organizations/Organization"
import * as Money from "@countersign/core/domain/values/Money"
import { minSecretLength } from "@countersign/core/engine/CodeSecrets"
import * as TestNumber from "@countersign/core/domain/verifications/TestNumber"
import * as Inbox from "@countersign/inbox/effect"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

export interface Settings {
  readonly host: string
  /** 0 for any port that is free. */
  readonly port: number
  readonly dataDir: string
  /** A PostgreSQL server. By default, the database is in the data folder. */
  readonly databaseUrl: Redacted.Redacted | undefined
  /** What the organization `acme` starts with. */
  readonly demoBalance: Money.Money
  /** How long an outcome may stay unknown until the price is given back. */
  readonly settleAfterSeconds: number
  /** How long messages and requests are kept; `undefined` keeps all of them. */
  readonly retentionDays: number | undefined
  /** How long the simulated gateway may take to answer. */
  readonly gatewayTimeoutMillis: number
  /** When messages arrive, until a user chooses otherwise in the inbox. */
  readonly delivery: Inbox.Delivery
  /** When codes that do not arrive over WhatsApp are sent by SMS; `undefined`: never. */
  readonly fallback: Fallback.Options | undefined
  /** Addresses and CIDR blocks of proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: ReadonlyArray<string>
  /** By default, the data folder has one. */
  readonly secret: Redacted.Redacted | undefined
  /** Numbers whose code is always the same, and where they are in use. */
  readonly testNumbers: TestNumber.Options
}

/** A variable of the environment has a value that cannot be meant. */
export class InvalidSetting extends Schema.TaggedError<InvalidSetting>()("InvalidSetting", {
  name: Schema.String,
  reason: Schema.String,
}) {
  override get message(): string {
    return `${this.name} ${this.reason}`
  }
}

/** The inbox shows every code to all who can reach it. */
export class NotForProduction extends Schema.TaggedError<NotForProduction>()(
  "NotForProduction",
  {},
) {
  override get message(): string {
    return "The quickstart shows every message, codes included, at /inbox, and does not start where NODE_ENV is production. Set INBOX_IN_PRODUCTION=true if that is what you want."
  }
}

/** A number whose code never changes is verified by any caller who knows the code. */
export class TestNumbersNotForProduction extends Schema.TaggedError<TestNumbersNotForProduction>()(
  "TestNumbersNotForProduction",
  {},
) {
  override get message(): string {
    return "TEST_NUMBERS names numbers that any caller who knows their code can verify, and NODE_ENV is production. Set TEST_NUMBERS_IN_PRODUCTION=true if that is what you want."
  }
}

/** An empty variable counts as one that is not set. */
const variable = (name: string): Effect.Effect<string | undefined> =>
  Effect.map(Effect.orDie(Config.option(Config.String(name))), (text) =>
    Option.getOrUndefined(Option.filter(text, (value) => value !== "")),
  )

/** A value from the environment, or the fallback. `parse` describes a problem in a sentence. */
const setting = <A, B>(
  name: string,
  fallback: B,
  parse: (text: string) => Result.Result<A, string>,
): Effect.Effect<A | B, InvalidSetting> =>
  Effect.flatMap(variable(name), (text): Effect.Effect<A | B, InvalidSetting> => {
    if (text === undefined) return Effect.succeed(fallback)
    return Result.match(parse(text), {
      onFailure: (reason) => Effect.fail(new InvalidSetting({ name, reason })),
      onSuccess: (value) => Effect.succeed(value),
    })
  })

const integer =
  (min: number, max: number) =>
  (text: string): Result.Result<number, string> =>
    /^\d{1,10}$/.test(text) && Number(text) >= min && Number(text) <= max
      ? Result.succeed(Number(text))
      : Result.fail(`must be a whole number from ${min} to ${max}, and is "${text}"`)

const amount = (text: string): Result.Result<Money.Money, string> =>
  Result.mapError(
    Result.flatMap(
      Result.mapError(Money.fromDecimal(text), ({ message }) => message),
      (money) => (money < 0 ? Result.fail("must not be negative") : Result.succeed(money)),
    ),
    (reason) => `${reason}, and is "${text}"`,
  )

const delivery = (text: string): Result.Result<Inbox.Delivery, string> =>
  Result.mapError(Inbox.parseDelivery(text), (reason) => `${reason}, and is "${text}"`)

const networks = (text: string): Result.Result<ReadonlyArray<string>, string> => {
  const entries = text.split(",").map((entry) => entry.trim())
  const [problem] = allowListProblems(entries)
  return problem === undefined
    ? Result.succeed(entries)
    : Result.fail(
        `must be IP addresses or CIDR blocks with commas between them: ${problem.message}`,
      )
}

// These problems never quote their input: it is a secret or contains one.

const databaseUrl = (text: string): Result.Result<Redacted.Redacted, string> =>
  /^postgres(ql)?:$/.test(URL.parse(text)?.protocol ?? "")
    ? Result.succeed(Redacted.make(text, { label: "DATABASE_URL" }))
    : Result.fail("must be a URL such as postgres://user:password@host:5432/database")

const secret = (text: string): Result.Result<Redacted.Redacted, string> =>
  text.length >= minSecretLength
    ? Result.succeed(Redacted.make(text, { label: "COUNTERSIGN_SECRET" }))
    : Result.fail(`must have at least ${minSecretLength} characters`)

/** One test number, as `NUMBER=CODE` or `NUMBER=CODE:OUTCOME`. */
const testNumber = (text: string): TestNumber.TestNumber | undefined => {
  const [, number, code, named = "delivered"] =
    /^([^=]*)=([^:]*)(?::(.*))?$/.exec(text.trim()) ?? []
  const outcome = TestNumber.outcomes.find((one) => one === named)
  return number === undefined || code === undefined || outcome === undefined
    ? undefined
    : { phoneNumber: number, code: Redacted.make(code, { label: "code" }), outcome }
}

const testNumbers = (text: string): Result.Result<ReadonlyArray<TestNumber.TestNumber>, string> => {
  const entries = text.split(",").map(testNumber)
  const numbers = entries.filter((entry) => entry !== undefined)
  if (numbers.length < entries.length) {
    return Result.fail(
      `must be NUMBER=CODE or NUMBER=CODE:OUTCOME with commas between them, where an outcome is one of ${TestNumber.outcomes.join(", ")}`,
    )
  }
  const [problem] = TestNumber.problems({ numbers, production: false })
  return problem === undefined ? Result.succeed(numbers) : Result.fail(`cannot be used: ${problem}`)
}

const flag = (text: string): Result.Result<boolean, string> =>
  text === "true" || text === "false"
    ? Result.succeed(text === "true")
    : Result.fail(`must be true or false, and is "${text}"`)

const plain = (text: string): Result.Result<string, string> =>
  text.includes("\u0000") ? Result.fail("must not contain NUL") : Result.succeed(text)

/** Either variable turns the fallback on. */
const fallback = Effect.gen(function* () {
  const { max, min } = Fallback.bounds
  const within = integer(min / 1_000, max / 1_000)
  const seconds = yield* setting("SMS_FALLBACK_SECONDS", undefined, within)
  const whatsappFirst = yield* setting("WHATSAPP_FIRST", false, flag)
  if (seconds === undefined && !whatsappFirst) return undefined
  return {
    reportWithin: seconds === undefined ? undefined : (`${seconds} seconds` as const),
    whatsappFirst,
  }
})

/** Reads all settings, and fails with the first that cannot be used. */
export const settings: Effect.Effect<
  Settings,
  InvalidSetting | NotForProduction | TestNumbersNotForProduction
> = Effect.gen(function* () {
  const production = (yield* variable("NODE_ENV")) === "production"
  const inboxInProduction = yield* setting("INBOX_IN_PRODUCTION", false, flag)
  if (production && !inboxInProduction) return yield* new NotForProduction()
  const numbers = yield* setting("TEST_NUMBERS", [], testNumbers)
  const allowInProduction = yield* setting("TEST_NUMBERS_IN_PRODUCTION", false, flag)
  if (production && numbers.length > 0 && !allowInProduction) {
    return yield* new TestNumbersNotForProduction()
  }
  return {
    host: yield* setting("HOST", "127.0.0.1", plain),
    port: yield* setting("PORT", 3000, integer(0, 65_535)),
    dataDir: yield* setting("DATA_DIR", ".countersign", plain),
    databaseUrl: yield* setting("DATABASE_URL", undefined, databaseUrl),
    demoBalance: yield* setting("DEMO_BALANCE", Money.make("100"), amount),
    settleAfterSeconds: yield* setting("SETTLE_AFTER_SECONDS", 300, integer(1, 604_800)),
    retentionDays: yield* setting("RETENTION_DAYS", undefined, integer(1, 36_500)),
    gatewayTimeoutMillis: yield* setting("GATEWAY_TIMEOUT_MS", 2_000, integer(10, 60_000)),
    delivery: yield* setting("DELIVERY", "at-once" as const, delivery),
    fallback: yield* fallback,
    trustedProxies: yield* setting("TRUSTED_PROXIES", [], networks),
    secret: yield* setting("COUNTERSIGN_SECRET", undefined, secret),
    testNumbers: { numbers, production, allowInProduction },
  }
})
