/** The story of a message or a request in a few sentences. */
import type { Message, TimelineStep, VerificationHistory } from "../api/types.ts"
import { fill } from "../i18n/dictionary.ts"
import type { Words } from "./refusals.ts"

type Timeline = ReadonlyArray<TimelineStep>

type Judged = Pick<Message, "error" | "gateway" | "requestId" | "sequence" | "status">

type Verification = Pick<VerificationHistory["verification"], "consumedAt" | "expiresAt" | "status">

/** Whether the message has certainly not arrived. */
const isMissing = ({ status }: Judged): boolean =>
  ["undelivered", "failed", "rejected"].includes(status)

/** The reason in the message's error, or else in the last report that has one. */
const reasonOf = ({ error }: Judged, timeline: Timeline): string | null => {
  if (error !== null && error !== "") return error
  const details = timeline.flatMap((entry) => (entry.kind === "report" ? [entry.detail] : []))
  return details.findLast((detail) => detail !== null && detail !== "") ?? null
}

export const ofMessage = (
  message: Judged,
  timeline: Timeline,
  { t }: Words,
): ReadonlyArray<string> => {
  const { gateway, requestId, sequence, status } = message
  const reason = reasonOf(message, timeline)
  const has = (kind: "accepted" | "refunded" | "settled"): boolean =>
    timeline.some((entry) => entry.kind === kind && entry.messageSequence === sequence)
  const ended = has("accepted") ? "unreported" : "unknown"
  const unknown = has("settled") ? ended : "unclear"
  const outcome = status === "unknown" ? unknown : status
  return [
    ...(isMissing(message) && requestId !== null ? [t.verdict.noCode] : []),
    fill(t.verdict[outcome], { gateway }),
    ...(reason === null || status === "delivered" ? [] : [fill(t.verdict.because, { reason })]),
    ...(has("refunded") ? [t.verdict.refunded] : []),
  ]
}

/** Why a request has failed, if a row says it. */
const endOf = (timeline: Timeline) => {
  if (timeline.some(({ kind }) => kind === "cancelled")) return "cancelled"
  const [reason] = timeline.flatMap((entry) => (entry.kind === "failed" ? [entry.reason] : []))
  if (reason === "attempts") return "failedAttempts"
  if (reason === "refused") return "failedRefused"
  return reason === "sending" ? "failedSending" : undefined
}

/** The explanation of the last message comes first while the request is pending, else last. */
export const ofVerification = (
  { consumedAt, expiresAt, status }: Verification,
  last: Judged | undefined,
  timeline: Timeline,
  words: Words,
): ReadonlyArray<string> => {
  const { format, t } = words
  const told = last === undefined || status === "verified" ? [] : ofMessage(last, timeline, words)
  const state = consumedAt === null ? (endOf(timeline) ?? status) : "consumed"
  const sentence = fill(t.verificationVerdict[state], { time: format.time(expiresAt) })
  return status === "pending" ? [...told, sentence] : [sentence, ...told]
}
