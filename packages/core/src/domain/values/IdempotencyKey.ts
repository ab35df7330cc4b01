/**
 * The key of a call that may be repeated. A repeat has no effect and gets the first answer.
 *
 * The row is written in the commit that has the effect. A call that was refused before that has no row, and its
 * repeat is judged again.
 */
import type { OrganizationId, RequestId } from "./Ids.ts"

/** A call with a key. */
export interface IdempotentCall {
  /** Digest of the endpoint and the key. */
  readonly id: string
  /** Digest of everything that determines the effect, keyed with the key, which is not stored. */
  readonly fingerprint: Uint8Array
}

export interface IdempotencyKey extends IdempotentCall {
  readonly organization: OrganizationId
  /** The message that the call has charged; `null` if it has charged none. */
  readonly messageSequence: number | null
  /** The verification request that the call is about. */
  readonly requestId: RequestId | null
  /** The first answer, as JSON without phone numbers; `null` until it is known. */
  readonly answer: string | null
  /** From then on, the key may be used for another call. Epoch milliseconds. */
  readonly expiresAt: number
}

/** How long a key is kept, in milliseconds. */
export const keptMillis = 24 * 60 * 60 * 1_000

/** Longest key, in characters. */
export const maxLength = 255

/** Whether both calls are the same call. */
export const isSameCall = (self: IdempotencyKey, { fingerprint }: IdempotentCall): boolean =>
  self.fingerprint.length === fingerprint.length &&
  self.fingerprint.every((byte, index) => byte === fingerprint[index])
