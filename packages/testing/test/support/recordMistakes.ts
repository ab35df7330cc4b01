import type { Store } from "@countersign/core/ports/Store"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { withMistake } from "./mistakenStore.ts"

/** Mistakes in the event log and the audit that the model detects. */
export const recordMistakes: ReadonlyArray<readonly [mistake: string, layer: Layer.Layer<Store>]> =
  [
    [
      "counts a delivered message of a gateway twice",
      withMistake((store) => ({
        counters: (query) =>
          Effect.map(store.counters(query), (rows) =>
            rows.map((row) =>
              row.kind === "messages" && row.name === "delivered" && row.count > 1
                ? { ...row, count: row.count + 1 }
                : row,
            ),
          ),
      })),
    ],
    [
      "knows no low balance",
      withMistake((store) => ({
        createOrganization: ({ settings, ...rest }, actor) =>
          store.createOrganization(
            { ...rest, settings: { ...settings, balanceLowAt: null } },
            actor,
          ),
      })),
    ],
    [
      "keeps a reset of wrong codes from the audit",
      withMistake((store) => ({
        audit: (id, before, limit) =>
          Effect.map(
            store.audit(id, before, limit),
            (page) =>
              page && {
                ...page,
                entries: page.entries.filter(({ action }) => action !== "guesses.reset"),
              },
          ),
      })),
    ],
    [
      "takes a cancelled request for a failed one",
      withMistake((store) => ({
        events: (id, after, limit) =>
          Effect.map(
            store.events(id, after, limit),
            (page) =>
              page && {
                ...page,
                events: page.events.map((event) =>
                  event._tag === "Cancelled"
                    ? { ...event, _tag: "Failed" as const, reason: "attempts" as const }
                    : event,
                ),
              },
          ),
      })),
    ],
  ]
