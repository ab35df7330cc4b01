import { memoryAdapter } from "better-auth/adapters/memory"

/** A database of better-auth without tables, and the rows of a table. */
export const openDatabase = () => {
  const tables: Record<string, Array<Record<string, unknown>>> = {
    user: [],
    session: [],
    account: [],
    verification: [],
  }
  return Promise.resolve({
    adapter: memoryAdapter(tables),
    rows: (table: string) => Promise.resolve(tables[table] ?? []),
  })
}
