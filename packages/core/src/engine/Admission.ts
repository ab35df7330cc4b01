/** How far a request is admitted. */
import type * as Organization from "../domain/organizations/Organization.ts"
import type { Channel } from "../domain/values/Channel.ts"
import type { IdempotentCall } from "../domain/values/IdempotencyKey.ts"
import type { Claimed } from "../domain/outbox/QueuedSend.ts"
import type { RequestId } from "../domain/values/Ids.ts"
import type * as PhoneNumber from "../domain/values/PhoneNumber.ts"
import type * as Call from "./Call.ts"

/** Kept over repeats with newer settings, so that a request is counted only once. */
export interface Admission {
  /** The fields with which a refusal of the request is recorded, as far as they are known. */
  phoneNumber?: PhoneNumber.PhoneNumber
  channel?: Channel
  requestId?: RequestId
  /** The queued send that the call sends. */
  queued?: Claimed
  /** The batch of the queued send. */
  batch?: string | null
  /** The only gateway that may carry the message. */
  gateway?: string
  /** The call, if it has an idempotency key. */
  keyed: IdempotentCall | undefined
  isCounted: boolean
  /** Whether the gateway has reported that the number is not on WhatsApp. */
  isUnreachable: boolean
}

export const make = (): Admission => ({
  keyed: undefined,
  isCounted: false,
  isUnreachable: false,
})

/** A step with the settings of the caller's organization. */
export type Step<I, A, E> = (
  call: Call.Call,
  done: Call.Done<A, E>,
  input: I,
  organization: Organization.Organization,
  admission: Admission,
) => void

/** The same before the settings are known. */
export type Opening<I, A, E> = (
  call: Call.Call,
  done: Call.Done<A, E>,
  input: I,
  admission: Admission,
) => void
