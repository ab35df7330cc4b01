/**
 * What a gateway can say of a message, at dispatch and later.
 */

import * as Result from "effect/Result"
import * as Checks from "./internal/checks.ts"

export const rejectionReasons = ["recipient", "content", "sender", "account"] as const

/** Whose fault a refusal is, which tells what else may be tried. */
export type RejectionReason = (typeof rejectionReasons)[number]

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

const taken: Checks.Checks<Taken> = {
  gatewayId: Checks.id,
  gateway: Checks.optional(Checks.name),
  segments: Checks.optional(Checks.wholeNumber(0)),
  idMillis: Checks.optional(Checks.unboundedDuration),
}
const worded = { message: Checks.text }

type FieldsOf<T extends GatewayOutcome["_tag"]> = Omit<
  Extract<GatewayOutcome, { readonly _tag: T }>,
  "_tag"
>

const checks: { readonly [T in GatewayOutcome["_tag"]]: Checks.Checks<FieldsOf<T>> } = {
  Accepted: taken,
  Delivered: taken,
  Rejected: {
    ...worded,
    reason: Checks.oneOf(rejectionReasons),
    unreachable: Checks.optional(Checks.boolean),
  },
  Throttled: { ...worded, retryAfterMillis: Checks.optional(Checks.duration) },
  NotSent: worded,
  Unknown: worded,
}

const checksByTag = new Map<unknown, ReadonlyArray<readonly [string, Checks.Check]>>(
  Object.entries(checks).map(([tag, fields]) => [tag, Object.entries<Checks.Check>(fields)]),
)

const outcomeProblem = (value: unknown): string | undefined => {
  if (!Checks.isObject(value)) return "the answer must be an object"
  const fields = checksByTag.get(value["_tag"])
  return fields === undefined
    ? `_tag must be one of ${Object.keys(checks).join(", ")}`
    : Checks.problemIn(value, fields)
}

const isOutcome = (value: unknown): value is GatewayOutcome => outcomeProblem(value) === undefined

/**
 * Reads what an adapter has answered. An outcome is given back as it is. The failure is a sentence that
 * names the first field that is wrong and what it must be; it does not quote the value.
 */
export const readOutcome = (value: unknown): Result.Result<GatewayOutcome, string> =>
  isOutcome(value) ? Result.succeed(value) : Result.fail(outcomeProblem(value) ?? "")

/** Stands for an answer that cannot be read: the message may have been sent. */
export const unreadableOutcome: GatewayOutcome = {
  _tag: "Unknown",
  message: "The gateway's answer could not be read",
}

export const reportStatuses = [
  "accepted",
  "delivered",
  "undelivered",
  "failed",
  "rejected",
] as const

/** What became of a message, by the gateway's later word. */
export type ReportStatus = (typeof reportStatuses)[number]

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

/** Whether a number can be reached over a channel. */
export type Reachable = "yes" | "no" | "unknown"

/** Reads what an adapter has answered. The failure is a sentence. */
export const readReachable = (value: unknown): Result.Result<Reachable, string> =>
  value === "yes" || value === "no" || value === "unknown"
    ? Result.succeed(value)
    : Result.fail("the answer must be one of yes, no, unknown")
