/** The contract of every store, over connections that the host has opened. */
import * as StoreSuite from "@countersign/testing/StoreSuite"
import { hostPools } from "../fixtures/hostPools.ts"
import { one, storesOn } from "../fixtures/stores.ts"

for (const { layer, name } of hostPools) StoreSuite.suite(name, storesOn(layer)(one({})))
