/**
 * The inputs, results and errors of the calls of `Verifications`.
 */
import type { AccessError, Caller } from "./Access.ts"
import type { Channel } from "../domain/Channel.ts"
import type {
  AlreadyConsumed,
  AlreadyVerified,
  AttemptsExhausted,
  InsufficientBalance,
  InvalidRequest,
  NotOnWhatsApp,
  NotVerified,
  RateLimited,
  RequestExpired,
  RequestNotFound,
  SendingFailed,
  TooManyPending,
  WrongCode,
} from "../domain/Errors.ts"
import type * as Ids from "../domain/Ids.ts"
import type * as Message from "../domain/Message.ts"
import type * as PhoneNumber from "../domain/PhoneNumber.ts"
import type * as Verification from "../domain/Verification.ts"
import type { Payment } from "../text/Templates.ts"
import type { NotResent } from "./internal/refusals.ts"
import type * as Redacted from "effect/Redacted"

export interface SendVerification extends Caller {
  /** E.164 with the plus; Bangla digits are read as ASCII digits. */
  readonly phoneNumber: string
  /** `undefined`: `sms`, or `whatsapp` under `Fallback.whatsappFirst` if the organization can send there. */
  readonly channel?: Channel | undefined
  /** Number of digits, 4 to 10. @defaultValue 6 */
  readonly codeLength?: number | undefined
  /** Lifetime of the code in seconds, 60 to 3,600. @defaultValue 300 */
  readonly expirySeconds?: number | undefined
  /** A locale of `Templates`, by default `en-us` or `bn-bd`. `undefined`: their default locale. */
  readonly locale?: string | undefined
  /** A brand id, an approved masking name, or a registered number. `undefined`: the channel's default. */
  readonly brand?: string | undefined
  /** What the number is verified for, such as `login`: a-z, 0-9, `_`, `.` and `-`, at most 32 characters. */
  readonly purpose?: string | undefined
  /** JSON text of an object, at most 1,024 bytes. */
  readonly metadata?: string | undefined
  /** The payment that the code approves: its amount and payee, 1 to 64 characters each, are in the text. */
  readonly payment?: Payment | undefined
}

export interface ResendVerification extends Caller {
  readonly requestId: string
  /** `undefined`: the channel of the last message. */
  readonly channel?: Channel | undefined
}

export interface SentVerification {
  readonly requestId: Ids.RequestId
  readonly phoneNumber: PhoneNumber.PhoneNumber
  /** The requested channel, or SMS if the host falls back to it. */
  readonly channel: Channel
  readonly status: "pending"
  /** Seconds. */
  readonly expiresInSeconds: number
}

export interface ResentVerification extends SentVerification {
  readonly resendsRemaining: number
}

export interface CheckVerification extends Caller {
  /** Required without `phoneNumber`. */
  readonly requestId?: string | undefined
  /** E.164 with the plus, in place of `requestId`: the newest pending request of the number. */
  readonly phoneNumber?: string | undefined
  /** A request with another purpose is not found. `undefined`: any purpose. */
  readonly purpose?: string | undefined
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

export interface ConsumeVerification extends Caller {
  readonly requestId: string
  /** A request with another purpose is not found. `undefined`: any purpose. */
  readonly purpose?: string | undefined
  /** Who the proof is for. `undefined`: the audience of the host's settings. At most 255 characters. */
  readonly audience?: string | undefined
}

/** Times are in epoch milliseconds. */
export interface ConsumedVerification extends Pick<
  Verification.Verification,
  "requestId" | "phoneNumber" | "purpose" | "metadata"
> {
  readonly status: "verified"
  readonly verifiedAt: number
  readonly consumedAt: number
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
  /** The messages with the code that are in the log, oldest first. */
  readonly messages: ReadonlyArray<Message.Message>
}

export type SendError =
  | InvalidRequest
  | RateLimited
  | TooManyPending
  | NotOnWhatsApp
  | InsufficientBalance
  | SendingFailed
  | AccessError

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
  | AttemptsExhausted
  | RequestExpired
  | AccessError

export type CheckError =
  | InvalidRequest
  | RateLimited
  | RequestNotFound
  | WrongCode
  | AttemptsExhausted
  | RequestExpired
  | AccessError
