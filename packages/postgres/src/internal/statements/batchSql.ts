import * as BatchReads from "./batchReads.ts"
import { makeJoin } from "./join.ts"
import * as Writes from "./writes.ts"

/** Creates the statements of batches for one schema, whose name is quoted. */
export const make = (schema: string) => ({
  ...BatchReads.make(schema),
  ...Writes.make(schema),
  ...makeJoin(schema),
})

export type BatchSql = ReturnType<typeof make>
