/**
 * Counts the requests that are under way, in all and for each API key, and sends the rest away before
 * anything is read or looked up. Sending away has to cost next to nothing, or it takes all of the time.
 *
 * A key has a bound of its own once it has authenticated on this node. Every other request shares one bound
 * of the same size: without a key, with a malformed or wrong one, or with a key that is new to this node.
 * So wrong keys never use up the bound of a good one, not even under its id, and many different wrong keys
 * have no more room than one.
 */
import * as ApiKey from "@countersign/core/domain/ApiKey"
import { codes } from "@countersign/core/domain/ErrorCode"
import { bearerKey } from "./internal/bearerKey.ts"

export interface Bounds {
  /** How many may be under way. */
  readonly max: number
  /** How many of them with one key, and how many with all keys together that have not authenticated. */
  readonly maxPerKey: number
}

/** What those are told who are sent away: the same bytes every time. */
export const refusal = {
  status: 503,
  headers: {
    "cache-control": "no-store",
    "content-type": "application/json",
    "countersign-error": codes.StoreUnavailable,
    "retry-after": "1",
  },
  body: JSON.stringify({ error: "Temporarily unavailable", retry_after: 1 }),
} as const

/** How many keys that have authenticated a gate remembers. The one that was used longest ago is forgotten. */
export const maxKnownKeys = 20_000

/** The bound that all requests share whose key has not authenticated. No fingerprint is empty. */
const unknown = ""

interface Admission {
  readonly key: string | undefined
  bound: string
}

export class AdmissionGate {
  readonly #bounds: Bounds
  /** Fingerprints, the one that was used longest ago first. */
  readonly #known = new Set<string>()
  readonly #underWay = new Map<string, number>()
  readonly #visits = new Map<object, Admission>()
  readonly #waiting: Array<() => void> = []
  /** The header that was read last, because a mount asks about each twice. */
  #last: { readonly authorization: string | undefined; readonly key: string | undefined } = {
    authorization: undefined,
    key: undefined,
  }

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  /** How many are inside. */
  get size(): number {
    return this.#visits.size
  }

  /** The bound that a request with this `Authorization` header counts towards. */
  boundOf(authorization: string | undefined): string {
    return this.#boundOfKey(this.#fingerprintOf(authorization))
  }

  /** Whether one more within this bound would be sent away. */
  isFull(bound: string): boolean {
    const own = this.#underWay.get(bound) ?? 0
    return this.#visits.size >= this.#bounds.max || own >= this.#bounds.maxPerKey
  }

  /** Lets a request in, if there is room; it has to `leave` then. */
  admit(request: object, authorization: string | undefined): boolean {
    const key = this.#fingerprintOf(authorization)
    const bound = this.#boundOfKey(key)
    if (this.isFull(bound)) return false
    this.#visits.set(request, { key, bound })
    this.#add(bound, 1)
    return true
  }

  /**
   * The key of a request has authenticated. From now on it has a bound of its own, which this request counts
   * towards as well; `false` if that one is full.
   */
  authenticate(request: object): boolean {
    const visit = this.#visits.get(request)
    if (visit?.key === undefined) return true
    this.#remember(visit.key)
    if (visit.bound === visit.key) return true
    if ((this.#underWay.get(visit.key) ?? 0) >= this.#bounds.maxPerKey) return false
    this.#add(visit.bound, -1)
    this.#add(visit.key, 1)
    visit.bound = visit.key
    return true
  }

  /** The key of a request is not good, or no longer: the next ones with it share the bound of unknown keys. */
  forget(request: object): void {
    const key = this.#visits.get(request)?.key
    if (key !== undefined) this.#known.delete(key)
  }

  release(request: object): void {
    const visit = this.#visits.get(request)
    if (visit === undefined) return
    this.#visits.delete(request)
    this.#add(visit.bound, -1)
    if (this.#visits.size === 0) for (const tell of this.#waiting.splice(0)) tell()
  }

  /** Tells when nobody is inside, now or for the first time from now on. */
  whenEmpty(tell: () => void): void {
    if (this.#visits.size === 0) tell()
    else this.#waiting.push(tell)
  }

  #fingerprintOf(authorization: string | undefined): string | undefined {
    if (authorization !== this.#last.authorization) {
      const text = bearerKey(authorization)
      const key = text === undefined ? undefined : ApiKey.fingerprint(text)
      this.#last = { authorization, key }
    }
    return this.#last.key
  }

  #boundOfKey(key: string | undefined): string {
    return key !== undefined && this.#known.has(key) ? key : unknown
  }

  #add(bound: string, count: 1 | -1): void {
    const own = (this.#underWay.get(bound) ?? 0) + count
    if (own > 0) this.#underWay.set(bound, own)
    else this.#underWay.delete(bound)
  }

  #remember(key: string): void {
    // Moving on every request would cost more than it brings while there is room.
    if (this.#known.has(key) && this.#known.size < maxKnownKeys) return
    this.#known.delete(key)
    this.#known.add(key)
    if (this.#known.size <= maxKnownKeys) return
    for (const oldest of this.#known) {
      this.#known.delete(oldest)
      break
    }
  }
}
