/** A session of a person who has signed in to the admin pages with a password. */
import * as IpNetwork from "effect/net/IpNetwork"
import * as NetAddress from "effect/net/NetAddress"
import * as Result from "effect/Result"
import * as IpBlock from "../values/IpBlock.ts"

export interface AdminSession {
  /** The SHA-256 of its token in hexadecimal digits. The token itself is stored nowhere. */
  readonly id: string
  /** What was signed in to. Sessions of one login are listed and ended together. */
  readonly login: string
  readonly startedAt: number
  /** A sample: the last request is at most `sampleMillis` later. */
  readonly seenAt: number
  /** The network that the person signed in from, without the last part of the address; `null` if unknown. */
  readonly network: string | null
  /** The `User-Agent` of the browser; `null` if it sent none. */
  readonly agent: string | null
}

export const lifetimeMillis = 12 * 3_600_000

/** The longest time between two records of the last request. */
export const sampleMillis = 60_000

/** Maximum number of sessions of a login. A further one ends the oldest. */
export const maxPerLogin = 100

/** Longest agent that is kept, in UTF-16 units. */
const maxAgentLength = 300

export const isOver = (self: AdminSession, now: number): boolean =>
  now >= self.startedAt + lifetimeMillis

/** Whether the time of a request at `now` is recorded. */
export const isSeen = (self: AdminSession, now: number): boolean =>
  now - self.seenAt >= sampleMillis

/** The network of an address: `203.0.113.0/24`, or the first 48 bits of IPv6. */
export const networkOf = (address: string): string | null => {
  const parsed = IpBlock.readAddress(address)
  if (parsed === undefined) return null
  const bits = NetAddress.isIpv6Address(parsed) ? 48 : 24
  return Result.getOrNull(Result.map(IpNetwork.fromAddress(parsed, bits), IpNetwork.format))
}

/** An agent as it is stored: PostgreSQL's text has neither NUL nor half of a character. */
export const agentOf = (agent: string): string =>
  agent.replaceAll("\0", "").slice(0, maxAgentLength).toWellFormed()

/** The sessions to end before a login gets a further one: all that are over, and its oldest if it has too many. */
export const ended = (
  all: ReadonlyArray<AdminSession>,
  login: string,
  now: number,
): ReadonlyArray<AdminSession> => {
  const over = all.filter((one) => isOver(one, now))
  const open = all
    .filter((one) => one.login === login && !isOver(one, now))
    .toSorted((a, b) => b.startedAt - a.startedAt)
  return [...over, ...open.slice(maxPerLogin - 1)]
}
