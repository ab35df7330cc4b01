/** The option `database`, and the store that it asks for. */
import { defaults, Records } from "@countersign/core/domain/organizations/RecordOptions"
import * as DatabaseUrl from "@countersign/postgres/DatabaseUrl"
import * as HostPool from "@countersign/postgres/HostPool"
import type * as PostgresPool from "@countersign/postgres/PostgresPool"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import type {
  CountersignOptions,
  EmbeddedDatabase,
  PoolDatabase,
  ServerDatabase,
} from "../types/options.ts"
import { isProduction, refuse, wholeNumber } from "./check.ts"
import { secretsOf } from "./secrets.ts"

type Given = Pick<CountersignOptions, "database" | "production">

const defaultFolder = ".countersign"

export type Place =
  | { readonly kind: "memory" }
  | { readonly kind: "folder"; readonly folder: string; readonly isDefault: boolean }
  | { readonly kind: "server"; readonly url: string }
  | { readonly kind: "pool"; readonly pool: HostPool.HostPool }

const formOf = ({ database }: Given): ServerDatabase | PoolDatabase | EmbeddedDatabase =>
  typeof database === "object" ? database : { url: database }

export const placeOf = (options: Given): Place => {
  const { folder, pool, url } = formOf(options)
  if (pool !== undefined) return { kind: "pool", pool }
  if (url === "memory") return { kind: "memory" }
  if (url !== undefined) return { kind: "server", url }
  return { kind: "folder", folder: folder ?? defaultFolder, isDefault: folder === undefined }
}

/** Without this check, the members of a pool would be unknown options. */
export const refuseBarePool = (options: unknown): void => {
  const given = Predicate.hasProperty(options, "database") ? options.database : undefined
  if (HostPool.problemOf(given) === undefined) {
    refuse("database is a pool: write database: { pool }")
  }
}

/** Checks the place. No message contains an address, which may have a password. */
export const checkPlace = (options: Given): void => {
  const { folder, maxConnections, pool, url } = formOf(options)
  if ([folder, pool, url].filter((one) => one !== undefined).length > 1) {
    return refuse("database must have only one of url, pool and folder")
  }
  if (folder !== undefined && maxConnections !== undefined) {
    return refuse("database.maxConnections needs url; a folder has one connection")
  }
  if (pool !== undefined && maxConnections !== undefined) {
    return refuse("database.maxConnections needs url; set max of the pool")
  }
  const place = placeOf(options)
  switch (place.kind) {
    case "memory":
      return isProduction(options)
        ? refuse("database: everything in memory is lost when the process ends; not in production")
        : undefined
    case "folder":
      return isProduction(options) && place.isDefault
        ? refuse("database is missing; to keep the data in a folder in production, give { folder }")
        : undefined
    case "server": {
      const problem = DatabaseUrl.problemOf(place.url)
      const name = typeof options.database === "object" ? "database.url" : "database"
      return problem === undefined ? undefined : refuse(`${name} ${problem}`)
    }
    case "pool": {
      const problem = HostPool.problemOf(place.pool)
      return problem === undefined ? undefined : refuse(`database.pool ${problem}`)
    }
  }
}

/** One connection for each lane of the store, and one more for look-ups. */
const fewestConnections = 5

export const recordsOf = ({ records = {} }: Pick<CountersignOptions, "records">): Records =>
  Record.map(defaults, (value, name) => records[name] ?? value)

/** The store. Brings its tables up to date if `isMigration`, or unless the option `migrate` is `false`. */
export const layer = (
  options: Pick<CountersignOptions, "database" | "production" | "records">,
  { isMigration = false } = {},
) => {
  checkPlace(options)
  const { commits, maxConnections = 10, partitions, schema, ...form } = formOf(options)
  const migrate = isMigration || form.migrate !== false
  wholeNumber("database.partitions", partitions, { min: 2, max: 1_024 })
  wholeNumber("database.maxConnections", maxConnections, { min: fewestConnections })
  const { phoneNumberSecret = [] } = form
  const secrets = secretsOf("database.phoneNumberSecret", phoneNumberSecret, options)
  const records = Layer.succeed(Records, recordsOf(options))
  const place = placeOf(options)
  const store = async () => {
    if (place.kind === "memory")
      return (await import("@countersign/core/adapters/MemoryStore")).layer
    const connections = await client(place, maxConnections)
    // It is loaded while the client connects.
    const loading = import("@countersign/postgres/PostgresStore")
    return Layer.unwrap(
      Effect.map(
        Effect.promise(() => loading),
        ({ layer, numberKeyOf }) =>
          layer({
            commits,
            migrate,
            // Only a migration creates the tables.
            partitions: migrate ? partitions : undefined,
            schema,
            numberKeys: secrets.map(numberKeyOf),
          }),
      ),
    ).pipe(Layer.provide(connections))
  }
  // The store and its client are loaded here, because each of them is large.
  return Layer.unwrap(Effect.promise(store)).pipe(Layer.provide(records))
}

type Connections = Layer.Success<ReturnType<typeof PostgresPool.layer>>

const client = async (
  place: Exclude<Place, { readonly kind: "memory" }>,
  maxBatchConnections: number,
): Promise<Layer.Layer<Connections, Error>> => {
  if (place.kind === "folder") {
    const { layer } = await import("@countersign/postgres/PgliteClient")
    return layer({ dataDir: place.folder })
  }
  if (place.kind === "pool") {
    const { layer } = await import("@countersign/postgres/HostPoolClient")
    return layer({ pool: place.pool })
  }
  const { layer } = await import("@countersign/postgres/PostgresPool")
  const url = Redacted.make(place.url, { label: "database" })
  return layer({ url, maxBatchConnections })
}
