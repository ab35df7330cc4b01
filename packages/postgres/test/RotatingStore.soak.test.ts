/** The contract of every store, on two nodes that encrypt phone numbers with different keys and take turns. */
import * as StoreSuite from "@countersign/testing/StoreSuite"
import { makeRotatingStore } from "./fixtures/stores.ts"

const { layer, name } = makeRotatingStore()

StoreSuite.suite(name, layer, { timeoutMillis: 120_000 })
