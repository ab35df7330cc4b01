/**
 * The guards of the reference that need nothing but their arguments.
 */
import type { Channel } from "@countersign/core/domain/Channel"
import { addresses, organizationNames, senders } from "./world.ts"

export const minute = 60_000

/** The UTC day of a time, by number since 1970. */
export const dayOf = (at: number): number => Math.floor(at / (24 * 60 * minute))

/** Whether an event at `now` would be one too many for the minute behind it. */
const isFull = (times: ReadonlyArray<number>, max: number, now: number): boolean =>
  times.filter((at) => now - at < minute).length >= max

/** Why another event at `now` would be refused; `undefined` where it would not. */
export const limited = (
  times: ReadonlyArray<number>,
  max: number,
  now: number,
): string | undefined => {
  if (!isFull(times, max, now)) return undefined
  let seconds = 1
  while (isFull(times, max, now + seconds * 1_000)) seconds += 1
  return `RateLimited ${seconds}`
}

/**
 * Why a number with too many pending requests gets no other one; `undefined` where it has a place. `times` are
 * its requests so far, this one included.
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

/** Whether an address is on the allow list of that rank. */
export const isAllowed = (allowList: number, address: (typeof addresses)[number]): boolean =>
  address === undefined ||
  allowList === 0 ||
  address === addresses[1] ||
  (allowList === 1 && address === addresses[2])

/** The log's channel of a sender; `undefined` where there is no such sender. */
export const logChannelOf = (org: number, channel: Channel, brand: string | undefined) => {
  const hasProfile = organizationNames[org] === "acme"
  if (channel === "whatsapp") {
    return hasProfile && (brand === undefined || brand === "profile") ? "whatsapp" : undefined
  }
  if (brand === undefined || brand === "line") return "non-mask"
  return brand === "mask" || brand === senders.mask ? "mask" : undefined
}

/** Which numbers of a request are out of their bounds. */
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
    : ["expirySeconds"]),
]
