import type * as Refusal from "../../domain/Refusal.ts"
import { answer, type Decider } from "./decider.ts"

/** A node may have noted the calls with a clock that is ahead. No time is later than the organization's. */
export const recordRefusals: Decider<"RecordRefusals"> = (
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
