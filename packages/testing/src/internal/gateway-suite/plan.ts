/**
 * What the suite has to know of a kind of vendor: its port. HTTP and SMPP are the kinds that there are,
 * `http.ts` and `smpp.ts` make a plan of what an adapter's test tells of its vendor.
 */
import type { DeliveryReport } from "@countersign/core/domain/DeliveryReport"
import type { GatewayMessage } from "@countersign/core/ports/Gateway"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { About, Adapter, Expected, Platform } from "./subject.ts"

/** What a test may use. */
export type Needs = Platform | Scope.Scope

/** A test. What it tells to `tell` is searched for secrets, as are all logs and spans. */
export type Body = (tell: (value: unknown) => void) => Effect.Effect<void, unknown, Needs>

/** Registers a test. */
export type Test = (title: string, body: Body) => void

/** A vendor that is played, and the adapter to it. Both are those of one test. */
export interface Stage {
  readonly adapter: Adapter
  /** How many messages have reached the vendor whole. */
  readonly count: () => number
  /** What the vendor can read of the next message that reaches it, once it has done what it does. */
  readonly arrival: Effect.Effect<string>
  /** Has the vendor tell these of the message that came last; gives what the adapter makes of them. */
  readonly told: (
    statuses: ReadonlyArray<About["status"]>,
  ) => Effect.Effect<ReadonlyArray<DeliveryReport>, never, Platform>
  /** Fails unless the adapter has let go of what it held for a message that nobody waits for. */
  readonly released: Effect.Effect<void>
}

/** What a vendor does with a message, and what has to come of it. */
export interface Play {
  /** Goes on after "takes" or "knows", and before "as". */
  readonly title: string
  readonly message: GatewayMessage
  readonly stage: Effect.Effect<Stage, never, Needs>
  /** Any of them. */
  readonly expected: ReadonlyArray<Expected>
  /** How many messages reach the vendor. */
  readonly reached: number
  /** What happens while the adapter waits; nothing when left out. */
  readonly meanwhile?: ((stage: Stage) => Effect.Effect<void>) | undefined
}

/** Reports on a message, as they are told by one kind of vendor. */
export interface ReportPlan {
  /** What the vendor can say of a message. */
  readonly statuses: ReadonlyArray<About["status"]>
  /** The ways in which it says so, each with a message that it has taken. */
  readonly forms: ReadonlyArray<{ readonly title: string; readonly play: Play }>
}

/** The tests of an adapter, but for what they have in common. */
export interface Plan {
  /** What nobody but the vendor may see, beside what is in the message. */
  readonly secrets: ReadonlyArray<string>
  /** What is different about every message, laid over the sample. */
  readonly message: GatewayMessage
  readonly accepted: Play
  readonly answers: ReadonlyArray<Play>
  /** A documented refusal in words of one's own; `undefined` where a refusal is a number. */
  readonly refusal: ((words: string) => Play) | undefined
  readonly failures: ReadonlyArray<Play>
  /** The vendor has the message, and never says what became of it. */
  readonly waits: ReadonlyArray<Play>
  /** `undefined` where the vendor sends no reports. */
  readonly reports: ReportPlan | undefined
  /** What only this kind of vendor can do. */
  readonly sections: ReadonlyArray<readonly [title: string, tests: (test: Test) => void]>
}
