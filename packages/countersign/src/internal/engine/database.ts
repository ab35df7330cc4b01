import * as MemoryStore from "@countersign/core/adapters/MemoryStore"
import { Records } from "@countersign/core/domain/organizations/RecordOptions"
import * as PostgresStore from "@countersign/postgres/PostgresStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { checkPlace, type Place, placeOf, tablesOf } from "../options/database.ts"
import { recordsOf } from "../options/options.ts"
import type { CountersignOptions } from "../types/options.ts"

/** Loads only the client that is used, because both PGlite and the PostgreSQL client are large. */
const client = (place: Exclude<Place, { readonly kind: "memory" }>, maxConnections: number) =>
  Layer.unwrap(
    place.kind === "folder"
      ? Effect.map(
          Effect.promise(() => import("@countersign/postgres/PgliteClient")),
          (pglite) => pglite.layer({ dataDir: place.folder }),
        )
      : Effect.map(
          Effect.promise(() => import("@countersign/postgres/PostgresClient")),
          (postgres) =>
            postgres.layer({
              url: Redacted.make(place.url, { label: "database" }),
              maxBatchConnections: maxConnections,
            }),
        ),
  )

/** The store. Brings its tables up to date if `isMigration`, or unless the option `migrate` is `false`. */
export const layer = (
  options: Pick<CountersignOptions, "database" | "production" | "records">,
  { isMigration = false } = {},
) => {
  checkPlace(options)
  const place = placeOf(options)
  const { maxConnections, ...tables } = tablesOf(options, isMigration)
  const records = Layer.succeed(Records, recordsOf(options))
  return place.kind === "memory"
    ? Layer.provide(MemoryStore.layer, records)
    : Layer.provide(
        PostgresStore.layer(tables),
        Layer.merge(client(place, maxConnections), records),
      )
}
