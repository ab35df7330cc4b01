import { inUse } from "@countersign/core/domain/access/RegisteredCodeSecret"
import { Store } from "@countersign/core/ports/Store"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { confirm } from "../confirm.ts"
import { printDone, printTable } from "../output.ts"
import * as Session from "../session.ts"

interface ListedCodeSecret {
  readonly id: string
  /** The last start of a process that knew it. */
  readonly usedAt: Date
  readonly isInUse: boolean
}

const list = Command.make(
  "list",
  {},
  Effect.fnUntraced(function* () {
    const store = yield* Store
    const { now, registered } = yield* store.codeSecrets
    const used = inUse(registered, now)
    yield* printTable<ListedCodeSecret>(
      registered.map((secret) => ({
        id: secret.id,
        usedAt: new Date(secret.usedAt),
        isInUse: used.includes(secret),
      })),
      [
        "id",
        { title: "last start", of: ({ usedAt }) => usedAt },
        { title: "in use", of: ({ isInUse }) => (isInUse ? "yes" : "no") },
      ],
      { empty: "No process has started on this database yet." },
    )
  }),
).pipe(
  Command.withDescription("List the secrets that processes have started with, by their ids"),
  Command.provide(Session.layerStore),
)

const forget = Command.make(
  "forget",
  {},
  Effect.fnUntraced(function* () {
    const store = yield* Store
    const { registered } = yield* store.codeSecrets
    yield* confirm(
      "Forget the secrets of this database? Stop its processes first. The next start decides the secret. Codes, secrets of webhooks and limits of erased numbers under other secrets are lost.",
    )
    yield* store.forgetCodeSecrets(registered.map(({ id }) => id))
    yield* printDone(
      { forgotten: registered.length },
      `Forgotten secrets: ${registered.length}. The next process that starts decides the secret.`,
    )
  }),
).pipe(
  Command.withDescription(
    "Let the next start decide the secret, because the old one is lost or the database is a copy",
  ),
  Command.provide(Session.layerStore),
)

export const secret = Command.make("secret").pipe(
  Command.withDescription("The secrets that the database is used with"),
  Command.withSubcommands([list, forget]),
)
