/**
 * The limits on what callers may do.
 */
import * as Context from "effect/Context"
import { type Channel, channels } from "../values/Channel.ts"
import type { Money } from "../values/Money.ts"
import { type Limit, limitsOf, maxTracked, type WindowLimit } from "./SlidingWindow.ts"

/** `nist`: the limits are at least as strict as NIST SP 800-63B, with any settings of an organization. */
export type Profile = "standard" | "nist"

/** The limits of one organization. `undefined`: no limit. */
export interface Limits {
  /**
   * The host's profile. Under `nist`, a verification is used before its code expires, and refuses checks after that;
   * and `guessesSinceSuccess` bounds the wrong codes of all clients together.
   */
  readonly profile: Profile
  /** The channels that the host allows for codes. */
  readonly codeChannels: ReadonlyArray<Channel>
  /** Verification requests for one phone number of one organization. */
  readonly sendsPerNumber: WindowLimit | undefined
  /** Maximum number of pending verifications for one phone number of one organization. */
  readonly pendingPerNumber: number
  readonly checksPerOrganization: WindowLimit | undefined
  /** Verification requests of one client, over all phone numbers of one organization. */
  readonly sendsPerClient: WindowLimit | undefined
  /** Checks of one client, over all phone numbers of one organization. */
  readonly checksPerClient: WindowLimit | undefined
  /** Checks of one verification request. */
  readonly checksPerRequest: WindowLimit | undefined
  /** Wrong codes for one phone number of one organization, over all of its requests. */
  readonly guessesPerNumber: WindowLimit | undefined
  /** Wrong codes for one phone number since the last right one. After them, the host has to act. */
  readonly guessesSinceSuccess: number | undefined
  /** Messages (not verifications) of one organization. */
  readonly messagesPerOrganization: WindowLimit | undefined
  /** Maximum amount that one organization may spend in a UTC day. Refunds on the same day do not count. */
  readonly spendPerDay: Money | undefined
  /** Number of wrong codes until a request fails. */
  readonly attempts: number
  /** Maximum number of times that the code of one request can be sent again. */
  readonly resends: number
  /** Minimum time between two messages with one code that a caller requests, in milliseconds. */
  readonly resendCooldownMillis: number
  readonly codeLength: { readonly min: number; readonly max: number; readonly default: number }
  readonly expirySeconds: { readonly min: number; readonly max: number; readonly default: number }
  /** Maximum length of a message, in UTF-16 units. */
  readonly messageLength: number
  readonly pageSize: { readonly max: number; readonly default: number }
}

/** The ten requests in a minute with three attempts each fit in. */
const thirtyADay: Limit = { max: 30, windowMillis: 86_400_000 }

export const defaults: Limits = {
  profile: "standard",
  codeChannels: channels,
  sendsPerNumber: { max: 10, windowMillis: 60_000 },
  pendingPerNumber: 5,
  checksPerOrganization: { max: 20, windowMillis: 60_000 },
  sendsPerClient: undefined,
  checksPerClient: undefined,
  checksPerRequest: undefined,
  guessesPerNumber: thirtyADay,
  guessesSinceSuccess: 100,
  messagesPerOrganization: undefined,
  spendPerDay: undefined,
  attempts: 3,
  resends: 3,
  resendCooldownMillis: 30_000,
  codeLength: { min: 4, max: 10, default: 6 },
  expirySeconds: { min: 60, max: 3_600, default: 300 },
  messageLength: 1_600,
  pageSize: { max: 200, default: 50 },
}

/** The limits, and thirty events a day, unless one of the limits is as strict. */
const withThirtyADay = (limit: WindowLimit = thirtyADay): WindowLimit => {
  const limits = limitsOf(limit)
  const { max: most, windowMillis: day } = thirtyADay
  return limits.some(({ max, windowMillis }) => max <= most && windowMillis >= day)
    ? limit
    : [thirtyADay, ...limits]
}

/** The limits under the profile `nist`: each at least as strict as SP 800-63B requires. */
export const nist = (limits: Limits): Limits => {
  const { codeLength, expirySeconds, guessesSinceSuccess = 100 } = limits
  const digits = (count: number): number => Math.max(6, count)
  const seconds = (count: number): number => Math.min(600, count)
  return {
    ...limits,
    profile: "nist",
    codeLength: {
      min: digits(codeLength.min),
      max: digits(codeLength.max),
      default: digits(codeLength.default),
    },
    expirySeconds: {
      min: seconds(expirySeconds.min),
      max: seconds(expirySeconds.max),
      default: seconds(expirySeconds.default),
    },
    guessesPerNumber: withThirtyADay(limits.guessesPerNumber),
    guessesSinceSuccess: Math.min(100, guessesSinceSuccess),
  }
}

/** Bounds of an organization's own limits. They keep every row and every answer bounded. */
export const bounds = {
  /** Events per window; 0 rejects all events permanently. */
  windowMax: { min: 0, max: maxTracked },
  /** Limits that one window may have at the same time. */
  windowLimits: { min: 1, max: 4 },
  /** Up to 31 days. */
  windowMillis: { min: 1, max: 2_678_400_000 },
  pendingPerNumber: { min: 1, max: maxTracked },
  guessesSinceSuccess: { min: 1, max: 100_000 },
  /** In units of `Money`; 0 allows only free messages. */
  spendPerDay: { min: 0, max: Number.MAX_SAFE_INTEGER },
  attempts: { min: 1, max: 100 },
  resends: { min: 0, max: 20 },
  /** Up to an hour. */
  resendCooldownMillis: { min: 0, max: 3_600_000 },
  /** Numbers of more than 15 digits are not exact. */
  codeLength: { min: 4, max: 15 },
  /** Up to a day. */
  expirySeconds: { min: 1, max: 86_400 },
  messageLength: { min: 1, max: 100_000 },
  pageSize: { min: 1, max: 1_000 },
} satisfies Record<string, { readonly min: number; readonly max: number }>

/** The limits in force for organizations without limits of their own. */
export const Limits = Context.Reference<Limits>("@countersign/core/domain/limits/Limits", {
  defaultValue: () => defaults,
})
