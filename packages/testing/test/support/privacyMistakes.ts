import * as Erasure from "@countersign/core/decide/maintenance/Erasure"
import * as Effect from "effect/Effect"
import type { Mistake } from "./directoryMistakes.ts"

const nothing = { counts: Erasure.noCounts, left: 0, next: undefined }

/** Mistakes with exports and erasures. */
export const privacyMistakes: ReadonlyArray<Mistake> = [
  ...Erasure.kinds.map((kind): Mistake => [
    `erases no ${kind} of a number`,
    (store) => ({
      erase: (step) => (step.kind === kind ? Effect.succeed(nothing) : store.erase(step)),
    }),
  ]),
  [
    "forgets the time of the last erasure",
    (store) => ({
      organization: (id) =>
        Effect.map(store.organization(id), (found) => found && { ...found, erasedAt: undefined }),
    }),
  ],
  [
    "erases for an organization that does not exist",
    (store) => ({
      erase: (step) => Effect.map(store.erase(step), (erased) => erased ?? nothing),
    }),
  ],
]
