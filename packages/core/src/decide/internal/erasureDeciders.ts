import * as AuditEntry from "../../domain/AuditEntry.ts"
import { answer, type Decider } from "./decider.ts"

/** Neither the event nor the entry of the audit names the number. */
export const recordErasure: Decider<"RecordErasure"> = ({ account, now }, { actor, erased }) =>
  answer(
    { _tag: "ErasureRecorded" },
    { account },
    [{ _tag: "NumberErased", organization: account.organization, at: now, ...erased }],
    [AuditEntry.draft({ actor, action: "number.erased", after: { ...erased } })],
  )
