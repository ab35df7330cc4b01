/**
 * The inputs, results and errors of the calls of `Verifications`.
 */
import type { AccessError, Caller } from "./Caller.ts"
import type { Channel } from "../domain/values/Channel.ts"
import type {
  AlreadyConsumed,
  AlreadyVerified,
  AttemptsExhausted,
  IdempotencyMismatch,
  InsufficientBalance,
  InvalidRequest,
  NotOnWhatsApp,
  NotVerified,
  RateLimited,
  RequestExpired,
  RequestNotFound,
  ResendsExhausted,
  SendingFailed,
  TooManyPending,
  WrongCode,
} from "../domain/errors/Errors.ts"
import type * as Inputs from "./Inputs.ts"
import type * as Ids from "../domain/values/Ids.ts"
import type * as Message from "../domain/messages/Message.ts"
import type * as PhoneNumber from "../domain/values/PhoneNumber.ts"
import type * as Verification from "../domain/verifications/Verification.ts"
import type { VerificationFailure } from "../domain/verifications/VerificationState.ts"
import type { KeyError } from "./Caller.ts"
import type * as Redacted from "effect/Redacted"

export interface SendVerification extends Caller, Inputs.SendVerification {
  /** JSON text of an object, at most 1,024 bytes. */
  readonly metadata?: string | undefined
}

export interface ResendVerification extends Caller, Inputs.ResendVerification {}

export interface SentVerification {
  readonly requestId: Ids.RequestId
  readonly phoneNumber: PhoneNumber.PhoneNumber
  /** The requested channel, or SMS if the host falls back to it. */
  readonly channel: Channel
  readonly status: "pending"
  /** When the code expires, in epoch milliseconds. */
  readonly expiresAt: number
  readonly expiresInSeconds: number
  readonly resendsRemaining: number
  /** The earliest time at which the code can be sent again, in epoch milliseconds; `null` if it cannot. */
  readonly resendAt: number | null
}

interface OfPurpose {
  /** A request with another purpose is not found. `null`: only one without a purpose. @defaultValue any purpose */
  readonly purpose?: string | null | undefined
}

export interface CheckVerification
  extends Caller, Omit<Inputs.CheckedRequest, "purpose">, OfPurpose {
  /** The code as the user has typed it; 1 to 32 characters. `Codes.normalize` reads it. */
  readonly code: Redacted.Redacted<string>
}

export interface CheckedVerification {
  readonly requestId: Ids.RequestId
  readonly phoneNumber: PhoneNumber.PhoneNumber
  readonly status: "verified"
  /** Epoch milliseconds; the same in every repeated check. */
  readonly verifiedAt: number
  /** Whether this check verified the request. Begin a session for the first one only. */
  readonly isFirst: boolean
}

export interface CancelledVerification {
  readonly requestId: Ids.RequestId
  readonly phoneNumber: PhoneNumber.PhoneNumber
  readonly status: "failed"
}

export interface ConsumeVerification
  extends Caller, Omit<Inputs.ConsumeVerification, "purpose">, OfPurpose {}

export interface VerifyCode extends Caller, Inputs.VerifyCode {
  /** As in `CheckVerification`. */
  readonly code: Redacted.Redacted<string>
}

/** Times are in epoch milliseconds. */
export interface ConsumedVerification extends Pick<
  Verification.Verification,
  "requestId" | "phoneNumber" | "purpose" | "metadata"
> {
  readonly status: "verified"
  readonly verifiedAt: number
  readonly consumedAt: number
  /** A signed proof for another service; `undefined` without `Proofs`. */
  readonly proof: Redacted.Redacted<string> | undefined
}

/** Times are in epoch milliseconds. */
export interface VerificationStatus extends Pick<
  Verification.Verification,
  | "requestId"
  | "phoneNumber"
  | "channel"
  | "createdAt"
  | "expiresAt"
  | "verifiedAt"
  | "consumedAt"
  | "attemptsRemaining"
  | "purpose"
  | "metadata"
> {
  readonly status: Verification.State
  readonly resendsRemaining: number
  /** The earliest time at which the code can be sent again; `null` if it cannot. */
  readonly resendAt: number | null
  /** Why it has failed; `null` in other states. */
  readonly failure: VerificationFailure | null
  /** The messages with the code that are in the log, oldest first. */
  readonly messages: ReadonlyArray<Message.Message>
}

export interface ResetGuesses extends Caller {
  /** As in `SendVerification`. */
  readonly phoneNumber: string
}

export type SendError =
  | InvalidRequest
  | RateLimited
  | TooManyPending
  | NotOnWhatsApp
  | InsufficientBalance
  | SendingFailed
  | KeyError
  | AccessError

/** Why the code of a request is not sent again, by its state. */
export type NotResent =
  | RequestNotFound
  | AlreadyVerified
  | AttemptsExhausted
  | RequestExpired
  | ResendsExhausted

export type ResendError = SendError | NotResent

export type StatusError = RequestNotFound | AccessError

export type CancelError =
  | InvalidRequest
  | RequestNotFound
  | AlreadyVerified
  | RequestExpired
  | AccessError

export type ConsumeError =
  | InvalidRequest
  | RequestNotFound
  | NotVerified
  | AlreadyConsumed
  | IdempotencyMismatch
  | AttemptsExhausted
  | RequestExpired
  | AccessError

export type VerifyError = CheckError | IdempotencyMismatch

export type CheckError =
  | InvalidRequest
  | RateLimited
  | RequestNotFound
  | WrongCode
  | AlreadyConsumed
  | AttemptsExhausted
  | RequestExpired
  | AccessError
