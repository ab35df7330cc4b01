/**
 * Plain data of refused calls.
 */
import type { ErrorCode } from "../domain/errors/ErrorCode.ts"
import type * as Inputs from "../api/Inputs.ts"
import type { Channel, OfOrganization, Times } from "./Data.ts"

/** A call that was refused, so that nothing was sent or checked. */
export interface Refusal {
  /** The position among the organization's kept refusals, from 1 without gaps. */
  readonly sequence: number
  readonly at: Date
  /**
   * `verify`, `resend` and `check` are calls of `verifications`, `message` is one of `messages`. `fallback` is the SMS
   * of a code that did not arrive over WhatsApp.
   */
  readonly operation: "verify" | "resend" | "check" | "message" | "fallback"
  /** The `code` of the error. */
  readonly code: ErrorCode
  /**
   * Which limit of `rate_limited`, or the problem of `invalid_request` and `sender_unusable`, such as
   * `prefix_blocked`; `null` for other codes.
   */
  readonly reason: string | null
  /** The numbers of the error, such as `retryAfterSeconds`, amounts as decimals, or the name of the invalid field. */
  readonly parameters: Readonly<Record<string, string | number>>
  readonly channel: Channel | null
  /** ISO 3166 alpha-2; `null` if it is unknown. */
  readonly country: string | null
  /** The masked phone number; `null` if it is unknown or erased. */
  readonly phoneNumber: string | null
  /** The request of a check or a resend. */
  readonly requestId: string | null
  /** The key of the caller; `null` for a call of your own code. */
  readonly apiKeyId: string | null
  /** The actor of a call of your own code; `null` for a call with a key. */
  readonly actor: string | null
}

/** Selects refused calls. */
export interface ListRefusals extends OfOrganization, Inputs.ListRefusals, Times {}

/** A page of refused calls, newest first. */
export interface RefusalPage {
  readonly refusals: ReadonlyArray<Refusal>
  /** The `cursor` of the next page; `null` after the last page. */
  readonly next: string | null
}
