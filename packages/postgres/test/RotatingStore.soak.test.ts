/** The contract of every store, on two nodes that encrypt phone numbers with different keys and take turns. */
import * as StoreSuite from "@countersign/testing/StoreSuite"
import { rotatingStore } from "./fixtures/stores.ts"

StoreSuite.suite(rotatingStore.name, rotatingStore.layer, { timeoutMillis: 120_000 })
