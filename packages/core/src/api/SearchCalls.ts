/**
 * The inputs and results of `Messages.search` and `Verifications.search`.
 */
import type { AccessError, Caller } from "./Caller.ts"
import type * as Inputs from "./Inputs.ts"
import type { VerificationStatus } from "./VerificationCalls.ts"
import type { InvalidRequest } from "../domain/errors/Errors.ts"
import type { Message, Status } from "../domain/messages/Message.ts"

export interface Times {
  /** Epoch milliseconds, inclusive. @defaultValue no bound */
  readonly from?: number | undefined
  readonly to?: number | undefined
}

export interface SearchMessages extends Caller, Inputs.SearchMessages, Times {}

export interface SearchVerifications extends Caller, Inputs.SearchVerifications, Times {}

interface Page {
  /**
   * The `cursor` of the next page; `undefined` after the last page. A page examines a limited number of messages, so
   * it may have fewer rows than `limit`, or none, although there is a next page.
   */
  readonly next: string | undefined
}

export interface FoundMessages extends Page {
  /** Newest first. */
  readonly messages: ReadonlyArray<Message>
}

/** A request, without its messages. */
export type FoundVerification = Omit<VerificationStatus, "messages">

/** A request in a list. */
export interface ListedVerification extends FoundVerification {
  /** The status of its newest message; `null` if retention has dropped it. */
  readonly delivery: Status | null
}

export interface FoundVerifications extends Page {
  /** Newest first, by their first message. */
  readonly verifications: ReadonlyArray<ListedVerification>
}

export type SearchError = InvalidRequest | AccessError
