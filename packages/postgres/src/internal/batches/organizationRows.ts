/** The rows of an organization in memory: as they were read, and as commands have changed them. */
import type { Account, Entry } from "@countersign/core/domain/Account"
import type { Rows } from "@countersign/core/decide/Decision"
import type { GatewayId, Message } from "@countersign/core/domain/Message"
import type { IdempotencyKey } from "@countersign/core/domain/IdempotencyKey"
import type { PhoneNumber } from "@countersign/core/domain/PhoneNumber"
import type { ClientActivity } from "@countersign/core/domain/ClientActivity"
import type { ErasedRecipient } from "@countersign/core/domain/ErasedRecipient"
import type { RequestId } from "@countersign/core/domain/Ids"
import type { Recipient } from "@countersign/core/domain/Recipient"
import type { Verification } from "@countersign/core/domain/Verification"
import type { WebhookProgress } from "@countersign/core/domain/WebhookProgress"
import type { PrefixStats } from "@countersign/core/domain/PrefixStats"
import * as Total from "@countersign/core/domain/Total"

/** A row as it was read, `undefined` if it did not exist, and as the batch has changed it. */
export interface RowChange<A> {
  before: A | undefined
  row: A
}

export class Table<K, A> {
  readonly #rows = new Map<K, RowChange<A>>()
  /** The keys that are known to have no row. */
  readonly #absent = new Set<K>()
  readonly changed = new Set<RowChange<A>>()

  get size(): number {
    return this.#rows.size + this.#absent.size
  }

  /** Whether the row, or that it is absent, is known. */
  has(key: K): boolean {
    return this.#rows.has(key) || this.#absent.has(key)
  }

  get(key: K): A | undefined {
    return this.#rows.get(key)?.row
  }

  setAbsent(key: K): void {
    if (!this.#rows.has(key)) this.#absent.add(key)
  }

  load(key: K, row: A): void {
    this.#rows.set(key, { before: row, row })
    this.#absent.delete(key)
  }

  save(key: K, row: A): void {
    const change = this.#rows.get(key) ?? { before: undefined, row }
    change.row = row
    this.#rows.set(key, change)
    this.#absent.delete(key)
    this.changed.add(change)
  }

  /** Makes the changes of a commit the state of the next batch. Keeps the newest rows. */
  settle(max: number): void {
    for (const change of this.changed) change.before = change.row
    this.changed.clear()
    for (const known of [this.#rows, this.#absent]) {
      for (const key of known.keys()) {
        if (known.size <= max) break
        known.delete(key)
      }
    }
  }
}

export class OrganizationRows implements Rows {
  account: Account | undefined = undefined
  stamp = 0
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
  totals = new Total.Sums()

  recipient = (phoneNumber: PhoneNumber) => this.recipients.get(phoneNumber)
  verification = (id: RequestId) => this.verifications.get(id)
  message = (sequence: number) => this.messages.get(sequence)
  payment = (id: string) => this.payments.get(id)
  prefixStats = (prefix: string) => this.prefixes.get(prefix)
  client = (digest: string) => this.clients.get(digest)
  erasedRecipient = (digest: string) => this.erasedRecipients.get(digest)
  idempotencyKey = (id: string) => this.idempotencyKeys.get(id)
  webhook = (id: string) => this.webhooks.get(id)

  get #tables() {
    return [
      this.recipients,
      this.verifications,
      this.messages,
      this.prefixes,
      this.clients,
      this.erasedRecipients,
      this.idempotencyKeys,
      this.webhooks,
    ]
  }

  /** Number of known rows, the account included. */
  get size(): number {
    return this.#tables.reduce((sum, table) => sum + table.size, 1)
  }

  /** Makes the changes of a commit the state of the next batch. `saveAccounts` has raised the stamp by one. */
  settle(maxRows: number): void {
    if (this.isChanged) this.stamp += 1
    this.isChanged = false
    for (const table of this.#tables) table.settle(maxRows)
    this.staleForms.clear()
    this.gatewayIds.clear()
    this.payments.clear()
    this.totals = new Total.Sums()
  }
}

/** The rows in memory of the organizations of a batch. */
export type KnownRows = ReadonlyMap<string, OrganizationRows>
