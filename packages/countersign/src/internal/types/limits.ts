/** Milliseconds, or a string such as `"61 seconds"`. */
export type TimeSpan =
  | number
  | `${number} ${"milli" | "second" | "minute" | "hour" | "day"}${"" | "s"}`

/** At most `max` events in any interval of this length, up to 31 days. */
export type Limit =
  | { readonly max: number; readonly per: TimeSpan }
  | { readonly max: number; readonly windowMillis: number }

/** One limit, or up to four that all apply. */
export type WindowLimit = Limit | ReadonlyArray<Limit>

/** Bounds and default of a number that callers choose. */
export interface Range {
  readonly min: number
  readonly max: number
  readonly default: number
}

/** Limits of an organization. `undefined` keeps the current value; `null` removes a limit. */
export interface Limits {
  /** Codes for one phone number. @defaultValue 10 in a minute */
  readonly sendsPerNumber?: WindowLimit | null | undefined
  /** Pending codes for one phone number. @defaultValue 5 */
  readonly pendingPerNumber?: number | undefined
  /** Checks of one organization. @defaultValue 20 in a minute */
  readonly checksPerOrganization?: WindowLimit | null | undefined
  /** Wrong codes for one phone number, over all of its requests. @defaultValue 30 in a day */
  readonly guessesPerNumber?: WindowLimit | null | undefined
  /**
   * Wrong codes for one phone number since its last right one. Then its checks are refused until you call
   * `verifications.resetGuesses`. @defaultValue 100
   */
  readonly guessesSinceSuccess?: number | null | undefined
  /** Messages of one organization. @defaultValue unlimited */
  readonly messagesPerOrganization?: WindowLimit | null | undefined
  /** Amount that one organization may spend in a UTC day, a decimal. @defaultValue unlimited */
  readonly spendPerDay?: string | null | undefined
  /** Wrong codes after which a request fails. @defaultValue 3 */
  readonly attempts?: number | undefined
  readonly codeLength?: Range | undefined
  readonly expirySeconds?: Range | undefined
  readonly messageLength?: number | undefined
  readonly pageSize?: Omit<Range, "min"> | undefined
}
