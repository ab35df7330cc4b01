import type { Records } from "@countersign/core/domain/organizations/RecordOptions"
import type { makeReader } from "./connection/query.ts"
import type { Forms } from "./numbers/cipher.ts"
import type { RowArrays } from "./rows/rowArrays.ts"
import type { BatchSql } from "./statements/batchSql.ts"
import type { StoreClock } from "./storeClock.ts"

/** The values that the parts of a store share. */
export interface Database extends ReturnType<typeof makeReader> {
  /** The name of the schema, quoted. */
  readonly schema: string
  readonly arrays: RowArrays
  readonly sql: BatchSql
  readonly clock: StoreClock
  /**
   * Draws the stamp of a commit, which writes it to the accounts that it changes. So the stamp of an organization names
   * the commit that has changed it last. A stamp never repeats. If a restore or a failover has lost commits, the later
   * commits have other stamps than the lost ones.
   */
  readonly nextStamp: () => number
  readonly records: Records
  readonly forms: Forms
}
