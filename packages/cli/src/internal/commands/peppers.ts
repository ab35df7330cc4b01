import { inUse } from "@countersign/core/domain/access/RegisteredPepper"
import { Store } from "@countersign/core/ports/Store"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { confirm } from "../confirm.ts"
import { printDone, printTable } from "../output.ts"
import * as Session from "../session.ts"

interface ListedPepper {
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
    const { now, registered } = yield* store.peppers
    const used = inUse(registered, now)
    yield* printTable<ListedPepper>(
      registered.map((pepper) => ({
        id: pepper.id,
        usedAt: new Date(pepper.usedAt),
        isInUse: used.includes(pepper),
      })),
      [
        { title: "id", of: ({ id }) => id },
        { title: "last start", of: ({ usedAt }) => usedAt },
        { title: "in use", of: ({ isInUse }) => (isInUse ? "yes" : "no") },
      ],
      { empty: "No process has started on this database yet." },
    )
  }),
).pipe(
  Command.withDescription("List the peppers that processes have started with, by their ids"),
  Command.provide(Session.layerStore),
)

const forget = Command.make(
  "forget",
  {},
  Effect.fnUntraced(function* () {
    const store = yield* Store
    const { registered } = yield* store.peppers
    yield* confirm(
      "Forget the peppers of this database? Stop its processes first. The next start decides the pepper. Codes, secrets of webhooks and limits of erased numbers under other peppers are lost.",
    )
    yield* store.forgetPeppers(registered.map(({ id }) => id))
    yield* printDone(
      { forgotten: registered.length },
      `Forgotten peppers: ${registered.length}. The next process that starts decides the pepper.`,
    )
  }),
).pipe(
  Command.withDescription(
    "Let the next start decide the pepper, because the old one is lost or the database is a copy",
  ),
  Command.provide(Session.layerStore),
)

export const pepper = Command.make("pepper").pipe(
  Command.withDescription("The peppers that the database is used with"),
  Command.withSubcommands([list, forget]),
)
