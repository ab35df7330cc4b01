/**
 * Converts the host's options into the engine's policies.
 */
import { DispatchPolicy } from "@countersign/core/services/Dispatcher"
import * as Fallback from "@countersign/core/services/Fallback"
import * as Fraud from "@countersign/core/services/Fraud"
import { Limits } from "@countersign/core/domain/Limits"
import { allowListProblems } from "@countersign/core/domain/Organization"
import * as Peppers from "@countersign/core/services/Peppers"
import { NumberPolicy } from "@countersign/core/domain/PhoneNumber"
import { Pricing } from "@countersign/core/decide/Pricing"
import * as Retention from "@countersign/core/services/Retention"
import { Templates } from "@countersign/core/text/Templates"
import * as TestNumbers from "@countersign/core/services/TestNumbers"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { attempt, positive, refuse } from "./check.ts"
import { hostLimits } from "./limits.ts"
import { defaultFolder, keptSecret, newSecret } from "./keptSecret.ts"
import { MovableClock } from "./movableClock.ts"
import { isProduction, numberPolicy, testNumbers } from "./numbers.ts"
import type {
  CallbackOptions,
  CountersignOptions,
  DatabaseOptions,
  HttpOptions,
} from "./optionTypes.ts"
import { pricing } from "./pricing.ts"
import { templates } from "./texts.ts"

/** Secrets from our documents and examples, which are public. */
const published: ReadonlyArray<string> = [
  "32 characters or more, from a vault",
  "from a vault, 32 characters or more",
  "a pepper for tests, long enough and known to all",
  "a pepper for tests, and only for tests",
  "a secret for tests, and only for tests",
  "a secret of your own, 32 random characters",
  "a secret that came out of nowhere, alas",
  "at least 32 characters from a secret store",
  "at least 32 characters, from a safe place",
  "at least 32 characters, from a vault",
  "the next secret, of 32 characters or more",
  "the old secret, of 32 characters or more",
]

/**
 * Minimum number of different characters in a secret. Of 32 random hexadecimal digits, only 1 in 20,000 has
 * fewer.
 */
const minDistinct = 8

/** Whether a secret consists of a repeated shorter one. */
const isRepeated = (secret: string): boolean =>
  `${secret}${secret}`.indexOf(secret, 1) < secret.length

/** Returns the weakness of a secret; `undefined` if it has none of the known ones. */
const weakness = (secret: string): string | undefined => {
  if (published.includes(secret))
    return "pepper: this secret stands in the documents; draw your own"
  return new Set(secret).size < minDistinct || isRepeated(secret)
    ? "pepper: the secret is easily guessed; draw 32 random characters or more"
    : undefined
}

/** Whether `NODE_ENV` is `development` or `test`. */
const isDevelopment = (): boolean => /^(?:development|test)$/.test(process.env["NODE_ENV"] ?? "")

/**
 * Refuses weak secrets. A database server may serve users even if `NODE_ENV` is not set, so a published secret
 * is refused there as well.
 */
const refuseWeak = (secret: string, { database }: CountersignOptions): void => {
  const isServer = database !== undefined && database !== "memory"
  const weak =
    isProduction() || (isServer && !isDevelopment() && published.includes(secret))
      ? weakness(secret)
      : undefined
  if (weak !== undefined) refuse(weak)
}

/** Creates a pepper in development, if one process has the database to itself. */
const madePepper = ({ database, dataDir = defaultFolder }: CountersignOptions) => {
  const draw = "32 random characters or more, the same for all processes (openssl rand -hex 32)"
  if (isProduction()) return refuse(`pepper is missing: in production set ${draw}`)
  if (database !== undefined && database !== "memory") {
    return refuse(`pepper is missing: with a database server set ${draw}`)
  }
  return Layer.unwrap(
    Effect.map(database === undefined ? keptSecret(dataDir) : newSecret, (secret) =>
      Peppers.layer({ id: "1", secret }),
    ),
  )
}

/** Returns the peppers. Neither a rejection nor an error message may contain a secret. */
export const peppers = (options: CountersignOptions) => {
  const { pepper: given } = options
  if (given === undefined) return madePepper(options)
  const list = typeof given === "string" ? [{ id: "1", secret: given }] : given
  const [first, ...others] = list.map(({ id, secret }) => {
    if (typeof id !== "string" || id.length < 1 || id.length > 32) {
      return refuse("pepper: an id has 1 to 32 characters")
    }
    if (typeof secret !== "string" || secret.length < Peppers.minSecretLength) {
      return refuse(`pepper: a secret has at least ${Peppers.minSecretLength} characters`)
    }
    refuseWeak(secret, options)
    return { id, secret: Redacted.make(secret, { label: "pepper" }) }
  })
  if (first === undefined) return refuse("pepper: there has to be one")
  if (new Set(list.map(({ id }) => id)).size !== list.length) {
    return refuse("pepper: two have the same id")
  }
  return Peppers.layer(first, ...others)
}

const days = (name: string, count: number | undefined): Duration.Duration => {
  if (count === undefined) return Duration.infinity
  return Number.isFinite(count) && count > 0
    ? Duration.days(count)
    : refuse(`${name} must be more than 0`)
}

const retention = ({ retention: kept = {} }: CountersignOptions): Retention.RetentionPolicy => ({
  ...Retention.defaults,
  messages: days("retention.messagesDays", kept.messagesDays),
  verifications: days("retention.verificationsDays", kept.verificationsDays),
  ...(kept.findingsDays === undefined
    ? undefined
    : { findings: days("retention.findingsDays", kept.findingsDays) }),
})

const fraudRules = ({ fraud }: CountersignOptions): ReturnType<typeof Fraud.rules> | undefined => {
  if (fraud === undefined) return undefined
  const { windowSeconds, ...rules } = fraud
  const window =
    windowSeconds === undefined
      ? undefined
      : Duration.seconds(positive("fraud.windowSeconds", windowSeconds) ?? 0)
  return attempt("fraud", () => Fraud.rules({ ...rules, window }))
}

/** Returns the address of the database, redacted, so that it is not shown by accident. */
export const databaseOf = ({
  database,
  dataDir,
}: DatabaseOptions): Redacted.Redacted | "memory" | undefined => {
  if (database === "memory") {
    return isProduction()
      ? refuse("database: everything in memory is lost when the process ends; not in production")
      : database
  }
  if (database === undefined) {
    return isProduction() && dataDir === undefined
      ? refuse("database is missing; to keep the data in a folder in production, name dataDir")
      : undefined
  }
  return /^postgres(ql)?:$/.test(URL.parse(database)?.protocol ?? "")
    ? Redacted.make(database, { label: "database" })
    : refuse(
        'database must be "memory", or a URL such as postgres://user:password@host:5432/database',
      )
}

/** Returns the clock that a test moves; `undefined` for the clock of the system. */
export const clockOf = ({ clock, database }: CountersignOptions): MovableClock | undefined => {
  if (clock === undefined) return undefined
  if (isProduction()) return refuse("clock: time is not to be moved in production")
  if (database !== "memory") {
    return refuse('clock goes with database: "memory"; a database has a clock of its own')
  }
  return clock instanceof MovableClock ? clock : refuse("clock must come from createTestClock")
}

/** Returns the options of the mounts. */
export const httpOf = ({ http = {} }: CountersignOptions): HttpOptions => {
  const [problem] = allowListProblems(http.trustedProxies ?? [])
  return problem === undefined ? http : refuse(`http.trustedProxies: ${problem.message}`)
}

/** Returns the options of vendors' reports. */
export const callbacksOf = ({ callbacks }: CountersignOptions): CallbackOptions | undefined => {
  if (callbacks === undefined) return undefined
  const { basePath = "", publicUrl } = callbacks
  if (typeof basePath !== "string") return refuse("callbacks.basePath must be a path")
  const { password, protocol, search } = URL.parse(publicUrl) ?? {}
  return (protocol === "http:" || protocol === "https:") && password === "" && search === ""
    ? callbacks
    : refuse("callbacks.publicUrl must be an address such as https://sms.example.com")
}

/** The default margin: how long a dispatch belongs to its node beyond the gateway's time limit. */
const leaseMarginMillis = 60_000

const dispatching = ({ settleAfterSeconds = 86_400 }: CountersignOptions): DispatchPolicy =>
  Number.isFinite(settleAfterSeconds) && settleAfterSeconds >= 1
    ? // No further grace, because `dispose` waits for all calls before it ends the engine.
      { leaseMarginMillis, settleMillis: settleAfterSeconds * 1_000, graceMillis: 0 }
    : refuse("settleAfterSeconds must be at least 1")

/** One connection for each lane of the store, and one for look-ups. */
const fewestConnections = 5

export const connectionsOf = ({ maxConnections = 10 }: DatabaseOptions): number =>
  Number.isInteger(maxConnections) && maxConnections >= fewestConnections
    ? maxConnections
    : refuse(`maxConnections must be a whole number from ${fewestConnections} on`)

/** Returns the number of partitions of the tables. */
export const partitionsOf = ({ partitions }: DatabaseOptions): number | undefined =>
  partitions === undefined ||
  (Number.isInteger(partitions) && partitions >= 2 && partitions <= 1_024)
    ? partitions
    : refuse("partitions must be a whole number from 2 to 1,024")

const fallbackOf = ({ fallback }: CountersignOptions): Fallback.Fallback | undefined => {
  if (fallback === undefined) return undefined
  const { reportWithinSeconds = 30, whatsappFirst } = fallback
  return reportWithinSeconds >= 1 && reportWithinSeconds <= 600
    ? Fallback.make({ whatsappFirst, reportWithinMillis: reportWithinSeconds * 1_000 })
    : refuse("fallback.reportWithinSeconds must be from 1 to 600")
}

/** Returns all policies of the engine that come from the host, except for the secrets. */
export const policies = (options: CountersignOptions) => {
  const served = numberPolicy(options)
  const tests = testNumbers(options)
  return Layer.mergeAll(
    Layer.succeed(DispatchPolicy, dispatching(options)),
    Layer.succeed(Pricing, pricing(options)),
    Layer.succeed(Limits, hostLimits(options.limits)),
    Layer.succeed(Retention.RetentionPolicy, retention(options)),
    Layer.succeed(Templates, templates(options)),
    Layer.succeed(Fraud.FraudRules, fraudRules(options)),
    Layer.succeed(Fallback.Fallback, fallbackOf(options)),
    served === undefined ? Layer.empty : Layer.succeed(NumberPolicy, served),
    tests === undefined ? Layer.empty : TestNumbers.layer(tests),
  )
}
