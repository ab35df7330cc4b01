/**
 * The service that the HTTP contract is tested on, over each store.
 */
import * as HttpContract from "@countersign/testing/HttpContract"
import * as MemoryStore from "@countersign/core/MemoryStore"
import * as Node from "@countersign/node/Node"
import * as PgliteClient from "@countersign/postgres/PgliteClient"
import * as PostgresClient from "@countersign/postgres/PostgresClient"
import * as PostgresStore from "@countersign/postgres/PostgresStore"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { inject } from "vitest"
import { freshDatabase } from "./freshDatabase.ts"

const layerSql = PostgresStore.layer({ clock: Clock.currentTimeMillis })

const layerDatabase = Layer.unwrap(
  Effect.map(
    Effect.suspend(() => freshDatabase(inject("postgresUrl"))),
    (url) => PostgresClient.layer({ url }),
  ),
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

/** On a server of its own, on a free port. */
const serve: HttpContract.Serve<unknown> = (options) =>
  Effect.map(
    Layer.build(Node.layerServer({ port: 0, ...options })),
    (context) => `${Context.get(context, Node.NodeServer).origin}/api/v2`,
  )

/** The subject of the contract over one store; on a Node server, unless it is mounted in another way. */
export const layer = (store: StoreName, mount: HttpContract.Serve<unknown> = serve) =>
  HttpContract.layer(mount).pipe(
    Layer.provide(stores[store]),
    Layer.provide(Node.layerCrypto),
    Layer.provide(HttpContract.Time.layer),
  )
