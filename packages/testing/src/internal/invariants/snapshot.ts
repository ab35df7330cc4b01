/**
 * Input of the invariants.
 */
import type { Alerts } from "@countersign/core/domain/alerts/AlertState"
import type { Account, Entry } from "@countersign/core/domain/money/Account"
import type { AuditRecord } from "@countersign/core/domain/access/AuditRecord"
import type { LoggedEvent } from "@countersign/core/domain/events/Event"
import type { Message } from "@countersign/core/domain/messages/Message"
import type { Organization } from "@countersign/core/domain/organizations/Organization"
import type { Report } from "@countersign/core/domain/messages/MessageReport"
import type { Total } from "@countersign/core/domain/money/Total"
import type { Verification } from "@countersign/core/domain/verifications/Verification"
import type { WebhookProgress } from "@countersign/core/domain/webhooks/WebhookProgress"

/** All rows of one organization. */
export interface Snapshot {
  readonly account: Account
  /** In order of sequence. */
  readonly entries: ReadonlyArray<Entry>
  /** Oldest first. */
  readonly messages: ReadonlyArray<Message>
  /** Oldest first. */
  readonly verifications: ReadonlyArray<Verification>
  /** Reports on the messages and on the last removed ones, by message and position. */
  readonly reports: ReadonlyArray<Report>
  /** By hour. */
  readonly totals: ReadonlyArray<Total>
  /** The same by UTC day. */
  readonly days: ReadonlyArray<Total>
  /** The event log, in order of sequence. Empty if the log is off. */
  readonly events: ReadonlyArray<LoggedEvent>
  /** How far the deliveries of webhooks have come. */
  readonly webhooks: ReadonlyArray<WebhookProgress>
  /** In order of sequence. Empty if the audit is off. */
  readonly audit: ReadonlyArray<AuditRecord>
  /** `undefined` before the first examination. */
  readonly alerts: Alerts | undefined
  readonly organization: Organization
}

/** The limits that the rows were made under. */
export interface Bounds {
  /** Most requests for one phone number in any window. */
  readonly sendsPerNumber: { readonly max: number; readonly windowMillis: number }
  readonly pendingPerNumber: number
  readonly attempts: number
  /** How often the code of one request may be sent again. */
  readonly resends: number
  /**
   * Requests from before this time (epoch milliseconds) may have been removed.
   * @defaultValue no request was removed
   */
  readonly droppedBefore?: number | undefined
}
