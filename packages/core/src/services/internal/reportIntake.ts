/**
 * Receives the delivery reports of a running gateway. A vendor does not repeat an accepted report, so each
 * report is retried until the store has it.
 */
import type { DeliveryReport } from "../../domain/DeliveryReport.ts"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Schedule from "effect/Schedule"
import { Reports } from "../Reports.ts"

/** Maximum number of reports that are processed at once; further ones wait. */
const maxUnderway = 10_000

/** Maximum time that other reports wait for the first attempt of one report. */
const patience = Duration.millis(100)

/** Retries without end, at most five seconds apart. */
const retries = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")])

const lost = Effect.logError("A delivery report was lost; the settlement deadline will decide")

/**
 * Processes one report. Returns once the report is written, once the first attempt has failed, or when the
 * attempt takes long. Retries continue in the background, so that an organization that cannot be written to
 * delays no other.
 */
export const makeReportIntake = Effect.gen(function* () {
  const reports = yield* Reports
  const scope = yield* Effect.scope
  let underway = 0

  return Effect.fnUntraced(function* (report: DeliveryReport) {
    const tried = Latch.makeUnsafe()
    underway += 1
    const fiber = yield* reports.receive(report, { whenBusy: "fail" }).pipe(
      Effect.ensuring(tried.open),
      Effect.retry(retries),
      Effect.catchCause(() => lost),
      Effect.ensuring(Effect.sync(() => (underway -= 1))),
      Effect.forkIn(scope, { startImmediately: true }),
    )
    if (underway >= maxUnderway) yield* Fiber.await(fiber)
    else yield* Effect.timeoutOption(tried.await, patience)
  })
})
