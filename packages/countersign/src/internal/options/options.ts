import { DispatchPolicy } from "@countersign/core/delivery/Dispatcher"
import * as Fallback from "@countersign/core/engine/SmsFallback"
import * as FraudRules from "@countersign/core/engine/FraudRules"
import * as Limits from "@countersign/core/domain/limits/Limits"
import * as LimitOverrides from "@countersign/core/domain/limits/LimitOverrides"
import { Records } from "@countersign/core/domain/organizations/RecordOptions"
import { channels } from "@countersign/core/domain/values/Channel"
import * as Money from "@countersign/core/domain/values/Money"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import * as TestNumber from "@countersign/core/domain/verifications/TestNumber"
import * as Segments from "@countersign/core/text/Segments"
import * as Pricing from "@countersign/core/decide/Pricing"
import * as RetentionPolicy from "@countersign/core/engine/RetentionPolicy"
import { Templates } from "@countersign/core/text/Templates"
import * as TestNumbers from "@countersign/core/engine/TestNumbers"
import { metricsProblem } from "@countersign/http/mount/Probes"
import * as WebhookTransport from "@countersign/node/WebhookTransport"
import * as Duration from "effect/Duration"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { attemptWith, checkProxies, isProduction, millisOf, refuse } from "./check.ts"
import { placeOf, recordsOf } from "./database.ts"
import { MovableClock } from "./movableClock.ts"
import type { CallbackOptions, CountersignOptions, HttpOptions } from "../types/options.ts"
import type { TracingOptions } from "../types/tracing.ts"
import { templates } from "./texts.ts"

const retention = ({
  retention: kept = {},
}: CountersignOptions): RetentionPolicy.RetentionPolicy => ({
  ...RetentionPolicy.defaults,
  ...Object.fromEntries(
    Object.entries(kept).flatMap(([kind, value]) =>
      value === undefined
        ? []
        : [[kind, Duration.millis(millisOf(`retention.${kind}`, value, { min: 1 }))]],
    ),
  ),
})

const limits = ({
  limits: own = {},
  verifications: { channels: codeChannels = channels, profile = "standard" } = {},
}: CountersignOptions): Limits.Limits => {
  if (codeChannels.length === 0) {
    return refuse('verifications.channels must list "sms", "whatsapp" or both')
  }
  return Result.getOrElse(
    LimitOverrides.hostLimits(own, { ...Limits.defaults, profile, codeChannels }),
    ({ message }) => refuse(`limits: ${message}`),
  )
}

/** Returns the clock that a test moves; `undefined` for the clock of the system. */
export const clockOf = (options: CountersignOptions): MovableClock | undefined => {
  const { clock } = options
  if (clock === undefined) return undefined
  if (isProduction(options)) return refuse("clock: time is not to be moved in production")
  if (placeOf(options).kind !== "memory") {
    return refuse('clock goes with database: "memory"; a database has a clock of its own')
  }
  return clock instanceof MovableClock ? clock : refuse("clock must come from createTestClock")
}

/** Checks that the host has passed the module, and not a part of it. */
export const tracingOf = ({
  tracing,
}: Pick<CountersignOptions, "tracing">): TracingOptions["api"] | undefined => {
  if (tracing === undefined) return undefined
  const { context, trace } = tracing.api ?? {}
  return typeof trace?.getTracer === "function" && typeof context?.active === "function"
    ? tracing.api
    : refuse('tracing.api must be the module "@opentelemetry/api"')
}

/** The transport of webhooks; none if this process does not deliver. */
export const webhooksOf = ({
  webhooks: { deliver = true, ...options } = {},
}: CountersignOptions): Layer.Layer<never> =>
  deliver ? WebhookTransport.layer(options) : Layer.empty

export const httpOf = ({ http = {} }: CountersignOptions): HttpOptions => {
  checkProxies("http.trustedProxies", http.trustedProxies)
  const problem = metricsProblem(http.metrics)
  return problem === undefined ? http : refuse(`http.${problem}`)
}

export const callbacksOf = ({ callbacks }: CountersignOptions): CallbackOptions | undefined => {
  if (callbacks === undefined) return undefined
  const { password, protocol, search } = URL.parse(callbacks.publicUrl) ?? {}
  return (protocol === "http:" || protocol === "https:") && password === "" && search === ""
    ? callbacks
    : refuse("callbacks.publicUrl must be an address such as https://sms.example.com")
}

/** The default margin: how long a dispatch belongs to its node beyond the gateway's time limit. */
const leaseMarginMillis = 60_000

const dispatching = ({ settleAfter = "1 day" }: CountersignOptions): DispatchPolicy => ({
  leaseMarginMillis,
  settleMillis: millisOf("settleAfter", settleAfter, { min: 1_000 }),
  // No further grace, because `dispose` waits for all calls before it ends the engine.
  graceMillis: 0,
})

/** Returns the accepted phone numbers; `undefined` for the numbers of all countries. */
const numberPolicy = ({ countries }: CountersignOptions) =>
  attemptWith("countries", countries, PhoneNumber.onlyCountries)

/** Returns the phone numbers with a fixed code; `undefined` without test numbers. */
const testNumbers = (options: CountersignOptions): TestNumber.Options | undefined => {
  const { testNumbers: given } = options
  if (given === undefined) return undefined
  const { numbers, ...others } = given
  const made: TestNumber.Options = {
    ...others,
    production: isProduction(options),
    numbers: numbers.map(({ code, phoneNumber, outcome = "delivered" }) => ({
      phoneNumber,
      outcome,
      code: Redacted.make(code, { label: "code" }),
    })),
  }
  const [problem] = TestNumber.problems({ ...made, profile: options.verifications?.profile })
  if (problem !== undefined) return refuse(`testNumbers: ${problem}`)
  const { parse } = numberPolicy(options) ?? PhoneNumber
  for (const [index, { phoneNumber }] of numbers.entries()) {
    // The policy for phone numbers would refuse every request for a code.
    const parsed = parse(phoneNumber, "required")
    if (Result.isFailure(parsed)) {
      return refuse(`testNumbers: number ${index + 1} ${parsed.failure.message}`)
    }
  }
  return made
}

const priceOf = (name: string, text: string | undefined): Money.Money => {
  if (text === undefined) return Money.zero
  const amount = Money.fromDecimal(text)
  if (Result.isFailure(amount)) return refuse(`${name} ${amount.failure.message}`)
  return amount.success < 0 ? refuse(`${name} must not be negative`) : amount.success
}

const pricing = ({ prices = {} }: CountersignOptions): Pricing.Pricing => {
  const { currency = "BDT", of, per = "message" } = prices
  if (of !== undefined) {
    if ((prices.sms ?? prices.whatsapp ?? prices.per) !== undefined) {
      return refuse("prices.of stands alone, without sms, whatsapp and per")
    }
    return {
      currency,
      // The result of the host's function is only known now. An invalid amount is a bug of the host.
      price: ({ channel, organization, text }) => {
        const segments = channel === "sms" ? Segments.count(text).segments : 1
        const amount = of({ channel, organization, segments })
        return priceOf("prices.of gave an amount that", amount)
      },
    }
  }
  const sms = priceOf("prices.sms", prices.sms)
  const whatsapp = priceOf("prices.whatsapp", prices.whatsapp)
  return per === "segment"
    ? Pricing.perSegment({ currency, sms, whatsapp })
    : { currency, price: ({ channel }) => (channel === "sms" ? sms : whatsapp) }
}

/** Returns all policies of the engine that come from the host, except for the secrets. */
export const policies = (options: CountersignOptions) => {
  if (options.defaultOrganization === false && options.senders !== undefined) {
    return refuse("senders are those of the default organization, which this host does not have")
  }
  const served = numberPolicy(options)
  const tests = testNumbers(options)
  const { verifications = {} } = options
  const fraud = attemptWith("verifications.fraud", verifications.fraud, FraudRules.rules)
  const fallback = attemptWith("verifications.fallback", verifications.fallback, Fallback.make)
  return Layer.mergeAll(
    Layer.succeed(DispatchPolicy, dispatching(options)),
    Layer.succeed(Pricing.Pricing, pricing(options)),
    Layer.succeed(Limits.Limits, limits(options)),
    Layer.succeed(RetentionPolicy.RetentionPolicy, retention(options)),
    Layer.succeed(Templates, templates(verifications)),
    Layer.succeed(Records, recordsOf(options)),
    Layer.succeed(FraudRules.FraudRules, fraud),
    Layer.succeed(Fallback.Fallback, fallback),
    served === undefined ? Layer.empty : Layer.succeed(PhoneNumber.NumberPolicy, served),
    tests === undefined ? Layer.empty : TestNumbers.layer(tests),
  )
}
