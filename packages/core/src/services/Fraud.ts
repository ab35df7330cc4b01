/**
 * Watches what codes are sent to which prefixes, and what comes back, and tells
 * the host what looks like paid traffic to numbers that nobody reads.
 *
 * The rules are `Traffic`'s; they are decided in the commit that sends the code,
 * so they hold over all nodes. Nothing is watched, and nothing kept, unless the
 * host says what for.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { StoreUnavailable } from "../domain/Errors.ts"
import type { OrganizationId } from "../domain/Ids.ts"
import { Store } from "../ports/Store.ts"
import * as Traffic from "../domain/PrefixStats.ts"

/** What the host watches for, in every organization; `undefined` for nothing. */
export const FraudRules = Context.Reference<Traffic.Rules | undefined>(
  "@countersign/core/FraudRules",
  { defaultValue: () => undefined },
)

export interface Options {
  /** Digits from the country's code on, without the plus; 5 when left out. */
  readonly prefixDigits?: number | undefined
  /** How long a window is; an hour when left out. */
  readonly window?: Duration.Duration | undefined
  /** Most codes for a prefix in a window; as many as come when left out. */
  readonly maxSent?: number | undefined
  /** Codes from which on the share of verified ones counts; 100 when left out. */
  readonly minSent?: number | undefined
  /** The share that has to be verified, 0 to 1; 0, which asks for none, when left out. */
  readonly minConversion?: number | undefined
  /** `record` when left out. */
  readonly action?: Traffic.Action | undefined
}

/** Rules from options. Throws a `RangeError` for what no rule can be. */
export const rules = (options: Options): Traffic.Rules => {
  const made: Traffic.Rules = {
    prefixDigits: options.prefixDigits ?? 5,
    windowMillis: Duration.toMillis(options.window ?? Duration.hours(1)),
    maxSent: options.maxSent,
    minSent: options.minSent ?? 100,
    minConversion: options.minConversion ?? 0,
    action: options.action ?? "record",
  }
  const [problem] = Traffic.problems(made)
  if (problem !== undefined) throw new RangeError(problem)
  return made
}

/** Has every engine that is built over it watch by these rules. */
export const layerRules = (options: Options): Layer.Layer<never> =>
  Layer.succeed(FraudRules, rules(options))

/** Most findings that are read at a time. */
export const maxFindings = 1_000

export class Fraud extends Context.Service<
  Fraud,
  {
    /** What was found in an organization, newest first; 100 of it, or as many as `limit` says, at most 1,000. */
    readonly findings: (
      organization: OrganizationId,
      query?: { readonly limit?: number | undefined },
    ) => Effect.Effect<ReadonlyArray<Traffic.Finding>, StoreUnavailable>
  }
>()("@countersign/core/services/Fraud") {
  static readonly layer = Layer.effect(
    Fraud,
    Effect.gen(function* () {
      const store = yield* Store
      return Fraud.of({
        findings: Effect.fn("Fraud.findings")((organization, query) =>
          store.findings(organization, Math.min(Math.max(1, query?.limit ?? 100), maxFindings)),
        ),
      })
    }),
  )
}
