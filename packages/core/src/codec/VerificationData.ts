/**
 * Plain data of verifications.
 */
import type { Payment } from "../domain/verifications/Payment.ts"
import type * as Inputs from "../api/Inputs.ts"
import type { MessageStatus } from "../domain/messages/MessageStatus.ts"
import type {
  VerificationFailure,
  VerificationState,
} from "../domain/verifications/VerificationState.ts"
import type { Channel, Page, Times } from "./Data.ts"

export type { Payment, VerificationFailure, VerificationState }

export interface SendVerification extends Inputs.SendVerification {
  /** Returned with the status, in events and when the request is consumed. At most 1,024 bytes as JSON. */
  readonly metadata?: Metadata | undefined
}

/** A JSON object of the host. */
export type Metadata = Readonly<Record<string, unknown>>

/** A code that was sent. */
export interface SentVerification {
  /** Pass it to `verify` with the code. */
  readonly requestId: string
  /** E.164 with its plus. */
  readonly phoneNumber: string
  /** The channel that carries the code. */
  readonly channel: Channel
  /** When the code expires. */
  readonly expiresAt: Date
  /** The earliest time at which the code can be sent again; `null` if it cannot. */
  readonly resendAt: Date | null
  /** How often the code can still be sent again. */
  readonly resendsRemaining: number
}

export interface OfRequest {
  /** The id of the request, from `send`. */
  readonly requestId: string
}

export type { ConsumeVerification, ResendVerification } from "../api/Inputs.ts"

/** A code that is checked, and the request that it uses up. */
export interface VerifyCode extends Inputs.VerifyCode {
  /** The code as the user typed it; 1 to 32 characters. White space and hyphens are ignored. */
  readonly code: string
}

/** A verified request that was used up. */
export interface VerifiedNumber {
  /** The id of the request. */
  readonly requestId: string
  /** The number to sign in, E.164 with its plus. Trust no other. */
  readonly phoneNumber: string
  /** The purpose that the code was sent for; `null` if it had none. */
  readonly purpose: string | null
  /** Your own object from `send`; `null` if it had none. */
  readonly metadata: Metadata | null
  /** When the right code was entered. */
  readonly verifiedAt: Date
  /** When the request was used up. */
  readonly consumedAt: Date
  /** A signed token for another service, valid for minutes; `null` without the option `proofs`. */
  readonly proof: string | null
}

interface CheckedFields extends Pick<Inputs.CheckedRequest, "client" | "purpose"> {
  /** The code as the user typed it; 1 to 32 characters. White space and hyphens are ignored. */
  readonly code: string
}

/** A code to check, of a request. */
export interface CheckRequest extends CheckedFields {
  /** The id of the request, from `send`. */
  readonly requestId: string
  readonly phoneNumber?: never
}

/** A code to check, of the newest pending request of a number. */
export interface CheckNumber extends CheckedFields {
  /** E.164 with its plus. */
  readonly phoneNumber: string
  readonly requestId?: never
}

export type CheckCode = CheckRequest | CheckNumber

/** A verified request. */
export interface CheckedVerification {
  /** The id of the request. */
  readonly requestId: string
  /** The verified phone number, E.164 with its plus. */
  readonly phoneNumber: string
  /** The same at every repeated check of the request. */
  readonly verifiedAt: Date
  /** Whether this check verified the request. Later ones succeed with any code: begin no session for them. */
  readonly isFirst: boolean
}

export interface ListVerifications extends Inputs.SearchVerifications, Times {}

interface VerificationFields extends SentVerification {
  /** How many codes can still be entered. */
  readonly attemptsRemaining: number
  /** When the code was requested. */
  readonly createdAt: Date
  /** The purpose that the code was sent for; `null` if it had none. */
  readonly purpose: string | null
  /** Your own object from `send`; `null` if it had none. */
  readonly metadata: Metadata | null
}

/** A request whose code was not accepted yet, or not in time. */
export interface OpenVerification extends VerificationFields {
  /** `expired`: the time of the code is over. */
  readonly status: "pending" | "expired"
}

/** A request whose code was accepted. */
export interface VerifiedVerification extends VerificationFields {
  /** The right code was entered. */
  readonly status: "verified"
  /** When the right code was entered. */
  readonly verifiedAt: Date
  /** When the request was used up; `null` if it was not. */
  readonly consumedAt: Date | null
}

/** A request that has ended without success. */
export interface FailedVerification extends VerificationFields {
  /** The request has ended without success. */
  readonly status: "failed"
  /** Why it has failed. */
  readonly reason: VerificationFailure
}

/** A verification request. */
export type Verification = OpenVerification | VerifiedVerification | FailedVerification

/** A verification request as one record, as the admin API has it. */
export interface FoundVerification extends VerificationFields {
  readonly status: VerificationState
  readonly verifiedAt: Date | null
  readonly consumedAt: Date | null
}

interface Delivery {
  /** The status of its newest message; `null` if the message is no longer in the log. */
  readonly delivery: MessageStatus | null
}

export type FoundListed = FoundVerification & Delivery

export interface FoundVerifications extends Pick<Page<unknown>, "next"> {
  /** Newest first, by their first message. */
  readonly verifications: ReadonlyArray<FoundListed>
}

/** A verification request in a list. */
export type ListedVerification = Verification & Delivery
