/** How long rows stay. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import type * as Pruning from "../decide/maintenance/Pruning.ts"

export interface RetentionPolicy {
  /** How long messages stay in the log. Open messages and pending codes stay longer, and all messages after them. */
  readonly messages: Duration.Duration
  /** How long requests can be read. Pending requests stay longer. */
  readonly verifications: Duration.Duration
  /** How long findings of fraud stay. `undefined`: as long as requests. */
  readonly findings?: Duration.Duration | undefined
  /** How long totals stay: longer than messages. `undefined`: forever. */
  readonly totals?: Duration.Duration | undefined
  /** How long events stay in the event log. `undefined`: as long as messages. */
  readonly events?: Duration.Duration | undefined
  /** How long the audit stays. `undefined`: forever. */
  readonly audit?: Duration.Duration | undefined
  /** How long refusals stay. `undefined`: as long as requests, at most 90 days. */
  readonly refusals?: Duration.Duration | undefined
  /** How long sends that have ended stay in the outbox. `undefined`: as long as messages. */
  readonly outbox?: Duration.Duration | undefined
  /** How long batches that have ended stay. `undefined`: as long as messages. */
  readonly batches?: Duration.Duration | undefined
  /** Maximum number of rows that one step examines. */
  readonly stepRows: number
  /** Share of the time that steps may take: above 0 and at most 1. 1: no pause between steps. */
  readonly share: number
  /** Pause between two scans of all organizations. */
  readonly interval: Duration.Duration
}

/** How long refusals stay at most, unless a policy says otherwise. They exist to answer recent questions. */
const maxRefusalAge = Duration.days(90)

/** The default policy, which keeps everything but old refusals. */
export const defaults: RetentionPolicy = {
  messages: Duration.infinity,
  verifications: Duration.infinity,
  stepRows: 500,
  share: 0.15,
  interval: Duration.minutes(10),
}

export const RetentionPolicy = Context.Reference<RetentionPolicy>(
  "@countersign/core/RetentionPolicy",
  { defaultValue: () => defaults },
)

/** How long each kind of row stays. Recipients exist for the sake of verifications. */
export const keptFor = ({ messages, verifications, ...others }: RetentionPolicy) =>
  ({
    messages,
    verifications,
    recipients: verifications,
    findings: others.findings ?? verifications,
    totals: others.totals ?? Duration.infinity,
    events: others.events ?? messages,
    audit: others.audit ?? Duration.infinity,
    refusals: others.refusals ?? Duration.min(verifications, maxRefusalAge),
    outbox: others.outbox ?? messages,
    batches: others.batches ?? messages,
  }) satisfies Record<Exclude<Pruning.Kind, "codes">, Duration.Duration>

export type KeptKind = keyof ReturnType<typeof keptFor>
