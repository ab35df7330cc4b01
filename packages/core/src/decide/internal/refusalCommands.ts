/** The command that records refused calls, and its result. */
import type { CausedCount, Count, Draft } from "../../domain/Refusal.ts"

export interface RefusalFields {
  /** Counts refused calls, and keeps some of them. */
  readonly RecordRefusals: {
    readonly counts: ReadonlyArray<Count>
    /** Oldest first; at most `Refusal.maxKept`. */
    readonly kept: ReadonlyArray<Draft>
    /** The counts of an event; `undefined`: raise none. */
    readonly reported: ReadonlyArray<CausedCount> | undefined
  }
}

export interface RefusalResults {
  readonly RecordRefusals: { readonly _tag: "RefusalsRecorded" }
}
