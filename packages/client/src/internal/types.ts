/**
 * The shapes that go in and come out.
 */

/** What a call comes to. It is data, so that no outcome can be overlooked. */
export type Result<A, E> =
  | { readonly ok: true; readonly data: A }
  | { readonly ok: false; readonly error: E }

/** What any call may be given. */
export interface CallOptions {
  /** Ends the call: the request, the reading of its answer, and the wait before another try. */
  readonly signal?: AbortSignal | undefined
}

/** The channel of a message. */
export type Channel = "sms" | "whatsapp"

export interface SendVerification extends CallOptions {
  /** E.164 with its plus. */
  readonly phoneNumber: string
  /** `sms` when left out. */
  readonly channel?: Channel | undefined
  /** Digits; 4 to 10, 6 when left out. */
  readonly codeLength?: number | undefined
  /** 60 to 3,600; 300 when left out. */
  readonly expirySeconds?: number | undefined
  /** `en-us` or `bn-bd`; the first when left out. */
  readonly locale?: string | undefined
  /** A brand's id, an approved masking name, or a registered number; the channel's default when left out. */
  readonly brand?: string | undefined
}

/** A code that was sent. */
export interface SentVerification {
  /** Checks the code later. */
  readonly requestId: string
  /** E.164 with its plus. */
  readonly phoneNumber: string
  readonly channel: Channel
  readonly status: "pending"
  /** How long the code can be checked, from now on. */
  readonly expiresInSeconds: number
}

export interface CheckVerification extends CallOptions {
  /** From the answer to `verifications.send`. */
  readonly requestId: string
  /** What the user has typed; 1 to 32 characters. White space and hyphens do not count. */
  readonly code: string
}

/** A verified request. */
export interface CheckedVerification {
  readonly requestId: string
  /** The number that is verified, E.164 with its plus. */
  readonly phoneNumber: string
  readonly status: "verified"
  /** The same however often the request is checked again. */
  readonly verifiedAt: Date
  /**
   * Whether this check verified the request. Every later check succeeds as well, whatever its code: begin a
   * session only if this is `true`. It is `false` if a proxy has removed the `Countersign-First` header.
   */
  readonly isFirst: boolean
}

export interface SendMessage extends CallOptions {
  /** E.164, with or without its plus. */
  readonly to: string
  /** 1 to 1,600 characters, sent as they are. */
  readonly text: string
  /** `sms` when left out. */
  readonly channel?: Channel | undefined
  /** A brand's id, an approved masking name, or a registered number; the channel's default when left out. */
  readonly brand?: string | undefined
}

/** The gateway has taken the message; whether it arrives is told by the log. */
export interface SentMessage {
  /** The gateway's own id of the message. */
  readonly gatewayId: string
  /** E.164 without its plus. */
  readonly to: string
  readonly channel: Channel
  readonly status: "delivered"
  /** What can still be spent, in the account's currency. */
  readonly creditsRemaining: number
}

export interface ListMessages extends CallOptions {
  /** 1 to 200; 50 when left out. */
  readonly limit?: number | undefined
  /** From 1. */
  readonly page?: number | undefined
  /**
   * An instant, a date-time with its offset, or a date, which is the whole day in UTC. Both ends are
   * included, and one without the other does not filter.
   */
  readonly from?: Date | string | undefined
  readonly to?: Date | string | undefined
}

/** One message of the log. */
export interface LogEntry {
  readonly id: string
  /** E.164 without its plus. */
  readonly recipient: string
  /** A verification's code is masked. */
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
  /** What it has cost: a decimal, `"0.00"` for one that was refunded. */
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
  /** How many match, exactly. */
  readonly total: number
  readonly totalPages: number
}

/** The balance of the organization. */
export interface Balance {
  /** What can still be spent, in the currency. */
  readonly balance: number
  /** ISO 4217. */
  readonly currency: string
}
