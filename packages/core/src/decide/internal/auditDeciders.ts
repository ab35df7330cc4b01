import { answer, type Decider } from "./decider.ts"

export const recordAudit: Decider<"RecordAudit"> = (_, { action, actor, reason, target }) =>
  answer(
    { _tag: "Audited" },
    {},
    [],
    [{ actor, action, target, before: null, after: null, reason }],
  )
