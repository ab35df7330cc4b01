/**
 * What operators see of the host: its gateways, and the options that apply to every organization.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import * as Struct from "effect/Struct"
import { Fallback } from "../engine/SmsFallback.ts"
import { FraudRules } from "../engine/FraudRules.ts"
import type { FraudRules as PlainRules } from "../api/Inputs.ts"
import { type KeptKind, keptFor, RetentionPolicy } from "../engine/RetentionPolicy.ts"
import { TestNumbers } from "../engine/TestNumbers.ts"
import { Pricing } from "../decide/Pricing.ts"
import { type Channel, channels } from "../domain/values/Channel.ts"
import * as DurationText from "../domain/values/Duration.ts"
import type { LimitOverrides } from "../domain/limits/LimitOverrides.ts"
import { Limits } from "../domain/limits/Limits.ts"
import * as Organization from "../domain/organizations/Organization.ts"
import * as PhoneNumber from "../domain/values/PhoneNumber.ts"
import type { Outcome } from "../domain/verifications/TestNumber.ts"
import { Gateway, type GatewayState } from "../ports/Gateway.ts"
import { Templates } from "../text/Templates.ts"

/** Plain values, without secrets. */
export interface Facts {
  /** ISO 4217. */
  readonly currency: string
  /** The channels that codes may be sent over. */
  readonly codeChannels: ReadonlyArray<Channel>
  /** The limits of an organization without limits of its own. `null`: no limit. */
  readonly limits: Required<LimitOverrides>
  /** The languages of codes. The first one is the default. */
  readonly locales: ReadonlyArray<string>
  /** How long rows of each kind are kept. `null`: forever. */
  readonly retention: Readonly<Record<KeptKind, DurationText.Duration | null>>
  /** The numbers that receive no messages, without their codes. */
  readonly testNumbers: ReadonlyArray<{ readonly phoneNumber: string; readonly outcome: Outcome }>
  /** `null`: fraud detection is off. */
  readonly fraud: PlainRules | null
  /** When a code that WhatsApp does not deliver is sent by SMS. `null`: never. */
  readonly fallback: {
    readonly reportWithin: DurationText.Duration
    readonly whatsappFirst: boolean
  } | null
}

export class Host extends Context.Service<
  Host,
  {
    readonly facts: Facts
    /** The gateways, in the order of the configuration, with their health on this node. */
    readonly gateways: Effect.Effect<ReadonlyArray<GatewayState>>
  }
>()("@countersign/core/services/Installation") {}

const make = Effect.gen(function* () {
  const gateway = yield* Gateway
  const { currency } = yield* Pricing
  const limits = yield* Limits
  const templates = yield* Templates
  const testNumbers = yield* TestNumbers
  const rules = yield* FraudRules
  const fallback = yield* Fallback
  const kept = keptFor(yield* RetentionPolicy)

  const facts: Facts = {
    currency,
    codeChannels: limits.codeChannels,
    limits: limitsOf(limits),
    locales: [
      templates.defaultLocale,
      ...templates.locales.filter((locale) => locale !== templates.defaultLocale),
    ],
    retention: Record.map(kept, keptText),
    testNumbers: [...testNumbers.numbers].flatMap((number) => {
      const found = testNumbers.find(PhoneNumber.fromE164(number))
      return found === undefined ? [] : [{ phoneNumber: number, outcome: found.outcome }]
    }),
    fraud: rules === undefined ? null : plainRules(rules),
    fallback:
      fallback === undefined
        ? null
        : {
            reportWithin: DurationText.format(fallback.reportWithinMillis),
            whatsappFirst: fallback.whatsappFirst,
          },
  }
  const { capabilities, name } = gateway
  const only: GatewayState = {
    gateway: name,
    state: "available",
    channels,
    capabilities,
    perSecond: undefined,
    pairMillis: capabilities.pairMillis,
  }
  return Host.of({ facts, gateways: gateway.states ?? Effect.succeed([only]) })
})

export const layer = Layer.effect(Host, make)

interface OrNull extends Struct.Lambda {
  <A>(value: A | undefined): A | null
  readonly "~lambda.out": undefined extends this["~lambda.in"]
    ? Exclude<this["~lambda.in"], undefined> | null
    : this["~lambda.in"]
}

const limitsOf = (host: Limits): Required<LimitOverrides> =>
  Struct.map(
    Struct.omit(Organization.limitsOf({ settings: Organization.defaultSettings }, host), [
      "codeChannels",
      "profile",
    ]),
    Struct.lambda<OrNull>((value) => value ?? null),
  )

const keptText = (kept: Duration.Duration): DurationText.Duration | null =>
  Duration.isFinite(kept) ? DurationText.format(Math.round(Duration.toMillis(kept))) : null

const plainRules = ({
  exempt: _,
  windowMillis,
  ...rules
}: NonNullable<Context.Service.Shape<typeof FraudRules>>): PlainRules => ({
  ...rules,
  window: DurationText.format(windowMillis),
})
