/** The rows that the commands of a batch need, and the statements that read them. */
import type { Command, Tag } from "@countersign/core/decide/Command"
import { type Needs, needs } from "@countersign/core/decide/Needs"
import type { PhoneNumber } from "@countersign/core/domain/PhoneNumber"
import type { RequestId } from "@countersign/core/domain/Ids"
import type { Statement } from "../connection/pipeline.ts"
import type { Row } from "../rows/columns.ts"
import * as Tables from "../rows/tables.ts"
import { webhookProgress } from "../rows/webhookRows.ts"
import type { BatchReads, Key } from "../statements/batchReads.ts"
import type { BatchRows } from "./batchRows.ts"
import type { KnownRows, OrganizationRows, Table } from "./organizationRows.ts"

/** A statement of a batch, and what its rows are. */
export interface BatchRead {
  readonly statement: Statement
  readonly load: (rows: BatchRows, row: Row) => void
  /** Marks the keys without a row as absent, after `load`. */
  readonly end: (rows: BatchRows) => void
}

type TableOf<K> = (own: OrganizationRows) => Pick<Table<K, unknown>, "has" | "setAbsent">

/** The keys of the rows of one kind that a batch reads, each once. Keys in `table` are known. */
class Keys<A> {
  readonly #known = new Map<string, Set<A>>()
  readonly #keys: Array<Key<A>> = []
  readonly #table: TableOf<A> | undefined

  constructor(table?: TableOf<A>) {
    this.#table = table
  }

  get all(): ReadonlyArray<Key<A>> {
    return this.#keys
  }

  add(organization: string, key: A | undefined, own?: OrganizationRows): void {
    if (key === undefined) return
    if (own !== undefined && this.#table?.(own).has(key) === true) return
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
    const end = (rows: BatchRows): void => {
      if (this.#table === undefined) return
      for (const { key, organization } of this.#keys)
        this.#table(rows.of(organization)).setAbsent(key)
    }
    return this.#keys.length === 0 ? [] : [{ statement: statement(this.#keys), load, end }]
  }
}

/** The rows that a batch must read for its commands: those that are not in memory. */
export class BatchNeeds {
  readonly #organizations = new Set<string>()
  readonly #recipients = new Keys<PhoneNumber>((own) => own.recipients)
  readonly #verifications = new Keys<RequestId>((own) => own.verifications)
  readonly #messages = new Keys<number>((own) => own.messages)
  readonly #payments = new Keys<string>()
  readonly #idempotencyKeys = new Keys<string>((own) => own.idempotencyKeys)
  readonly #carriers = new Keys<RequestId>()
  readonly #prefixes = new Keys<string>((own) => own.prefixes)
  readonly #prefixesOfRequests = new Keys<RequestId>()
  readonly #clients = new Keys<string>((own) => own.clients)
  readonly #webhooks = new Keys<string>((own) => own.webhooks)
  readonly #erased = new Keys<string>((own) => own.erasedRecipients)
  /** The recipients that are taken for absent without a read. */
  readonly guessed: Array<Key<PhoneNumber>> = []
  readonly #rows: KnownRows
  readonly #canGuess: (organization: string) => boolean

  constructor(rows: KnownRows, canGuess: (organization: string) => boolean) {
    this.#rows = rows
    this.#canGuess = canGuess
  }

  /** `phoneNumber`: that of the command's request, if a read of the request does not find its recipient. */
  add<T extends Tag>(command: Command<T>, phoneNumber?: PhoneNumber): void {
    const { organization } = command
    const wanted = needs(command)
    this.#organizations.add(organization)
    const own = this.#rows.get(organization)
    this.#addRecipient(organization, wanted.phoneNumber, own)
    this.#recipients.add(organization, phoneNumber, own)
    this.#messages.add(organization, wanted.messageSequence, own)
    this.#payments.add(organization, wanted.paymentId)
    this.#idempotencyKeys.add(organization, wanted.idempotencyId, own)
    this.#prefixes.add(organization, wanted.prefix, own)
    this.#webhooks.add(organization, wanted.webhookId, own)
    this.#addRequest(organization, wanted, own)
    // One digest for every pepper, because each may be the key of the row.
    for (const digest of wanted.client ?? []) this.#clients.add(organization, digest, own)
    for (const digest of wanted.erased ?? []) this.#erased.add(organization, digest, own)
  }

  #addRecipient(organization: string, key?: PhoneNumber, own?: OrganizationRows): void {
    const isGuess = own !== undefined && key !== undefined && this.#canGuess(organization)
    if (!isGuess) return this.#recipients.add(organization, key, own)
    if (own.recipients.has(key)) return
    own.recipients.setAbsent(key)
    this.guessed.push({ organization, key })
  }

  /** Of a request in memory, the rows that it leads to are read by their own keys. */
  #addRequest(organization: string, wanted: Needs, own?: OrganizationRows): void {
    const { requestId } = wanted
    if (requestId === undefined) return
    if (own?.verifications.has(requestId) === true) {
      const request = own.verification(requestId)
      if (request === undefined) return
      this.#recipients.add(organization, request.phoneNumber, own)
      if (wanted.carrier === true) this.#messages.add(organization, request.messageSequence, own)
      if (wanted.prefixOfRequest !== true || request.prefix === null) return
      return this.#prefixes.add(organization, request.prefix, own)
    }
    this.#verifications.add(organization, requestId)
    if (wanted.carrier === true) this.#carriers.add(organization, requestId)
    if (wanted.prefixOfRequest === true) this.#prefixesOfRequests.add(organization, requestId)
  }

  /** The recipients that are read by their numbers. */
  get recipients(): ReadonlyArray<Key<PhoneNumber>> {
    return this.#recipients.all
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
  else rows.of(verification.organization).recipients.setAbsent(verification.phoneNumber)
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
