/** The timeline of a message or a request, for people. */
import type { TimelineStep } from "@countersign/core/api/types/messages"
import type * as DateTime from "effect/DateTime"
import { formatTime, table } from "./output.ts"

const because = (reason: string | null): string => (reason === null ? "" : `: ${reason}`)

/** Why a message did not arrive: the reason, and the code and the text of the vendor. */
const why = ({
  failureReason,
  reason,
  vendorCode,
}: Extract<TimelineStep, { kind: "settled" | "unconfirmed" }>): string => {
  const code = vendorCode === null ? "" : `, code ${vendorCode}`
  return failureReason === null ? because(reason) : ` (${failureReason}${code})${because(reason)}`
}

/** What an entry says beside its kind. */
const detailOf = (entry: TimelineStep, zone: DateTime.TimeZone): string => {
  switch (entry.kind) {
    case "requested":
      return `${entry.purpose === null ? "" : `for ${entry.purpose}, `}until ${formatTime(entry.expiresAt, zone)}`
    case "created":
      return `${entry.channel} from ${entry.sender}`
    case "held":
    case "captured":
    case "refunded":
      return entry.amount
    case "attempt":
      return entry.attempt === 1 ? "" : `number ${entry.attempt}, after a node had stopped`
    case "accepted":
      return `by ${entry.gateway}, ${entry.gatewayId ?? "without an id"}`
    case "unconfirmed":
      return `no clear answer of ${entry.gateway}${why(entry)}`
    case "report":
      return `${entry.status} says ${entry.gateway}${because(entry.detail)}${entry.contradicts ? ", too late" : ""}`
    case "settled":
      return `${entry.status} by ${entry.gateway}${why(entry)}`
    case "contradicted":
      return entry.reason ?? ""
    case "wrong_codes":
      return `${entry.count}, attempts left: ${entry.attemptsRemaining}`
    case "failed":
      return entry.reason ?? ""
    default:
      return ""
  }
}

export const timelineText = (
  timeline: ReadonlyArray<TimelineStep>,
  zone: DateTime.TimeZone,
): string =>
  table(
    [
      ["at", ({ at }) => at],
      ["message", (entry) => ("messageSequence" in entry ? entry.messageSequence : null)],
      ["what", ({ kind }) => kind.replaceAll("_", " ")],
      ["detail", (entry) => detailOf(entry, zone)],
    ],
    timeline,
    zone,
  )
