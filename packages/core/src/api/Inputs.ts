/**
 * Inputs of the services that are the same for hosts with and without Effect. The module imports no type of
 * Effect.
 */
import type { Duration } from "../domain/values/DurationText.ts"
import type { Channel } from "../domain/values/Channel.ts"
import type { MessageStatus } from "../domain/messages/MessageStatus.ts"
import type { Payment } from "../domain/verifications/Payment.ts"
import type { VerificationState } from "../domain/verifications/VerificationState.ts"

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
   * @defaultValue the only one of `verifications.channels`; otherwise `sms`, or `whatsapp` if the fallback has
   * `whatsappFirst` and the organization a sender there
   */
  readonly channel?: Channel | undefined
  /** Number of digits, 4 to 10. @defaultValue 6 */
  readonly codeLength?: number | undefined
  /** How long the code is valid: whole seconds, from 1 minute to 1 hour. @defaultValue `"5 minutes"` */
  readonly expiresIn?: Duration | undefined
  /** `en-us`, `bn-bd`, or a locale of your own texts. @defaultValue the default locale of the texts */
  readonly locale?: string | undefined
  /** A sender's id, an approved masking name, or a registered number. @defaultValue the channel's default */
  readonly sender?: string | undefined
  /** What the number is verified for, such as `login`: a-z, 0-9, `_`, `.` and `-`, at most 32 characters. */
  readonly purpose?: string | undefined
  /** The payment that the code approves. Its amount and payee are in the text, 1 to 64 characters each. */
  readonly payment?: Payment | undefined
  /** An id from `newRequestId`, which no request has yet. @defaultValue a new one */
  readonly requestId?: string | undefined
}

/** A code to send again. */
export interface ResendVerification extends Repeatable, ByClient {
  /** The id of the request, from `send`. */
  readonly requestId: string
  /** @defaultValue the channel of the last message */
  readonly channel?: Channel | undefined
}

interface OfPurpose {
  /** The purpose that the request was sent with. Without it, only a request without a purpose is found. */
  readonly purpose?: string | undefined
}

/** A verified request to use up. */
export interface ConsumeVerification extends Repeatable, OfPurpose {
  /** The id of the request, from `send`. */
  readonly requestId: string
  /** Who the proof is for, at most 200 characters. @defaultValue the audience of the host's settings */
  readonly audience?: string | undefined
}

/** A request whose code is checked, and that is used up. */
export interface VerifyCode extends ConsumeVerification, ByClient {}

/** A request whose code is checked. */
export interface CheckedRequest extends ByClient, OfPurpose {
  /** Required without `phoneNumber`. */
  readonly requestId?: string | undefined
  /** Without `requestId`: selects the newest pending request of this number, E.164 with its plus. */
  readonly phoneNumber?: string | undefined
}

/** A message to send. */
export interface SendMessage extends Repeatable {
  /** E.164, with or without its plus. */
  readonly phoneNumber: string
  /** 1 to 1,600 characters, stored and sent unchanged. */
  readonly text: string
  /** @defaultValue `sms` */
  readonly channel?: Channel | undefined
  /** A sender's id, an approved masking name, or a registered number. @defaultValue the channel's default */
  readonly sender?: string | undefined
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

/** Selects a page of the keys or senders of an organization, in the order of their creation. */
export interface ListPage {
  /** The last id of the previous page. @defaultValue the first page */
  readonly after?: string | undefined
  /** 1 to 1,000. @defaultValue 100 */
  readonly limit?: number | undefined
}

/** Selects what a search finds. All given fields have to match. */
interface Search {
  /** The recipient: E.164, with or without its plus. @defaultValue any phone number */
  readonly phoneNumber?: string | undefined
  /** `next` of the previous page, for the same search. @defaultValue the first page */
  readonly cursor?: string | undefined
  /** Maximum number of rows in the page, 1 to 200. @defaultValue 50 */
  readonly limit?: number | undefined
}

/** Selects messages of the log. */
export interface SearchMessages extends Search {
  /** @defaultValue any status */
  readonly statuses?: ReadonlyArray<MessageStatus> | undefined
  /** The name of the gateway that took the message or was chosen for it. Required for `gatewayId`. */
  readonly gateway?: string | undefined
  /**
   * The gateway's id of the message. Without `phoneNumber`, it finds the message that a report with this id would
   * find: one that was open when the gateway named it, for as long as the gateway does not use the id again.
   */
  readonly gatewayId?: string | undefined
}

/** Selects verification requests. A request is found while its first message is in the log. */
export interface SearchVerifications extends Search {
  /** @defaultValue any status */
  readonly statuses?: ReadonlyArray<VerificationState> | undefined
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

export interface FraudRules extends FraudOptions {
  /** Length of a window: 1 second to 31 days. All nodes must use the same value. @defaultValue `"1 hour"` */
  readonly window?: Duration | undefined
}
