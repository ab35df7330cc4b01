/**
 * The data of the reference, and the state of a message that follows from it.
 */
import type { Channel } from "@countersign/core/domain/values/Channel"
import type { ReportStatus } from "@countersign/core/domain/messages/GatewayOutcome"
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
  | { readonly tag: "dispatch"; readonly outcome: DispatchOutcome }
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
  /** When another message has to carry the code; `null` if none has to. */
  followAt: number | null
  readonly facts: Array<Fact>
  /** Whether the gateway has received it from a node that stopped before it had written the outcome. */
  isKnownToGateway: boolean
  /** Whether its number and text were erased. */
  isErased: boolean
}

export interface ModelRequest {
  readonly org: number
  readonly person: number
  readonly brand: string | undefined
  readonly purpose: string | undefined
  readonly createdAt: number
  readonly expirySeconds: number
  channel: Channel
  /** The last message that carries its code, and those before it. */
  message: ModelMessage
  readonly earlier: Array<ModelMessage>
  /** Whether one of the earlier messages may have arrived. */
  mayHaveArrived: boolean
  wrongCodes: number
  resends: number
  sentAt: number
  verifiedAt: number | undefined
  consumedAt: number | undefined
  /** Whether it was cancelled, or its code was not sent. */
  hasFailed: boolean
  /** Whether no caller finds it: retention has dropped it, or its number was erased. */
  isDropped: boolean
  /** Whether its row is there without its number. */
  isForgotten: boolean
  /** Whether it is certain that the code was not sent. */
  isUnsent: boolean
  /** Whether the fraud rules did not apply to its number when it was made. */
  readonly isExempt: boolean
  /** Whether a client made it that had verified the number. */
  readonly isKnown: boolean
  /** Whether its code was erased after the expiry. */
  isErased: boolean
}

/** The fields of a request that its maker sets. */
export type Opened = "channel" | "brand" | "purpose" | "expirySeconds" | "isExempt" | "isKnown"

/** A request whose code a message carries. */
export const newRequest = (
  message: ModelMessage,
  opened: Pick<ModelRequest, Opened>,
): ModelRequest => ({
  ...opened,
  org: message.org,
  person: message.person,
  createdAt: message.createdAt,
  message,
  earlier: [],
  mayHaveArrived: false,
  wrongCodes: 0,
  resends: 0,
  sentAt: message.createdAt,
  verifiedAt: undefined,
  consumedAt: undefined,
  hasFailed: false,
  isDropped: false,
  isForgotten: false,
  isUnsent: false,
  isErased: false,
})

export interface ModelBooking {
  readonly tag: "topUp" | "adjust"
  readonly units: number
  readonly payment: number | null
}

/** An organization, and what it has at first. */
export class ModelOrganization {
  readonly bookings: Array<ModelBooking>
  /** The messages with codes that count for their number: the first one of each request, and resends. */
  readonly requests: Array<{ readonly person: number; readonly at: number }> = []
  readonly checked: Array<number> = []
  tries: ReadonlyArray<Try> = []
  acquaintances: ReadonlyArray<Acquaintance> = []
  /** When the limits of a person were set apart by an erasure, until they are used again. */
  readonly erasures = new Map<number, number>()
  readonly clientSends: Array<Counted> = []
  readonly clientChecks: Array<Counted> = []
  readonly counted: Array<number> = []
  readonly messages: Array<ModelMessage> = []
  readonly keysRevoked = [false]
  allowList = 0
  prefixLists = 0
  isSuspended = false
  /** Number of codes that were given to the gateway and not refused. */
  sentCodes = 0
  /** Number of requests that have failed, and of those that were cancelled. */
  failedRequests = 0
  cancelledRequests = 0
  /** Number of queued messages that were not sent. */
  droppedSends = 0
  /** Number of changes of the settings, and of resets of wrong codes. */
  settingsChanges = 0
  guessResets = 0
  /** Number of erasures. */
  erased = 0
  /** Number of oldest messages that were removed. */
  dropped = 0
  /** All requests from this time on still exist. */
  requestsFrom = 0
  /** Suspicious sends, oldest first. */
  findings: ReadonlyArray<ModelFinding> = []
  /** Number of oldest findings that were removed. */
  findingsDropped = 0

  constructor(units: number) {
    this.bookings = [{ tag: "topUp", units, payment: null }]
  }
}

/** Returns the status and the money of a message. */
export const messageState = (
  message: Pick<ModelMessage, "facts" | "price">,
  { reports }: Pick<Config, "reports">,
) => {
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

export const expiryOf = ({ createdAt, expirySeconds }: ModelRequest): number =>
  createdAt + expirySeconds * 1_000

/** Returns the state of a request at `now`. */
export const stateOf = (request: ModelRequest, now: number): RequestState => {
  if (request.verifiedAt !== undefined) return "verified"
  if (request.hasFailed || request.wrongCodes >= attempts) return "failed"
  return now >= expiryOf(request) ? "expired" : "pending"
}
