export const maxTries = 10

export const windowMillis = 60_000

/** More addresses than this share one limit. */
const maxAddresses = 1_000

/**
 * The part of an address that is counted. Of an IPv6 address, it is the network of 64 bits. One client has all
 * addresses of a network, and could otherwise use up the turns of the others.
 */
const networkOf = (address: string): string => {
  if (!address.includes(":") || address.includes(".")) return address
  const [front = [], back = []] = address
    .toLowerCase()
    .split("::")
    .map((part) => part.split(":").filter((group) => group !== ""))
  const zeros = Array.from({ length: Math.max(0, 8 - front.length - back.length) }, () => "0")
  return [...front, ...zeros, ...back].slice(0, 4).join(":")
}

/** Passwords tried from an address or an IPv6 network, ten in a minute. */
export interface Tries {
  /** Counts a try, and says whether the address is within its limit. */
  readonly admit: (address: string, now: number) => boolean
  /** Forgets the tries of an address, after the right password. */
  readonly clear: (address: string) => void
}

export const makeTries = (): Tries => {
  const times = new Map<string, ReadonlyArray<number>>()
  const forgetOld = (now: number): void => {
    for (const [address, tries] of times)
      if ((tries.at(-1) ?? 0) + windowMillis <= now) times.delete(address)
  }
  return {
    admit: (given, now) => {
      const address = networkOf(given)
      if (times.size >= maxAddresses && !times.has(address)) forgetOld(now)
      const counted = times.size >= maxAddresses && !times.has(address) ? "" : address
      const recent = (times.get(counted) ?? []).filter((time) => time + windowMillis > now)
      if (recent.length >= maxTries) return false
      times.set(counted, [...recent, now])
      return true
    },
    clear: (address) => {
      times.delete(networkOf(address))
    },
  }
}

/** Takes the next turn, and returns the milliseconds until then. `undefined`: too many are waiting. */
export type TakeTurn = (now: number) => number | undefined

const turnMillis = 200

/** This many turns are taken without a wait after a pause. */
const maxAtOnce = 60

/** The longest wait for a turn. */
export const maxWaitMillis = 10_000

/** Five turns in a second, after at most 60 at once, one after another. */
export const makeTurns = (): TakeTurn => {
  /** When the turns that were taken would be over, had each begun after the one before. */
  let end = -Infinity
  return (now) => {
    const longest = maxWaitMillis + maxAtOnce * turnMillis
    // A clock that was set back would keep all clients waiting.
    const after = end > now + longest ? now : Math.max(end, now)
    const wait = after + turnMillis - now - maxAtOnce * turnMillis
    if (wait > maxWaitMillis) return undefined
    end = after + turnMillis
    return Math.max(0, wait)
  }
}
