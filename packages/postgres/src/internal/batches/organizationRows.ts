/**
 * The rows of an organization in memory: as they were read, and as commands have changed them. New maps replace
 * those that have dropped entries (see "Short-lived objects" in docs/internals/batches.md).
 */
import type { Account, Entry } from "@countersign/core/domain/money/Account"
import type { Rows } from "@countersign/core/decide/Decision"
import type { GatewayId, Message } from "@countersign/core/domain/messages/Message"
import type { IdempotencyKey } from "@countersign/core/domain/values/IdempotencyKey"
import type { ClientActivity } from "@countersign/core/domain/verifications/ClientActivity"
import type { ErasedRecipient } from "@countersign/core/domain/verifications/ErasedRecipient"
import type { Recipient } from "@countersign/core/domain/verifications/Recipient"
import type { Verification } from "@countersign/core/domain/verifications/Verification"
import type { WebhookProgress } from "@countersign/core/domain/webhooks/WebhookProgress"
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
  #rows = new Map<K, A | undefined>()
  #changes = new Map<K, RowChange<A>>()
  readonly #keyOf: (row: A) => K

  constructor(keyOf: (row: A) => K) {
    this.#keyOf = keyOf
  }

  get size(): number {
    return this.#rows.size
  }

  get changes(): ReadonlyArray<RowChange<A>> {
    return [...this.#changes.values()]
  }

  get = (key: K): A | undefined => this.#rows.get(key)

  /** Takes a row for absent until it is loaded. Returns `false` if the table knows the row. */
  expect(key: K): boolean {
    if (this.#rows.has(key)) return false
    this.#rows.set(key, undefined)
    return true
  }

  load(row: A): void {
    this.#rows.set(this.#keyOf(row), row)
  }

  save(row: A | undefined): void {
    if (row === undefined) return
    const key = this.#keyOf(row)
    const change = this.#changes.get(key)
    if (change === undefined) this.#changes.set(key, { before: this.#rows.get(key), row })
    else change.row = row
    this.#rows.set(key, row)
  }

  /** Makes the changes of a commit the state of the next batch. Keeps the newest rows, at most twice `max`. */
  settle(max: number): void {
    if (this.#changes.size > 0) this.#changes = new Map()
    if (this.#rows.size > 2 * max) this.#rows = new Map([...this.#rows].slice(-max))
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
  idempotencyKeys: new Table((row: IdempotencyKey) => row.id),
  webhooks: new Table((row: WebhookProgress) => row.id),
})

export type OrganizationTables = ReturnType<typeof makeTables>

/** The size of an organization without rows, because its tables take memory as well. */
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
  /** By the sequence of their message. The last one counts. */
  gatewayIds: Map<number, GatewayId> = new Map()
  /** By their place. The last one counts. */
  refusals: Map<number, Refusal> = new Map()
  /** What the batch adds to the totals. */
  totals = new Total.Sums()

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
  idempotencyKey = this.tables.idempotencyKeys.get
  webhook = this.tables.webhooks.get

  /** Number of known rows, for the bound of the memory. */
  get size(): number {
    return Object.values(this.tables).reduce((sum, { size }) => sum + size, emptySize)
  }

  /** Makes the changes of a commit the state of the next batch. */
  settle(maxOfKind: number): void {
    if (this.isChanged) this.stamp = this.nextStamp
    this.isChanged = false
    for (const table of Object.values(this.tables)) table.settle(maxOfKind)
    if (this.gatewayIds.size > 0) this.gatewayIds = new Map()
    if (this.refusals.size > 0) this.refusals = new Map()
    this.totals = new Total.Sums()
  }
}

/** The rows in memory of the organizations of a batch. */
export type KnownRows = ReadonlyMap<string, OrganizationRows>
