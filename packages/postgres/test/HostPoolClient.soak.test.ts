/** The contract of every store, over what a host has opened: a pool of `pg`, and PGlite. */
import * as StoreSuite from "@countersign/testing/StoreSuite"
import { slowPools } from "./fixtures/hostPools.ts"
import { one, storesOn } from "./fixtures/stores.ts"

for (const { layer, name } of slowPools) StoreSuite.suite(name, storesOn(layer)(one({})))
