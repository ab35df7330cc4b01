import type { Account, Entry } from "@countersign/core/domain/money/Account"
import type { AuditRecord } from "@countersign/core/domain/access/AuditRecord"
import type { Writes } from "@countersign/core/decide/Decision"
import { type Message, nextAt } from "@countersign/core/domain/messages/Message"
import { placeOf } from "@countersign/core/domain/verifications/Refusal"
import type { Report } from "@countersign/core/domain/messages/MessageReport"
import type { LoggedEvent } from "@countersign/core/domain/events/Event"
import type { Recipient } from "@countersign/core/domain/verifications/Recipient"
import type { Finding } from "@countersign/core/domain/fraud/PrefixStats"
import { int8, type Row } from "../rows/columns.ts"
import { encodeEvent } from "../rows/eventRows.ts"
import * as Tables from "../rows/tables.ts"
import type { Write, Writes as Parts } from "../statements/writes.ts"
import {
  type KnownRows,
  OrganizationRows,
  type OrganizationTables,
  type RowChange,
  type Table,
} from "./organizationRows.ts"

/** The rows of a batch, as they were read and as its commands have changed them. */
export class BatchRows {
  readonly #organizations: Map<string, OrganizationRows>
  /** The form of the phone number in rows that were read, where a change gives them another one. */
  readonly staleForms = new Map<Recipient, string>()
  readonly #entries: Array<Entry> = []
  readonly #findings: Array<Finding> = []
  readonly #reports: Array<Report> = []
  readonly #events: Array<LoggedEvent> = []
  readonly #audit: Array<AuditRecord> = []

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
    tables.recipients.save(writes.recipient)
    tables.verifications.save(writes.verification)
    tables.messages.save(writes.followed)
    tables.messages.save(writes.message)
    if (gatewayId !== undefined) rows.gatewayIds.set(gatewayId.sequence, gatewayId)
    tables.clients.save(writes.client)
    tables.webhooks.save(writes.webhook)
    tables.erasedRecipients.save(writes.erased)
    tables.prefixes.save(writes.prefixStats)
    tables.idempotencyKeys.save(writes.idempotencyKey)
    for (const entry of entries) {
      this.#entries.push(entry)
      if (entry.paymentId !== null) tables.payments.load(entry)
    }
    this.#findings.push(...findings)
    for (const one of writes.refusals ?? []) rows.refusals.set(placeOf(one), one)
    if (writes.report !== undefined) this.#reports.push(writes.report)
    this.#events.push(...events)
    this.#audit.push(...audit)
  }

  /**
   * Returns the writes of the second round trip; an empty list if no command has changed anything. `stamp` names the
   * commit.
   */
  writes(sql: Parts, stamp: number): ReadonlyArray<Write> {
    const organizations = [...this.#organizations.values()]
    const changesOf = <K, A>(tableOf: (own: OrganizationTables) => Table<K, A>) =>
      organizations.flatMap(({ tables }) => tableOf(tables).changes)
    const verifications = changesOf((own) => own.verifications)
    const messages = changesOf((own) => own.messages)
    const moved = messages.filter(
      ({ before, row }) => nextAt(row) !== (before === undefined ? null : nextAt(before)),
    )
    const parts: Array<Write> = []
    const add = <A>(write: (rows: ReadonlyArray<A>) => Write, rows: ReadonlyArray<A>): void => {
      if (rows.length > 0) parts.push(write(rows))
    }
    // A change of an organization always writes its account, which carries the stamp.
    for (const own of organizations) own.nextStamp = stamp
    const changed = organizations.flatMap((own) => (own.isChanged ? (own.account ?? []) : []))
    add((all) => sql.saveAccounts(all, stamp), changed)
    const recipients = changesOf((own) => own.recipients)
    const left = recipients.flatMap(({ before, row: { organization } }) => {
      const form = before && this.staleForms.get(before)
      return form === undefined ? [] : [{ organization, form }]
    })
    add(sql.insertRecipients, newIn(recipients))
    add(sql.saveRecipients, oldIn(recipients))
    add(sql.deleteRecipients, left)
    add(sql.insertVerifications, newIn(verifications))
    add(sql.saveVerifications, oldIn(verifications))
    add(sql.insertEntries, this.#entries)
    add(sql.insertMessages, newIn(messages))
    add(sql.saveMessages, oldIn(messages))
    const ended = moved.filter(({ row }) => nextAt(row) === null)
    add(sql.insertOpenMessages, openIn(newIn(moved)))
    add(sql.saveOpenMessages, openIn(oldIn(moved)))
    add(
      sql.deleteOpenMessages,
      ended.map(({ row: { organization, sequence } }) => ({ organization, sequence, dueAt: 0 })),
    )
    add(
      sql.saveGatewayIds,
      organizations.flatMap((own) => [...own.gatewayIds.values()]),
    )
    add(sql.saveClients, changesOf((own) => own.clients).map(rowOf))
    add(sql.saveErasedRecipients, changesOf((own) => own.erasedRecipients).map(rowOf))
    add(sql.savePrefixStats, changesOf((own) => own.prefixes).map(rowOf))
    add(sql.saveIdempotencyKeys, changesOf((own) => own.idempotencyKeys).map(rowOf))
    add(sql.saveWebhooks, changesOf((own) => own.webhooks).map(rowOf))
    add(
      sql.addTotals,
      organizations.flatMap(({ totals }) => totals.rows()),
    )
    add(sql.insertFindings, this.#findings)
    add(
      sql.saveRefusals,
      organizations.flatMap((own) => [...own.refusals.values()]),
    )
    add(sql.insertReports, this.#reports)
    add((all) => sql.insertEvents(all.map(encodeEvent)), this.#events)
    add(sql.insertAudit, this.#audit)
    return parts
  }
}

const hasAccount = (own: OrganizationRows): own is OrganizationRows & { account: Account } =>
  own.account !== undefined
const rowOf = <A>({ row }: RowChange<A>): A => row
const newIn = <A>(changes: ReadonlyArray<RowChange<A>>): ReadonlyArray<A> =>
  changes.filter(({ before }) => before === undefined).map(rowOf)
const oldIn = <A>(changes: ReadonlyArray<RowChange<A>>): ReadonlyArray<A> =>
  changes.filter(({ before }) => before !== undefined).map(rowOf)
const openIn = (messages: ReadonlyArray<Message>) =>
  messages.flatMap((message) => Tables.openMessageOf(message) ?? [])
