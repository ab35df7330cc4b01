/** The engine over the database that a command names. Nothing runs in the background. */
import { Gateway } from "@countersign/core/ports/Gateway"
import { Store } from "@countersign/core/ports/Store"
import * as Engine from "@countersign/core/Engine"
import * as CodeSecrets from "@countersign/core/engine/CodeSecrets"
import { layerCrypto } from "@countersign/node/Node"
import * as WebhookTransport from "@countersign/node/WebhookTransport"
import * as DatabaseUrl from "@countersign/postgres/DatabaseUrl"
import * as PostgresStore from "@countersign/postgres/PostgresStore"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { existsSync } from "node:fs"
import { userInfo } from "node:os"
import * as Environment from "./environment.ts"
import { UsageError } from "./failures.ts"
import { ActorName, Database, DataDir, Reason, SchemaName, type Settings } from "./settings.ts"

export type Place =
  | { readonly _tag: "Server"; readonly url: Redacted.Redacted<string> }
  | { readonly _tag: "Folder"; readonly folder: string }

export const folderOf = (at: Place) => (at._tag === "Folder" ? at.folder : undefined)

/** A store that replaces the database of the flags. For tests, and for programs that have one open. */
export const GivenStore = Context.Reference<Layer.Layer<Store> | undefined>(
  "@countersign/cli/GivenStore",
  { defaultValue: () => undefined },
)

const databaseUrl = Effect.map(Environment.read("DATABASE_URL"), (text) =>
  Option.map(Option.fromNullishOr(text), (url) => Redacted.make(url)),
)

/** The database that the flags or the environment name. A flag comes before the environment. */
export const namedPlace: Effect.Effect<Place, UsageError, Settings> = Effect.gen(function* () {
  const flag = yield* Database
  const folder = yield* DataDir
  if (Option.isSome(flag) && Option.isSome(folder)) {
    return yield* new UsageError({ message: "Give --database or --data-dir, not both." })
  }
  if (Option.isSome(folder)) return { _tag: "Folder", folder: folder.value }
  const found = Option.isSome(flag) ? flag : yield* databaseUrl
  if (Option.isNone(found)) {
    return yield* new UsageError({
      message: "Name the database: --database URL, DATABASE_URL, or --data-dir FOLDER.",
    })
  }
  const problem = DatabaseUrl.problemOf(Redacted.value(found.value))
  return problem === undefined
    ? { _tag: "Server", url: found.value }
    : yield* new UsageError({ message: `The database ${problem}.` })
})

/** As `namedPlace`. Only `migrate` creates a folder. */
export const place = Effect.gen(function* () {
  const at = yield* namedPlace
  if (at._tag === "Folder" && !existsSync(at.folder)) {
    const { folder } = at
    return yield* new UsageError({
      message: `There is no folder ${folder}. To create it, run: countersign migrate --data-dir ${folder}`,
    })
  }
  return at
})

/** Enough for the lanes of the store, and few enough for a busy server. */
const maxBatchConnections = 5

/** Loads only the client that is used, because both are large. */
export const layerOfClient = (at: Place) =>
  Layer.unwrap(
    at._tag === "Folder"
      ? Effect.map(
          Effect.promise(() => import("@countersign/postgres/PgliteClient")),
          (pglite) => pglite.layer({ dataDir: at.folder }),
        )
      : Effect.map(
          Effect.promise(() => import("@countersign/postgres/PostgresPool")),
          (postgres) =>
            postgres.layer({
              maxBatchConnections,
              url: at.url,
              applicationName: "countersign-cli",
            }),
        ),
  )

/** The store, and the folder that it is in; `undefined` for a server. */
const found = Effect.gen(function* () {
  const given = yield* GivenStore
  if (given !== undefined) return { store: given, folder: undefined }
  const at = yield* place
  const schema = yield* SchemaName
  const numberKeys = yield* Environment.numberKeys
  // Only `migrate` changes the tables. The host may have a database that is sharded by organizations.
  const store = PostgresStore.layer({ schema, migrate: false, numberKeys, commits: "organization" })
  return { store: Layer.provide(store, [layerOfClient(at), layerCrypto]), folder: folderOf(at) }
})

/** A gateway of commands that send nothing. */
export const layerNoGateway = Layer.succeed(Gateway, {
  name: "none",
  capabilities: {
    tokenMillis: 0,
    lookup: false,
    recipientCheck: false,
    reports: "none",
    segments: false,
    timeoutMillis: 1_000,
  },
  send: () => Effect.die(new Error("This command has no gateway")),
  isReachable: () => Effect.succeed("unknown"),
  lookup: () => Effect.succeed({ _tag: "Unknown", message: "No gateway is named" }),
  reports: Stream.empty,
})

/** Refuses secrets that the database is not used with. */
const layerFitting = (folder: string | undefined) =>
  Layer.effectDiscard(
    Effect.flatMap(Environment.secrets(folder), (secrets) =>
      secrets.length === 0 ? Effect.void : CodeSecrets.check(true),
    ),
  )

/** The services of the engine and its store, over a gateway. `view` may restrict what they see of the store. */
export const layerOver = <E, R>(
  gateway: Layer.Layer<Gateway, E, R>,
  view: (store: Store["Service"]) => Store["Service"] = (store) => store,
) =>
  Layer.unwrap(
    Effect.map(found, ({ folder, store }) => {
      const seen = Layer.provide(Layer.effect(Store, Effect.map(Store, view)), store)
      return Engine.layer.pipe(
        Layer.provide(layerFitting(folder)),
        Layer.provideMerge(Layer.mergeAll(seen, gateway, Environment.layerOfSecrets(folder))),
        Layer.provide(WebhookTransport.layer({})),
        Layer.provideMerge(layerCrypto),
        Layer.provide(Environment.layerOfHost),
      )
    }),
  )

export const layerStore = Layer.unwrap(Effect.map(found, ({ store }) => store))

/** The services of the engine and its store. A command that would send a message dies. */
export const layer = layerOver(layerNoGateway)

/** The user of the system. A container may run under a number that has no name. */
const userName = (): string => {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? "unknown")
  }
}

/** The person at the terminal, for the audit. */
export const actor = Effect.gen(function* () {
  const id = Option.getOrElse(yield* ActorName, () => `cli:${userName()}`)
  if (id.trim() === "") return yield* new UsageError({ message: "--actor must not be empty." })
  return { id, origin: "cli", reason: Option.getOrUndefined(yield* Reason) }
})

/** The reason of a command that has to have one. */
export const reason = Effect.gen(function* () {
  const text = Option.getOrElse(yield* Reason, () => "").trim()
  return text === ""
    ? yield* new UsageError({ message: "Give the reason with --reason. The audit records it." })
    : text
})
