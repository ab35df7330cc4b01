/**
 * The state of one phone number within one organization: its recent requests, those that are pending, and the
 * wrong codes.
 */
import * as Guesses from "./Guesses.ts"
import type { OrganizationId, RequestId } from "../values/Ids.ts"
import * as KnownClient from "./KnownClient.ts"
import { bounds, type Limits } from "../limits/Limits.ts"
import type { PhoneNumber } from "../values/PhoneNumber.ts"
import type { SlidingWindow } from "../limits/SlidingWindow.ts"

/** A request that counts as pending until `until` (epoch milliseconds, exclusive). */
export interface Pending {
  readonly requestId: RequestId
  readonly until: number
  /** Whether a client that had verified the number made the request. @defaultValue false */
  readonly isKnown?: boolean
}

export interface Recipient {
  readonly organization: OrganizationId
  readonly phoneNumber: PhoneNumber
  readonly sends: SlidingWindow
  readonly pending: ReadonlyArray<Pending>
  /** The wrong codes of strangers: of clients that have not verified the number, and of unnamed ones. */
  readonly guesses: Guesses.Guesses
  readonly clients: ReadonlyArray<KnownClient.KnownClient>
}

const noClients: ReadonlyArray<KnownClient.KnownClient> = []

export const empty = (organization: OrganizationId, phoneNumber: PhoneNumber): Recipient => ({
  organization,
  phoneNumber,
  sends: [],
  pending: [],
  guesses: Guesses.none,
  clients: noClients,
})

/** The pending requests at `now`. One that ends later than any can was made under a wrong clock. */
export const pendingAt = (self: Recipient, now: number): ReadonlyArray<Pending> =>
  self.pending.length === 0
    ? self.pending
    : self.pending.filter(({ until }) => now < until && until <= now + maxPendingMillis)

const maxPendingMillis = bounds.expirySeconds.max * 1_000

/** The smallest whole number of seconds, at least 1, after which fewer than `limit` requests are pending. */
export const secondsUntilFree = (self: Recipient, limit: number, now: number): number => {
  const waits = self.pending
    .map(({ until }) => Math.max(1, Math.ceil((until - now) / 1_000)))
    .toSorted((a, b) => a - b)
  const isFree = (seconds: number): boolean => pendingAt(self, now + seconds * 1_000).length < limit
  return waits.find(isFree) ?? waits.at(-1) ?? 1
}

/** The oldest pending request of a stranger at `now`. Requests are in the order of their making. */
export const oldestOfStrangers = (self: Recipient, now: number): RequestId | undefined =>
  pendingAt(self, now).find(({ isKnown = false }) => !isKnown)?.requestId

/** Adds a request and removes expired ones. */
export const open = (self: Recipient, pending: Pending, now: number): Recipient => ({
  ...self,
  pending: [...pendingAt(self, now), pending],
})

/** Counts a wrong code of a client, which has wrong codes of its own if it has verified the number. */
export const addWrong = (
  self: Recipient,
  client: KnownClient.Digests | undefined,
  limits: Limits,
  now: number,
): Recipient => {
  const known = KnownClient.find(self.clients, client, now)
  const before = known ?? self.guesses
  const guesses = Guesses.addWrong(before, limits, now)
  if (guesses === before) return self
  if (known === undefined) return { ...self, guesses }
  const clients = self.clients.map((one) => (one === known ? { ...one, ...guesses } : one))
  return { ...self, clients }
}

/** Counts a right code, after which its client is known. */
export const addRight = (
  self: Recipient,
  client: KnownClient.Digests | undefined,
  now: number,
): Recipient => {
  const guesses = Guesses.addRight(self.guesses)
  const clients =
    client === undefined ? self.clients : KnownClient.remember(self.clients, client, now)
  return guesses === self.guesses && clients === self.clients ? self : { ...self, guesses, clients }
}

/** Number of wrong codes since the last right one: of strangers, and of each client that is remembered. */
export const sinceSuccess = ({ clients, guesses }: Recipient): number =>
  clients.reduce((sum, client) => sum + client.sinceSuccess, guesses.sinceSuccess)

/** Forgets all wrong codes, and no client. */
export const resetGuesses = (self: Recipient): Recipient => ({
  ...self,
  guesses: Guesses.none,
  clients: self.clients.map((client) => ({ ...client, ...Guesses.none })),
})

/** Removes a request that was verified or has failed. */
export const close = (self: Recipient, requestId: RequestId): Recipient =>
  self.pending.some((pending) => pending.requestId === requestId)
    ? { ...self, pending: self.pending.filter((pending) => pending.requestId !== requestId) }
    : self
