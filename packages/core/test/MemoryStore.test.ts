import * as StoreSuite from "@countersign/testing/StoreSuite"
import * as MemoryStore from "../src/MemoryStore.ts"

StoreSuite.suite("memory", MemoryStore.layer)
