/**
 * The limits of an organization.
 */

/** At most `max` in every window of this length. */
export interface Limit {
  readonly max: number
  readonly windowMillis: number
}

/** Bounds and default of a number that callers may choose. */
export interface Range {
  readonly min: number
  readonly max: number
  readonly default: number
}

/** What is left out stays as it is; `null` lifts a window. */
export interface Limits {
  /** Codes for one number; 10 in a minute. */
  readonly sendsPerNumber?: Limit | null | undefined
  /** Pending codes for one number; 5. */
  readonly pendingPerNumber?: number | undefined
  /** Checks of one organization; 20 in a minute. */
  readonly checksPerOrganization?: Limit | null | undefined
  /** Messages of one organization; not limited. */
  readonly messagesPerOrganization?: Limit | null | undefined
  /** What one organization may spend in a UTC day, a decimal; not limited. */
  readonly spendPerDay?: string | null | undefined
  /** Wrong codes until a request fails; 3. */
  readonly attempts?: number | undefined
  readonly codeLength?: Range | undefined
  readonly expirySeconds?: Range | undefined
  readonly messageLength?: number | undefined
  readonly pageSize?: { readonly max: number; readonly default: number } | undefined
}
