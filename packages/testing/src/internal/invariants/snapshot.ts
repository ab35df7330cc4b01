/**
 * What the invariants are asked of.
 */
import type { Account, Entry } from "@countersign/core/domain/Account"
import type { Message } from "@countersign/core/domain/Message"
import type { Report } from "@countersign/core/domain/Report"
import type { Verification } from "@countersign/core/domain/Verification"

/** All rows of one organization. */
export interface Snapshot {
  readonly account: Account
  /** In order. */
  readonly entries: ReadonlyArray<Entry>
  /** Oldest first. */
  readonly messages: ReadonlyArray<Message>
  /** Oldest first. */
  readonly verifications: ReadonlyArray<Verification>
  /** What came in on the messages, and on the last of those that are gone; by message and position. */
  readonly reports: ReadonlyArray<Report>
}

/** The limits that the rows were made under. */
export interface Bounds {
  /** Requests for one number in any window. */
  readonly sendsPerNumber: { readonly max: number; readonly windowMillis: number }
  readonly pendingPerNumber: number
  readonly attempts: number
  /** Requests from before this time (epoch milliseconds) may have been dropped; none, when left out. */
  readonly droppedBefore?: number | undefined
}
