import * as StoreSuite from "@countersign/testing/StoreSuite"
import * as Layer from "effect/Layer"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"

StoreSuite.suite("memory", Layer.fresh(MemoryStore.layer))
