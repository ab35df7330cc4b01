import type { Alerts } from "../../domain/alerts/AlertState.ts"
import type * as Account from "../../domain/money/Account.ts"
import type { AuditRecord } from "../../domain/access/AuditRecord.ts"
import * as ClientActivity from "../../domain/verifications/ClientActivity.ts"
import type * as Decision from "../../decide/Decision.ts"
import type * as OrganizationChange from "../../decide/OrganizationChange.ts"
import * as Batch from "../../domain/outbox/Batch.ts"
import * as QueuedSends from "../../domain/outbox/QueuedSend.ts"
import type { LoggedEvent } from "../../domain/events/Event.ts"
import type { RequestId, WebhookId } from "../../domain/values/Ids.ts"
import { bounds } from "../../domain/limits/Limits.ts"
import type { ErasedRecipient } from "../../domain/verifications/ErasedRecipient.ts"
import type { IdempotencyKey } from "../../domain/values/IdempotencyKey.ts"
import type { Message } from "../../domain/messages/Message.ts"
import type { OptOut } from "../../domain/messages/OptOut.ts"
import type { Organization } from "../../domain/organizations/Organization.ts"
import type { PhoneNumber } from "../../domain/values/PhoneNumber.ts"
import * as Pruning from "../../decide/maintenance/Pruning.ts"
import type { Recipient } from "../../domain/verifications/Recipient.ts"
import type { Report } from "../../domain/messages/MessageReport.ts"
import type { AuditPage, EventPage, PruneResult, PruneStep, WebhookRef } from "../../ports/Store.ts"
import type { Finding, PrefixStats } from "../../domain/fraud/PrefixStats.ts"
import * as Refusal from "../../domain/verifications/Refusal.ts"
import * as Total from "../../domain/money/Total.ts"
import type { Verification } from "../../domain/verifications/Verification.ts"
import type { WebhookAttempt } from "../../domain/webhooks/WebhookAttempt.ts"
import * as WebhookProgress from "../../domain/webhooks/WebhookProgress.ts"
import { addAttempts } from "./counterRows.ts"

/** The rows of one organization in memory. */
export class OrganizationState implements Decision.Rows {
  account: Account.Account
  organization: Organization
  readonly recipients = new Map<PhoneNumber, Recipient>()
  readonly verifications = new Map<RequestId, Verification>()
  /** Messages from the account's `firstMessage` on, without gaps. */
  readonly log: Array<Message> = []
  readonly ledger: Array<Account.Entry> = []
  /** Ledger entries by payment id. */
  readonly payments = new Map<string, Account.Entry>()
  /** Oldest first. */
  readonly idempotencyKeys = new Map<string, IdempotencyKey>()
  /** Reports by the sequence of their message. */
  readonly reports = new Map<number, Array<Report>>()
  readonly prefixes = new Map<string, PrefixStats>()
  /** Clients by digest, the least recent first. */
  readonly clients = new Map<string, ClientActivity.ClientActivity>()
  /** By digest. */
  readonly erasedRecipients = new Map<string, ErasedRecipient>()
  /** By digest. */
  readonly optOuts = new Map<string, OptOut>()
  /** Oldest first. */
  readonly findings: Array<Finding> = []
  readonly totals = new Total.Sums()
  /** By their place, the oldest first. */
  readonly refusals = new Map<number, Refusal.Refusal>()
  /** Events from the account's `firstEvent` on, without gaps. */
  readonly events: Array<LoggedEvent> = []
  /** By id, in the order in which they were added. */
  readonly outbox = new Map<string, QueuedSends.QueuedSend>()
  readonly batches = new Map<string, Batch.Batch>()
  readonly batchTotals = new Batch.BatchSums()
  alertRow: Alerts | undefined = undefined
  readonly webhooks = new Map<WebhookId, WebhookProgress.WebhookProgress>()
  /** The attempts of each webhook, the oldest first. */
  readonly attempts = new Map<WebhookId, ReadonlyArray<WebhookAttempt>>()
  /** Entries of the audit from the account's `firstAudit` on, without gaps. */
  readonly audit: Array<AuditRecord> = []
  /** Position of the sweep over the recipients. */
  #sweep = this.recipients.values()
  /** The messages up to this sequence lead to no sealed code. */
  #codesErasedTo = 0

  constructor(organization: Omit<Organization, "version">, writes: OrganizationChange.Rows) {
    this.account = writes.account
    this.organization = { ...organization, version: this.account.version }
    this.apply(writes)
  }

  recipient = (number: PhoneNumber) => this.recipients.get(number)
  verification = (id: RequestId) => this.verifications.get(id)
  message = (number: number) => this.log[number - this.account.firstMessage]
  payment = (id: string) => this.payments.get(id)
  idempotencyKey = (id: string) => this.idempotencyKeys.get(id)
  prefixStats = (prefix: string) => this.prefixes.get(prefix)
  client = (digest: string) => this.clients.get(digest)
  webhook = (id: WebhookId) => this.webhooks.get(id)
  optOut = (digest: string) => this.optOuts.get(digest)
  erasedRecipient = (digest: string) => this.erasedRecipients.get(digest)
  queued = (id: string) => this.outbox.get(id)
  batch = (id: string) => this.batches.get(id)
  alerts = () => this.alertRow

  /** Applies all writes or none: operations that may throw come first. */
  apply(writes: Decision.Writes): void {
    const { account, client, entries, findings, message, prefixStats, recipient } = writes
    const { idempotencyKey, report, verification } = writes
    const reports = report === undefined ? undefined : this.reports.get(report.messageSequence)
    if (account !== undefined) this.account = account
    if (recipient !== undefined) this.recipients.set(recipient.phoneNumber, recipient)
    if (verification !== undefined) this.verifications.set(verification.requestId, verification)
    for (const one of [writes.followed, message]) {
      if (one !== undefined) this.log[one.sequence - this.account.firstMessage] = one
    }
    if (client !== undefined) this.saveClient(client)
    if (writes.erased !== undefined) {
      this.erasedRecipients.set(writes.erased.digest, writes.erased)
    }
    for (const one of writes.optOuts ?? []) this.optOuts.set(one.digest, one)
    if (idempotencyKey !== undefined) this.saveKey(idempotencyKey)
    if (prefixStats !== undefined) this.prefixes.set(prefixStats.prefix, prefixStats)
    for (const entry of entries ?? []) {
      this.ledger.push(entry)
      if (entry.paymentId !== null) this.payments.set(entry.paymentId, entry)
    }
    if (findings !== undefined) this.findings.push(...findings)
    for (const one of writes.refusals ?? []) this.saveRefusal(one)
    if (writes.queued !== undefined) this.saveQueued(writes.queued)
    for (const send of writes.queuedRows ?? []) this.saveQueued(send)
    if (writes.alerts !== undefined) this.alertRow = writes.alerts
    if (writes.batch !== undefined) this.batches.set(writes.batch.id, writes.batch)
    if (writes.webhook !== undefined) this.webhooks.set(writes.webhook.id, writes.webhook)
    if (writes.attempts !== undefined) addAttempts(this, writes.attempts)
    if (writes.events !== undefined) this.events.push(...writes.events)
    if (writes.audit !== undefined) this.audit.push(...writes.audit)
    if (report !== undefined) {
      if (reports === undefined) this.reports.set(report.messageSequence, [report])
      else reports.push(report)
    }
  }

  saveQueued(send: QueuedSends.QueuedSend): void {
    if (QueuedSends.isKept(send)) this.outbox.set(send.id, send)
    else this.outbox.delete(send.id)
  }

  /** Drops the progress of webhooks that were removed. */
  change(organization: Organization): void {
    this.organization = organization
    for (const id of this.webhooks.keys()) {
      if (!organization.webhooks.some((webhook) => webhook.id === id)) this.webhooks.delete(id)
    }
  }

  dueWebhooks(isTroubled: boolean, now: number): ReadonlyArray<WebhookRef> {
    const { id: organization, webhooks } = this.organization
    return webhooks.flatMap(({ id, isEnabled, startsAfter }) => {
      const progress =
        this.webhooks.get(id) ?? WebhookProgress.initial(organization, id, startsAfter)
      const isDue =
        isEnabled &&
        WebhookProgress.isFree(progress, now) &&
        WebhookProgress.isDue(progress, this.account.lastEvent, now)
      const isWanted = WebhookProgress.isTroubled(progress, now) === isTroubled
      return isDue && isWanted ? [{ organization, id }] : []
    })
  }

  /** Also drops the keys that have expired. */
  saveKey(key: IdempotencyKey): void {
    for (const { expiresAt, id } of this.idempotencyKeys.values()) {
      if (expiresAt > this.account.lastAt) break
      this.idempotencyKeys.delete(id)
    }
    this.idempotencyKeys.set(key.id, key)
  }

  /** Also drops the clients that no limit concerns any more, so that their number stays bounded. */
  saveClient(activity: ClientActivity.ClientActivity): void {
    this.clients.delete(activity.client)
    this.clients.set(activity.client, activity)
    const earliest = this.account.lastAt - bounds.windowMillis.max
    for (const one of this.clients.values()) {
      if (!ClientActivity.isIdle(one, earliest)) break
      this.clients.delete(one.client)
    }
  }

  pruneLog(before: number, now: number, limit: number): ReadonlyArray<Message> {
    const { account, log } = this
    const old = Pruning.firstToKeep(account, log.slice(0, limit), before)
    // Only messages lead to the codes, so a message goes no earlier than its code.
    const codes = this.#codesBetween(this.#codesErasedTo, old - 1)
    const { cleared } = Pruning.codesToErase(codes, now, account.lastAt)
    this.#erase(codes.slice(0, cleared), now)
    this.#codesErasedTo += cleared
    const firstMessage = Math.min(old, this.#codesErasedTo + 1)
    this.account = { ...account, firstMessage }
    const gone = log.splice(0, firstMessage - account.firstMessage)
    for (const { sequence } of gone) this.reports.delete(sequence)
    return gone
  }

  eventsAfter(after: number, limit: number): EventPage {
    const { firstEvent: first, lastEvent: last } = this.account
    const from = Math.max(0, after + 1 - first)
    return { first, last, events: this.events.slice(from, from + limit) }
  }

  auditBefore(before: number | undefined, limit: number): AuditPage {
    const { firstAudit: first, lastAudit: last } = this.account
    const end = Math.max(0, Math.min(before ?? Infinity, last + 1) - first)
    const entries = this.audit.slice(Math.max(0, end - limit), end)
    return { first, last, entries: entries.toReversed() }
  }

  pruneRecords(
    kind: "events" | "audit",
    first: "firstEvent" | "firstAudit",
    before: number,
    limit: number,
  ): number {
    const times = this[kind].slice(0, limit).map(({ at }) => at)
    const kept = Pruning.firstRecordToKeep(this.account[first], times, before)
    const dropped = kept - this.account[first]
    this[kind].splice(0, dropped)
    this.account = { ...this.account, [first]: kept }
    return dropped
  }

  /** Requests are in the order of their creation, so the oldest come first. */
  pruneVerifications(before: number, now: number, limit: number): number {
    let dropped = 0
    for (const verification of this.verifications.values()) {
      const { createdAt } = verification
      if (dropped === limit || (createdAt >= before && createdAt <= now)) break
      if (!Pruning.isRequestOver(verification, before, now)) continue
      this.verifications.delete(verification.requestId)
      dropped += 1
    }
    return dropped
  }

  /** Whether messages may lead to sealed codes. */
  get mayHaveCodes(): boolean {
    return this.#codesErasedTo < this.account.lastMessage
  }

  eraseCodes(now: number, { after = "0", limit }: PruneStep): PruneResult {
    const from = Math.max(Number(after), this.#codesErasedTo)
    const to = from + limit
    const { cleared, erased } = this.#erase(this.#codesBetween(from, to), now)
    // A pending code stops the place, but not the steps.
    if (from === this.#codesErasedTo) this.#codesErasedTo += cleared
    return { dropped: erased, next: to < this.account.lastMessage ? String(to) : undefined }
  }

  /** The requests that the messages after `from`, up to `to`, lead to, if they have sealed codes. */
  #codesBetween(from: number, to: number): ReadonlyArray<Verification | undefined> {
    const { firstMessage } = this.account
    return this.log.slice(from + 1 - firstMessage, to + 1 - firstMessage).map(({ requestId }) => {
      const request = requestId === null ? undefined : this.verifications.get(requestId)
      return request?.sealed === null ? undefined : request
    })
  }

  #erase(codes: ReadonlyArray<Verification | undefined>, now: number) {
    const { cleared, requests } = Pruning.codesToErase(codes, now, this.account.lastAt)
    for (const id of requests) {
      const request = this.verifications.get(id)
      if (request !== undefined) this.verifications.set(id, { ...request, sealed: null })
    }
    return { cleared, erased: requests.length }
  }

  /** Drops the oldest findings, and statistics that no longer count. Drops at most `limit` of each. */
  pruneFindings(before: number, now: number, limit: number): PruneResult {
    const old = this.findings.filter(({ at }) => at < before).slice(0, limit)
    this.findings.splice(0, old.length)
    const first = Pruning.firstPrefixStatsToKeep(before, now)
    const idle = [...this.prefixes.values()].filter(({ since }) => since < first).slice(0, limit)
    for (const { prefix } of idle) this.prefixes.delete(prefix)
    const isMore = old.length === limit || idle.length === limit
    return { dropped: old.length + idle.length, next: isMore ? "findings" : undefined }
  }

  saveRefusal(refusal: Refusal.Refusal): void {
    const place = Refusal.placeOf(refusal)
    if (this.refusals.get(place)?.sequence !== refusal.sequence) this.refusals.delete(place)
    this.refusals.set(place, refusal)
  }

  pruneRefusals(before: number, limit: number): number {
    const old = [...this.refusals].filter(([, { at }]) => at < before).slice(0, limit)
    for (const [place] of old) this.refusals.delete(place)
    return old.length
  }

  pruneOutbox(before: number, limit: number): number {
    const old = [...this.outbox.values()]
      .filter((send) => Pruning.isQueuedOver(send, before))
      .slice(0, limit)
    for (const { id } of old) this.outbox.delete(id)
    return old.length
  }

  /** The totals of a batch go with it. */
  pruneBatches(before: number, limit: number): number {
    const old = [...this.batches.values()]
      .filter((one) => Batch.isOver(one, before))
      .slice(0, limit)
    for (const { id } of old) {
      this.batches.delete(id)
      this.batchTotals.delete(id)
    }
    return old.length
  }

  pruneTotals(before: number, limit: number): number {
    return this.totals.drop(({ at }) => Pruning.isTotalOver(at, before), limit)
  }

  pruneRecipients(before: number, now: number, { after, limit }: PruneStep): PruneResult {
    if (after === undefined) this.#sweep = this.recipients.values()
    let dropped = 0
    for (let seen = 0; seen < limit; seen++) {
      const { done, value } = this.#sweep.next()
      if (done === true) return { dropped, next: undefined }
      if (!Pruning.isRecipientIdle(value, before, now)) continue
      this.recipients.delete(value.phoneNumber)
      dropped += 1
    }
    return { dropped, next: "recipients" }
  }
}
