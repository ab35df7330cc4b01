/** The rows that the commands of a batch need and that are not in memory, and the statements that read them. */
import { claimedOf, type Command, type Tag } from "@countersign/core/decide/Command"
import { needs } from "@countersign/core/decide/Needs"
import type { PhoneNumber } from "@countersign/core/domain/values/PhoneNumber"
import type { RequestId } from "@countersign/core/domain/values/Ids"
import type { Statement } from "../connection/pipeline.ts"
import type { Row } from "../rows/columns.ts"
import { optOuts } from "../rows/optOutRows.ts"
import * as Tables from "../rows/tables.ts"
import { alerts } from "../rows/alertRows.ts"
import { batches } from "../rows/batchTables.ts"
import { outbox } from "../rows/outboxRows.ts"
import { webhookProgress } from "../rows/webhookRows.ts"
import type { TakenKey } from "../statements/batchSql.ts"
import type { BatchReads, Key } from "../statements/batchReads.ts"
import type { BatchRows } from "./batchRows.ts"
import type { OrganizationTables, Table } from "./organizationRows.ts"

type Keys<K> = Array<Key<K>>

/** A statement for one kind of row, and what takes its rows. */
interface Read {
  readonly statement: () => Statement
  readonly load: (row: Row) => void
}

/** Collects the needs of one batch. A row that is needed is taken for absent until it is loaded. */
export class BatchNeeds {
  /** The recipients that are read by their numbers. */
  readonly recipients: Keys<PhoneNumber> = []
  /** The recipients that are taken for absent without a read. */
  readonly guesses: Keys<PhoneNumber> = []
  /** The queued sends whose rows the commands have brought along. */
  readonly taken: Array<TakenKey> = []
  readonly #verifications: Keys<RequestId> = []
  readonly #messages: Keys<number> = []
  readonly #payments: Keys<string> = []
  readonly #idempotencyKeys: Keys<string> = []
  readonly #carriers: Keys<RequestId> = []
  readonly #prefixes: Keys<string> = []
  readonly #clients: Keys<string> = []
  readonly #webhooks: Keys<string> = []
  readonly #erased: Keys<string> = []
  readonly #queued: Keys<string> = []
  readonly #optOuts: Keys<string> = []
  readonly #batches: Keys<string> = []
  readonly #alerts: Keys<string> = []
  readonly #prefixesOfRequests: Keys<RequestId> = []
  readonly #rows: BatchRows
  readonly #canGuess: (organization: string) => boolean

  constructor(rows: BatchRows, canGuess: (organization: string) => boolean) {
    this.#rows = rows
    this.#canGuess = canGuess
  }

  /** `phoneNumber`: the number of the command's request, if a read of the request does not find its recipient. */
  add<T extends Tag>(command: Command<T>, phoneNumber?: PhoneNumber): void {
    const { organization } = command
    const wanted = needs(command)
    const { requestId } = wanted
    const { account, tables } = this.#rows.of(organization)
    const need = <K extends L, L>(
      table: { readonly expect: (key: K) => boolean },
      keys: Array<Key<L>>,
      key: K | undefined,
    ): void => {
      if (key !== undefined && table.expect(key)) keys.push({ organization, key })
    }
    const isGuess = account !== undefined && this.#canGuess(organization)
    need(tables.recipients, isGuess ? this.guesses : this.recipients, wanted.phoneNumber)
    need(tables.recipients, this.recipients, phoneNumber)
    need(tables.messages, this.#messages, wanted.messageSequence)
    need(tables.payments, this.#payments, wanted.paymentId)
    need(tables.idempotencyKeys, this.#idempotencyKeys, wanted.idempotencyId)
    need(tables.prefixes, this.#prefixes, wanted.prefix)
    need(tables.webhooks, this.#webhooks, wanted.webhookId)
    const claimed = account === undefined ? undefined : claimedOf(command)
    if (claimed?.row !== undefined && tables.queued.expect(claimed.id)) {
      tables.queued.load(claimed.row)
      this.taken.push({ organization, key: claimed.id, claim: claimed.row.claim })
    }
    need(tables.queued, this.#queued, wanted.queuedId)
    need(tables.batches, this.#batches, wanted.batchId)
    need(tables.alerts, this.#alerts, wanted.alerts === true ? organization : undefined)
    for (const id of wanted.queuedIds ?? []) need(tables.queued, this.#queued, id)
    // One digest for every secret, because each may be the key of the row.
    for (const digest of wanted.client ?? []) need(tables.clients, this.#clients, digest)
    for (const digest of wanted.erased ?? []) need(tables.erasedRecipients, this.#erased, digest)
    for (const digest of wanted.optOuts ?? []) need(tables.optOuts, this.#optOuts, digest)
    if (requestId === undefined) return
    need(tables.verifications, this.#verifications, requestId)
    const request = tables.verifications.get(requestId)
    if (request === undefined) {
      if (wanted.carrier === true) this.#carriers.push({ organization, key: requestId })
      if (wanted.prefixOfRequest === true)
        this.#prefixesOfRequests.push({ organization, key: requestId })
      return
    }
    // The rows that a request in memory leads to are read by their own keys.
    need(tables.recipients, this.recipients, request.phoneNumber)
    if (wanted.carrier === true) need(tables.messages, this.#messages, request.messageSequence)
    if (wanted.prefixOfRequest === true)
      need(tables.prefixes, this.#prefixes, request.prefix ?? undefined)
  }

  reads(sql: BatchReads): ReadonlyArray<Read> {
    const reads: Array<Read> = []
    const add = <K>(
      keys: Keys<K>,
      statement: (keys: ReadonlyArray<Key<K>>) => Statement,
      load: (rows: BatchRows, row: Row) => void,
    ): void => {
      if (keys.length === 0) return
      reads.push({ statement: () => statement(keys), load: (row) => load(this.#rows, row) })
    }
    add(this.recipients, sql.readRecipients, loadRecipient)
    add(this.#verifications, sql.readVerifications, loadVerification)
    add(this.#messages, sql.readMessages, loadMessage)
    add(this.#payments, sql.readPayments, loadPayment)
    add(this.#idempotencyKeys, sql.readIdempotencyKeys, loadIdempotencyKey)
    add(this.#carriers, sql.readCarriers, loadMessage)
    add(this.#prefixes, sql.readPrefixStats, loadPrefixStats)
    add(this.#clients, sql.readClients, loadClient)
    add(this.#webhooks, sql.readWebhooks, loadWebhook)
    add(this.#queued, sql.readQueued, loadQueued)
    add(this.#batches, sql.readBatches, loadBatch)
    add(this.#alerts, sql.readAlerts, loadAlerts)
    add(this.#erased, sql.readErasedRecipients, loadErasedRecipient)
    add(this.#optOuts, sql.readOptOuts, loadOptOut)
    add(this.#prefixesOfRequests, sql.readPrefixStatsOfVerifications, loadPrefixStats)
    return reads
  }
}

const loadRecipient = (rows: BatchRows, row: Row): void => {
  const recipient = Tables.recipients.decode(row)
  rows.of(recipient.organization).tables.recipients.load(recipient)
  const form = row["stale_phone_number"]
  if (typeof form === "string") rows.staleForms.set(recipient, form)
}

/** The row includes its recipient, unless retention has deleted the recipient. */
const loadVerification = (rows: BatchRows, row: Row): void => {
  const verification = Tables.decodeVerification(row)
  const { tables } = rows.of(verification.organization)
  tables.verifications.load(verification)
  if (row["sends"] !== null) loadRecipient(rows, row)
  else tables.recipients.expect(verification.phoneNumber)
}

const into =
  <K, A extends { readonly organization: string }>(
    { decode }: { readonly decode: (row: Row) => A },
    tableOf: (own: OrganizationTables) => Table<K, A>,
  ) =>
  (rows: BatchRows, row: Row): void => {
    const one = decode(row)
    tableOf(rows.of(one.organization).tables).load(one)
  }

const loadMessage = into(Tables.messages, (own) => own.messages)
const loadPayment = into(Tables.entries, (own) => own.payments)
const loadIdempotencyKey = into(Tables.idempotencyKeys, (own) => own.idempotencyKeys)
const loadPrefixStats = into(Tables.prefixStats, (own) => own.prefixes)
const loadClient = into(Tables.clients, (own) => own.clients)
const loadWebhook = into(webhookProgress, (own) => own.webhooks)
const loadBatch = into(batches, (own) => own.batches)
const loadAlerts = into(alerts, (own) => own.alerts)
const loadQueued = into(outbox, (own) => own.queued)
const loadErasedRecipient = into(Tables.erasedRecipients, (own) => own.erasedRecipients)
const loadOptOut = into(optOuts, (own) => own.optOuts)
