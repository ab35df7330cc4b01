import { audit as rows } from "@countersign/core/api/audit"
import { showing } from "@countersign/core/api/Operation"
import type { AuditRecord } from "@countersign/core/api/types/audit"
import { Audit } from "@countersign/core/services/Audit"
import * as Effect from "effect/Effect"
import { organizationCommand } from "../command.ts"
import { limit, sequence, text, times } from "../flags.ts"
import { printPage } from "../output.ts"

export const audit = organizationCommand(
  "audit",
  "List who has changed what, when and why, newest first",
  {
    by: text("by", "Who made the change: a part of the actor's id"),
    action: text("action", "What was done: a part of the action, such as `webhook.`"),
    target: text("target", "What was changed: a part of its id"),
    ...times,
    before: sequence("before", "The end of the previous page"),
    limit: limit("Entries", 1_000, 50),
  },
  Effect.fnUntraced(function* (organization, { action, before, by, from, limit, target, to }) {
    const audit = yield* Audit
    const filters = { actor: by, action, target, from, to }
    const page = showing(rows.list)(yield* audit.read({ organization, before, limit, ...filters }))
    yield* printPage<AuditRecord>(
      page,
      page.entries,
      ["sequence", "at", "actor", "origin", "action", "target", "reason"],
      "There are no entries.",
      "before",
    )
  }),
)
