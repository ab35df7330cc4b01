export const maxTries = 10

export const windowMillis = 60_000

/** More addresses than this share one limit. */
const maxAddresses = 1_000

/** Passwords tried from an address, ten in a minute. */
export interface Tries {
  /** Counts a try, and says whether the limit admits it. */
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
    admit: (address, now) => {
      if (times.size >= maxAddresses && !times.has(address)) forgetOld(now)
      const counted = times.size >= maxAddresses && !times.has(address) ? "" : address
      const recent = (times.get(counted) ?? []).filter((time) => time + windowMillis > now)
      if (recent.length >= maxTries) return false
      times.set(counted, [...recent, now])
      return true
    },
    clear: (address) => {
      times.delete(address)
    },
  }
}
