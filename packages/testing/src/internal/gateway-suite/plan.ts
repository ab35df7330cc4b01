/**
 * The plan of a suite: all that differs between HTTP and SMPP vendors. `http.ts` and `smpp.ts` make it from
 * the options of an adapter's test.
 */
import type { DeliveryReport } from "@countersign/core/domain/messages/DeliveryReport"
import type { GatewayMessage } from "@countersign/core/ports/Gateway"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { About, Adapter, Expected, Platform } from "./subject.ts"

/** Services that a test may use. */
export type Needs = Platform | Scope.Scope

/** A test. Values passed to `tell` are searched for secrets, as are all logs and spans. */
export type Body = (
  tell: (value: unknown) => void,
) => Generator<Effect.Effect<unknown, unknown, Needs>, void>

/** Registers a test. */
export type Test = (title: string, body: Body) => void

/** A simulated vendor and the adapter to it. Each test has its own. */
export interface Stage {
  readonly adapter: Adapter
  /** Number of messages that reached the vendor completely. */
  readonly count: () => number
  /** Text that the vendor can read of the next message, after its reaction to it. */
  readonly nextMessage: Effect.Effect<string>
  /** Makes the vendor send these reports on the last message. Returns the adapter's reports. */
  readonly sendReports: (
    statuses: ReadonlyArray<About["status"]>,
  ) => Effect.Effect<ReadonlyArray<DeliveryReport>, never, Platform>
  /** Fails unless the adapter has released the resources of an abandoned message. */
  readonly released: Effect.Effect<void>
}

/** A vendor's reaction to a message, and the expected outcome. */
export interface Play {
  /** Title part after "takes" or "knows", and before "as". */
  readonly title: string
  readonly message: GatewayMessage
  readonly stage: Effect.Effect<Stage, never, Needs>
  /** Allowed outcomes. */
  readonly expected: ReadonlyArray<Expected>
  /** Number of messages that reach the vendor. */
  readonly reached: number
  /** Runs while the adapter waits. @defaultValue nothing */
  readonly meanwhile?: ((stage: Stage) => Effect.Effect<void>) | undefined
}

/** How one kind of vendor reports on a message. */
export interface ReportPlan {
  /** Statuses that the vendor can report. */
  readonly statuses: ReadonlyArray<About["status"]>
  /** Forms of the reports, each with a message that the vendor accepted. */
  readonly forms: ReadonlyArray<{ readonly title: string; readonly play: Play }>
}

/** The tests of an adapter that differ between kinds of vendors. */
export interface Plan {
  /** Secrets that only the vendor may see, besides those in the message. */
  readonly secrets: ReadonlyArray<string>
  /** Overrides for every sample message. */
  readonly message: GatewayMessage
  readonly accepted: Play
  readonly answers: ReadonlyArray<Play>
  /** A documented rejection with a given text; `undefined` if a rejection is only a number. */
  readonly refusal: ((words: string) => Play) | undefined
  readonly failures: ReadonlyArray<Play>
  /** Plays in which the vendor has the message and never reports its result. */
  readonly waits: ReadonlyArray<Play>
  /** `undefined` if the vendor sends no reports. */
  readonly reports: ReportPlan | undefined
  /** Tests for this kind of vendor only. */
  readonly sections: ReadonlyArray<readonly [title: string, tests: (test: Test) => void]>
}
