import type { AuditEntry } from "@countersign/core/codec/AuditData"
import * as Codec from "@countersign/core/codec/Codec"
import * as Input from "@countersign/core/codec/InputReaders"
import { Audit } from "@countersign/core/services/Audit"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { engineCommand } from "../command.ts"
import { printTable } from "../output.ts"
import { optionally } from "../searches.ts"
import { organization } from "../settings.ts"

export const audit = engineCommand(
  "audit",
  "List who has changed what, when and why, newest first",
  {
    organization,
    before: optionally(
      Flag.Int("before").pipe(
        Flag.withMetavar("SEQUENCE"),
        Flag.withDescription("The last entry of the previous page"),
      ),
    ),
    limit: Flag.Int("limit").pipe(
      Flag.withDescription("Entries, 1 to 1,000"),
      Flag.withDefault(50),
    ),
  },
  Effect.fnUntraced(function* ({ before, limit, ...input }) {
    const audit = yield* Audit
    const organization = yield* Input.organizationOf(input)
    const page = yield* audit.read({ organization, before, limit })
    const value = { ...page, entries: page.entries.map(Codec.auditEntry) }
    yield* printTable<AuditEntry>(
      value.entries,
      [
        { title: "sequence", of: ({ sequence }) => sequence, isRight: true },
        { title: "at", of: ({ at }) => at },
        { title: "actor", of: ({ actor }) => actor },
        { title: "origin", of: ({ origin }) => origin },
        { title: "action", of: ({ action }) => action },
        { title: "target", of: ({ target }) => target },
        { title: "reason", of: ({ reason }) => reason },
      ],
      { empty: "There are no entries.", value },
    )
  }),
)
