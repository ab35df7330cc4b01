/**
 * Every number that bounds what a caller may do.
 */
import * as Context from "effect/Context"
import type { Money } from "./Money.ts"
import { type Limit, maxTracked } from "./SlidingWindow.ts"

/** The limits of one organization. A window that is `undefined` does not limit. */
export interface Limits {
  /** Verification requests for one number of one organization. */
  readonly sendsPerNumber: Limit | undefined
  /** Pending verifications for one number of one organization. */
  readonly pendingPerNumber: number
  /** Code checks of one organization. */
  readonly checksPerOrganization: Limit | undefined
  /** Messages (not verifications) of one organization. */
  readonly messagesPerOrganization: Limit | undefined
  /** What one organization may spend in a UTC day; what is given back on the same day does not count. */
  readonly spendPerDay: Money | undefined
  /** Wrong codes until a request fails. */
  readonly attempts: number
  /** Digits of a code. */
  readonly codeLength: { readonly min: number; readonly max: number; readonly default: number }
  readonly expirySeconds: { readonly min: number; readonly max: number; readonly default: number }
  /** Characters (UTF-16 units) of a message. */
  readonly messageLength: number
  readonly pageSize: { readonly max: number; readonly default: number }
}

export const defaults: Limits = {
  sendsPerNumber: { max: 10, windowMillis: 60_000 },
  pendingPerNumber: 5,
  checksPerOrganization: { max: 20, windowMillis: 60_000 },
  messagesPerOrganization: undefined,
  spendPerDay: undefined,
  attempts: 3,
  codeLength: { min: 4, max: 10, default: 6 },
  expirySeconds: { min: 60, max: 3_600, default: 300 },
  messageLength: 1_600,
  pageSize: { max: 200, default: 50 },
}

interface Bounds {
  readonly min: number
  readonly max: number
}

/** What an organization's own limits may be, so that every row and every answer stays bounded. */
export const bounds = {
  /** Events that a window counts; none of them closes it for good. */
  windowMax: { min: 0, max: maxTracked },
  /** Up to 31 days. */
  windowMillis: { min: 1, max: 2_678_400_000 },
  pendingPerNumber: { min: 1, max: maxTracked },
  /** In units; nothing that costs anything may be sent with 0. */
  spendPerDay: { min: 0, max: Number.MAX_SAFE_INTEGER },
  attempts: { min: 1, max: 100 },
  /** More digits than 15 are no exact number any more. */
  codeLength: { min: 4, max: 15 },
  /** Up to a day. */
  expirySeconds: { min: 1, max: 86_400 },
  messageLength: { min: 1, max: 100_000 },
  pageSize: { min: 1, max: 1_000 },
} satisfies Record<string, Bounds>

/** The limits in force for every organization that has none of its own. */
export const Limits = Context.Reference<Limits>("@countersign/core/domain/Limits", {
  defaultValue: () => defaults,
})
