/**
 * Where the data is: on a PostgreSQL server, or in a folder of this process.
 */
import * as PostgresStore from "@countersign/postgres/PostgresStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { connectionsOf, databaseOf, partitionsOf } from "./options.ts"
import type { CountersignOptions, DatabaseOptions } from "./optionTypes.ts"

/** The folder of the embedded database where none is named. */
export const defaultFolder = ".countersign"

/** Only what is used is loaded: PGlite is large, and so, for a script, is a client of PostgreSQL. */
const client = (options: DatabaseOptions) => {
  const { dataDir = defaultFolder } = options
  const url = databaseOf(options)
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

/** The store, with its tables brought up to date unless the host does that by itself. */
export const layer = ({ commits, migrate, schema, ...options }: CountersignOptions) => {
  const partitions = migrate === false ? undefined : partitionsOf(options)
  return Layer.provide(
    PostgresStore.layer({ commits, migrate, partitions, schema }),
    client(options),
  )
}

/** Brings the tables up to date. */
export const migrations = ({ schema, ...options }: DatabaseOptions) =>
  Layer.provide(PostgresStore.layer({ schema, partitions: partitionsOf(options) }), client(options))
