/**
 * What a gateway can say of a message, at dispatch and later.
 *
 * @module-kind pure
 */

/** Whose fault a refusal is, which tells what else may be tried. */
export type RejectionReason = "recipient" | "content" | "sender" | "account"

/** What a gateway says of a message that it has taken. */
export interface Taken {
  /** Its own name for the message. */
  readonly gatewayId: string
  /** The gateway that took it, where one of several was chosen; the one that was asked when left out. */
  readonly gateway?: string | undefined
  /**
   * For how long the gateway gives `gatewayId` to no other message, in milliseconds.
   * `@defaultValue` what the gateway's capabilities say
   */
  readonly idMillis?: number | undefined
  /** How many parts it counts, where it tells. */
  readonly segments?: number | undefined
}

/** The answer to one dispatch. */
export type GatewayOutcome =
  /** Taken; a report follows if the gateway reports at all. */
  | ({ readonly _tag: "Accepted" } & Taken)
  /** Taken, and known to have arrived. */
  | ({ readonly _tag: "Delivered" } & Taken)
  /** Refused in a way that the vendor documents as final: nothing was or will be sent. */
  | {
      readonly _tag: "Rejected"
      readonly reason: RejectionReason
      readonly message: string
      /** The vendor's documented word for a recipient who is not on the channel; `false` when left out. */
      readonly unreachable?: boolean | undefined
    }
  /** Not taken for now: too much at once. Nothing was sent; another try may do better after the wait. */
  | {
      readonly _tag: "Throttled"
      readonly message: string
      /** `undefined` where the vendor does not say. */
      readonly retryAfterMillis?: number | undefined
    }
  /** Proven not to have left: no connection, or refused before the text was read. */
  | { readonly _tag: "NotSent"; readonly message: string }
  /** Anything else. The message may or may not arrive. */
  | { readonly _tag: "Unknown"; readonly message: string }

/** Whether an outcome proves that nothing was sent, so that another gateway may be tried. */
export const isUnsent = (
  outcome: GatewayOutcome,
): outcome is Extract<GatewayOutcome, { readonly _tag: "Rejected" | "Throttled" | "NotSent" }> =>
  outcome._tag === "Rejected" || outcome._tag === "Throttled" || outcome._tag === "NotSent"

/** What became of a message, by the gateway's later word. */
export type ReportStatus = "accepted" | "delivered" | "undelivered" | "failed" | "rejected"

/** Longest error text that is kept, in UTF-16 units. */
export const maxErrorLength = 300

/** Longest gateway id that is kept, in UTF-16 units. */
export const maxGatewayIdLength = 200

const plain = /^[\x20-\x7e]*$/

const clean = (text: string, length: number): string =>
  text.length <= length && plain.test(text)
    ? text
    : text
        .replace(/\p{Cc}+/gu, " ")
        .slice(0, length)
        .toWellFormed()

/** A vendor's words, cut to what a row may hold and free of control characters. */
export const errorText = (text: string): string => clean(text, maxErrorLength)

/** A vendor's name for a message, in the form in which it is kept and looked for. */
export const gatewayIdText = (text: string): string => clean(text, maxGatewayIdLength)
