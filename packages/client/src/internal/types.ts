import type { Duration } from "./durations.ts"

/** The result of a call. It is data, so that the caller has to handle every outcome. */
export type Result<A, E> =
  | { readonly ok: true; readonly data: A }
  | { readonly ok: false; readonly error: E }

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call: the request, the reading of its response, and the wait before a retry. */
  readonly signal?: AbortSignal | undefined
}

/** Options of a call that has its effect once, however often it is repeated. */
export interface KeyedCall extends CallOptions {
  /**
   * Your own key of the call: 1 to 255 printable ASCII characters, unique for each call of the organization and the
   * method. Pass the same key to repeat a call in another process, within 24 hours. @defaultValue a new key
   */
  readonly idempotencyKey?: string | undefined
}

/** The channel of a message. */
export type Channel = "sms" | "whatsapp"

export interface SendVerification extends KeyedCall {
  /** E.164 with its plus. */
  readonly phoneNumber: string
  /** @defaultValue `sms` */
  readonly channel?: Channel | undefined
  /** Number of digits, 4 to 10. @defaultValue 6 */
  readonly codeLength?: number | undefined
  /** `"60 seconds"` to `"1 hour"`, in whole seconds. @defaultValue `"5 minutes"` */
  readonly expiresIn?: Duration | undefined
  /** `en-us` or `bn-bd`. @defaultValue the service's first locale */
  readonly locale?: string | undefined
  /** A sender's id, an approved masking name, or a registered number. @defaultValue the default of the channel */
  readonly sender?: string | undefined
  /**
   * Your own name for the visitor: an address, a device or a session; 1 to 128 characters. The service stores only a
   * keyed digest of it. Limits per client count by it, and a client that has verified the number has a budget of
   * wrong codes of its own.
   */
  readonly client?: string | undefined
  /** What the number is verified for, such as `login`: a-z, 0-9, `_`, `.` and `-`, at most 32 characters. */
  readonly purpose?: string | undefined
  /** Returned by `consume` and with the status of the request. At most 1,024 bytes as JSON. */
  readonly metadata?: Metadata | undefined
  /** The payment that the code approves. Its amount and payee are in the text, 1 to 64 characters each. */
  readonly payment?: Payment | undefined
}

/** A JSON object of yours. */
export type Metadata = Readonly<Record<string, unknown>>

/** A payment that a user approves with a code. */
export interface Payment {
  /** As people read it, with its currency. */
  readonly amount: string
  readonly payee: string
}

/** A code that was sent. */
export interface SentVerification {
  /** Pass it to `check` with the code. */
  readonly requestId: string
  /** E.164 with its plus. */
  readonly phoneNumber: string
  readonly channel: Channel
  readonly status: "pending"
  /** Seconds from now during which the code can be checked. */
  readonly expiresInSeconds: number
}

/** Selects a request. */
export interface OfRequest extends CallOptions {
  /** From the result of `verifications.send`. */
  readonly requestId: string
}

export interface ResendVerification extends OfRequest, KeyedCall {
  /** @defaultValue the channel of the last message */
  readonly channel?: Channel | undefined
  /** As in `SendVerification`. */
  readonly client?: string | undefined
}

/** A code that was sent again. */
export interface ResentVerification extends SentVerification {
  /** How many more times the code can be sent. */
  readonly resendsRemaining: number
}

/** A request that has ended without success. */
export interface CancelledVerification {
  readonly requestId: string
  readonly status: "failed"
}

export interface ConsumeVerification extends OfRequest, KeyedCall {
  /** A request with another purpose is not found. @defaultValue any purpose */
  readonly purpose?: string | undefined
  /** The service that the proof is for, at most 200 characters. @defaultValue the service's own */
  readonly audience?: string | undefined
}

/** A verified request that this call has used up. */
export interface ConsumedVerification {
  readonly requestId: string
  /** The verified phone number, E.164 with its plus. */
  readonly phoneNumber: string
  readonly status: "verified"
  readonly verifiedAt: Date
  readonly consumedAt: Date
  readonly purpose: string | null
  readonly metadata: Metadata | null
  /** A signed token for another service, valid for minutes; `null` if the service signs no proofs. */
  readonly proof: string | null
}

/** The state of a request. */
export interface VerificationStatus {
  readonly requestId: string
  /** E.164 with its plus. */
  readonly phoneNumber: string
  /** The channel of the last message. */
  readonly channel: Channel
  readonly status: "pending" | "verified" | "expired" | "failed"
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly verifiedAt: Date | null
  readonly consumedAt: Date | null
  readonly attemptsRemaining: number
  readonly resendsRemaining: number
  /** The earliest time at which the code can be sent again; `null` if it cannot. */
  readonly resendAt: Date | null
  readonly purpose: string | null
  readonly metadata: Metadata | null
  /** The messages with the code that are in the log, oldest first. */
  readonly messages: ReadonlyArray<{
    /** For `messages.get`. */
    readonly id: string
    readonly channel: Channel
    readonly status: LogEntry["status"]
    readonly createdAt: Date
  }>
}

export interface CheckVerification extends CallOptions {
  /** From the result of `verifications.send`. Required without `phoneNumber`, and not allowed with it. */
  readonly requestId?: string | undefined
  /** Without `requestId`: selects the newest pending request of this number, E.164 with its plus. */
  readonly phoneNumber?: string | undefined
  /** The code as the user typed it; 1 to 32 characters. White space and hyphens are ignored. */
  readonly code: string
  /** As in `SendVerification`. */
  readonly client?: string | undefined
  /** A request with another purpose is not found. @defaultValue any purpose */
  readonly purpose?: string | undefined
}

/** A verified request. */
export interface CheckedVerification {
  readonly requestId: string
  /** The verified phone number, E.164 with its plus. */
  readonly phoneNumber: string
  readonly status: "verified"
  /** The same at every repeated check of the request. */
  readonly verifiedAt: Date
  /**
   * Whether this check verified the request. Later checks succeed as well, with any code. Begin a session only
   * if `isFirst` is `true`. It is `false` if a proxy has removed the `Countersign-First` header.
   */
  readonly isFirst: boolean
}

export interface SendMessage extends KeyedCall {
  /** E.164, with or without its plus. */
  readonly phoneNumber: string
  /** 1 to 1,600 characters, sent unchanged. */
  readonly text: string
  /** @defaultValue `sms` */
  readonly channel?: Channel | undefined
  /** A sender's id, an approved masking name, or a registered number. @defaultValue the default of the channel */
  readonly sender?: string | undefined
}

/** A message that the gateway has taken. The log shows whether it arrives. */
export interface SentMessage {
  /** The gateway's id of the message. */
  readonly gatewayId: string
  /** E.164 without its plus. */
  readonly phoneNumber: string
  readonly channel: Channel
  readonly status: "delivered"
  /** The available balance, in the account's currency. */
  readonly creditsRemaining: number
}

export interface ListMessages extends CallOptions {
  /** 1 to 200. @defaultValue 50 */
  readonly limit?: number | undefined
  /** From 1. @defaultValue 1 */
  readonly page?: number | undefined
  /**
   * An instant, a date-time with its offset, or a date, which is the whole day in UTC. `from` and `to` are
   * inclusive. Only one of them without the other does not filter.
   */
  readonly from?: Date | string | undefined
  readonly to?: Date | string | undefined
}

/** One message of the log. */
export interface LogEntry {
  readonly id: string
  /** E.164 without its plus; `erased:` and its country once it was erased. */
  readonly phoneNumber: string
  /** The text; the code of a verification is masked. Empty once it was erased. */
  readonly text: string
  /** `mask`: an SMS under an approved name. `non-mask`: any other SMS. */
  readonly channel: "mask" | "non-mask" | "whatsapp"
  readonly status:
    | "pending"
    | "accepted"
    | "delivered"
    | "undelivered"
    | "rejected"
    | "failed"
    | "unknown"
  /** The price, a decimal; `"0.00"` after a refund. */
  readonly price: string
  readonly gatewayId: string | null
  readonly errorMessage: string | null
  readonly createdAt: Date
}

/** One page of the log. */
export interface MessagePage {
  /** Newest first. */
  readonly messages: ReadonlyArray<LogEntry>
  readonly page: number
  readonly limit: number
  /** The exact number of matching messages. */
  readonly total: number
  readonly totalPages: number
}

/** The balance of the organization. */
export interface Balance {
  /** The available balance, in `currency`. */
  readonly balance: number
  /** ISO 4217. */
  readonly currency: string
}
