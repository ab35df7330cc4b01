import type { DeliveryReport } from "@countersign/core/domain/messages/DeliveryReport"
import type { Gateway } from "@countersign/core/ports/Gateway"
import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"

/** Far more turns than a request and its answer take, which both happen in this process. */
const turns = 100

/** Lets everything that is ready run, and everything that has arrived be read. */
const settled = Effect.gen(function* () {
  for (let turn = 0; turn < turns; turn++) {
    yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
  }
})

export interface Listening {
  /** The next report. */
  readonly next: Effect.Effect<DeliveryReport>
  /** How many reports wait to be read. */
  readonly waiting: Effect.Effect<number>
  /** Lets time pass once all that goes on has come to wait for it. */
  readonly pass: (duration: Duration.Input) => Effect.Effect<void>
}

/** Reads the reports of a gateway. */
export const listen = (
  gateway: Pick<Gateway["Service"], "reports">,
): Effect.Effect<Listening, never, Scope.Scope> =>
  Effect.gen(function* () {
    const reports = yield* Queue.unbounded<DeliveryReport>()
    yield* Effect.forkScoped(
      Stream.runForEach(gateway.reports, (report) => Queue.offer(reports, report)),
    )
    return {
      next: Queue.take(reports),
      waiting: Effect.andThen(settled, Queue.size(reports)),
      pass: (duration) => Effect.andThen(settled, TestClock.adjust(duration)),
    }
  })

/** The message of the reports that a gateway makes of its own message. */
export const reported = {
  _tag: "Message",
  ...GatewaySuite.message().ref,
  token: GatewaySuite.message().token,
} as const
