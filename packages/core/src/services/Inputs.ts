/**
 * Inputs of the services that are the same for hosts with and without Effect. The module imports no type of
 * Effect.
 */
import type { Channel } from "../domain/Channel.ts"
import type { Payment } from "../domain/Payment.ts"

/** A call for a visitor of the host. */
interface ByClient {
  /**
   * Your own name for the visitor: an address, a device or a session; 1 to 128 characters. Only a keyed digest of
   * it is stored. Limits per client apply to it, and a client that has verified the number is no stranger to it.
   */
  readonly client?: string | undefined
}

/** A call that may be repeated. */
export interface Repeatable {
  /**
   * Your own key of the call: 1 to 255 printable characters, unique for each call of the organization and the
   * method. A repeat with the key within 24 hours has no effect and gets the answer of the first call, on any node.
   * A call that was refused before it had an effect is judged again. @defaultValue none: each call has its own effect
   */
  readonly idempotencyKey?: string | undefined
}

/** A code to send. */
export interface SendVerification extends Repeatable, ByClient {
  /** E.164 with its plus; Bangla digits are read as ASCII digits. */
  readonly phoneNumber: string
  /**
   * @defaultValue the only one of `codeChannels`; otherwise `sms`, or `whatsapp` if the fallback has `whatsappFirst`
   * and the organization a sender there
   */
  readonly channel?: Channel | undefined
  /** Number of digits, 4 to 10. @defaultValue 6 */
  readonly codeLength?: number | undefined
  /** Lifetime of the code in seconds, 60 to 3,600. @defaultValue 300 */
  readonly expirySeconds?: number | undefined
  /** `en-us`, `bn-bd`, or a locale of your own texts. @defaultValue the default locale of the texts */
  readonly locale?: string | undefined
  /** A brand's id, an approved masking name, or a registered number. @defaultValue the channel's default */
  readonly brand?: string | undefined
  /** What the number is verified for, such as `login`: a-z, 0-9, `_`, `.` and `-`, at most 32 characters. */
  readonly purpose?: string | undefined
  /** The payment that the code approves. Its amount and payee are in the text, 1 to 64 characters each. */
  readonly payment?: Payment | undefined
}

/** A code to send again. */
export interface ResendVerification extends Repeatable, ByClient {
  readonly requestId: string
  /** @defaultValue the channel of the last message */
  readonly channel?: Channel | undefined
}

/** A verified request to use up. */
export interface ConsumeVerification extends Repeatable {
  readonly requestId: string
  /** A request with another purpose is not found. @defaultValue any purpose */
  readonly purpose?: string | undefined
  /** Who the proof is for, at most 200 characters. @defaultValue the audience of the host's settings */
  readonly audience?: string | undefined
}

/** A request whose code is checked. */
export interface CheckedRequest extends ByClient {
  /** Required without `phoneNumber`. */
  readonly requestId?: string | undefined
  /** Without `requestId`: selects the newest pending request of this number, E.164 with its plus. */
  readonly phoneNumber?: string | undefined
  /** A request with another purpose is not found. @defaultValue any purpose */
  readonly purpose?: string | undefined
}

/** A message to send. */
export interface SendMessage extends Repeatable {
  /** E.164, with or without its plus. */
  readonly phoneNumber: string
  /** 1 to 1,600 characters, stored and sent unchanged. */
  readonly text: string
  /** @defaultValue `sms` */
  readonly channel?: Channel | undefined
  /** A brand's id, an approved masking name, or a registered number. @defaultValue the channel's default */
  readonly brand?: string | undefined
}

/** A text whose price is wanted. */
export interface PreviewMessage extends Pick<SendMessage, "text" | "channel"> {
  /** The recipient. A test number costs nothing. @defaultValue any other phone number */
  readonly phoneNumber?: string | undefined
}

/** Selects a page of the log. */
export interface PageOfMessages {
  /** 1 to 200. @defaultValue 50 */
  readonly limit?: number | undefined
  /** From 1. @defaultValue 1 */
  readonly page?: number | undefined
}

/** Selects a part of the ledger: the entries with a sequence above `after`, in ascending order. */
export interface ListEntries {
  /** @defaultValue 0 */
  readonly after?: number | undefined
  /** 1 to 1,000. @defaultValue 100 */
  readonly limit?: number | undefined
}

/** The description of a booking. */
export interface BookingDetails {
  /** The reason, in your own words; at most 200 characters. */
  readonly note?: string | undefined
  /**
   * Your own id of the payment: 1 to 200 printable characters that do not begin with `countersign_`. An
   * organization books a payment id once, on any node and however often the call is repeated. A repeat changes
   * nothing and returns the current balance. The same id with another amount, or for an adjustment instead of a
   * top-up, is an invalid request.
   *
   * Without a `paymentId`, each call is a booking, with one exception: a call that failed because the database
   * was unavailable is recognized when the same process repeats it with the same amount and note within ten
   * minutes.
   */
  readonly paymentId?: string | undefined
}

/** A key to create. */
export interface CreateApiKey {
  /** A name for people; 1 to 100 printable characters. */
  readonly name: string
  /** Only the text of the key differs. @defaultValue `live` */
  readonly environment?: "live" | "test" | undefined
}

/** Rules that detect codes that users never enter, by the first digits of the phone numbers. */
export interface FraudOptions {
  /** Number of digits in a prefix, 1 to 8, from the country code on. @defaultValue 5 */
  readonly prefixDigits?: number | undefined
  /** Maximum number of codes for a prefix in a window. @defaultValue unlimited */
  readonly maxSent?: number | undefined
  /** Number of codes from which on `minConversion` applies. @defaultValue 100 */
  readonly minSent?: number | undefined
  /** The share of codes that must be verified, 0 to 1. @defaultValue 0, which disables the rule */
  readonly minConversion?: number | undefined
  /** `deny` refuses codes for a suspicious prefix; `record` only records the finding. @defaultValue `record` */
  readonly action?: "record" | "deny" | undefined
}
