/** The contract of every store, on both kinds of database. */
import * as StoreSuite from "@countersign/testing/StoreSuite"
import { stores } from "./fixtures/stores.ts"

for (const { layer, name } of stores) StoreSuite.suite(name, layer)
