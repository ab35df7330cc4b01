/**
 * A test number takes part in all operations but receives no messages, and its code is always the same. For
 * reviewers of app stores, and tests against a production system.
 */
import * as Redacted from "effect/Redacted"
import type { Channel } from "../values/Channel.ts"
import type { GatewayOutcome, Reachable, ReportStatus } from "../messages/GatewayOutcome.ts"
import type { MessageId } from "../values/Ids.ts"
import { bounds, type Limits, type Profile } from "../limits/Limits.ts"

/** The outcome of each message to the number. */
export const outcomes = [
  /** The message arrives. */
  "delivered",
  /** The message is accepted and immediately reported as not arrived. Its code can still be checked. */
  "undelivered",
  /** The number is not on WhatsApp; an SMS arrives. */
  "not-on-whatsapp",
  /** The message is not sent, and its request fails. */
  "failed",
] as const

export type Outcome = (typeof outcomes)[number]

export interface TestNumber {
  /** E.164 with the plus. The number policy in force must accept it, like any other number. */
  readonly phoneNumber: string
  /** 4 to 15 ASCII digits, for any requested length. Every caller that knows it can verify the number. */
  readonly code: Redacted.Redacted<string>
  readonly outcome: Outcome
}

export interface Options {
  readonly numbers: ReadonlyArray<TestNumber>
  /** Lifts requests per minute, and raises pending requests to the largest limit. @defaultValue false */
  readonly bypassLimits?: boolean | undefined
  /** Whether this environment serves real users. */
  readonly production: boolean
  /** Must be `true` to configure test numbers in production. @defaultValue false */
  readonly allowInProduction?: boolean | undefined
  /** Under `nist`, no option allows test numbers in production. @defaultValue `standard` */
  readonly profile?: Profile | undefined
}

/** The gateway of messages to test numbers in the log. No gateway may have this name. */
export const gateway = "test-number"

export const maxNumbers = 100

const numberShape = /^\+[1-9]\d{6,14}$/
const codeShape = new RegExp(`^\\d{${bounds.codeLength.min},${bounds.codeLength.max}}$`)

/** The problems of the options, one sentence each. No sentence contains a phone number or a code. */
export const problems = (options: Options): ReadonlyArray<string> => {
  const { allowInProduction = false, numbers, production, profile = "standard" } = options
  const found: Array<string> = []
  // Their codes are known to several people and never change, which no setting may allow under this profile.
  if (production && profile === "nist" && numbers.length > 0) {
    found.push("are not for production under the profile nist")
  } else if (production && !allowInProduction && numbers.length > 0) {
    found.push("are not for production, unless allowInProduction says that this is meant")
  }
  if (numbers.length > maxNumbers) found.push(`must be at most ${maxNumbers}`)
  const { max, min } = bounds.codeLength
  const seen = new Set<string>()
  for (const [index, { code, phoneNumber }] of numbers.entries()) {
    const at = `number ${index + 1}`
    if (!numberShape.test(phoneNumber)) {
      found.push(`${at} must be in E.164 format with a leading plus`)
    }
    if (!codeShape.test(Redacted.value(code))) {
      found.push(`${at} must have a code of ${min} to ${max} digits`)
    }
    if (seen.has(phoneNumber)) found.push(`${at} is named twice`)
    seen.add(phoneNumber)
  }
  return found
}

export const isReachable = ({ outcome }: TestNumber, channel: Channel): Reachable =>
  channel === "whatsapp" && outcome === "not-on-whatsapp" ? "no" : "yes"

/** The outcome that a gateway would return. */
export const outcomeOf = ({ outcome }: TestNumber, token: MessageId): GatewayOutcome => {
  // Visible in the log, so that operators do not look for the message at a vendor.
  const gatewayId = `test_${token}`
  return outcome === "failed"
    ? { _tag: "NotSent", message: "A test number that nothing is sent to" }
    : { _tag: outcome === "undelivered" ? "Accepted" : "Delivered", gatewayId }
}

/** The status that a gateway would report for an accepted message. */
export const reportOf = ({ outcome }: TestNumber): ReportStatus | undefined =>
  outcome === "undelivered" ? "undelivered" : undefined

/** The limits without the limits of clients and wrong codes, because the code of a test number is no secret. */
export const withoutBudgets = (limits: Limits): Limits => ({
  ...limits,
  sendsPerClient: undefined,
  checksPerClient: undefined,
  guessesPerNumber: undefined,
  guessesSinceSuccess: undefined,
})

/** The limits for a number whose limits are lifted. One row contains its pending requests. */
export const lifted = (limits: Limits): Limits => ({
  ...withoutBudgets(limits),
  sendsPerNumber: undefined,
  pendingPerNumber: bounds.pendingPerNumber.max,
})
