/** The outcomes that a gateway can give for a message, at dispatch and later. */

import * as Result from "effect/Result"
import * as Checks from "../values/internal/checks.ts"
import {
  type FailureReason,
  type RejectionReason,
  rejectionReasons,
} from "../values/FailureReason.ts"

export type { RejectionReason }
export { type ReportStatus, reportStatuses } from "./ReportStatus.ts"

/** A call of a gateway for a message. */
export interface Attempt {
  readonly gateway: string
  /** Milliseconds until the answer, or until the call was given up. */
  readonly millis: number
  /** Why the gateway has not accepted the message; `undefined` if it has. */
  readonly failure?: FailureReason | undefined
  readonly vendorCode?: string | undefined
}

interface Attempted {
  /** The calls that were made, if the gateway was chosen among several. `undefined`: one, or none. */
  readonly attempts?: ReadonlyArray<Attempt> | undefined
}

/** A gateway's data on a message that it has accepted. */
export interface Acceptance extends Attempted {
  /** The gateway's id of the message. The engine replaces an id that contains the code. */
  readonly gatewayId: string
  /** The accepting gateway, if it was chosen among several. `undefined`: the gateway that was called. */
  readonly gateway?: string | undefined
  /** Milliseconds for which `gatewayId` stays unique. `undefined`: as in the gateway's capabilities. */
  readonly idMillis?: number | undefined
  /**
   * Whether the outcome can be found again if it is lost, if the gateway was chosen among several. `undefined`:
   * the capabilities of the gateway that was called decide.
   */
  readonly isRecoverable?: boolean | undefined
  /** Number of segments that the gateway counts, if it reports them. */
  readonly segments?: number | undefined
}

/** A gateway's data on a message that it has not accepted. */
export interface Refusal extends Attempted {
  /** The vendor's own text. */
  readonly message: string
  /** The vendor's code of the error, such as `21211`. At most 40 characters are kept. */
  readonly vendorCode?: string | undefined
  /** The gateway, if it was chosen among several. `undefined`: the gateway that was called. */
  readonly gateway?: string | undefined
}

/** The answer to one dispatch. */
export type GatewayOutcome =
  /** Accepted. A delivery report follows if the gateway sends reports. */
  | ({ readonly _tag: "Accepted" } & Acceptance)
  /** Accepted, and known to have arrived. */
  | ({ readonly _tag: "Delivered" } & Acceptance)
  /** Rejected in a way that the vendor documents as final: nothing was or will be sent. */
  | ({
      readonly _tag: "Rejected"
      readonly reason: RejectionReason
      /** Whether the vendor documents this as a recipient not on the channel. @defaultValue false */
      readonly unreachable?: boolean | undefined
    } & Refusal)
  /** Not accepted and not sent, because of too many messages. Another attempt may succeed after the wait. */
  | ({
      readonly _tag: "Throttled"
      /** `undefined` if the vendor does not report a time. */
      readonly retryAfterMillis?: number | undefined
    } & Refusal)
  /** Certainly not sent: there was no connection, or the request was rejected before the text was read. */
  | ({
      readonly _tag: "NotSent"
      /** `no_gateway`: no gateway carries such a message. */
      readonly reason?: "no_gateway" | undefined
    } & Refusal)
  /** Any other outcome. The message may or may not arrive. */
  | ({ readonly _tag: "Unknown" } & Refusal)

/** Whether an outcome proves that nothing was sent, so that another gateway may be tried. */
export const isUnsent = (
  outcome: GatewayOutcome,
): outcome is Extract<GatewayOutcome, { readonly _tag: "Rejected" | "Throttled" | "NotSent" }> =>
  outcome._tag === "Rejected" || outcome._tag === "Throttled" || outcome._tag === "NotSent"

export type Accepted = Extract<GatewayOutcome, { readonly _tag: "Accepted" | "Delivered" }>

export const isAccepted = (outcome: GatewayOutcome): outcome is Accepted =>
  outcome._tag === "Accepted" || outcome._tag === "Delivered"

export type Unaccepted = Exclude<GatewayOutcome, Accepted>

export const reasonOf = (outcome: Unaccepted): FailureReason => {
  switch (outcome._tag) {
    case "Rejected":
      return outcome.reason
    case "Throttled":
      return "throttled"
    case "NotSent":
      return outcome.reason ?? "not_sent"
    case "Unknown":
      return "unknown"
  }
}

const isAttempt = (value: unknown): boolean =>
  Checks.isObject(value) && typeof value["gateway"] === "string" && Number.isFinite(value["millis"])

const attempts = Checks.optional({
  must: "must be a list of attempts",
  holds: (value) => Array.isArray(value) && value.every(isAttempt),
})

const acceptance: Checks.Checks<Acceptance> = {
  attempts,
  gatewayId: Checks.id,
  gateway: Checks.optional(Checks.name),
  segments: Checks.optional(Checks.wholeNumber(0)),
  idMillis: Checks.optional(Checks.unboundedDuration),
  isRecoverable: Checks.optional(Checks.boolean),
}
const worded: Checks.Checks<Refusal> = {
  attempts,
  message: Checks.text,
  vendorCode: Checks.optional(Checks.text),
  gateway: Checks.optional(Checks.name),
}

type FieldsOf<T extends GatewayOutcome["_tag"]> = Omit<
  Extract<GatewayOutcome, { readonly _tag: T }>,
  "_tag"
>

const checks: { readonly [T in GatewayOutcome["_tag"]]: Checks.Checks<FieldsOf<T>> } = {
  Accepted: acceptance,
  Delivered: acceptance,
  Rejected: {
    ...worded,
    reason: Checks.oneOf(rejectionReasons),
    unreachable: Checks.optional(Checks.boolean),
  },
  Throttled: { ...worded, retryAfterMillis: Checks.optional(Checks.duration) },
  NotSent: { ...worded, reason: Checks.optional(Checks.oneOf(["no_gateway"])) },
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

/** Makes a reader from the function that finds the problem of a value. The problem is the failure. */
export const reader = <A>(problemOf: (value: unknown) => string | undefined) => {
  const is = (value: unknown): value is A => problemOf(value) === undefined
  return (value: unknown): Result.Result<A, string> =>
    is(value) ? Result.succeed(value) : Result.fail(problemOf(value) ?? "")
}

/** The record of a call of a gateway: its duration, and its failure unless the gateway accepted the message. */
export const attemptOf = (gateway: string, millis: number, outcome: GatewayOutcome): Attempt =>
  isAccepted(outcome)
    ? { gateway, millis }
    : { gateway, millis, failure: reasonOf(outcome), vendorCode: outcome.vendorCode }

/** Parses an answer. The failure names the first wrong field and its requirement, never the value. */
export const readOutcome = reader<GatewayOutcome>(outcomeProblem)

/** Replaces an answer that cannot be read: the message may have been sent. */
export const unreadableOutcome: GatewayOutcome = {
  _tag: "Unknown",
  message: "The gateway's answer could not be read",
}

/** Maximum length of a stored error text, in UTF-16 units. */
export const maxErrorLength = 300

/** Maximum length of a stored code of a vendor, in UTF-16 units. */
const maxCodeLength = 40

/** Maximum length of a stored gateway id, in UTF-16 units. */
export const maxGatewayIdLength = 200

const plain = /^[\x20-\x7e]*$/

const clean = (text: string, length: number): string =>
  text.length <= length && plain.test(text)
    ? text
    : text
        .replace(/\p{Cc}+/gu, " ")
        .slice(0, length)
        .toWellFormed()

/** A vendor's text, cut to the length that a row may contain, without control characters. */
export const errorText = (text: string, maxLength: number = maxErrorLength): string =>
  clean(text, maxLength)

/** A vendor's code of an error, cut to the length that a row may contain. */
export const vendorCodeText = (text: string): string => clean(text, maxCodeLength)

/** A gateway's id of a message, in the form in which it is stored and looked up. */
export const gatewayIdText = (text: string): string => clean(text, maxGatewayIdLength)

const reachable = ["yes", "no", "unknown"] as const

export type Reachable = (typeof reachable)[number]

const reachableCheck = Checks.oneOf(reachable)

/** Parses an adapter's answer. The failure is a sentence. */
export const readReachable = reader<Reachable>((value) =>
  reachableCheck.holds(value) ? undefined : `the answer ${reachableCheck.must}`,
)
