/**
 * A number that takes part in everything but is never sent anything: its code is always the same.
 * Reviewers of an app store get one, and so do tests against a system that is live.
 */
import type { Reachable } from "./GatewayOutcome.ts"
import * as Redacted from "effect/Redacted"
import type { Channel } from "./Channel.ts"
import type { GatewayOutcome, ReportStatus } from "./GatewayOutcome.ts"
import type { MessageId } from "./Ids.ts"
import { bounds, type Limits } from "./Limits.ts"

/** What becomes of a code for the number, or of any other message to it. */
export type Outcome =
  /** It arrives. */
  | "delivered"
  /** It is taken, and at once reported not to have arrived. It can be checked nevertheless. */
  | "undelivered"
  /** On WhatsApp nobody is there; an SMS arrives. */
  | "not-on-whatsapp"
  /** It is never sent, and its request has failed. */
  | "failed"

export const outcomes: ReadonlyArray<Outcome> = [
  "delivered",
  "undelivered",
  "not-on-whatsapp",
  "failed",
]

export interface TestNumber {
  /** E.164 with its plus. The number policy in force has to let it pass, as any other. */
  readonly phoneNumber: string
  /** 4 to 15 ASCII digits, whatever length a request asks for. Whoever knows it can verify the number. */
  readonly code: Redacted.Redacted<string>
  readonly outcome: Outcome
}

/** Which numbers there are, and where. */
export interface Options {
  readonly numbers: ReadonlyArray<TestNumber>
  /** Lifts the limits of the number: requests in any minute, and almost all on those that are pending. */
  readonly bypassLimits?: boolean | undefined
  /** Whether real users are served here. */
  readonly production: boolean
  /** Without it, no number may be named in production. */
  readonly allowInProduction?: boolean | undefined
}

/** Stands in the log where messages to others have their gateway. No gateway may have this name. */
export const gateway = "test-number"

/** Most numbers that can be named. */
export const maxNumbers = 100

const numberShape = /^\+[1-9]\d{6,14}$/
const codeShape = new RegExp(`^\\d{${bounds.codeLength.min},${bounds.codeLength.max}}$`)

/** What is wrong with the options, a sentence for each that is; none repeats a number or a code. */
export const problems = ({
  allowInProduction = false,
  numbers,
  production,
}: Options): ReadonlyArray<string> => {
  const seen = new Set<string>()
  return [
    ...(production && !allowInProduction && numbers.length > 0
      ? ["are not for production, unless allowInProduction says that this is meant"]
      : []),
    ...(numbers.length > maxNumbers ? [`must be at most ${maxNumbers}`] : []),
    ...numbers.flatMap(({ code, phoneNumber }, index) => {
      const at = `number ${index + 1}`
      const isKnown = seen.has(phoneNumber)
      seen.add(phoneNumber)
      return [
        ...(numberShape.test(phoneNumber)
          ? []
          : [`${at} must be in E.164 format with a leading plus`]),
        ...(codeShape.test(Redacted.value(code))
          ? []
          : [
              `${at} must have a code of ${bounds.codeLength.min} to ${bounds.codeLength.max} digits`,
            ]),
        ...(isKnown ? [`${at} is named twice`] : []),
      ]
    }),
  ]
}

/** Whether the number can be reached over a channel. */
export const isReachable = ({ outcome }: TestNumber, channel: Channel): Reachable =>
  channel === "whatsapp" && outcome === "not-on-whatsapp" ? "no" : "yes"

/** What a gateway would have answered. */
export const outcomeOf = ({ outcome }: TestNumber, token: MessageId): GatewayOutcome => {
  // Shown in the log, so that nobody looks for the message at a vendor.
  const gatewayId = `test_${token}`
  switch (outcome) {
    case "delivered":
    case "not-on-whatsapp":
      return { _tag: "Delivered", gatewayId }
    case "undelivered":
      return { _tag: "Accepted", gatewayId }
    case "failed":
      return { _tag: "NotSent", message: "A test number that nothing is sent to" }
  }
}

/** What a gateway would have reported on what it has accepted. */
export const reportOf = ({ outcome }: TestNumber): ReportStatus | undefined =>
  outcome === "undelivered" ? "undelivered" : undefined

/** The limits of a number where its own are lifted. Pending requests stay bounded: they are one row. */
export const lifted = (limits: Limits): Limits => ({
  ...limits,
  sendsPerNumber: undefined,
  pendingPerNumber: bounds.pendingPerNumber.max,
})
