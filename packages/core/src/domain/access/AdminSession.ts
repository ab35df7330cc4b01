/** A session of a person who has signed in to the admin pages. */
import * as IpNetwork from "effect/net/IpNetwork"
import * as NetAddress from "effect/net/NetAddress"
import * as Result from "effect/Result"
import * as IpBlock from "../values/IpBlock.ts"
import type { Role } from "./Roles.ts"

/** A person who has signed in, with the data that the provider returned at that time. */
export interface Person {
  /** The provider's own id of the person, which never changes. */
  readonly id: string
  readonly name: string
  readonly roles: ReadonlyArray<Role>
  /** The only organizations that the person sees; `null`: all. */
  readonly organizations: ReadonlyArray<string> | null
}

export interface AdminSession {
  /** The SHA-256 of its token in hexadecimal digits. The token itself is stored nowhere. */
  readonly id: string
  /** The login that the person signed in to. Sessions of one login are listed and ended together. */
  readonly login: string
  readonly startedAt: number
  /** A sample: the last request is at most `sampleMillis` later. */
  readonly seenAt: number
  /** The network that the person signed in from, without the last part of the address; `null` if unknown. */
  readonly network: string | null
  /** The `User-Agent` of the browser; `null` if it sent none. */
  readonly agent: string | null
  /** `null` after a sign-in with a password, which does not say who knows it. */
  readonly person: Person | null
}

export const lifetimeMillis = 12 * 3_600_000

/** The longest time between two records of the last request. */
export const sampleMillis = 60_000

/** Maximum number of sessions of a person. A further one ends the oldest. */
export const maxPerLogin = 100

/** Longest text that is kept, in UTF-16 units. */
const maxTextLength = 300

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

/** A text of a client as it is stored: PostgreSQL's text has neither NUL nor half of a character. */
export const textOf = (text: string): string =>
  text.replaceAll("\0", "").slice(0, maxTextLength).toWellFormed()

/** Whether two sessions belong to one person. All who know a password are one. */
export const isSamePerson = (
  one: Pick<AdminSession, "login" | "person">,
  other: Pick<AdminSession, "login" | "person">,
): boolean => one.login === other.login && one.person?.id === other.person?.id

/** The sessions to end before a person gets a further one: all that are over, and the oldest of too many. */
export const ended = (
  all: ReadonlyArray<AdminSession>,
  further: Pick<AdminSession, "login" | "person">,
  now: number,
): ReadonlyArray<AdminSession> => {
  const over = all.filter((one) => isOver(one, now))
  const open = all
    .filter((one) => isSamePerson(one, further) && !isOver(one, now))
    .toSorted((a, b) => b.startedAt - a.startedAt)
  return [...over, ...open.slice(maxPerLogin - 1)]
}
