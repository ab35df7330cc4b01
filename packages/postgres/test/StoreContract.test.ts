/**
 * The contract of every store, on both kinds of database. Time is the test's clock, as it is for the
 * memory store, so the same transcripts hold. A test has a schema of its own: that is an empty store, and
 * much sooner there than an empty database.
 */
import * as StoreSuite from "@countersign/testing/StoreSuite"
import { afterAll } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as PostgresStore from "../src/PostgresStore.ts"
import { databases } from "./fixtures/databases.ts"

const clock = Effect.flatMap(Clock.Clock, (clock) => clock.currentTimeMillis)

let schemas = 0

for (const { layer, name } of databases) {
  const database = ManagedRuntime.make(layer)
  afterAll(() => database.dispose())
  StoreSuite.suite(
    name,
    Layer.unwrap(
      Effect.map(
        Effect.promise(() => database.context()),
        (context) => {
          schemas += 1
          return PostgresStore.layer({ clock, schema: `store_${schemas}` }).pipe(
            Layer.provide(Layer.succeedContext(context)),
            Layer.provide(SecureRandom.layerWebCrypto),
          )
        },
      ),
    ),
  )
}
