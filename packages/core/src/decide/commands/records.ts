import * as AuditRecord from "../../domain/access/AuditRecord.ts"
import { answer, type Decider } from "../shared/Decider.ts"
import type { Of, Administrative, Tagged } from "../shared/Results.ts"
import type { ErasedCounts } from "../../domain/events/Event.ts"
import type { NewAuditRecord } from "../../domain/access/AuditRecord.ts"

export interface Commands {
  /** Records an action of the host that changes nothing here, such as a login. */
  readonly RecordAudit: Administrative & Pick<NewAuditRecord, "action" | "target" | "reason">
  /** Records that a phone number was erased. The steps of `Store.erase` have erased it. */
  readonly RecordErasure: Administrative & { readonly erased: ErasedCounts }
}

export interface Results {
  readonly RecordAudit: Tagged<"Audited">
  readonly RecordErasure: Tagged<"ErasureRecorded">
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
