import * as BatchReads from "./batchReads.ts"
import { makeJoin } from "./join.ts"
import type { NumberCipher } from "../numbers/cipher.ts"
import type { RowArrays } from "../rows/rowArrays.ts"
import * as Writes from "./writes.ts"

/** Creates the statements of batches for one schema, whose name is quoted. */
export const make = (schema: string, arrays: RowArrays, cipher?: NumberCipher) => ({
  ...BatchReads.make(schema, cipher?.forms.number),
  ...Writes.make(schema, arrays, cipher?.seal),
  ...makeJoin(schema, cipher?.forms.number),
})

export type BatchSql = ReturnType<typeof make>
