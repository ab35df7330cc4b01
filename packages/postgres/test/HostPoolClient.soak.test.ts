/** The contract of every store, over a pool of `pg` that the host has opened. */
import * as StoreSuite from "@countersign/testing/StoreSuite"
import { pgPools } from "./fixtures/hostPools.ts"
import { one, storesOn } from "./fixtures/stores.ts"

for (const { layer, name } of pgPools) StoreSuite.suite(name, storesOn(layer)(one({})))
