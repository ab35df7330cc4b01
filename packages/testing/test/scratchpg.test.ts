import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { inject } from "vitest"
import { freshDatabase } from "../../../test/support/freshDatabase.ts"
import * as PostgresClient from "../../postgres/src/PostgresClient.ts"
import * as PostgresStore from "../../postgres/src/PostgresStore.ts"
import * as StoreSuite from "../src/StoreSuite.ts"

const layer = PostgresStore.layer({ clock: Clock.currentTimeMillis }).pipe(
  Layer.provideMerge(
    Layer.unwrap(
      Effect.map(Effect.suspend(() => freshDatabase(inject("postgresUrl"))), (url) => PostgresClient.layer({ url })),
    ),
  ),
  Layer.provide(SecureRandom.layerWebCrypto),
)
StoreSuite.suite("pg", layer)
