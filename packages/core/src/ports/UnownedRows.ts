/**
 * The rows of a store that belong to no organization.
 */
import type { AdminSessionStore } from "./AdminSessionStore.ts"
import type { PepperStore } from "./PepperStore.ts"

export interface UnownedRows extends AdminSessionStore, PepperStore {}
