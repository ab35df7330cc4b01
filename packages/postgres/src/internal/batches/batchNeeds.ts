/** The rows that the commands of a batch need and that are not in memory, and the statements that read them. */
import type { Command, Tag } from "@countersign/core/decide/Command"
import { needs } from "@countersign/core/decide/Needs"
import type { PhoneNumber } from "@countersign/core/domain/values/PhoneNumber"
import type { RequestId } from "@countersign/core/domain/values/Ids"
import type { Statement } from "../connection/pipeline.ts"
import type { Row } from "../rows/columns.ts"
import * as Tables from "../rows/tables.ts"
import { webhookProgress } from "../rows/webhookRows.ts"
import type { BatchReads, Key } from "../statements/batchReads.ts"
import type { BatchRows } from "./batchRows.ts"
import type { OrganizationTables, Table } from "./organizationRows.ts"

/** Collects the needs of one batch. A row that is needed is taken for absent until it is loaded. */
export const makeNeeds = (
  sql: BatchReads,
  rows: BatchRows,
  canGuess: (organization: string) => boolean,
) => {
  const kinds: Array<{
    readonly keys: ReadonlyArray<unknown>
    readonly statement: () => Statement
    readonly load: (row: Row) => void
  }> = []

  /** Returns the list for the keys of the rows that a statement reads. */
  const read = <K>(
    statement: (keys: ReadonlyArray<Key<K>>) => Statement,
    load: (row: Row) => void,
  ): Array<Key<K>> => {
    const keys: Array<Key<K>> = []
    kinds.push({ keys, statement: () => statement(keys), load })
    return keys
  }

  const into =
    <K, A extends { readonly organization: string }>(
      { decode }: { readonly decode: (row: Row) => A },
      tableOf: (own: OrganizationTables) => Table<K, A>,
    ) =>
    (row: Row): void => {
      const one = decode(row)
      tableOf(rows.of(one.organization).tables).load(one)
    }

  const loadRecipient = (row: Row): void => {
    const recipient = Tables.recipients.decode(row)
    rows.of(recipient.organization).tables.recipients.load(recipient)
    const form = row["stale_phone_number"]
    if (typeof form === "string") rows.staleForms.set(recipient, form)
  }
  /** The row includes its recipient, unless retention has deleted the recipient. */
  const loadVerification = (row: Row): void => {
    const verification = Tables.decodeVerification(row)
    const { tables } = rows.of(verification.organization)
    tables.verifications.load(verification)
    if (row["sends"] !== null) loadRecipient(row)
    else tables.recipients.expect(verification.phoneNumber)
  }
  const loadMessage = into(Tables.messages, (own) => own.messages)
  const loadPrefixStats = into(Tables.prefixStats, (own) => own.prefixes)

  const recipients = read<PhoneNumber>(sql.readRecipients, loadRecipient)
  const verifications = read<RequestId>(sql.readVerifications, loadVerification)
  const messages = read(sql.readMessages, loadMessage)
  const payments = read(
    sql.readPayments,
    into(Tables.entries, (own) => own.payments),
  )
  const idempotencyKeys = read(
    sql.readIdempotencyKeys,
    into(Tables.idempotencyKeys, (own) => own.idempotencyKeys),
  )
  const carriers = read(sql.readCarriers, loadMessage)
  const prefixes = read(sql.readPrefixStats, loadPrefixStats)
  const clients = read(
    sql.readClients,
    into(Tables.clients, (own) => own.clients),
  )
  const webhooks = read(
    sql.readWebhooks,
    into(webhookProgress, (own) => own.webhooks),
  )
  const erased = read(
    sql.readErasedRecipients,
    into(Tables.erasedRecipients, (own) => own.erasedRecipients),
  )
  const prefixesOfRequests = read(sql.readPrefixStatsOfVerifications, loadPrefixStats)
  const guesses: Array<Key<PhoneNumber>> = []

  /** `phoneNumber`: that of the command's request, if a read of the request does not find its recipient. */
  const add = <T extends Tag>(command: Command<T>, phoneNumber?: PhoneNumber): void => {
    const { organization } = command
    const wanted = needs(command)
    const { requestId } = wanted
    const { account, tables } = rows.of(organization)
    const need = <K extends L, L>(
      table: { readonly expect: (key: K) => boolean },
      keys: Array<Key<L>>,
      key: K | undefined,
    ): void => {
      if (key !== undefined && table.expect(key)) keys.push({ organization, key })
    }
    const isGuess = account !== undefined && canGuess(organization)
    need(tables.recipients, isGuess ? guesses : recipients, wanted.phoneNumber)
    need(tables.recipients, recipients, phoneNumber)
    need(tables.messages, messages, wanted.messageSequence)
    need(tables.payments, payments, wanted.paymentId)
    need(tables.idempotencyKeys, idempotencyKeys, wanted.idempotencyId)
    need(tables.prefixes, prefixes, wanted.prefix)
    need(tables.webhooks, webhooks, wanted.webhookId)
    // One digest for every secret, because each may be the key of the row.
    for (const digest of wanted.client ?? []) need(tables.clients, clients, digest)
    for (const digest of wanted.erased ?? []) need(tables.erasedRecipients, erased, digest)
    if (requestId === undefined) return
    need(tables.verifications, verifications, requestId)
    const request = tables.verifications.get(requestId)
    if (request === undefined) {
      if (wanted.carrier === true) carriers.push({ organization, key: requestId })
      if (wanted.prefixOfRequest === true) prefixesOfRequests.push({ organization, key: requestId })
      return
    }
    // The rows that a request in memory leads to are read by their own keys.
    need(tables.recipients, recipients, request.phoneNumber)
    if (wanted.carrier === true) need(tables.messages, messages, request.messageSequence)
    if (wanted.prefixOfRequest === true)
      need(tables.prefixes, prefixes, request.prefix ?? undefined)
  }

  return {
    add,
    /** The recipients that are read by their numbers. */
    recipients,
    /** The recipients that are taken for absent without a read. */
    guesses,
    reads: () => kinds.filter(({ keys }) => keys.length > 0),
  }
}

export type BatchNeeds = ReturnType<typeof makeNeeds>
