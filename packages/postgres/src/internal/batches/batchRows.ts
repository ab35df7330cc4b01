import type { Alerts } from "@countersign/core/domain/alerts/AlertState"
import type { Account, Entry } from "@countersign/core/domain/money/Account"
import type { AuditRecord } from "@countersign/core/domain/access/AuditRecord"
import type { Writes } from "@countersign/core/decide/Decision"
import { type GatewayId, type Message, nextAt } from "@countersign/core/domain/messages/Message"
import { placeOf, type Refusal } from "@countersign/core/domain/verifications/Refusal"
import type { Report } from "@countersign/core/domain/messages/MessageReport"
import type { LoggedEvent } from "@countersign/core/domain/events/Event"
import type { Recipient } from "@countersign/core/domain/verifications/Recipient"
import type { Verification } from "@countersign/core/domain/verifications/Verification"
import type { ClientActivity } from "@countersign/core/domain/verifications/ClientActivity"
import type { ErasedRecipient } from "@countersign/core/domain/verifications/ErasedRecipient"
import type { OptOut } from "@countersign/core/domain/messages/OptOut"
import type { IdempotencyKey } from "@countersign/core/domain/values/IdempotencyKey"
import type { WebhookProgress } from "@countersign/core/domain/webhooks/WebhookProgress"
import type { Finding, PrefixStats } from "@countersign/core/domain/fraud/PrefixStats"
import type { Batch, BatchTotal } from "@countersign/core/domain/outbox/Batch"
import { isKept, type QueuedSend } from "@countersign/core/domain/outbox/QueuedSend"
import * as Counter from "@countersign/core/domain/money/Counter"
import type { Total } from "@countersign/core/domain/money/Total"
import type { WebhookAttempt } from "@countersign/core/domain/webhooks/WebhookAttempt"
import { int8, type Row } from "../rows/columns.ts"
import { counterRows } from "../rows/counterTables.ts"
import { encodeEvent } from "../rows/eventRows.ts"
import * as Tables from "../rows/tables.ts"
import type { Write, Writes as Parts } from "../statements/writes.ts"
import { type KnownRows, OrganizationRows, type RowChange } from "./organizationRows.ts"

/** The rows of a batch, as they were read and as its commands have changed them. */
export class BatchRows {
  readonly #organizations: Map<string, OrganizationRows>
  /** The form of the phone number in rows that were read, where a change gives them another one. */
  readonly staleForms = new Map<Recipient, string>()
  readonly #recipients: Changes<Recipient> = []
  readonly #verifications: Changes<Verification> = []
  readonly #messages: Changes<Message> = []
  readonly #clients: Changes<ClientActivity> = []
  readonly #webhooks: Changes<WebhookProgress> = []
  readonly #erasedRecipients: Changes<ErasedRecipient> = []
  readonly #queued: Changes<QueuedSend> = []
  readonly #optOuts: Changes<OptOut> = []
  readonly #batches: Changes<Batch> = []
  readonly #alerts: Changes<Alerts> = []
  readonly #prefixes: Changes<PrefixStats> = []
  readonly #idempotencyKeys: Changes<IdempotencyKey> = []
  readonly #entries: Array<Entry> = []
  readonly #findings: Array<Finding> = []
  readonly #reports: Array<Report> = []
  readonly #events: Array<LoggedEvent> = []
  readonly #audit: Array<AuditRecord> = []
  readonly #attempts: Array<WebhookAttempt> = []

  constructor(known: KnownRows) {
    this.#organizations = new Map(known)
  }

  /** The organizations with an account. */
  get organizations(): ReadonlyArray<OrganizationRows & { readonly account: Account }> {
    return [...this.#organizations.values()].filter(hasAccount)
  }

  loadAccounts(rows: ReadonlyArray<Row>): void {
    for (const row of rows) {
      const account = Tables.accounts.decode(row)
      const own = this.of(account.organization)
      own.account = account
      own.stamp = int8.decode(row, "stamp")
    }
  }

  of(organization: string): OrganizationRows {
    const rows = this.#organizations.get(organization) ?? new OrganizationRows(organization)
    this.#organizations.set(organization, rows)
    return rows
  }

  /** Adds the writes of one command of an organization. */
  apply(rows: OrganizationRows, writes: Writes): void {
    const { account, audit = [], entries = [], events = [], findings = [], gatewayId } = writes
    const { tables } = rows
    rows.isChanged ||= Object.keys(writes).length > 0
    if (account !== undefined) rows.account = account
    tables.recipients.save(writes.recipient, this.#recipients)
    tables.verifications.save(writes.verification, this.#verifications)
    tables.messages.save(writes.followed, this.#messages)
    tables.messages.save(writes.message, this.#messages)
    if (gatewayId !== undefined) {
      rows.gatewayIds ??= new Map()
      rows.gatewayIds.set(gatewayId.sequence, gatewayId)
    }
    tables.clients.save(writes.client, this.#clients)
    tables.webhooks.save(writes.webhook, this.#webhooks)
    tables.queued.save(writes.queued, this.#queued)
    for (const send of writes.queuedRows ?? []) tables.queued.save(send, this.#queued)
    tables.batches.save(writes.batch, this.#batches)
    tables.alerts.save(writes.alerts, this.#alerts)
    tables.erasedRecipients.save(writes.erased, this.#erasedRecipients)
    for (const one of writes.optOuts ?? []) tables.optOuts.save(one, this.#optOuts)
    tables.prefixes.save(writes.prefixStats, this.#prefixes)
    tables.idempotencyKeys.save(writes.idempotencyKey, this.#idempotencyKeys)
    for (const entry of entries) {
      this.#entries.push(entry)
      if (entry.paymentId !== null) tables.payments.load(entry)
    }
    this.#findings.push(...findings)
    for (const one of writes.refusals ?? []) {
      rows.refusals ??= new Map()
      rows.refusals.set(placeOf(one), one)
    }
    if (writes.report !== undefined) this.#reports.push(writes.report)
    if (writes.attempts !== undefined) this.#attempts.push(...writes.attempts)
    this.#events.push(...events)
    this.#audit.push(...audit)
  }

  /**
   * Returns the writes of the second round trip; an empty list if no command has changed anything. `stamp` names the
   * commit, and `writer` its lane.
   */
  writes(sql: Parts, stamp: number, writer: string): ReadonlyArray<Write> {
    const accounts: Array<Account> = []
    const gatewayIds: Array<GatewayId> = []
    const totals: Array<Total> = []
    const batchTotals: Array<BatchTotal> = []
    const refusals: Array<Refusal> = []
    const counters = new Counter.Sums()
    // A change of an organization always writes its account, which carries the stamp.
    for (const own of this.#organizations.values()) {
      own.nextStamp = stamp
      if (!own.isChanged) continue
      if (own.account !== undefined) accounts.push(own.account)
      if (own.gatewayIds !== undefined) gatewayIds.push(...own.gatewayIds.values())
      if (own.totals !== undefined) totals.push(...own.totals.rows())
      if (own.batchTotals !== undefined) batchTotals.push(...own.batchTotals.rows())
      if (own.refusals !== undefined) refusals.push(...own.refusals.values())
      for (const one of own.counters ?? []) counters.add(one)
    }
    const parts: Array<Write> = []
    const add = <A>(write: (rows: ReadonlyArray<A>) => Write, rows: ReadonlyArray<A>): void => {
      if (rows.length > 0) parts.push(write(rows))
    }
    /** Adds the rows that are new, and those that are not. */
    const addChanges = <A>(
      insert: (rows: ReadonlyArray<A>) => Write,
      save: (rows: ReadonlyArray<A>) => Write,
      changes: Changes<A>,
    ) => {
      add(insert, newIn(changes))
      add(save, oldIn(changes))
    }
    if (accounts.length > 0) parts.push(sql.saveAccounts(accounts, stamp))
    addChanges(sql.insertRecipients, sql.saveRecipients, this.#recipients)
    if (this.staleForms.size > 0) add(sql.deleteRecipients, this.#left())
    addChanges(sql.insertVerifications, sql.saveVerifications, this.#verifications)
    add(sql.insertEntries, this.#entries)
    addChanges(sql.insertMessages, sql.saveMessages, this.#messages)
    this.#addOpenMessages(sql, add)
    add(sql.saveGatewayIds, gatewayIds)
    add(sql.saveClients, this.#clients.map(rowOf))
    add(sql.saveErasedRecipients, this.#erasedRecipients.map(rowOf))
    add(sql.saveOptOuts, this.#optOuts.map(rowOf))
    add(sql.savePrefixStats, this.#prefixes.map(rowOf))
    add(sql.saveIdempotencyKeys, this.#idempotencyKeys.map(rowOf))
    const { gone = [], kept = [] } = Object.groupBy(this.#queued.map(rowOf), (send) =>
      isKept(send) ? "kept" : "gone",
    )
    add(sql.saveQueued, kept)
    add(sql.deleteQueued, gone)
    add(sql.saveBatches, this.#batches.map(rowOf))
    add(sql.saveAlerts, this.#alerts.map(rowOf))
    add(sql.addBatchTotals, batchTotals)
    add(sql.saveWebhooks, this.#webhooks.map(rowOf))
    add(sql.insertWebhookAttempts, this.#attempts)
    add(sql.addTotals, totals)
    add(sql.addCounters, counterRows(counters.rows(), writer))
    add(sql.insertFindings, this.#findings)
    add(sql.saveRefusals, refusals)
    add(sql.insertReports, this.#reports)
    if (this.#events.length > 0) parts.push(sql.insertEvents(this.#events.map(encodeEvent)))
    add(sql.insertAudit, this.#audit)
    return parts
  }

  /** The rows that recipients leave behind, because a change gives them another form of their number. */
  #left() {
    return this.#recipients.flatMap(({ before, row: { organization } }) => {
      const form = before && this.staleForms.get(before)
      return form === undefined ? [] : [{ organization, form }]
    })
  }

  /** Adds the open messages whose time has changed, and removes those without one. */
  #addOpenMessages(
    sql: Parts,
    add: <A>(write: (rows: ReadonlyArray<A>) => Write, rows: ReadonlyArray<A>) => void,
  ): void {
    if (this.#messages.length === 0) return
    const moved = this.#messages.filter(
      ({ before, row }) => nextAt(row) !== (before === undefined ? null : nextAt(before)),
    )
    const ended = moved.filter(({ row }) => nextAt(row) === null)
    add(sql.insertOpenMessages, openIn(newIn(moved)))
    add(sql.saveOpenMessages, openIn(oldIn(moved)))
    add(
      sql.deleteOpenMessages,
      ended.map(({ row: { organization, sequence } }) => ({ organization, sequence, dueAt: 0 })),
    )
  }
}

type Changes<A> = Array<RowChange<A>>

const hasAccount = (own: OrganizationRows): own is OrganizationRows & { account: Account } =>
  own.account !== undefined
const rowOf = <A>({ row }: RowChange<A>): A => row
const newIn = <A>(changes: Changes<A>): ReadonlyArray<A> => rowsIn(changes, true)
const oldIn = <A>(changes: Changes<A>): ReadonlyArray<A> => rowsIn(changes, false)
const rowsIn = <A>(changes: Changes<A>, areNew: boolean): ReadonlyArray<A> => {
  const rows: Array<A> = []
  for (const { before, row } of changes) if ((before === undefined) === areNew) rows.push(row)
  return rows
}
const openIn = (messages: ReadonlyArray<Message>) =>
  messages.flatMap((message) => Tables.openMessageOf(message) ?? [])
