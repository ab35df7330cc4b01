/**
 * The contract of every store, over connections that the host has opened. A pool of `pg` passes binary values, as the
 * engine's own connections do; `pnpm test:soak HostPoolClient` runs the contract over it.
 */
import * as StoreSuite from "@countersign/testing/StoreSuite"
import { drivers } from "../fixtures/hostPools.ts"
import { one, storesOn } from "../fixtures/stores.ts"

for (const { layer, name } of drivers)
  StoreSuite.suite(name, storesOn(layer)(one({})), { timeoutMillis: 120_000 })
