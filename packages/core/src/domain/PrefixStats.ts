/**
 * The codes that an organization has sent to the numbers of one prefix, and how
 * many of them came back: by that, paid traffic to numbers that nobody reads is
 * told from customers.
 *
 * Requests are counted in windows that follow each other without a gap. Two are
 * kept, the running one and the one before it, so a row stays as it is in size.
 */
import type { OrganizationId } from "./Ids.ts"
import type { PhoneNumber } from "./PhoneNumber.ts"

/** What a host watches for. */
export interface Rules {
  /** How many digits of a number, from its country's code on, make its prefix. */
  readonly prefixDigits: number
  readonly windowMillis: number
  /** Codes for one prefix in any window, the part of the one before spread evenly; `undefined` for any number. */
  readonly maxSent: number | undefined
  /** From so many codes on, in the running window and the one before it, the share of verified ones counts. */
  readonly minSent: number
  /** The share of codes that have to be verified, 0 to 1; 0 asks for none. */
  readonly minConversion: number
  /** Whether codes for a suspicious prefix are refused, or sent all the same. */
  readonly action: Action
  /** Numbers that nothing is sent to: their codes neither count nor are denied. */
  readonly exempt?: ReadonlySet<string> | undefined
}

export type Action = "record" | "deny"

/** More codes than `maxSent`, or too few of them verified. */
export type Reason = "velocity" | "conversion"

/** What rules may be, so that rows and their number stay bounded. */
export const bounds = {
  prefixDigits: { min: 1, max: 8 },
  /** Up to 31 days. */
  windowMillis: { min: 1_000, max: 2_678_400_000 },
  sent: { min: 1, max: 1_000_000_000 },
} as const

/** What is wrong with rules, a sentence for each thing that is. */
export const problems = (rules: Rules): ReadonlyArray<string> => {
  const found: Array<string> = []
  const within = (name: string, value: number, { max, min }: { min: number; max: number }) => {
    if (Number.isInteger(value) && value >= min && value <= max) return
    found.push(`${name} must be an integer between ${min} and ${max}`)
  }
  within("prefixDigits", rules.prefixDigits, bounds.prefixDigits)
  within("windowMillis", rules.windowMillis, bounds.windowMillis)
  if (rules.maxSent !== undefined) within("maxSent", rules.maxSent, bounds.sent)
  within("minSent", rules.minSent, bounds.sent)
  if (!(rules.minConversion >= 0 && rules.minConversion <= 1)) {
    found.push("minConversion must be between 0 and 1")
  }
  return found
}

export interface Counts {
  readonly sent: number
  /** Of these codes; never more than them. */
  readonly verified: number
}

/** One prefix of one organization. */
export interface PrefixStats {
  readonly organization: OrganizationId
  /** Digits, without a plus. */
  readonly prefix: string
  /** When the running window has begun; a multiple of its length. */
  readonly since: number
  readonly running: Counts
  readonly before: Counts
  /** When it became suspicious in the running window, if it did: it is said once. */
  readonly velocityAt: number | null
  readonly conversionAt: number | null
}

/** Something suspicious, as it was found. */
export interface Finding {
  readonly organization: OrganizationId
  readonly prefix: string
  readonly reason: Reason
  readonly action: Action
  /** Epoch milliseconds. */
  readonly at: number
  /** What was counted in the running window and the one before it. */
  readonly sent: number
  readonly verified: number
}

const none: Counts = { sent: 0, verified: 0 }

export const prefixOf = (number: PhoneNumber, digits: number): string => number.slice(1, 1 + digits)

/** The rules for codes to a number; none where it is exempt from them. */
export const rulesFor = (rules: Rules | undefined, number: PhoneNumber): Rules | undefined =>
  rules?.exempt?.has(number) === true ? undefined : rules

export const empty = (organization: OrganizationId, prefix: string): PrefixStats => ({
  organization,
  prefix,
  since: 0,
  running: none,
  before: none,
  velocityAt: null,
  conversionAt: null,
})

/** As it stands at `now`: the running window may have become the one before. */
export const at = (self: PrefixStats, { windowMillis }: Rules, now: number): PrefixStats => {
  const since = Math.floor(now / windowMillis) * windowMillis
  if (self.since === since) return self
  const before = self.since === since - windowMillis ? self.running : none
  return { ...self, since, running: none, before, velocityAt: null, conversionAt: null }
}

/** `previous` counts for as much of it as a window that ends now still covers. */
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
})

/** What speaks against one more code for this prefix. `self` is as it stands at `now`. */
export const suspicions = (self: PrefixStats, rules: Rules, now: number): ReadonlyArray<Reason> => [
  ...(isFull(self.running.sent, self.before.sent, now - self.since, rules)
    ? (["velocity"] as const)
    : []),
  ...(isPoor(sum(self.running, self.before), rules) ? (["conversion"] as const) : []),
]

/** The smallest number of whole seconds, at least 1, after which nothing speaks against a lone code any more. */
export const retryAfterSeconds = (self: PrefixStats, rules: Rules, now: number): number => {
  const { windowMillis } = rules
  const isFullAfter = (seconds: number): boolean => {
    const later = at(self, rules, now + seconds * 1_000)
    const elapsed = now + seconds * 1_000 - later.since
    return isFull(later.running.sent, later.before.sent, elapsed, rules)
  }
  const secondsUntil = (time: number) => Math.max(1, Math.ceil((time - now) / 1_000))
  // The longer the wait, the more room there is: half of the waits are ruled out at a time.
  let wait = 1
  let high = secondsUntil(self.since + 2 * windowMillis)
  while (wait < high) {
    const middle = Math.floor((wait + high) / 2)
    if (isFullAfter(middle)) wait = middle + 1
    else high = middle
  }
  // What is poor stays so until its window goes, and may become so when a better one does.
  for (let windows = 1; windows <= 2; windows++) {
    const later = at(self, rules, now + wait * 1_000)
    if (!isPoor(sum(later.running, later.before), rules)) break
    wait = secondsUntil(later.since + windowMillis)
  }
  return wait
}

/** Writes suspicions down: each reason is a finding once in a window. */
export const suspect = (
  self: PrefixStats,
  suspected: ReadonlyArray<Reason>,
  { action }: Rules,
  now: number,
): { readonly traffic: PrefixStats; readonly findings: ReadonlyArray<Finding> } => {
  const { organization, prefix } = self
  const isNew = {
    velocity: self.velocityAt === null && suspected.includes("velocity"),
    conversion: self.conversionAt === null && suspected.includes("conversion"),
  }
  const counts = sum(self.running, self.before)
  const reasons = (["velocity", "conversion"] as const).filter((reason) => isNew[reason])
  return {
    traffic: {
      ...self,
      velocityAt: isNew.velocity ? now : self.velocityAt,
      conversionAt: isNew.conversion ? now : self.conversionAt,
    },
    findings: reasons.map((reason) => ({
      organization,
      prefix,
      reason,
      action,
      at: now,
      ...counts,
    })),
  }
}

const change = (self: PrefixStats, rules: Rules, sentAt: number, by: Counts): PrefixStats => {
  if (sentAt >= self.since) return { ...self, running: within(sum(self.running, by)) }
  return sentAt >= self.since - rules.windowMillis
    ? { ...self, before: within(sum(self.before, by)) }
    : self
}

/** Codes that were sent before anybody counted may be verified, or turn out not to have been sent. */
const within = ({ sent, verified }: Counts): Counts => {
  const all = Math.max(0, sent)
  return { sent: all, verified: Math.min(all, verified) }
}

/** Counts a code that is being sent at `now`. */
export const sent = (self: PrefixStats, rules: Rules, now: number): PrefixStats =>
  change(self, rules, now, { sent: 1, verified: 0 })

/** Counts a code of `sentAt` as one that came back. */
export const verified = (self: PrefixStats, rules: Rules, sentAt: number): PrefixStats =>
  change(self, rules, sentAt, { sent: 0, verified: 1 })

/** Takes a code of `sentAt` out of the count, because it never left: it says nothing of its numbers. */
export const unsent = (self: PrefixStats, rules: Rules, sentAt: number): PrefixStats =>
  change(self, rules, sentAt, { sent: -1, verified: 0 })
