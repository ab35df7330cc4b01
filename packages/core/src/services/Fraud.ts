/**
 * Detects SMS pumping by the rules of `PrefixStats`, and reports suspicious prefixes to the host.
 *
 * The commit that sends a code applies the rules, so they hold on all nodes together. Without rules, the
 * engine counts nothing.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { StoreUnavailable } from "../domain/Errors.ts"
import type { OrganizationId } from "../domain/Ids.ts"
import type { FraudOptions } from "./Inputs.ts"
import { Store } from "../ports/Store.ts"
import * as PrefixStats from "../domain/PrefixStats.ts"
import { pageLimit } from "./internal/pageLimit.ts"
import { TestNumbers } from "./TestNumbers.ts"

/** The fraud rules in force, for every organization. `undefined`: fraud detection is off. */
export const FraudRules = Context.Reference<PrefixStats.Rules | undefined>(
  "@countersign/core/FraudRules",
  { defaultValue: () => undefined },
)

export interface Options extends FraudOptions {
  /** Length of a window. @defaultValue 1 hour */
  readonly window?: Duration.Duration | undefined
}

/** Makes rules from options. Throws a `RangeError` if an option is invalid. */
export const rules = (options: Options): PrefixStats.Rules => {
  const made: PrefixStats.Rules = {
    prefixDigits: options.prefixDigits ?? 5,
    windowMillis: Duration.toMillis(options.window ?? Duration.hours(1)),
    maxSent: options.maxSent,
    minSent: options.minSent ?? 100,
    minConversion: options.minConversion ?? 0,
    action: options.action ?? "record",
  }
  const [problem] = PrefixStats.problems(made)
  if (problem !== undefined) throw new RangeError(problem)
  return made
}

/** Applies the rules in every engine that is built over this layer. */
export const layerRules = (options: Options): Layer.Layer<never> =>
  Layer.succeed(FraudRules, rules(options))

/** The rules in force, without test numbers, whose codes indicate nothing about their prefix. */
export const rulesInForce = Effect.gen(function* () {
  const rules = yield* FraudRules
  const { numbers } = yield* TestNumbers
  return rules === undefined || numbers.size === 0 ? rules : { ...rules, exempt: numbers }
})

export class Fraud extends Context.Service<
  Fraud,
  {
    /** Findings of an organization, newest first; at most 1,000. @defaultValue `limit`: 100 */
    readonly findings: (
      organization: OrganizationId,
      query?: { readonly limit?: number | undefined },
    ) => Effect.Effect<ReadonlyArray<PrefixStats.Finding>, StoreUnavailable>
  }
>()("@countersign/core/services/Fraud") {}

const make = Effect.gen(function* () {
  const store = yield* Store
  return Fraud.of({
    findings: Effect.fn("Fraud.findings")((organization, query) =>
      store.findings(organization, pageLimit(query?.limit)),
    ),
  })
})

export const layer = Layer.effect(Fraud, make)
