import type { Migration } from "./migrate.ts"
import { audit } from "../rows/recordRows.ts"
import { createType } from "../rows/rowTable.ts"

/** Older builds leave both columns empty, and do not read them. */
export const addPeople: Migration = {
  id: 8,
  name: "people",
  breaking: false,
  statements: (schema) => [
    // Who has signed in: id, name, roles and organizations. NULL after a sign-in with a password.
    `ALTER TABLE ${schema}.admin_sessions ADD COLUMN person jsonb`,
    `ALTER TABLE ${schema}.audit ADD COLUMN actor_name text`,
    createType(schema, audit),
  ],
}
