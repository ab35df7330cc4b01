/** The whole story of a message or a request, oldest first. */
import type { TimelineStep } from "../api/types.ts"
import { type Dictionary, fill } from "../i18n/dictionary.ts"
import { causeText } from "../pages/refused/causes.ts"
import type { Format } from "../i18n/format.ts"
import { useI18n } from "../i18n/i18n.tsx"
import { useSession } from "../session.tsx"
import { Time, type Tone } from "./data.tsx"
import { elapsed } from "./elapsed.ts"
import { messageTones } from "./status.tsx"

interface Description {
  readonly title: string
  readonly detail?: string
  readonly tone?: Tone
}

interface Context {
  readonly t: Dictionary
  readonly format: Format
  readonly currency: string
}

const join = (...parts: ReadonlyArray<string | null>): string =>
  parts.filter((part) => part !== null && part !== "").join(" ")

/** Why a message did not arrive: the cause, and what the gateway said. */
const why = (
  { failureReason, gateway, reason }: Extract<TimelineStep, { kind: "settled" | "unconfirmed" }>,
  t: Dictionary,
): string => {
  const cause = failureReason === null ? null : t.failureReason[failureReason]
  return join(cause, reason === null ? null : `${gateway}: ${reason}`)
}

const requested = (
  { expiresAt, purpose }: Extract<TimelineStep, { kind: "requested" }>,
  { format, t }: Context,
): Description => {
  const time = format.time(expiresAt)
  return {
    title: t.timeline.requested,
    detail:
      purpose === null
        ? fill(t.timeline.requestedUntil, { time })
        : fill(t.timeline.requestedFor, { purpose, time }),
  }
}

const ofMessage = (
  entry: TimelineStep,
  { currency, format, t }: Context,
): Description | undefined => {
  const text = t.timeline
  switch (entry.kind) {
    case "created":
      return {
        title: text.created,
        detail: fill(text.createdBy, { channel: t.channel[entry.channel], sender: entry.sender }),
      }
    case "held":
      return { title: text.held, detail: format.money(entry.amount, currency) }
    case "captured":
      return { title: text.captured, detail: format.money(entry.amount, currency) }
    case "refunded":
      return { title: text.refunded, detail: format.money(entry.amount, currency), tone: "info" }
    case "attempt": {
      if (entry.attempt === 1) return { title: text.attempt }
      const attempt = format.number(entry.attempt)
      return {
        title: fill(text.attemptAgain, { attempt }),
        detail: text.attemptAgainDetail,
        tone: "warn",
      }
    }
    case "accepted":
      return {
        title: fill(text.accepted, { gateway: entry.gateway }),
        detail: entry.gatewayId ?? "",
        tone: "info",
      }
    case "unconfirmed":
      return {
        title: fill(text.unconfirmed, { gateway: entry.gateway }),
        detail: join(text.unconfirmedDetail, why(entry, t)),
        tone: "warn",
      }
    case "report":
      return {
        title: fill(text.report, { gateway: entry.gateway, status: t.reportStatus[entry.status] }),
        detail: join(entry.detail, entry.contradicts ? text.contradicts : null),
        tone: entry.contradicts ? "warn" : messageTones[entry.status],
      }
    case "contradicted":
      return { title: text.contradicted, detail: entry.reason ?? "", tone: "warn" }
    case "settled":
      return {
        title: fill(text.settled, { status: t.messageStatus[entry.status] }),
        detail: why(entry, t),
        tone: messageTones[entry.status],
      }
    default:
      return undefined
  }
}

const ofRequest = (entry: TimelineStep, context: Context): Description => {
  const { format, t } = context
  const text = t.timeline
  switch (entry.kind) {
    case "requested":
      return requested(entry, context)
    case "wrong_codes": {
      const left = { one: text.attemptsLeftOne, other: text.attemptsLeftOther }
      return {
        title: format.plural(entry.count, {
          one: text.wrong_codesOne,
          other: text.wrong_codesOther,
        }),
        detail: format.plural(entry.attemptsRemaining, left),
        tone: "warn",
      }
    }
    case "failed": {
      const details = {
        attempts: text.failedAttempts,
        sending: text.failedSending,
        refused: text.failedRefused,
      }
      const detail = join(
        entry.reason === null ? null : `${details[entry.reason]}${entry.code === null ? "" : ":"}`,
        entry.code === null ? null : causeText({ code: entry.code, reason: null }, t),
      )
      return { title: text.failed, detail, tone: "bad" }
    }
    case "verified":
    case "consumed":
      return { title: text[entry.kind], tone: "good" }
    case "expired":
      return { title: text.expired, tone: "warn" }
    case "fallback":
    case "resent":
    case "sent_again":
    case "cancelled":
    case "queued":
      return { title: text[entry.kind] }
    default:
      return { title: entry.kind }
  }
}

/** A shorter time between two steps is not shown. */
const minGapMillis = 1_000

/** The time since the step before; 0 if one of both times is unknown. */
const gapOf = ({ at }: TimelineStep, before: TimelineStep | undefined): number =>
  at === null || before === undefined || before.at === null
    ? 0
    : Date.parse(at) - Date.parse(before.at)

interface Props {
  readonly entries: ReadonlyArray<TimelineStep>
  /** Names the message of each entry, where there is more than one. */
  readonly hasMessages?: boolean
}

export const Timeline = ({ entries, hasMessages }: Props) => {
  const { format, t } = useI18n()
  const { host } = useSession()
  const context = { t, format, currency: host.currency }
  return (
    <ol className="timeline">
      {entries.map((entry, index) => {
        const description = ofMessage(entry, context) ?? ofRequest(entry, context)
        return (
          // The entries of one story never move.
          <li key={index} className={description.tone ?? "neutral"}>
            <div className="timeline-time">
              {entry.at === null ? (
                <span className="muted">{t.timeline.unknownTime}</span>
              ) : (
                <Time iso={entry.at} exact />
              )}
              {gapOf(entry, entries[index - 1]) >= minGapMillis && (
                <p className="muted">
                  {`+${format.duration(elapsed(gapOf(entry, entries[index - 1])))}`}
                </p>
              )}
            </div>
            <div>
              <p className="timeline-title">
                {description.title}
                {hasMessages === true && "messageSequence" in entry && (
                  <span className="muted">
                    {" · "}
                    {fill(t.timeline.message, { sequence: String(entry.messageSequence) })}
                  </span>
                )}
              </p>
              {description.detail !== undefined && description.detail !== "" && (
                <p className="timeline-detail">{description.detail}</p>
              )}
            </div>
          </li>
        )
      })}
    </ol>
  )
}
