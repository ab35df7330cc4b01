import type { Account, Entry } from "@countersign/core/domain/Account"
import { type Command, needs, type Tag } from "@countersign/core/decide/Command"
import type { Rows, Writes } from "@countersign/core/decide/Decision"
import type { GatewayId, Message } from "@countersign/core/domain/Message"
import type { PhoneNumber } from "@countersign/core/domain/PhoneNumber"
import type { RequestId } from "@countersign/core/domain/Ids"
import type { Report } from "@countersign/core/domain/Report"
import type { Recipient } from "@countersign/core/domain/Recipient"
import type { Verification } from "@countersign/core/domain/Verification"
import type { Finding, PrefixStats } from "@countersign/core/domain/PrefixStats"
import type { Statement } from "../connection/pipeline.ts"
import * as Read from "../rows/rows.ts"
import type { Key, Statements } from "../statements/batchReads.ts"
import type { Write, Writes as Parts } from "../statements/writes.ts"

/** The rows that a batch must read for its commands. */
export class Wanted {
  readonly #organizations = new Map<string, WantedOf>()

  add<T extends Tag>(command: Command<T>): void {
    const { organization } = command
    const needed = needs(command)
    const { messageSequence, paymentId, phoneNumber, prefix, requestId } = needed
    let wanted = this.#organizations.get(organization)
    if (wanted === undefined) {
      wanted = {
        recipients: new Set(),
        verifications: new Set(),
        messages: new Set(),
        payments: new Set(),
        carriersOf: new Set(),
        prefixes: new Set(),
        prefixesOf: new Set(),
      }
      this.#organizations.set(organization, wanted)
    }
    if (phoneNumber !== undefined) wanted.recipients.add(phoneNumber)
    if (requestId !== undefined) wanted.verifications.add(requestId)
    if (messageSequence !== undefined) wanted.messages.add(messageSequence)
    if (paymentId !== undefined) wanted.payments.add(paymentId)
    if (requestId !== undefined && needed.carrier === true) wanted.carriersOf.add(requestId)
    if (prefix !== undefined) wanted.prefixes.add(prefix)
    if (requestId !== undefined && needed.prefixOfRequest === true) wanted.prefixesOf.add(requestId)
  }

  /** In no particular order. The statements that lock accounts sort them. */
  organizations(): ReadonlyArray<string> {
    return [...this.#organizations.keys()]
  }

  /** Returns the statements of the first round trip, after the accounts. */
  statements(
    sql: Statements,
  ): ReadonlyArray<{ readonly kind: Kind; readonly statement: Statement }> {
    const recipients = this.#keys((wanted) => wanted.recipients)
    const verifications = this.#keys((wanted) => wanted.verifications)
    const messages = this.#keys((wanted) => wanted.messages)
    const payments = this.#keys((wanted) => wanted.payments)
    const carriersOf = this.#keys((wanted) => wanted.carriersOf)
    const prefixes = this.#keys((wanted) => wanted.prefixes)
    const prefixesOf = this.#keys((wanted) => wanted.prefixesOf)
    return [
      ...(recipients.length === 0
        ? []
        : [{ kind: "recipients" as const, statement: sql.readRecipients(recipients) }]),
      ...(verifications.length === 0
        ? []
        : [{ kind: "verifications" as const, statement: sql.readVerifications(verifications) }]),
      ...(messages.length === 0
        ? []
        : [{ kind: "messages" as const, statement: sql.readMessages(messages) }]),
      ...(payments.length === 0
        ? []
        : [{ kind: "payments" as const, statement: sql.readPayments(payments) }]),
      ...(carriersOf.length === 0
        ? []
        : [{ kind: "messages" as const, statement: sql.readCarriers(carriersOf) }]),
      ...(prefixes.length === 0
        ? []
        : [{ kind: "traffic" as const, statement: sql.readTraffic(prefixes) }]),
      ...(prefixesOf.length === 0
        ? []
        : [{ kind: "traffic" as const, statement: sql.readTrafficOfVerifications(prefixesOf) }]),
    ]
  }

  #keys<A>(of: (wanted: WantedOf) => Iterable<A>): ReadonlyArray<Key<A>> {
    const keys: Array<Key<A>> = []
    for (const [organization, wanted] of this.#organizations) {
      for (const key of of(wanted)) keys.push({ organization, key })
    }
    return keys
  }
}

interface WantedOf {
  readonly recipients: Set<string>
  readonly verifications: Set<string>
  readonly messages: Set<number>
  readonly payments: Set<string>
  /** Ids of verifications whose messages are needed. */
  readonly carriersOf: Set<string>
  readonly prefixes: Set<string>
  /** Ids of verifications whose prefix's traffic is needed. */
  readonly prefixesOf: Set<string>
}

export type Kind = "recipients" | "verifications" | "messages" | "payments" | "traffic"

/** A row as it was read, `undefined` if it did not exist, and as the batch has changed it. */
interface Tracked<A> {
  readonly before: A | undefined
  row: A
}

/** The rows of one kind of one organization. */
class Table<K, A> {
  readonly #rows = new Map<K, Tracked<A>>()
  readonly changed = new Set<Tracked<A>>()

  get(key: K): A | undefined {
    return this.#rows.get(key)?.row
  }

  load(key: K, row: A): void {
    this.#rows.set(key, { before: row, row })
  }

  save(key: K, row: A): void {
    let tracked = this.#rows.get(key)
    if (tracked === undefined) {
      tracked = { before: undefined, row }
      this.#rows.set(key, tracked)
    } else {
      tracked.row = row
    }
    this.changed.add(tracked)
  }
}

class OrganizationRows implements Rows {
  account: Account | undefined = undefined
  isChanged = false
  readonly recipients = new Table<PhoneNumber, Recipient>()
  readonly verifications = new Table<RequestId, Verification>()
  readonly messages = new Table<number, Message>()
  /** By the `number` of their message. The last one counts. */
  readonly gatewayIds = new Map<number, GatewayId>()
  /** Entries by their payment id: those that were read, and those that the batch adds. */
  readonly payments = new Map<string, Entry>()
  readonly traffics = new Table<string, PrefixStats>()

  recipient(number: PhoneNumber) {
    return this.recipients.get(number)
  }

  verification(id: RequestId) {
    return this.verifications.get(id)
  }

  message(number: number) {
    return this.messages.get(number)
  }

  payment(id: string) {
    return this.payments.get(id)
  }

  traffic(prefix: string) {
    return this.traffics.get(prefix)
  }
}

/** The rows of a batch, as they were read and as its commands have changed them. */
export class BatchRows {
  readonly #organizations = new Map<string, OrganizationRows>()
  readonly #entries: Array<Entry> = []
  readonly #findings: Array<Finding> = []
  readonly #reports: Array<Report> = []

  loadAccounts(rows: ReadonlyArray<Read.Row>): ReadonlyArray<Account> {
    const accounts = rows.map(Read.account)
    for (const account of accounts) this.of(account.organization).account = account
    return accounts
  }

  /** Adds the rows that one statement has read. */
  load(kind: Kind, rows: ReadonlyArray<Read.Row>): void {
    for (const row of rows) {
      switch (kind) {
        case "recipients": {
          const recipient = Read.recipient(row)
          this.of(recipient.organization).recipients.load(recipient.phoneNumber, recipient)
          break
        }
        case "verifications": {
          const verification = Read.verification(row)
          const own = this.of(verification.organization)
          own.verifications.load(verification.requestId, verification)
          // The row includes its recipient, unless retention has deleted the recipient.
          if (row["sends"] !== null)
            own.recipients.load(verification.phoneNumber, Read.recipient(row))
          break
        }
        case "messages": {
          const message = Read.message(row)
          this.of(message.organization).messages.load(message.sequence, message)
          break
        }
        case "payments": {
          this.#addPayment(Read.entry(row))
          break
        }
        case "traffic": {
          const traffic = Read.traffic(row)
          this.of(traffic.organization).traffics.load(traffic.prefix, traffic)
          break
        }
      }
    }
  }

  /** Returns the rows of one organization for the decider. */
  of(organization: string): OrganizationRows {
    const known = this.#organizations.get(organization)
    if (known !== undefined) return known
    const rows = new OrganizationRows()
    this.#organizations.set(organization, rows)
    return rows
  }

  /** Adds the writes of one command of an organization. */
  apply(rows: OrganizationRows, writes: Writes): void {
    const { account, entries, findings, gatewayId, message, recipient } = writes
    const { report, traffic, verification } = writes
    rows.isChanged ||= Object.keys(writes).length > 0
    if (account !== undefined) rows.account = account
    if (recipient !== undefined) rows.recipients.save(recipient.phoneNumber, recipient)
    if (verification !== undefined) rows.verifications.save(verification.requestId, verification)
    if (message !== undefined) rows.messages.save(message.sequence, message)
    if (gatewayId !== undefined) rows.gatewayIds.set(gatewayId.sequence, gatewayId)
    if (traffic !== undefined) rows.traffics.save(traffic.prefix, traffic)
    for (const entry of entries ?? []) {
      this.#entries.push(entry)
      this.#addPayment(entry)
    }
    if (findings !== undefined) this.#findings.push(...findings)
    if (report !== undefined) this.#reports.push(report)
  }

  #addPayment(entry: Entry): void {
    if (entry.paymentId !== null) {
      this.of(entry.organization).payments.set(entry.paymentId, entry)
    }
  }

  /** Returns the writes of the second round trip; an empty list if no command has changed anything. */
  writes(sql: Parts): ReadonlyArray<Write> {
    const accounts: Array<Account> = []
    const recipients: Array<Recipient> = []
    const verifications = new Changes<Verification>()
    const messages = new Changes<Message>()
    const opened: Array<Message> = []
    const closed: Array<Message> = []
    const gatewayIds: Array<GatewayId> = []
    const traffics: Array<PrefixStats> = []
    for (const rows of this.#organizations.values()) {
      // A change of an organization always writes its account, which carries the stamp.
      if (rows.isChanged && rows.account !== undefined) accounts.push(rows.account)
      for (const { row } of rows.recipients.changed) recipients.push(row)
      for (const { row } of rows.traffics.changed) traffics.push(row)
      gatewayIds.push(...rows.gatewayIds.values())
      for (const tracked of rows.verifications.changed) verifications.add(tracked)
      for (const tracked of rows.messages.changed) {
        messages.add(tracked)
        const { before, row } = tracked
        const dueBefore = before?.dueAt ?? null
        if (row.dueAt === null ? dueBefore !== null : row.dueAt !== dueBefore) {
          ;(row.dueAt === null ? closed : opened).push(row)
        }
      }
    }
    const parts: Array<Write> = []
    const add = <A>(rows: ReadonlyArray<A>, write: (rows: ReadonlyArray<A>) => Write): void => {
      if (rows.length > 0) parts.push(write(rows))
    }
    add(accounts, sql.updateAccounts)
    add(recipients, sql.saveRecipients)
    add(verifications.inserted, sql.insertVerifications)
    add(verifications.updated, sql.updateVerifications)
    add(this.#entries, sql.insertEntries)
    add(messages.inserted, sql.insertMessages)
    add(messages.updated, sql.updateMessages)
    add(opened, sql.saveOpenMessages)
    add(closed, sql.deleteOpenMessages)
    add(gatewayIds, sql.saveGatewayIds)
    add(traffics, sql.saveTraffic)
    add(this.#findings, sql.insertFindings)
    add(this.#reports, sql.insertReports)
    return parts
  }
}

class Changes<A> {
  readonly inserted: Array<A> = []
  readonly updated: Array<A> = []

  add({ before, row }: Tracked<A>): void {
    ;(before === undefined ? this.inserted : this.updated).push(row)
  }
}
