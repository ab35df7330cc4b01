/**
 * The rows of an organization in memory: as they were read, and as commands have changed them. New maps replace
 * those that have dropped entries (see "Short-lived objects" in docs/internals/batches.md).
 */
import type { Alerts } from "@countersign/core/domain/alerts/AlertState"
import type { Account, Entry } from "@countersign/core/domain/money/Account"
import type { Rows } from "@countersign/core/decide/Decision"
import type { GatewayId, Message } from "@countersign/core/domain/messages/Message"
import type { OptOut } from "@countersign/core/domain/messages/OptOut"
import type { IdempotencyKey } from "@countersign/core/domain/values/IdempotencyKey"
import type { ClientActivity } from "@countersign/core/domain/verifications/ClientActivity"
import type { ErasedRecipient } from "@countersign/core/domain/verifications/ErasedRecipient"
import type { Recipient } from "@countersign/core/domain/verifications/Recipient"
import type { Verification } from "@countersign/core/domain/verifications/Verification"
import type { WebhookProgress } from "@countersign/core/domain/webhooks/WebhookProgress"
import type { Counter } from "@countersign/core/domain/money/Counter"
import * as Batch from "@countersign/core/domain/outbox/Batch"
import type { QueuedSend } from "@countersign/core/domain/outbox/QueuedSend"
import type { PrefixStats } from "@countersign/core/domain/fraud/PrefixStats"
import type { Refusal } from "@countersign/core/domain/verifications/Refusal"
import * as Total from "@countersign/core/domain/money/Total"

/** A row as it was read, `undefined` if it did not exist, and as the batch has changed it. */
export interface RowChange<A> {
  readonly before: A | undefined
  row: A
}

export class Table<K, A> {
  /** `undefined`: it is known that there is no such row. */
  #rows: Map<K, A | undefined> | undefined
  #changes: Map<K, RowChange<A>> | undefined
  readonly #keyOf: (row: A) => K

  constructor(keyOf: (row: A) => K) {
    this.#keyOf = keyOf
  }

  get size(): number {
    return this.#rows === undefined ? 0 : this.#rows.size
  }

  get = (key: K): A | undefined => this.#rows?.get(key)

  /** Takes a row for absent until it is loaded. Returns `false` if the table knows the row. */
  expect(key: K): boolean {
    this.#rows ??= new Map()
    if (this.#rows.has(key)) return false
    this.#rows.set(key, undefined)
    return true
  }

  load(row: A): void {
    this.#rows ??= new Map()
    this.#rows.set(this.#keyOf(row), row)
  }

  /** Changes a row. Adds the change to the changes of the batch, unless it has changed the row before. */
  save(row: A | undefined, changes: Array<RowChange<A>>): void {
    if (row === undefined) return
    const key = this.#keyOf(row)
    this.#changes ??= new Map()
    const known = this.#changes.get(key)
    if (known !== undefined) known.row = row
    else {
      const change = { before: this.get(key), row }
      this.#changes.set(key, change)
      changes.push(change)
    }
    this.load(row)
  }

  /** Makes the changes of a commit the state of the next batch. Keeps the newest rows, at most twice `max`. */
  settle(max: number): void {
    this.#changes = undefined
    if (this.size > 2 * max) this.#rows = new Map([...(this.#rows ?? [])].slice(-max))
  }

  /** Forgets all rows, and the changes of the batch. */
  clear(): void {
    this.#rows = undefined
    this.#changes = undefined
  }
}

const makeTables = () => ({
  recipients: new Table((row: Recipient) => row.phoneNumber),
  verifications: new Table((row: Verification) => row.requestId),
  messages: new Table((row: Message) => row.sequence),
  /** The entries with a payment id. */
  payments: new Table((row: Entry) => row.paymentId),
  prefixes: new Table((row: PrefixStats) => row.prefix),
  clients: new Table((row: ClientActivity) => row.client),
  erasedRecipients: new Table((row: ErasedRecipient) => row.digest),
  optOuts: new Table((row: OptOut) => row.digest),
  idempotencyKeys: new Table((row: IdempotencyKey) => row.id),
  webhooks: new Table((row: WebhookProgress) => row.id),
  queued: new Table((row: QueuedSend) => row.id),
  batches: new Table((row: Batch.Batch) => row.id),
  alerts: new Table((row: Alerts) => row.organization),
})

export type OrganizationTables = ReturnType<typeof makeTables>

/** The size of an organization without rows, because its tables also take memory. */
const emptySize = 5

export class OrganizationRows implements Rows {
  readonly organization: string
  account: Account | undefined = undefined
  /** Names the commit that the rows are of; `Database.nextStamp`. */
  stamp = 0
  /** The stamp that the batch writes, if it changes the organization. */
  nextStamp = 0
  isChanged = false
  readonly tables = makeTables()
  readonly #all = Object.values(this.tables)
  /** By the sequence of their message. The last one counts. */
  gatewayIds: Map<number, GatewayId> | undefined
  /** By their place. The last one counts. */
  refusals: Map<number, Refusal> | undefined
  /** The sums that the batch adds to the totals. */
  totals: Total.Sums | undefined
  /** The sums that the batch adds to the totals of batches of messages. */
  batchTotals: Batch.BatchSums | undefined
  /** The values that the batch adds to the counters of gateways and webhooks. */
  counters: Array<Counter> | undefined

  constructor(organization: string) {
    this.organization = organization
  }

  recipient = this.tables.recipients.get
  verification = this.tables.verifications.get
  message = this.tables.messages.get
  payment = this.tables.payments.get
  prefixStats = this.tables.prefixes.get
  client = this.tables.clients.get
  erasedRecipient = this.tables.erasedRecipients.get
  optOut = this.tables.optOuts.get
  idempotencyKey = this.tables.idempotencyKeys.get
  webhook = this.tables.webhooks.get
  queued = this.tables.queued.get
  batch = this.tables.batches.get
  alerts = this.tables.alerts.get

  addTotal(total: Total.Total): void {
    this.totals ??= new Total.Sums()
    this.totals.add(total)
  }

  addBatchTotal(total: Batch.BatchTotal): void {
    this.batchTotals ??= new Batch.BatchSums()
    this.batchTotals.add(total)
  }

  addCounters(counters: ReadonlyArray<Counter>): void {
    if (counters.length === 0) return
    this.counters ??= []
    this.counters.push(...counters)
  }

  /** Number of known rows, for the bound of the memory. */
  get size(): number {
    let size = emptySize
    for (const table of this.#all) size += table.size
    return size
  }

  /** Makes the changes of a commit the state of the next batch. */
  settle(maxOfKind: number): void {
    if (this.isChanged) this.stamp = this.nextStamp
    this.isChanged = false
    for (const table of this.#all) table.settle(maxOfKind)
    // Takings change them without a stamp.
    this.tables.queued.clear()
    this.gatewayIds = undefined
    this.refusals = undefined
    this.totals = undefined
    this.batchTotals = undefined
    this.counters = undefined
  }
}

/** The rows in memory of the organizations of a batch. */
export type KnownRows = ReadonlyMap<string, OrganizationRows>
