/** A batch as callers see it, and its place in lists. */
import * as Result from "effect/Result"
import type * as Api from "../../api/batches.ts"
import * as Batch from "../../domain/outbox/Batch.ts"
import * as FieldProblem from "../../domain/values/FieldProblem.ts"
import * as Money from "../../domain/values/Money.ts"
import type { BatchPlace } from "../../ports/BatchRows.ts"

const unknown = { secondsLeft: null, secondsLeftBy: null }

/**
 * How long the waiting messages still take, and the source of this estimate. A batch that stands still may go on at any
 * time.
 */
const timeLeft = (
  self: Batch.Batch,
  queued: number,
  taken: number,
  now: number,
): Pick<Api.Batch, "secondsLeft" | "secondsLeftBy"> => {
  const { pace, sendAt, status } = self
  if (status !== "running" || Batch.isIdle(self, now)) return unknown
  const waits = Math.max(0, (sendAt ?? 0) - now) / 1_000
  if (pace !== null) {
    return { secondsLeft: Math.ceil(waits + queued / pace), secondsLeftBy: "pace" }
  }
  if (taken === 0) return unknown
  const seconds = Batch.activeFor(self, now) / 1_000
  return { secondsLeft: Math.ceil(waits + (queued * seconds) / taken), secondsLeftBy: "rate" }
}

/** `totals` may contain totals of other batches of its organization. */
export const shown = (
  self: Batch.Batch,
  totals: ReadonlyArray<Batch.BatchTotal>,
  now: number,
): Api.Batch => {
  const own = totals.filter(({ batch, count }) => batch === self.id && count !== 0)
  const taken = own.reduce((sum, { count }) => sum + count, 0)
  const spent = own.reduce((sum, { amount, refunded }) => sum + amount - refunded, 0)
  const queued = self.isOpen ? Math.max(0, self.recipients - taken) : 0
  const { estimate, id, pausedReason, status, text } = self
  return {
    id,
    status,
    pausedReason,
    text,
    class: self.class,
    channel: self.channel,
    sender: self.sender,
    sendAt: self.sendAt,
    expiresAt: self.expiresAt,
    pace: self.pace,
    recipients: self.recipients,
    duplicates: self.duplicates,
    refused: self.refused,
    queued,
    outcomes: own
      .map(({ amount, count, outcome, refunded }) => ({ outcome, count, amount, refunded }))
      .toSorted((a, b) => (a.outcome < b.outcome ? -1 : 1)),
    segments: self.segments,
    estimate,
    spent: Money.fromUnits(spent),
    ...timeLeft(self, queued, taken, now),
    createdAt: self.createdAt,
    startedAt: self.startedAt,
    endedAt: self.endedAt,
  }
}

/** The cursor of the batches before one. */
export const writePlace = ({ createdAt, id }: BatchPlace): string =>
  `b${createdAt.toString(36)}.${id}`

export const readPlace = (text: string): Result.Result<BatchPlace, FieldProblem.FieldProblem> => {
  const [, time = "", id = ""] = /^b([0-9a-z]{1,11})\.(bat_[0-9a-f]{44})$/.exec(text) ?? []
  return id === ""
    ? Result.fail(FieldProblem.make("invalid_cursor", {}))
    : Result.succeed({ createdAt: Number.parseInt(time, 36), id })
}
