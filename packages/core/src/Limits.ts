/**
 * Every number that bounds what a caller may do.
 *
 * @module-kind pure
 */
import * as Context from "effect/Context"
import type { Limit } from "./SlidingWindow.ts"

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
  attempts: 3,
  codeLength: { min: 4, max: 10, default: 6 },
  expirySeconds: { min: 60, max: 3_600, default: 300 },
  messageLength: 1_600,
  pageSize: { max: 200, default: 50 },
}

/** The limits in force for every organization that has none of its own. */
export const Limits = Context.Reference<Limits>("@countersign/core/Limits", {
  defaultValue: () => defaults,
})
