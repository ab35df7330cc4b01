/**
 * A call that was refused: nothing was sent or checked, so no message and no request tells of it. Refusals are
 * counted in the totals, and the newest of an organization are kept.
 */
import type { EngineError } from "../errors/EngineError.ts"
import type { ErrorCode } from "../errors/ErrorCode.ts"
import type { Channel } from "../values/Channel.ts"
import type { InvalidRequest } from "../errors/Errors.ts"
import type { ApiKeyId, OrganizationId, RequestId } from "../values/Ids.ts"
import * as Money from "../values/Money.ts"

/** The refused calls. `fallback`: the SMS of a code that did not arrive over WhatsApp. */
export const operations = ["verify", "resend", "check", "message", "fallback"] as const

export type Operation = (typeof operations)[number]

/** Why a call was refused. */
export interface Cause {
  /** The code of the error. */
  readonly code: ErrorCode
  /**
   * Which limit of `rate_limited`, or the problem of `invalid_request` and `sender_unusable`; `null` for other codes.
   */
  readonly reason: string | null
  /** The numbers of the error, such as `retryAfterSeconds`, amounts as decimals, or the name of the invalid field. */
  readonly parameters: Readonly<Record<string, string | number>>
}

/** A refused call: its operation, its recipient, its caller and its cause. */
export interface NewRefusal extends Cause {
  readonly operation: Operation
  /** Epoch milliseconds. */
  readonly at: number
  /** `null` if it is unknown. */
  readonly channel: Channel | null
  /** ISO 3166 alpha-2; empty if it is unknown. */
  readonly country: string
  /** A keyed digest of the phone number; `null` if the number is unknown or erased. */
  readonly digest: string | null
  readonly maskedNumber: string | null
  /** The request of a check or a resend; `null` for other calls. */
  readonly requestId: RequestId | null
  /** The key of the caller; `null` for a call of the host. */
  readonly apiKeyId: ApiKeyId | null
  /** The id of the host's actor; `null` for a call with a key. */
  readonly actor: string | null
}

export interface Refusal extends NewRefusal {
  readonly organization: OrganizationId
  /** 1 for the organization's first kept refusal; has no gaps. */
  readonly sequence: number
}

/** How often calls were refused for one cause in a slot of the totals. */
export interface Count extends Pick<
  NewRefusal,
  "operation" | "code" | "reason" | "at" | "channel" | "country"
> {
  readonly count: number
}

/** A cause and its count, for an event. */
export interface CausedCount extends Pick<Cause, "code" | "reason"> {
  readonly count: number
}

/** Maximum number of refusals that an organization keeps. A newer one takes the place of the oldest. */
export const maxKept = 1_000

/** The place of a refusal among those that are kept. */
export const placeOf = ({ sequence }: Pick<Refusal, "sequence">): number => sequence % maxKept

/** The outcome in the totals: the code, and the reason after a colon. */
export const outcomeOf = ({ code, reason }: Pick<Cause, "code" | "reason">): string =>
  reason === null ? code : `${code}:${reason}`

/** A refusal without what tells whose it is. */
export const erase = (self: Refusal): Refusal => ({
  ...self,
  digest: null,
  maskedNumber: null,
  requestId: null,
})

type Tag = EngineError["_tag"]

/** The rows of a request show why else its code was not accepted. */
const ofChecks: ReadonlySet<Tag> = new Set<Tag>([
  "AddressNotAllowed",
  "InsufficientScope",
  "InvalidRequest",
  "RateLimited",
  "Unauthorized",
])

/** The outcome is in the log, is unknown, or is the outcome of another call. */
const notRefused: ReadonlySet<Tag> = new Set<Tag>([
  "IdempotencyInFlight",
  "OrganizationNotFound",
  "SendingFailed",
  "StoreUnavailable",
])

/**
 * The first problem of the phone number, which is the likeliest cause of a missing code; otherwise the first problem of
 * the request.
 */
const problemOf = ({ details }: InvalidRequest) => {
  const field = "phoneNumber" in details ? "phoneNumber" : Object.keys(details)[0]
  const problem = field === undefined ? undefined : details[field]?.[0]
  return field === undefined || problem === undefined ? undefined : { field, code: problem.code }
}

const reasonOf = (error: EngineError): string | null => {
  switch (error._tag) {
    case "RateLimited":
      return error.reason
    case "SenderUnusable":
      return error.problem.code
    case "InvalidRequest":
      return problemOf(error)?.code ?? null
    default:
      return null
  }
}

/** The cause of a refusal. `undefined`: the error is no refusal, or the rows of a request tell of it. */
export const causeOf = (
  operation: Operation,
  error: EngineError,
): Omit<Cause, "parameters"> | undefined => {
  const { _tag: tag } = error
  if (operation === "check" ? !ofChecks.has(tag) : notRefused.has(tag)) return undefined
  return { code: error.code, reason: reasonOf(error) }
}

export const parametersOf = (error: EngineError): Cause["parameters"] => {
  switch (error._tag) {
    case "RateLimited":
      return { retryAfterSeconds: error.retryAfterSeconds }
    case "TooManyPending":
      return { limit: error.limit, retryAfterSeconds: error.retryAfterSeconds }
    case "InsufficientBalance": {
      const required = Money.format(Money.fromUnits(error.required))
      return { required, available: Money.format(Money.fromUnits(error.available)) }
    }
    case "SenderUnusable":
      return { field: "sender" }
    case "InvalidRequest": {
      const problem = problemOf(error)
      return problem === undefined ? {} : { field: problem.field }
    }
    default:
      return {}
  }
}

/** A refused call as operations show it. */
export const shown = ({
  country,
  maskedNumber,
  ...self
}: Omit<Refusal, "organization" | "digest">) => ({
  ...self,
  phoneNumber: maskedNumber,
  country: country === "" ? null : country,
})
