import type { Account, Entry } from "@countersign/core/domain/money/Account"
import type { AuditRecord } from "@countersign/core/domain/access/AuditRecord"
import type { Writes } from "@countersign/core/decide/Decision"
import { nextAt } from "@countersign/core/domain/messages/Message"
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
    const add = <A>(rows: ReadonlyArray<A>, write: (rows: ReadonlyArray<A>) => Write): void => {
      if (rows.length > 0) parts.push(write(rows))
    }
    // A change of an organization always writes its account, which carries the stamp.
    for (const own of organizations) own.nextStamp = stamp
    const changed = organizations.flatMap((own) => (own.isChanged ? (own.account ?? []) : []))
    add(changed, (all) => sql.saveAccounts(all, stamp))
    const recipients = changesOf((own) => own.recipients)
    add(recipients.filter(isNew).map(rowOf), sql.insertRecipients)
    add(recipients.filter(isOld).map(rowOf), sql.saveRecipients)
    add(
      recipients.flatMap(({ before, row: { organization } }) => {
        const form = before && this.staleForms.get(before)
        return form === undefined ? [] : [{ organization, form }]
      }),
      sql.deleteRecipients,
    )
    add(verifications.filter(isNew).map(rowOf), sql.insertVerifications)
    add(verifications.filter(isOld).map(rowOf), sql.saveVerifications)
    add(this.#entries, sql.insertEntries)
    add(messages.filter(isNew).map(rowOf), sql.insertMessages)
    add(messages.filter(isOld).map(rowOf), sql.saveMessages)
    add(
      moved.filter(isNew).flatMap(({ row }) => Tables.openMessageOf(row) ?? []),
      sql.insertOpenMessages,
    )
    add(
      moved.filter(isOld).flatMap(({ row }) => Tables.openMessageOf(row) ?? []),
      sql.saveOpenMessages,
    )
    add(
      moved.flatMap(({ row: { organization, sequence }, row }) =>
        nextAt(row) === null ? [{ organization, sequence, dueAt: 0 }] : [],
      ),
      sql.deleteOpenMessages,
    )
    add(
      organizations.flatMap((own) => [...own.gatewayIds.values()]),
      sql.saveGatewayIds,
    )
    add(changesOf((own) => own.clients).map(rowOf), sql.saveClients)
    add(changesOf((own) => own.erasedRecipients).map(rowOf), sql.saveErasedRecipients)
    add(changesOf((own) => own.prefixes).map(rowOf), sql.savePrefixStats)
    add(changesOf((own) => own.idempotencyKeys).map(rowOf), sql.saveIdempotencyKeys)
    add(changesOf((own) => own.webhooks).map(rowOf), sql.saveWebhooks)
    add(
      organizations.flatMap(({ totals }) => totals.rows()),
      sql.addTotals,
    )
    add(this.#findings, sql.insertFindings)
    add(
      organizations.flatMap((own) => [...own.refusals.values()]),
      sql.saveRefusals,
    )
    add(this.#reports, sql.insertReports)
    add(this.#events, (all) => sql.insertEvents(all.map(encodeEvent)))
    add(this.#audit, sql.insertAudit)
    return parts
  }
}

const hasAccount = (own: OrganizationRows): own is OrganizationRows & { account: Account } =>
  own.account !== undefined
const rowOf = <A>({ row }: RowChange<A>): A => row
const isNew = ({ before }: RowChange<unknown>): boolean => before === undefined
const isOld = ({ before }: RowChange<unknown>): boolean => before !== undefined
