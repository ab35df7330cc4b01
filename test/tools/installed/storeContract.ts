/**
 * The store suite on the memory store, run by the vitest of the project that installed the packages.
 */
import * as MemoryStore from "@countersign/core/adapters/MemoryStore"
import * as StoreSuite from "@countersign/testing/StoreSuite"

StoreSuite.suite("MemoryStore", MemoryStore.layer)
