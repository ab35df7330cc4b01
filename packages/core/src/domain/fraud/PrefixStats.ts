/**
 * Counts the codes sent to the numbers of one prefix, and how many were verified. This tells customers from
 * SMS pumping, which sends paid messages to numbers without readers.
 *
 * The running window and the previous one are kept, so a row has a constant size.
 */
import * as Struct from "effect/Struct"
import * as Duration from "../values/Duration.ts"
import type { OrganizationId } from "../values/Ids.ts"
import { plus } from "../money/Total.ts"
import { firstWhere } from "../values/internal/firstWhere.ts"
import * as Money from "../values/Money.ts"
import type { PhoneNumber } from "../values/PhoneNumber.ts"

export interface Rules {
  /** Number of digits in a prefix, from the country code on. */
  readonly prefixDigits: number
  readonly windowMillis: number
  /** Maximum number of codes for one prefix in any window. `undefined`: no maximum. */
  readonly maxSent: number | undefined
  /** Number of codes in both windows from which on the share of verified codes is checked. */
  readonly minSent: number
  /** Minimum share of verified codes, 0 to 1. 0 requires none. */
  readonly minConversion: number
  /** Whether codes for a suspicious prefix are rejected or sent anyway. */
  readonly action: Action
  /** Numbers that receive no messages: their codes are neither counted nor denied. */
  readonly exempt?: ReadonlySet<string> | undefined
}

export type Action = "record" | "deny"

/** More codes than `maxSent`, or too few of them verified. */
export type Reason = "velocity" | "conversion"

const ofCodes = { min: 1, max: 1_000_000_000 }

/** Bounds of the rules that are integers. They keep rows and their number bounded. */
export const bounds = {
  prefixDigits: { min: 1, max: 8 },
  /** Up to 31 days. */
  windowMillis: { min: 1_000, max: 2_678_400_000 },
  maxSent: ofCodes,
  minSent: ofCodes,
} as const

/** A rule that is not within its bounds. */
export interface Problem {
  readonly name: Exclude<keyof Rules, "action" | "exempt">
  readonly min: number
  readonly max: number
}

/** A problem as a sentence. */
export const sentence = ({ max, min, name }: Problem): string => {
  if (name === "windowMillis") {
    return `window must be between ${Duration.format(min)} and ${Duration.format(max)}`
  }
  return `${name} must be ${name === "minConversion" ? "" : "an integer "}between ${min} and ${max}`
}

/** The problems of the rules. */
export const problems = (rules: Rules): ReadonlyArray<Problem> => {
  const found = Struct.keys(bounds).flatMap((name): ReadonlyArray<Problem> => {
    const { max, min } = bounds[name]
    const value = rules[name]
    if (value === undefined && name === "maxSent") return []
    return Number.isInteger(value) && Number(value) >= min && Number(value) <= max
      ? []
      : [{ name, min, max }]
  })
  return rules.minConversion >= 0 && rules.minConversion <= 1
    ? found
    : [...found, { name: "minConversion", min: 0, max: 1 }]
}

export interface Counts {
  readonly sent: number
  /** Number of the sent codes that were verified. */
  readonly verified: number
  /** Price of the other sent codes. If their prices differ, each has the average one. */
  readonly unverifiedAmount: Money.Money
}

/** The counts of one prefix of one organization. */
export interface PrefixStats {
  readonly organization: OrganizationId
  /** Digits, without a plus. */
  readonly prefix: string
  /** Start of the running window, a multiple of its length. */
  readonly since: number
  readonly running: Counts
  readonly before: Counts
  /** Time at which each reason was reported in the running window; `null` if it was not. */
  readonly velocityAt: number | null
  readonly conversionAt: number | null
}

/** A suspicious prefix, as it was found, with the counts of both windows. */
export interface Finding extends Counts {
  readonly organization: OrganizationId
  readonly prefix: string
  readonly reason: Reason
  readonly action: Action
  /** Epoch milliseconds. */
  readonly at: number
}

export const none: Counts = { sent: 0, verified: 0, unverifiedAmount: Money.zero }

/** The prefix whose statistics count codes to a number; `null` without rules, and for an exempt number. */
export const prefixOf = (number: PhoneNumber, rules: Rules | undefined): string | null =>
  rules === undefined || rules.exempt?.has(number) === true
    ? null
    : number.slice(1, 1 + rules.prefixDigits)

export const empty = (organization: OrganizationId, prefix: string): PrefixStats => ({
  organization,
  prefix,
  since: 0,
  running: none,
  before: none,
  velocityAt: null,
  conversionAt: null,
})

/** The statistics at `now`: the running window may have become the previous one. */
export const at = (self: PrefixStats, { windowMillis }: Rules, now: number): PrefixStats => {
  const since = Math.floor(now / windowMillis) * windowMillis
  if (self.since === since) return self
  const before = self.since === since - windowMillis ? self.running : none
  return { ...self, since, running: none, before, velocityAt: null, conversionAt: null }
}

/** `previous` counts in proportion to the part of its window that a window ending now still covers. */
const isFull = (running: number, previous: number, elapsed: number, rules: Rules): boolean => {
  const { maxSent, windowMillis } = rules
  if (maxSent === undefined) return false
  return running * windowMillis + previous * (windowMillis - elapsed) >= maxSent * windowMillis
}

const isPoor = (counts: Counts, rules: Rules): boolean =>
  counts.sent >= rules.minSent && counts.verified < counts.sent * rules.minConversion

const sum = (one: Counts, other: Counts): Counts => ({
  sent: one.sent + other.sent,
  verified: one.verified + other.verified,
  unverifiedAmount: plus(one.unverifiedAmount, other.unverifiedAmount),
})

/** The reasons against one more code for this prefix. `self` is the state at `now`. */
export const suspicions = (self: PrefixStats, rules: Rules, now: number): ReadonlyArray<Reason> => {
  const found: Array<Reason> = []
  const { before, running, since } = self
  if (isFull(running.sent, before.sent, now - since, rules)) found.push("velocity")
  if (isPoor(sum(running, before), rules)) found.push("conversion")
  return found
}

/** The smallest whole number of seconds, at least 1, after which no reason rejects a single code. */
export const retryAfterSeconds = (self: PrefixStats, rules: Rules, now: number): number => {
  const { windowMillis } = rules
  const isFullAfter = (seconds: number): boolean => {
    const later = at(self, rules, now + seconds * 1_000)
    const elapsed = now + seconds * 1_000 - later.since
    return isFull(later.running.sent, later.before.sent, elapsed, rules)
  }
  const secondsUntil = (time: number) => Math.max(1, Math.ceil((time - now) / 1_000))
  // A binary search works, because a longer wait always leaves more room.
  const latest = secondsUntil(self.since + 2 * windowMillis)
  let wait = firstWhere(1, latest, (seconds) => !isFullAfter(seconds))
  // A poor prefix stays suspicious until its window ends, and may become so when a better window ends.
  for (let windows = 1; windows <= 2; windows++) {
    const later = at(self, rules, now + wait * 1_000)
    if (!isPoor(sum(later.running, later.before), rules)) break
    wait = secondsUntil(later.since + windowMillis)
  }
  return wait
}

/**
 * Judges a code before it is sent: the state at `now` with its new findings, and the reasons against the code. Each
 * reason becomes a finding once per window.
 */
export const judge = (self: PrefixStats, rules: Rules, now: number) => {
  const current = at(self, rules, now)
  const reasons = suspicions(current, rules, now)
  const { before, conversionAt, organization, prefix, running, velocityAt } = current
  const foundAt = { velocity: velocityAt, conversion: conversionAt }
  const fresh = reasons.filter((reason) => foundAt[reason] === null)
  const finding = { organization, prefix, action: rules.action, at: now, ...sum(running, before) }
  const prefixStats: PrefixStats = {
    ...current,
    velocityAt: fresh.includes("velocity") ? now : velocityAt,
    conversionAt: fresh.includes("conversion") ? now : conversionAt,
  }
  const findings = fresh.map((reason): Finding => ({ ...finding, reason }))
  return { current, reasons, prefixStats, findings }
}

const changes = {
  sent: { sent: 1, verified: 0 },
  verified: { sent: 0, verified: 1 },
  unsent: { sent: -1, verified: 0 },
} as const

/** Codes that were sent before counting began may be verified, or turn out not to have been sent. */
const counted = (self: Counts, change: keyof typeof changes, price: Money.Money): Counts => {
  const by = changes[change]
  const sent = Math.max(0, self.sent + by.sent)
  const { unverifiedAmount } = self
  const average = Math.round(unverifiedAmount / Math.max(1, self.sent - self.verified))
  return {
    sent,
    verified: Math.min(sent, self.verified + by.verified),
    unverifiedAmount: plus(unverifiedAmount, change === "sent" ? price : Money.fromUnits(-average)),
  }
}

/**
 * Counts a code of `sentAt`: as sent for a price, as verified, or as not sent after all. `self` is the state at `now`.
 */
export const count = (
  self: PrefixStats,
  change: keyof typeof changes,
  { windowMillis }: Rules,
  sentAt: number,
  price: Money.Money = Money.zero,
): PrefixStats => {
  if (sentAt >= self.since) return { ...self, running: counted(self.running, change, price) }
  return sentAt >= self.since - windowMillis
    ? { ...self, before: counted(self.before, change, price) }
    : self
}
