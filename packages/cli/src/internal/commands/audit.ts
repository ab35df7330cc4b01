import { audit as rows } from "@countersign/core/api/audit"
import { showing } from "@countersign/core/api/Operation"
import type { AuditEntry } from "@countersign/core/api/types/audit"
import * as Input from "@countersign/core/codec/InputReaders"
import { Audit } from "@countersign/core/services/Audit"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { engineCommand } from "../command.ts"
import { limit, optionally, printPage, text, times } from "../searches.ts"
import { organization } from "../settings.ts"

export const audit = engineCommand(
  "audit",
  "List who has changed what, when and why, newest first",
  {
    organization,
    by: text("by", "Who made the change: a part of the actor's id"),
    action: text("action", "What was done: a part of the action, such as `webhook.`"),
    target: text("target", "What was changed: a part of its id"),
    ...times,
    before: optionally(
      Flag.Int("before").pipe(
        Flag.withMetavar("SEQUENCE"),
        Flag.withDescription("The end of the previous page"),
      ),
    ),
    limit: limit("Entries", 1_000, 50),
  },
  Effect.fnUntraced(function* ({ action, before, by, from, limit, target, to, ...input }) {
    const audit = yield* Audit
    const organization = yield* Input.organizationOf(input)
    const filters = { actor: by, action, target, from, to }
    const page = showing(rows.list)(yield* audit.read({ organization, before, limit, ...filters }))
    yield* printPage<AuditEntry>(
      page,
      page.entries,
      [
        { title: "sequence", of: ({ sequence }) => sequence, isRight: true },
        { title: "at", of: ({ at }) => at },
        { title: "actor", of: ({ actor }) => actor },
        { title: "origin", of: ({ origin }) => origin },
        { title: "action", of: ({ action }) => action },
        { title: "target", of: ({ target }) => target },
        { title: "reason", of: ({ reason }) => reason },
      ],
      "There are no entries.",
      "before",
    )
  }),
)
