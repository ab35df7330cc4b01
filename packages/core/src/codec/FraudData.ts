/**
 * Plain data of trials of fraud rules.
 */
import type * as Inputs from "../api/Inputs.ts"
import type { FraudFinding, OfOrganization, Times } from "./Data.ts"

/** Fraud rules to try on past requests. */
export interface TryFraudRules extends OfOrganization, Times {
  /** @defaultValue `action`: `deny` */
  readonly rules: Inputs.FraudRules
}

/** What rules would have done with codes. */
export interface FraudTally {
  readonly codes: number
  readonly verified: number
  readonly denied: number
  /** Number of the denied codes that were verified: their users would have got no code. */
  readonly deniedVerified: number
}

/** The result of a trial of fraud rules. */
export interface FraudTrial extends FraudTally {
  /** What the rules would have found, newest first, at most 1,000. */
  readonly findings: ReadonlyArray<FraudFinding>
  /** The prefixes with findings; those with most denied codes come first; at most 1,000. */
  readonly prefixes: ReadonlyArray<
    FraudTally & {
      readonly prefix: string
      readonly reasons: ReadonlyArray<FraudFinding["reason"]>
    }
  >
  /** Codes to numbers that were erased. The rules were not tried on them. */
  readonly erased: number
  /** The trial covers the requests from this time on, because it looks at 50,000 messages. `null`: all requests. */
  readonly examinedFrom: Date | null
}
