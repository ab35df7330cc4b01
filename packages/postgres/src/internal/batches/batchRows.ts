import type { Account, Entry } from "@countersign/core/domain/Account"
import type { AuditEntry } from "@countersign/core/domain/AuditEntry"
import { type Command, type Tag } from "@countersign/core/decide/Command"
import { needs } from "@countersign/core/decide/Needs"
import type { Rows, Writes } from "@countersign/core/decide/Decision"
import { type GatewayId, type Message, nextAt } from "@countersign/core/domain/Message"
import type { IdempotencyKey } from "@countersign/core/domain/IdempotencyKey"
import type { PhoneNumber } from "@countersign/core/domain/PhoneNumber"
import type { ClientActivity } from "@countersign/core/domain/ClientActivity"
import type { ErasedRecipient } from "@countersign/core/domain/ErasedRecipient"
import type { RequestId } from "@countersign/core/domain/Ids"
import type { Report } from "@countersign/core/domain/Report"
import type { LoggedEvent } from "@countersign/core/domain/Event"
import type { Recipient } from "@countersign/core/domain/Recipient"
import type { Verification } from "@countersign/core/domain/Verification"
import type { WebhookProgress } from "@countersign/core/domain/WebhookProgress"
import type { Finding, PrefixStats } from "@countersign/core/domain/PrefixStats"
import * as Total from "@countersign/core/domain/Total"
import type { Statement } from "../connection/pipeline.ts"
import type { Row } from "../rows/columns.ts"
import { encodeEvent } from "../rows/eventRows.ts"
import * as Tables from "../rows/tables.ts"
import { webhookProgress } from "../rows/webhookRows.ts"
import type { BatchReads, Key } from "../statements/batchReads.ts"
import type { Write, Writes as Parts } from "../statements/writes.ts"

/** A statement of a batch, and what its rows are. */
export interface BatchRead {
  readonly statement: Statement
  readonly load: (rows: BatchRows, row: Row) => void
}

/** The keys of the rows of one kind that a batch reads, each once. */
class Keys<A> {
  readonly #known = new Map<string, Set<A>>()
  readonly #keys: Array<Key<A>> = []

  add(organization: string, key: A | undefined): void {
    if (key === undefined) return
    let known = this.#known.get(organization)
    if (known === undefined) this.#known.set(organization, (known = new Set()))
    if (known.has(key)) return
    known.add(key)
    this.#keys.push({ organization, key })
  }

  /** Nothing if there are no keys. */
  read(
    statement: (keys: ReadonlyArray<Key<A>>) => Statement,
    load: BatchRead["load"],
  ): ReadonlyArray<BatchRead> {
    return this.#keys.length === 0 ? [] : [{ statement: statement(this.#keys), load }]
  }
}

/** The rows that a batch must read for its commands. */
export class BatchNeeds {
  readonly #organizations = new Set<string>()
  readonly #recipients = new Keys<PhoneNumber>()
  readonly #verifications = new Keys<RequestId>()
  readonly #messages = new Keys<number>()
  readonly #payments = new Keys<string>()
  readonly #idempotencyKeys = new Keys<string>()
  readonly #carriers = new Keys<RequestId>()
  readonly #prefixes = new Keys<string>()
  readonly #prefixesOfRequests = new Keys<RequestId>()
  readonly #clients = new Keys<string>()
  readonly #webhooks = new Keys<string>()
  readonly #erased = new Keys<string>()

  /** `phoneNumber`: that of the command's request, if a read of the request does not find its recipient. */
  add<T extends Tag>(command: Command<T>, phoneNumber?: PhoneNumber): void {
    const { organization } = command
    const wanted = needs(command)
    const { requestId } = wanted
    this.#organizations.add(organization)
    this.#recipients.add(organization, wanted.phoneNumber ?? phoneNumber)
    this.#verifications.add(organization, requestId)
    this.#messages.add(organization, wanted.messageSequence)
    this.#payments.add(organization, wanted.paymentId)
    this.#idempotencyKeys.add(organization, wanted.idempotencyId)
    this.#prefixes.add(organization, wanted.prefix)
    this.#webhooks.add(organization, wanted.webhookId)
    if (wanted.carrier === true) this.#carriers.add(organization, requestId)
    if (wanted.prefixOfRequest === true) this.#prefixesOfRequests.add(organization, requestId)
    // One digest for every pepper, because each may be the key of the row.
    for (const digest of wanted.client ?? []) this.#clients.add(organization, digest)
    for (const digest of wanted.erased ?? []) this.#erased.add(organization, digest)
  }

  /** In no particular order. The statements that lock accounts sort them. */
  organizations(): ReadonlyArray<string> {
    return [...this.#organizations]
  }

  reads(sql: BatchReads): ReadonlyArray<BatchRead> {
    return [
      ...this.#recipients.read(sql.readRecipients, loadRecipient),
      ...this.#verifications.read(sql.readVerifications, loadVerification),
      ...this.#messages.read(sql.readMessages, loadMessage),
      ...this.#payments.read(sql.readPayments, loadPayment),
      ...this.#idempotencyKeys.read(sql.readIdempotencyKeys, loadKey),
      ...this.#carriers.read(sql.readCarriers, loadMessage),
      ...this.#prefixes.read(sql.readPrefixStats, loadPrefixStats),
      ...this.#clients.read(sql.readClients, loadClient),
      ...this.#webhooks.read(sql.readWebhooks, loadWebhook),
      ...this.#erased.read(sql.readErasedRecipients, loadErased),
      ...this.#prefixesOfRequests.read(sql.readPrefixStatsOfVerifications, loadPrefixStats),
    ]
  }
}

const loadRecipient = (rows: BatchRows, row: Row): void => {
  const recipient = Tables.recipients.decode(row)
  const own = rows.of(recipient.organization)
  own.recipients.load(recipient.phoneNumber, recipient)
  const form = row["stale_phone_number"]
  if (typeof form === "string") own.staleForms.set(recipient.phoneNumber, form)
}

/** The row includes its recipient, unless retention has deleted the recipient. */
const loadVerification = (rows: BatchRows, row: Row): void => {
  const verification = Tables.decodeVerification(row)
  rows.of(verification.organization).verifications.load(verification.requestId, verification)
  if (row["sends"] !== null) loadRecipient(rows, row)
}

const loadMessage = (rows: BatchRows, row: Row): void => {
  const message = Tables.messages.decode(row)
  rows.of(message.organization).messages.load(message.sequence, message)
}

const loadPayment = (rows: BatchRows, row: Row): void => rows.addPayment(Tables.entries.decode(row))

const loadClient = (rows: BatchRows, row: Row): void => {
  const activity = Tables.clients.decode(row)
  rows.of(activity.organization).clients.load(activity.client, activity)
}

const loadWebhook = (rows: BatchRows, row: Row): void => {
  const progress = webhookProgress.decode(row)
  rows.of(progress.organization).webhooks.load(progress.id, progress)
}

const loadErased = (rows: BatchRows, row: Row): void => {
  const erased = Tables.erasedRecipients.decode(row)
  rows.of(erased.organization).erasedRecipients.load(erased.digest, erased)
}

const loadKey = (rows: BatchRows, row: Row): void => {
  const key = Tables.idempotencyKeys.decode(row)
  rows.of(key.organization).idempotencyKeys.load(key.id, key)
}

const loadPrefixStats = (rows: BatchRows, row: Row): void => {
  const stats = Tables.prefixStats.decode(row)
  rows.of(stats.organization).prefixes.load(stats.prefix, stats)
}

/** A row as it was read, `undefined` if it did not exist, and as the batch has changed it. */
interface RowChange<A> {
  readonly before: A | undefined
  row: A
}

class Table<K, A> {
  readonly #rows = new Map<K, RowChange<A>>()
  readonly changed = new Set<RowChange<A>>()

  get(key: K): A | undefined {
    return this.#rows.get(key)?.row
  }

  load(key: K, row: A): void {
    this.#rows.set(key, { before: row, row })
  }

  save(key: K, row: A): void {
    const change = this.#rows.get(key) ?? { before: undefined, row }
    change.row = row
    this.#rows.set(key, change)
    this.changed.add(change)
  }
}

export class OrganizationRows implements Rows {
  account: Account | undefined = undefined
  isChanged = false
  readonly recipients = new Table<PhoneNumber, Recipient>()
  /** The form of the phone number in rows that were read, where a change gives them another one. */
  readonly staleForms = new Map<PhoneNumber, string>()
  readonly verifications = new Table<RequestId, Verification>()
  readonly messages = new Table<number, Message>()
  /** By the sequence of their message. The last one counts. */
  readonly gatewayIds = new Map<number, GatewayId>()
  /** Entries by their payment id: those that were read, and those that the batch adds. */
  readonly payments = new Map<string, Entry>()
  readonly prefixes = new Table<string, PrefixStats>()
  readonly clients = new Table<string, ClientActivity>()
  readonly erasedRecipients = new Table<string, ErasedRecipient>()
  readonly idempotencyKeys = new Table<string, IdempotencyKey>()
  readonly webhooks = new Table<string, WebhookProgress>()
  /** What the batch adds to the totals. */
  readonly totals = new Total.Sums()

  recipient = (phoneNumber: PhoneNumber) => this.recipients.get(phoneNumber)
  verification = (id: RequestId) => this.verifications.get(id)
  message = (sequence: number) => this.messages.get(sequence)
  payment = (id: string) => this.payments.get(id)
  prefixStats = (prefix: string) => this.prefixes.get(prefix)
  client = (digest: string) => this.clients.get(digest)
  erasedRecipient = (digest: string) => this.erasedRecipients.get(digest)
  idempotencyKey = (id: string) => this.idempotencyKeys.get(id)
  webhook = (id: string) => this.webhooks.get(id)
}

/** The rows of a batch, as they were read and as its commands have changed them. */
export class BatchRows {
  readonly #organizations = new Map<string, OrganizationRows>()
  readonly #entries: Array<Entry> = []
  readonly #findings: Array<Finding> = []
  readonly #reports: Array<Report> = []
  readonly #events: Array<LoggedEvent> = []
  readonly #audit: Array<AuditEntry> = []

  loadAccounts(rows: ReadonlyArray<Row>): ReadonlyArray<Account> {
    const accounts = rows.map(Tables.accounts.decode)
    for (const account of accounts) this.of(account.organization).account = account
    return accounts
  }

  of(organization: string): OrganizationRows {
    const rows = this.#organizations.get(organization) ?? new OrganizationRows()
    this.#organizations.set(organization, rows)
    return rows
  }

  /** Adds the writes of one command of an organization. */
  apply(rows: OrganizationRows, writes: Writes): void {
    const { account, findings, followed, gatewayId, message, prefixStats, recipient } = writes
    const { idempotencyKey, report, verification } = writes
    rows.isChanged ||= Object.keys(writes).length > 0
    if (account !== undefined) rows.account = account
    if (recipient !== undefined) rows.recipients.save(recipient.phoneNumber, recipient)
    if (verification !== undefined) rows.verifications.save(verification.requestId, verification)
    if (followed !== undefined) rows.messages.save(followed.sequence, followed)
    if (message !== undefined) rows.messages.save(message.sequence, message)
    if (gatewayId !== undefined) rows.gatewayIds.set(gatewayId.sequence, gatewayId)
    if (writes.client !== undefined) rows.clients.save(writes.client.client, writes.client)
    if (writes.webhook !== undefined) rows.webhooks.save(writes.webhook.id, writes.webhook)
    if (writes.erased !== undefined) rows.erasedRecipients.save(writes.erased.digest, writes.erased)
    if (prefixStats !== undefined) rows.prefixes.save(prefixStats.prefix, prefixStats)
    if (idempotencyKey !== undefined) rows.idempotencyKeys.save(idempotencyKey.id, idempotencyKey)
    for (const entry of writes.entries ?? []) {
      this.#entries.push(entry)
      this.addPayment(entry)
    }
    if (findings !== undefined) this.#findings.push(...findings)
    if (report !== undefined) this.#reports.push(report)
    if (writes.events !== undefined) this.#events.push(...writes.events)
    if (writes.audit !== undefined) this.#audit.push(...writes.audit)
  }

  addPayment(entry: Entry): void {
    if (entry.paymentId !== null) {
      this.of(entry.organization).payments.set(entry.paymentId, entry)
    }
  }

  /** Returns the writes of the second round trip; an empty list if no command has changed anything. */
  writes(sql: Parts): ReadonlyArray<Write> {
    const organizations = [...this.#organizations.values()]
    const changesOf = <K, A>(table: (own: OrganizationRows) => Table<K, A>) => {
      const all: Array<RowChange<A>> = []
      for (const own of organizations) for (const change of table(own).changed) all.push(change)
      return all
    }
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
    const changed = organizations.flatMap((own) => (own.isChanged ? (own.account ?? []) : []))
    add(changed, sql.saveAccounts)
    const recipients = changesOf((own) => own.recipients)
    add(recipients.filter(isNew).map(rowOf), sql.insertRecipients)
    add(recipients.filter(isOld).map(rowOf), sql.saveRecipients)
    add(
      recipients.flatMap(({ row: { organization, phoneNumber } }) => {
        const form = this.of(organization).staleForms.get(phoneNumber)
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
    add(this.#reports, sql.insertReports)
    add(this.#events, (all) => sql.insertEvents(all.map(encodeEvent)))
    add(this.#audit, sql.insertAudit)
    return parts
  }
}

const rowOf = <A>({ row }: RowChange<A>): A => row
const isNew = ({ before }: RowChange<unknown>): boolean => before === undefined
const isOld = ({ before }: RowChange<unknown>): boolean => before !== undefined
