/** Records of what happens elsewhere: actions of the host, erasures, and refused calls. */
import * as AuditRecord from "../../domain/access/AuditRecord.ts"
import type { ErasedCounts } from "../../domain/events/Event.ts"
import type { CausedCount, Count, NewRefusal, Refusal } from "../../domain/verifications/Refusal.ts"
import { answer, type Decider } from "../shared/Decider.ts"
import type { Of, Administrative, Tagged } from "../shared/Results.ts"

export interface Commands {
  /** Records an action of the host that changes nothing here, such as a login. */
  readonly RecordAudit: Administrative &
    Pick<AuditRecord.NewAuditRecord, "action" | "target" | "reason">
  /** Records that a phone number was erased. The steps of `Store.erase` have erased it. */
  readonly RecordErasure: Administrative & { readonly erased: ErasedCounts }
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
  readonly RecordAudit: Tagged<"Audited">
  readonly RecordErasure: Tagged<"ErasureRecorded">
  readonly RecordRefusals: Tagged<"RefusalsRecorded">
}

type Decide<T extends keyof Commands> = Decider<Of<Commands, T>, Results[T]>

export const recordAudit: Decide<"RecordAudit"> = (_, { action, actor, reason, target }) =>
  answer({ _tag: "Audited" }, {}, [], [AuditRecord.newRecord({ actor, action, reason, target })])

/** Neither the event nor the entry of the audit names the number. */
export const recordErasure: Decide<"RecordErasure"> = ({ account, now }, { actor, erased }) =>
  answer(
    { _tag: "ErasureRecorded" },
    { account },
    [{ _tag: "NumberErased", organization: account.organization, at: now, ...erased }],
    [AuditRecord.newRecord({ actor, action: "number.erased", after: { ...erased } })],
  )

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
      refusals: kept.map((one, index): Refusal => ({
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
