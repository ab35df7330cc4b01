import type { Records } from "@countersign/core/domain/organizations/RecordOptions"
import type { makeReader } from "./connection/query.ts"
import type { Forms } from "./numbers/cipher.ts"
import type { RowArrays } from "./rows/rowArrays.ts"
import type { BatchSql } from "./statements/batchSql.ts"
import type { StoreClock } from "./storeClock.ts"

/** What the parts of a store share. */
export interface Database extends ReturnType<typeof makeReader> {
  /** The name of the schema, quoted. */
  readonly schema: string
  readonly arrays: RowArrays
  readonly sql: BatchSql
  readonly clock: StoreClock
  /**
   * Draws the stamp of a commit, which writes it to the accounts that it changes. So the stamp of an organization names
   * the commit that has changed it last. A stamp never repeats: a database that was restored, or that a failover has
   * taken back, has other stamps for its later commits than those that it has lost.
   */
  readonly nextStamp: () => number
  readonly records: Records
  readonly forms: Forms
}
