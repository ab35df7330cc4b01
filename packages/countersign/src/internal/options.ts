/**
 * What is made of what a host says about its engine.
 */
import { DispatchPolicy } from "@countersign/core/Dispatcher"
import * as Limit from "@countersign/core/Limits"
import * as Money from "@countersign/core/Money"
import * as Organization from "@countersign/core/Organization"
import { minSecretLength, Peppers } from "@countersign/core/Peppers"
import { Pricing } from "@countersign/core/Pricing"
import * as Retention from "@countersign/core/Retention"
import * as Templates from "@countersign/core/Templates"
import * as Duration from "effect/Duration"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { ConfigurationError } from "./errors.ts"
import type { CountersignOptions, DatabaseOptions, HttpOptions } from "./optionTypes.ts"
import type { Limits } from "./types.ts"

const fail = (text: string): never => {
  throw new ConfigurationError(text)
}

/** No rejection and no error message may ever quote it. */
const peppers = (given: CountersignOptions["pepper"]) => {
  const list = typeof given === "string" ? [{ id: "1", secret: given }] : (given ?? [])
  const [first, ...others] = list.map(({ id, secret }) => {
    if (typeof id !== "string" || id.length < 1 || id.length > 32) {
      return fail("pepper: an id has 1 to 32 characters")
    }
    if (typeof secret !== "string" || secret.length < minSecretLength) {
      return fail(`pepper: a secret has at least ${minSecretLength} characters`)
    }
    return { id, secret: Redacted.make(secret, { label: "pepper" }) }
  })
  if (first === undefined) return fail("pepper: there has to be one")
  if (new Set(list.map(({ id }) => id)).size !== list.length) {
    return fail("pepper: two have the same id")
  }
  return Peppers.layer(first, ...others)
}

const price = (name: string, text: string | undefined): Money.Money => {
  if (text === undefined) return Money.zero
  const amount = Money.fromDecimal(text)
  if (Result.isFailure(amount)) return fail(`${name} ${amount.failure}`)
  return amount.success < 0 ? fail(`${name} must not be negative`) : amount.success
}

const pricing = ({ prices = {} }: CountersignOptions): Pricing => {
  const sms = price("prices.sms", prices.sms)
  const whatsapp = price("prices.whatsapp", prices.whatsapp)
  return {
    currency: prices.currency ?? "BDT",
    price: ({ channel }) => (channel === "sms" ? sms : whatsapp),
  }
}

const limits = ({ limits: own = {} }: CountersignOptions): Limit.Limits => {
  const overrides = overridesOf(own)
  const [problem] = Organization.limitProblems(overrides)
  if (problem !== undefined) return fail(`limits: ${problem}`)
  // The host's own are what an organization without any would set.
  const nobody = { settings: { allowList: [], limits: overrides } }
  return Organization.limitsOf(nobody, Limit.defaults)
}

/** Without the members that are `undefined`. */
export const overridesOf = (own: Limits): Organization.LimitOverrides =>
  Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined))

const days = (name: string, count: number | undefined): Duration.Duration => {
  if (count === undefined) return Duration.infinity
  return Number.isFinite(count) && count > 0
    ? Duration.days(count)
    : fail(`${name} must be more than 0`)
}

const retention = ({ retention: kept = {} }: CountersignOptions): Retention.RetentionPolicy => ({
  ...Retention.defaults,
  messages: days("retention.messagesDays", kept.messagesDays),
  verifications: days("retention.verificationsDays", kept.verificationsDays),
})

const templates = ({ texts }: CountersignOptions): Templates.Templates => {
  if (texts === undefined) return Templates.standard
  const { locales, render } = texts
  return { locales, defaultLocale: locales[0], render }
}

/** The address of the database, in a form that does not show it by accident. */
export const databaseOf = ({ database }: DatabaseOptions): Redacted.Redacted | undefined => {
  if (database === undefined) return undefined
  return /^postgres(ql)?:$/.test(URL.parse(database)?.protocol ?? "")
    ? Redacted.make(database, { label: "database" })
    : fail("database must be a URL such as postgres://user:password@host:5432/database")
}

/** The options of the mounts. */
export const httpOf = ({ http = {} }: CountersignOptions): HttpOptions => {
  const [problem] = Organization.allowListProblems(http.trustedProxies ?? [])
  return problem === undefined ? http : fail(`http.trustedProxies: ${problem}`)
}

/** The default's margin: how long a dispatch belongs to its node beyond the gateway's time-out. */
const leaseMarginMillis = 60_000

const dispatching = ({ settleAfterSeconds = 86_400 }: CountersignOptions): DispatchPolicy =>
  Number.isFinite(settleAfterSeconds) && settleAfterSeconds >= 1
    ? { leaseMarginMillis, settleMillis: settleAfterSeconds * 1_000 }
    : fail("settleAfterSeconds must be at least 1")

/** As many as the lanes of the store need, and one for look-ups. */
const fewestConnections = 5

export const connectionsOf = ({ maxConnections = 10 }: DatabaseOptions): number =>
  Number.isInteger(maxConnections) && maxConnections >= fewestConnections
    ? maxConnections
    : fail(`maxConnections must be a whole number from ${fewestConnections} on`)

/** Everything that the engine reads of its host. */
export const policies = (options: CountersignOptions) =>
  Layer.mergeAll(
    peppers(options.pepper),
    Layer.succeed(DispatchPolicy, dispatching(options)),
    Layer.succeed(Pricing, pricing(options)),
    Layer.succeed(Limit.Limits, limits(options)),
    Layer.succeed(Retention.RetentionPolicy, retention(options)),
    Layer.succeed(Templates.Templates, templates(options)),
  )
