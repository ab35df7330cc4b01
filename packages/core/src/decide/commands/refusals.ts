/** Records refused calls. */
import type { CausedCount, Count, NewRefusal } from "../../domain/verifications/Refusal.ts"
import type * as Refusal from "../../domain/verifications/Refusal.ts"
import { answer, type Decider } from "../shared/Decider.ts"
import type { Of } from "../shared/Results.ts"

export interface Commands {
  /** Counts refused calls, and keeps some of them. */
  readonly RecordRefusals: {
    readonly counts: ReadonlyArray<Count>
    /** Oldest first; at most `Refusal.maxKept`. */
    readonly kept: ReadonlyArray<NewRefusal>
    /** The counts of an event; `undefined`: raise none. */
    readonly reported: ReadonlyArray<CausedCount> | undefined
  }
}

export interface Results {
  readonly RecordRefusals: { readonly _tag: "RefusalsRecorded" }
}

type Decide<T extends keyof Commands> = Decider<Of<Commands, T>, Results[T]>

/** A node may have noted the calls with a clock that is ahead. No time is later than the organization's. */
export const recordRefusals: Decide<"RecordRefusals"> = (
  { account, now },
  { counts, kept, reported },
) => {
  const { lastRefusal, organization } = account
  const atLatest = <A extends { readonly at: number }>(one: A): A => ({
    ...one,
    at: Math.min(one.at, now),
  })
  return answer(
    { _tag: "RefusalsRecorded" },
    {
      account: { ...account, lastRefusal: lastRefusal + kept.length },
      refusals: kept.map((one, index): Refusal.Refusal => ({
        ...atLatest(one),
        organization,
        sequence: lastRefusal + 1 + index,
      })),
      refused: counts.map(atLatest),
    },
    reported === undefined
      ? []
      : [{ _tag: "CallsRefused", organization, at: now, refusals: reported }],
  )
}
