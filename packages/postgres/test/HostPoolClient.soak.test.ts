/** The contract of every store, over a pool of `pg` that the host has opened. */
import * as StoreSuite from "@countersign/testing/StoreSuite"
import { slowPools } from "./fixtures/hostPools.ts"
import { one, storesOn } from "./fixtures/stores.ts"

for (const { layer, name } of slowPools) StoreSuite.suite(name, storesOn(layer)(one({})))
