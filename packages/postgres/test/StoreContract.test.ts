/** The contract of every store, on both kinds of database. */
import * as StoreSuite from "@countersign/testing/StoreSuite"
import { makeStores } from "./fixtures/stores.ts"

for (const { layer, name } of makeStores())
  StoreSuite.suite(name, layer, { timeoutMillis: 120_000 })
