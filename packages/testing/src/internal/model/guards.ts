/**
 * The reference's guards that depend only on their arguments.
 */
import { type Budget, unlimited } from "./budgets.ts"
import type { Channel } from "@countersign/core/domain/values/Channel"
import { addresses, organizationNames, senders } from "./scenario.ts"

export const minute = 60_000

/** The UTC day of a time, as days since 1970. */
export const dayOf = (at: number): number => Math.floor(at / (24 * 60 * minute))

/** Whether an event at `now` would exceed the limit of the last minute. */
const isFull = (times: ReadonlyArray<number>, max: number, now: number): boolean =>
  times.filter((at) => now - at < minute).length >= max

const blockedSeconds = 24 * 60 * 60

/** Returns why another event at `now` would be rejected; `undefined` if it is allowed. */
export const limited = (
  times: ReadonlyArray<number>,
  max: number,
  now: number,
  { isBlocked, isFullAt }: Budget = unlimited,
): string | undefined => {
  const isRefusedAt = (at: number): boolean => isFull(times, max, at) || isFullAt(at)
  if (!isBlocked && !isRefusedAt(now)) return undefined
  let seconds = 1
  while (isRefusedAt(now + seconds * 1_000)) seconds += 1
  return `RateLimited ${isBlocked ? Math.max(seconds, blockedSeconds) : seconds}`
}

/**
 * Returns why a phone number has too many pending requests; `undefined` if another is allowed. `times` are
 * its requests so far, including this one.
 */
export const crowded = (
  pendingAt: (at: number) => number,
  times: ReadonlyArray<number>,
  now: number,
): string | undefined => {
  if (pendingAt(now) < 5) return undefined
  const isRefusedAt = (at: number): boolean => pendingAt(at) >= 5 || isFull(times, 10, at)
  let seconds = 1
  while (isRefusedAt(now + seconds * 1_000)) seconds += 1
  return `TooManyPending ${seconds}`
}

/** Whether an IP address is on the allow list with this index. */
export const isAllowed = (allowList: number, address: (typeof addresses)[number]): boolean =>
  address === undefined ||
  allowList === 0 ||
  address === addresses[1] ||
  (allowList === 1 && address === addresses[2])

/** Whether the prefix lists with this index block a person. */
export const isBlocked = (prefixLists: number, person: number): boolean =>
  (prefixLists === 1 && person === 0) || (prefixLists === 2 && person > 1)

/** Whether the prefix lists with this index exempt a person, who is not blocked, from the fraud rules. */
export const isExempt = (prefixLists: number): boolean => prefixLists > 0

/** The channel of a sender in the log; `undefined` if there is no such sender. */
export const logChannelOf = (org: number, channel: Channel, brand: string | undefined) => {
  const hasProfile = organizationNames[org] === "acme"
  if (channel === "whatsapp") {
    return hasProfile && (brand === undefined || brand === "profile") ? "whatsapp" : undefined
  }
  if (brand === undefined || brand === "line") return "non-mask"
  return brand === "mask" || brand === senders.mask ? "mask" : undefined
}

/** Returns the fields of a request that are out of bounds. */
export const problemsOf = ({
  codeLength,
  expirySeconds,
}: {
  readonly codeLength: number
  readonly expirySeconds: number
}): ReadonlyArray<string> => [
  ...(Number.isInteger(codeLength) && codeLength >= 4 && codeLength <= 10 ? [] : ["codeLength"]),
  ...(Number.isInteger(expirySeconds) && expirySeconds >= 60 && expirySeconds <= 3_600
    ? []
    : ["expiresIn"]),
]
