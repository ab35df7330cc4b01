import * as AuditEntry from "../../domain/AuditEntry.ts"
import { answer, type Decider } from "./decider.ts"

export const recordAudit: Decider<"RecordAudit"> = (_, { action, actor, reason, target }) =>
  answer({ _tag: "Audited" }, {}, [], [AuditEntry.draft({ actor, action, reason, target })])
