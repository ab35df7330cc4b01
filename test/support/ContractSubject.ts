/**
 * The service that the HTTP contract is tested on, over each store.
 */
import * as HttpContract from "@countersign/testing/HttpContract"
import * as MemoryStore from "@countersign/core/adapters/MemoryStore"
import * as Node from "@countersign/node/Node"
import * as PgliteClient from "@countersign/postgres/PgliteClient"
import * as PostgresClient from "@countersign/postgres/PostgresClient"
import * as PostgresStore from "@countersign/postgres/PostgresStore"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { inject } from "vitest"
import { freshDatabase } from "./freshDatabase.ts"
import { type MountName, mounts } from "./mounts.ts"

const layerSql = PostgresStore.layer({ clock: Clock.currentTimeMillis })

const layerDatabase = Layer.unwrap(
  Effect.map(freshDatabase(inject("postgresUrl")), (url) => PostgresClient.layer({ url })),
)

const stores = {
  memory: MemoryStore.layer,
  pglite: Layer.provide(layerSql, PgliteClient.layer({ fsync: false })),
  postgres: Layer.provide(layerSql, layerDatabase),
}

/** A store to run the contract on. */
export type StoreName = keyof typeof stores

/** All of them. */
export const storeNames = Object.keys(stores)

/** The subject of the contract over one store, served in one way. */
export const layerServed = (store: StoreName, serve: HttpContract.Serve<unknown>) =>
  HttpContract.layer(serve).pipe(
    Layer.provide(stores[store]),
    Layer.provide(Node.layerCrypto),
    Layer.provide(HttpContract.layerTime),
  )

/** On a Node server, unless it is mounted in another way. */
export const layer = (store: StoreName, mount: MountName = "node") =>
  layerServed(store, mounts[mount])
