/**
 * Tries fraud rules on past codes: makes the findings and denies the codes as the rules would have done. The engine's
 * own functions judge each code.
 */
import type { OrganizationId } from "../values/Ids.ts"
import * as PrefixStats from "./PrefixStats.ts"

/** A code that was requested in the past. */
export interface PastCode {
  readonly prefix: string
  readonly createdAt: number
  readonly verifiedAt: number | null
  /** Whether the code was certainly not sent. */
  readonly isUnsent: boolean
}

/** Numbers of codes, and of the codes that the rules would have denied. */
export interface Tally {
  readonly codes: number
  readonly verified: number
  readonly denied: number
  /** Number of the denied codes that were verified: their users would have got no code. */
  readonly deniedVerified: number
}

export interface PrefixTally extends Tally {
  readonly prefix: string
  readonly reasons: ReadonlyArray<PrefixStats.Reason>
}

export interface Result extends Tally {
  /** In the order of time. */
  readonly findings: ReadonlyArray<Omit<PrefixStats.Finding, "unverifiedAmount">>
  /** The prefixes with findings; those with most denied codes come first. */
  readonly prefixes: ReadonlyArray<PrefixTally>
}

const nothing: Tally = { codes: 0, verified: 0, denied: 0, deniedVerified: 0 }

const add = (self: Tally, code: PastCode, isDenied: boolean): Tally => {
  const isVerified = Number(code.verifiedAt !== null)
  return {
    codes: self.codes + 1,
    verified: self.verified + isVerified,
    denied: self.denied + Number(isDenied),
    deniedVerified: self.deniedVerified + (isDenied ? isVerified : 0),
  }
}

/** The moments at which a rule counts, in order. A code is sent before it is verified. */
const momentsOf = (codes: ReadonlyArray<PastCode>) =>
  codes
    .flatMap((code) => {
      const sent = { at: code.createdAt, isVerified: false, code }
      return code.verifiedAt === null
        ? [sent]
        : [sent, { at: code.verifiedAt, isVerified: true, code }]
    })
    .toSorted((a, b) => a.at - b.at || Number(a.isVerified) - Number(b.isVerified))

/** Tries the rules on codes, which are in the order of their requests. */
export const run = (
  organization: OrganizationId,
  codes: ReadonlyArray<PastCode>,
  rules: PrefixStats.Rules,
): Result => {
  const stats = new Map<string, PrefixStats.PrefixStats>()
  const tallies = new Map<string, Tally>()
  const denied = new Set<PastCode>()
  const findings: Array<Result["findings"][number]> = []
  for (const { at, code, isVerified } of momentsOf(codes)) {
    const { prefix } = code
    const before = stats.get(prefix) ?? PrefixStats.empty(organization, prefix)
    if (isVerified) {
      // A code that was denied cannot be verified.
      if (denied.has(code)) continue
      const current = PrefixStats.at(before, rules, at)
      stats.set(prefix, PrefixStats.count(current, "verified", rules, code.createdAt))
      continue
    }
    const judged = PrefixStats.judge(before, rules, at)
    // Past codes have no prices.
    findings.push(...judged.findings.map(({ unverifiedAmount: _, ...finding }) => finding))
    const isDenied = rules.action === "deny" && judged.reasons.length > 0
    if (isDenied) denied.add(code)
    const isSent = !isDenied && !code.isUnsent
    stats.set(
      prefix,
      isSent ? PrefixStats.count(judged.prefixStats, "sent", rules, at) : judged.prefixStats,
    )
    tallies.set(prefix, add(tallies.get(prefix) ?? nothing, code, isDenied))
  }
  const total = codes.reduce((sum, code) => add(sum, code, denied.has(code)), nothing)
  const reasonsOf = Map.groupBy(findings, ({ prefix }) => prefix)
  const prefixes = [...reasonsOf].map(([prefix, found]) => ({
    prefix,
    reasons: [...new Set(found.map(({ reason }) => reason))],
    ...(tallies.get(prefix) ?? nothing),
  }))
  return {
    ...total,
    findings,
    prefixes: prefixes.toSorted((a, b) => b.denied - a.denied || b.codes - a.codes),
  }
}
