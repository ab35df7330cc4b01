/** The host as operators see it: its gateways, and the options that apply to every organization. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import type * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { Fallback } from "../engine/SmsFallback.ts"
import { FraudRules } from "../engine/FraudRules.ts"
import type { details as rows, gateways as gatewayRows } from "../api/installation.ts"
import { keptFor, RetentionPolicy } from "../engine/RetentionPolicy.ts"
import { TestNumbers } from "../engine/TestNumbers.ts"
import { Pricing } from "../decide/Pricing.ts"
import * as DurationText from "../domain/values/Duration.ts"
import type { LimitOverrides } from "../domain/limits/LimitOverrides.ts"
import { Limits } from "../domain/limits/Limits.ts"
import * as Organization from "../domain/organizations/Organization.ts"
import * as PhoneNumber from "../domain/values/PhoneNumber.ts"
import { Gateway, type GatewayState, statesOf } from "../ports/Gateway.ts"
import { Templates } from "../text/Templates.ts"

/** Plain values, without secrets. */
export type InstallationDetails = Schema.Struct.Type<typeof rows>

type GatewayStates = (typeof gatewayRows.list.output)["Type"]

export class Installation extends Context.Service<
  Installation,
  {
    readonly details: InstallationDetails
    /** The gateways, in the order of the configuration, with their health on this node. */
    readonly gateways: Effect.Effect<GatewayStates>
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
  // They follow the messages.
  const { batches: _batches, outbox: _outbox, ...kept } = keptFor(yield* RetentionPolicy)

  const details: InstallationDetails = {
    currency,
    channels: limits.codeChannels,
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
  const gateways = Effect.map(statesOf(gateway), (all) => all.map(shown))
  return Installation.of({ details, gateways })
})

export const layer = Layer.effect(Installation, make)

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

const shown = ({ capabilities, ...known }: GatewayState): GatewayStates[number] => ({
  gateway: known.gateway,
  state: known.state,
  reason: known.reason ?? null,
  channels: known.channels,
  reports: capabilities.reports,
  honoursToken: capabilities.tokenMillis > 0,
  lookup: capabilities.lookup,
  recipientCheck: capabilities.recipientCheck,
  timeout: DurationText.format(Math.round(capabilities.timeoutMillis)),
  perSecond: known.perSecond ?? null,
  recipientPause: DurationText.format(Math.round(known.pairMillis ?? 0)),
})

const keptText = (kept: Duration.Duration): DurationText.Duration | null =>
  Duration.isFinite(kept) ? DurationText.format(Math.round(Duration.toMillis(kept))) : null

const plainRules = ({
  exempt: _,
  windowMillis,
  ...rules
}: NonNullable<Context.Service.Shape<typeof FraudRules>>): NonNullable<
  InstallationDetails["fraud"]
> => ({ ...rules, window: DurationText.format(windowMillis) })
