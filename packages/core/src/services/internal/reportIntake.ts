/**
 * Takes in the reports that a gateway gives while it runs. A vendor does not repeat a report that was taken,
 * so each is tried until the store has it.
 */
import type { DeliveryReport } from "../../domain/DeliveryReport.ts"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Schedule from "effect/Schedule"
import { Reports } from "../Reports.ts"

/** Most reports that are tried at a time; with more, the others wait. */
const maxUnderway = 10_000

/** How long others wait for the first try of one report, at most. */
const patience = Duration.millis(100)

/** As long as it takes, five seconds apart in the end. */
const retries = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")])

const lost = Effect.logError("A delivery report was lost; the settlement deadline will decide")

/**
 * Takes in one report. Returns once it is written, once a first try has failed, or when that takes long: the
 * rest is done beside it, so that an organization that cannot be written to delays no other.
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
