/**
 * What is made of what a host says about its engine.
 */
import { DispatchPolicy } from "@countersign/core/services/Dispatcher"
import * as Fallback from "@countersign/core/services/Fallback"
import * as Fraud from "@countersign/core/services/Fraud"
import { Limits } from "@countersign/core/domain/Limits"
import { allowListProblems } from "@countersign/core/domain/Organization"
import { minSecretLength, Peppers } from "@countersign/core/services/Peppers"
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

/** Secrets of our documents and examples: they are public. */
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

/** Fewest different characters of a secret. 32 random hexadecimal digits have more, but for 1 in 20,000. */
const minDistinct = 8

/** Whether a secret is a short one, said again. */
const isRepeated = (secret: string): boolean =>
  `${secret}${secret}`.indexOf(secret, 1) < secret.length

/** Why a secret protects nothing; `undefined` for one that may. */
const weakness = (secret: string): string | undefined => {
  if (published.includes(secret))
    return "pepper: this secret stands in the documents; draw your own"
  return new Set(secret).size < minDistinct || isRepeated(secret)
    ? "pepper: the secret is easily guessed; draw 32 random characters or more"
    : undefined
}

/** Whether `NODE_ENV` says that the process serves no users. */
const isDevelopment = (): boolean => /^(?:development|test)$/.test(process.env["NODE_ENV"] ?? "")

/** A database server may have users even where `NODE_ENV` is not set, so it takes no published secret. */
const refuseWeak = (secret: string, { database }: CountersignOptions): void => {
  const isServer = database !== undefined && database !== "memory"
  const weak =
    isProduction() || (isServer && !isDevelopment() && published.includes(secret))
      ? weakness(secret)
      : undefined
  if (weak !== undefined) refuse(weak)
}

/** Without a `pepper`, development makes one where one process has the database to itself. */
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

/** What codes are hashed with. No rejection and no error message may ever quote it. */
export const peppers = (options: CountersignOptions) => {
  const { pepper: given } = options
  if (given === undefined) return madePepper(options)
  const list = typeof given === "string" ? [{ id: "1", secret: given }] : given
  const [first, ...others] = list.map(({ id, secret }) => {
    if (typeof id !== "string" || id.length < 1 || id.length > 32) {
      return refuse("pepper: an id has 1 to 32 characters")
    }
    if (typeof secret !== "string" || secret.length < minSecretLength) {
      return refuse(`pepper: a secret has at least ${minSecretLength} characters`)
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

/** The address of the database, in a form that does not show it by accident. */
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

/** A clock that a test moves; `undefined` for the system's. */
export const clockOf = ({ clock, database }: CountersignOptions): MovableClock | undefined => {
  if (clock === undefined) return undefined
  if (isProduction()) return refuse("clock: time is not to be moved in production")
  if (database !== "memory") {
    return refuse('clock goes with database: "memory"; a database has a clock of its own')
  }
  return clock instanceof MovableClock ? clock : refuse("clock must come from createTestClock")
}

/** The options of the mounts. */
export const httpOf = ({ http = {} }: CountersignOptions): HttpOptions => {
  const [problem] = allowListProblems(http.trustedProxies ?? [])
  return problem === undefined ? http : refuse(`http.trustedProxies: ${problem.message}`)
}

/** Where vendors report to. */
export const callbacksOf = ({ callbacks }: CountersignOptions): CallbackOptions | undefined => {
  if (callbacks === undefined) return undefined
  const { basePath = "", publicUrl } = callbacks
  if (typeof basePath !== "string") return refuse("callbacks.basePath must be a path")
  const { password, protocol, search } = URL.parse(publicUrl) ?? {}
  return (protocol === "http:" || protocol === "https:") && password === "" && search === ""
    ? callbacks
    : refuse("callbacks.publicUrl must be an address such as https://sms.example.com")
}

/** The default's margin: how long a dispatch belongs to its node beyond the gateway's time-out. */
const leaseMarginMillis = 60_000

const dispatching = ({ settleAfterSeconds = 86_400 }: CountersignOptions): DispatchPolicy =>
  Number.isFinite(settleAfterSeconds) && settleAfterSeconds >= 1
    ? // No further grace: `dispose` waits for all calls before it ends the engine.
      { leaseMarginMillis, settleMillis: settleAfterSeconds * 1_000, graceMillis: 0 }
    : refuse("settleAfterSeconds must be at least 1")

/** As many as the lanes of the store need, and one for look-ups. */
const fewestConnections = 5

export const connectionsOf = ({ maxConnections = 10 }: DatabaseOptions): number =>
  Number.isInteger(maxConnections) && maxConnections >= fewestConnections
    ? maxConnections
    : refuse(`maxConnections must be a whole number from ${fewestConnections} on`)

/** Into how many parts the tables are split. */
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

/** Everything that the engine reads of its host, but for the secrets. */
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
