/**
 * The rows of a store that belong to no organization.
 */
import type { AdminSessionStore } from "./AdminSessionStore.ts"
import type { CodeSecretStore } from "./CodeSecretStore.ts"

export interface UnownedRows extends AdminSessionStore, CodeSecretStore {}
