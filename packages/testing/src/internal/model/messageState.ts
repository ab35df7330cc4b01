/**
 * The data of the reference, and the state of a message that follows from it.
 */
import type { Channel } from "@countersign/core/domain/Channel"
import type { ReportStatus } from "@countersign/core/domain/GatewayOutcome"
import type { Behaviour } from "@countersign/core/adapters/SimulatedGateway"
import type { Acquaintance, Counted, Try } from "./budgets.ts"
import type { ModelFinding } from "./suspicion.ts"
import type { Config } from "./scenario.ts"

export type DispatchOutcome = "Accepted" | "Delivered" | "Rejected" | "NotSent" | "Unknown"

export const isRefusal = (outcome: DispatchOutcome): boolean =>
  outcome === "Rejected" || outcome === "NotSent"

const outcomes = {
  Deliver: "Delivered",
  Reject: "Rejected",
  NotSend: "NotSent",
  Report: "Accepted",
  NeverReport: "Accepted",
  NeverAnswer: "Unknown",
} as const

/** Returns the dispatch outcome of a gateway with this behaviour. */
export const outcomeOf = ({ _tag }: Behaviour): DispatchOutcome => outcomes[_tag]

/** A fact about a message. */
export type Fact =
  | { readonly tag: "dispatch"; readonly outcome: DispatchOutcome; readonly at: number }
  | { readonly tag: "report"; readonly status: ReportStatus }
  | { readonly tag: "deadline" }

export interface ModelMessage {
  readonly org: number
  readonly sequence: number
  readonly person: number
  readonly createdAt: number
  readonly price: number
  readonly logChannel: "mask" | "non-mask" | "whatsapp"
  /** `undefined` for a message with a code. */
  readonly text: string | undefined
  readonly facts: Array<Fact>
}

export interface ModelRequest {
  readonly org: number
  readonly person: number
  channel: Channel
  readonly createdAt: number
  readonly expirySeconds: number
  /** The last message that carries its code. */
  message: ModelMessage
  /** `false` if the node died before it sent the code. */
  readonly hasCode: boolean
  wrongCodes: number
  verifiedAt: number | undefined
  isDropped: boolean
  /** Whether it is certain that the code was not sent. */
  isUnsent: boolean
  /** Whether a client made it that had verified the number. */
  readonly isKnown: boolean
  /** Whether a request of such a client took its place. */
  isDisplaced: boolean
}

export interface ModelBooking {
  readonly tag: "topUp" | "adjust"
  readonly units: number
  readonly payment: number | null
}

export interface ModelOrganization {
  readonly bookings: Array<ModelBooking>
  readonly requests: Array<{ readonly person: number; readonly at: number }>
  readonly checked: Array<number>
  tries: ReadonlyArray<Try>
  readonly acquaintances: Array<Acquaintance>
  readonly clientSends: Array<Counted>
  readonly clientChecks: Array<Counted>
  readonly counted: Array<number>
  readonly messages: Array<ModelMessage>
  readonly keysRevoked: Array<boolean>
  allowList: number
  isSuspended: boolean
  /** Number of oldest messages that were removed. */
  dropped: number
  /** All requests from this time on still exist. */
  requestsFrom: number
  /** Suspicious sends, oldest first. */
  findings: ReadonlyArray<ModelFinding>
  /** Number of oldest findings that were removed. */
  findingsDropped: number
}

/** A new organization with a balance. */
export const newOrganization = (units: number): ModelOrganization => ({
  bookings: [{ tag: "topUp", units, payment: null }],
  requests: [],
  checked: [],
  tries: [],
  acquaintances: [],
  clientSends: [],
  clientChecks: [],
  counted: [],
  messages: [],
  keysRevoked: [false],
  allowList: 0,
  isSuspended: false,
  dropped: 0,
  requestsFrom: 0,
  findings: [],
  findingsDropped: 0,
})

/** Returns the status and the money of a message. */
export const messageState = (message: ModelMessage, { reports }: Config) => {
  let status: string = "pending"
  let isFinal = false
  let anomalies = 0
  const end = (final: string) => {
    status = final
    isFinal = true
  }
  for (const fact of message.facts) {
    if (fact.tag === "deadline") {
      end("unknown")
    } else if (fact.tag === "report") {
      if (isFinal) {
        if (fact.status !== "accepted" && fact.status !== status) anomalies += 1
      } else if (fact.status !== "accepted") {
        end(fact.status)
      } else if (status !== "pending") {
        status = "accepted"
      }
    } else if (isFinal) {
      const refused = fact.outcome === "Rejected" || fact.outcome === "NotSent"
      if (refused && status === "delivered") anomalies += 1
      if (fact.outcome === "Delivered" && status !== "delivered") anomalies += 1
    } else if (fact.outcome === "Accepted") {
      if (reports) status = "accepted"
      else end("delivered")
    } else if (fact.outcome === "Unknown") {
      status = "unknown"
    } else {
      end({ Delivered: "delivered", Rejected: "rejected", NotSent: "failed" }[fact.outcome])
    }
  }
  const isRefunded = isFinal && status !== "delivered"
  const heard = message.facts.filter(({ tag }) => tag === "report").length
  return { status, isFinal, anomalies, heard, isRefunded, price: isRefunded ? 0 : message.price }
}

/** Wrong codes that a request accepts before it fails. */
export const attempts = 3

export type RequestState = "pending" | "verified" | "failed" | "expired"

/** Returns the state of a request at `now`. */
export const stateOf = (request: ModelRequest, config: Config, now: number): RequestState => {
  if (request.verifiedAt !== undefined) return "verified"
  const expiresAt = request.createdAt + request.expirySeconds * 1_000
  // A definite rejection fails a request that has not expired. A report does not.
  const isRefused = request.message.facts.some(
    (fact) => fact.tag === "dispatch" && isRefusal(fact.outcome) && fact.at < expiresAt,
  )
  const isUnsent = ["failed", "rejected"].includes(messageState(request.message, config).status)
  if (request.isDisplaced || (isRefused && isUnsent) || request.wrongCodes >= attempts)
    return "failed"
  return now >= expiresAt ? "expired" : "pending"
}
