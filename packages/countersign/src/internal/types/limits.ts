import type { Limit } from "@countersign/core/domain/SlidingWindow"

export type { Limit } from "@countersign/core/domain/SlidingWindow"

/** Bounds and default of a number that callers choose. */
export interface Range {
  readonly min: number
  readonly max: number
  readonly default: number
}

/** Limits of an organization. `undefined` keeps the current value; `null` removes a limit. */
export interface Limits {
  /** Codes for one phone number. @defaultValue 10 in a minute */
  readonly sendsPerNumber?: Limit | null | undefined
  /** Pending codes for one phone number. @defaultValue 5 */
  readonly pendingPerNumber?: number | undefined
  /** Checks of one organization. @defaultValue 20 in a minute */
  readonly checksPerOrganization?: Limit | null | undefined
  /** Messages of one organization. @defaultValue unlimited */
  readonly messagesPerOrganization?: Limit | null | undefined
  /** Amount that one organization may spend in a UTC day, a decimal. @defaultValue unlimited */
  readonly spendPerDay?: string | null | undefined
  /** Wrong codes after which a request fails. @defaultValue 3 */
  readonly attempts?: number | undefined
  /** How often the code of one request can be sent again. @defaultValue 3 */
  readonly resends?: number | undefined
  /** Minimum time before a code is sent again. @defaultValue 30,000 */
  readonly resendCooldownMillis?: number | undefined
  readonly codeLength?: Range | undefined
  readonly expirySeconds?: Range | undefined
  readonly messageLength?: number | undefined
  readonly pageSize?: Omit<Range, "min"> | undefined
}
