/**
 * A client that has verified a phone number. It has wrong codes of its own, so that strangers who guess at the
 * number do not lock its owner out.
 */
import * as Guesses from "./Guesses.ts"

export interface KnownClient extends Guesses.Guesses {
  /** A keyed digest of the host's name for the client. */
  readonly client: string
  /** When the client has last verified the number, in epoch milliseconds. */
  readonly verifiedAt: number
}

/** Maximum number of clients that a number remembers. The one that verified it last comes first. */
export const maxClients = 8

/** How long a client is known after it has verified the number: 90 days. */
export const knownMillis = 7_776_000_000

/** The digests of a client under all secrets. The digest under the current secret comes first. */
export type Digests = readonly [current: string, ...others: ReadonlyArray<string>]

const isKnown = ({ verifiedAt }: KnownClient, now: number): boolean =>
  now - verifiedAt < knownMillis

export const find = (
  clients: ReadonlyArray<KnownClient>,
  digests: Digests | undefined,
  now: number,
): KnownClient | undefined =>
  digests === undefined
    ? undefined
    : clients.find((one) => digests.includes(one.client) && isKnown(one, now))

/** The clients after this one has verified the number. Its wrong codes of the window stay. */
export const remember = (
  clients: ReadonlyArray<KnownClient>,
  digests: Digests,
  now: number,
): ReadonlyArray<KnownClient> => {
  const before = clients.find(({ client }) => digests.includes(client)) ?? Guesses.none
  const first: KnownClient = {
    client: digests[0],
    verifiedAt: now,
    window: before.window,
    sinceSuccess: 0,
  }
  return [first, ...clients.filter((one) => one !== before).slice(0, maxClients - 1)]
}

/** Whether the client has no effect under any limits, now and later. `earliest` begins the longest window. */
export const isIdle = (self: KnownClient, earliest: number, now: number): boolean =>
  !isKnown(self, now) && Guesses.isIdle(self, earliest)
