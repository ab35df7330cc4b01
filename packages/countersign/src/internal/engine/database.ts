import * as MemoryStore from "@countersign/core/adapters/MemoryStore"
import { Records } from "@countersign/core/domain/organizations/RecordOptions"
import * as PostgresStore from "@countersign/postgres/PostgresStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { defaultFolder } from "../options/codeSecrets.ts"
import { connectionsOf, databaseOf, partitionsOf, recordsOf } from "../options/options.ts"
import { numberKeysOf } from "../options/secrets.ts"
import type { CountersignOptions, DatabaseOptions } from "../types/options.ts"

/** Loads only the client that is used, because both PGlite and the PostgreSQL client are large. */
const client = (url: Redacted.Redacted | undefined, options: DatabaseOptions) => {
  const { dataDir = defaultFolder } = options
  const maxBatchConnections = connectionsOf(options)
  return Layer.unwrap(
    url === undefined
      ? Effect.map(
          Effect.promise(() => import("@countersign/postgres/PgliteClient")),
          (pglite) => pglite.layer({ dataDir }),
        )
      : Effect.map(
          Effect.promise(() => import("@countersign/postgres/PostgresClient")),
          (postgres) => postgres.layer({ url, maxBatchConnections }),
        ),
  )
}

/** The store. Brings its tables up to date unless `migrate` is false. */
export const layer = ({ commits, migrate, schema, ...options }: CountersignOptions) => {
  const database = databaseOf(options)
  const numberKeys = numberKeysOf(options)
  const records = Layer.succeed(Records, recordsOf(options))
  if (database === "memory") return Layer.provide(MemoryStore.layer, records)
  const partitions = migrate === false ? undefined : partitionsOf(options)
  return Layer.provide(
    PostgresStore.layer({ commits, migrate, numberKeys, partitions, schema }),
    Layer.merge(client(database, options), records),
  )
}
