/** The story of a message or a request in one or two sentences. */
import type { LogEntry, MessageHistory, VerificationHistory } from "../api/types.ts"
import { type Dictionary, fill } from "../i18n/dictionary.ts"
import { useI18n } from "../i18n/i18n.tsx"
import type { Tone } from "./data.tsx"
import { messageTones } from "./status.tsx"

type Timeline = MessageHistory["timeline"]

/** What the message's error, or the last report, says. */
const reasonOf = ({ error }: LogEntry, timeline: Timeline): string | null => {
  if (error !== null && error !== "") return error
  const details = timeline.flatMap((entry) => (entry.kind === "report" ? [entry.detail] : []))
  return details.findLast((detail) => detail !== null && detail !== "") ?? null
}

const sentencesOf = (
  message: LogEntry,
  timeline: Timeline,
  t: Dictionary,
): ReadonlyArray<string> => {
  const { gateway, requestId, status } = message
  const reason = reasonOf(message, timeline)
  const isMissing = ["undelivered", "failed", "rejected"].includes(status)
  const isRefunded = timeline.some(
    (entry) => entry.kind === "refunded" && entry.messageSequence === message.sequence,
  )
  return [
    ...(isMissing && requestId !== null ? [t.verdict.noCode] : []),
    fill(t.verdict[status], { gateway }),
    ...(reason === null || status === "delivered" ? [] : [fill(t.verdict.because, { reason })]),
    ...(isRefunded ? [t.verdict.refunded] : []),
  ]
}

const Box = ({
  sentences,
  tone,
}: {
  readonly sentences: ReadonlyArray<string>
  readonly tone: Tone
}) => (
  <div className={`verdict ${tone}`}>
    {sentences.map((sentence) => (
      <p key={sentence}>{sentence}</p>
    ))}
  </div>
)

export const MessageVerdict = ({ message, timeline }: MessageHistory) => {
  const { t } = useI18n()
  return <Box tone={messageTones[message.status]} sentences={sentencesOf(message, timeline, t)} />
}

/** Why a request has failed, if a row says it. */
const endOf = (timeline: Timeline) => {
  if (timeline.some(({ kind }) => kind === "cancelled")) return "cancelled"
  const [reason] = timeline.flatMap((entry) => (entry.kind === "failed" ? [entry.reason] : []))
  if (reason === "attempts") return "failedAttempts"
  return reason === "sending" ? "failedSending" : undefined
}

const tones = { pending: "info", verified: "good", failed: "bad", expired: "warn" } as const

/** A request whose last message did not arrive says why. */
export const VerificationVerdict = ({ messages, timeline, verification }: VerificationHistory) => {
  const { format, t } = useI18n()
  const { consumedAt, expiresAt, status } = verification
  const state = consumedAt === null ? (endOf(timeline) ?? status) : "consumed"
  const sentence = fill(t.verificationVerdict[state], { time: format.time(expiresAt) })
  const last = messages.at(-1)
  const isMissing =
    last !== undefined &&
    status !== "verified" &&
    !["delivered", "accepted", "pending"].includes(last.status)
  return (
    <Box
      tone={tones[status]}
      sentences={[sentence, ...(isMissing ? sentencesOf(last, timeline, t) : [])]}
    />
  )
}
