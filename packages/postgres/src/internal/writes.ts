/**
 * What a transaction writes, all of it in one statement: each kind of row is a part, however many rows
 * there are. Rows go in as they are; nothing is decided here.
 *
 * Rows that exist are replaced by way of their primary key's conflict, not by a join: such a statement
 * has one plan only, whatever the planner believes of the size of the tables, so the plan can be kept.
 */
import type { Account, Entry } from "@countersign/core/Account"
import type { Message } from "@countersign/core/Message"
import type { Recipient } from "@countersign/core/Recipient"
import type { Verification } from "@countersign/core/Verification"
import * as Columns from "./columns.ts"
import * as Composites from "./composites.ts"
import type { Statement } from "./pipeline.ts"
import { pendingJson } from "./rows.ts"

/** A part of the one statement; its parameters are numbered from 1. */
export interface Write {
  /** Stands for `sql`: no two parts of one name differ in it. */
  readonly name: string
  readonly sql: string
  readonly params: ReadonlyArray<unknown>
}

const { array, bytes, integer, integers, text } = Composites

const accountFields = (row: Account) => [
  text(row.organization),
  integer(row.version),
  integer(row.balance),
  integer(row.held),
  integer(row.entries),
  integer(row.lastMessage),
  integer(row.firstMessage),
  integer(row.lastAt),
  integers(row.checks),
  integers(row.sends),
]

const recipientFields = (row: Recipient) => [
  text(row.organization),
  text(row.number),
  integers(row.sends),
  text(pendingJson(row.pending)),
]

const verificationFields = (row: Verification) => [
  text(row.organization),
  text(row.id),
  text(row.number),
  text(row.channel),
  text(row.status),
  integer(row.createdAt),
  integer(row.expiresAt),
  integer(row.verifiedAt),
  integer(row.attemptsRemaining),
  bytes(row.digest),
  text(row.pepper),
  integer(row.message),
]

const messageFields = (row: Message) => [
  text(row.organization),
  integer(row.number),
  text(row.id),
  text(row.recipient),
  text(row.text),
  text(row.channel),
  text(row.logChannel),
  text(row.sender),
  text(row.verification),
  text(row.status),
  integer(row.charge),
  text(row.hold),
  text(row.gateway),
  text(row.gatewayId),
  text(row.error),
  integer(row.createdAt),
  integer(row.attempt),
  integer(row.dueAt),
  integer(row.settleBy),
  integer(row.anomalies),
  text(row.anomaly),
]

const openMessageFields = (row: Message) => [
  text(row.organization),
  integer(row.number),
  integer(row.dueAt),
]

const gatewayIdFields = (row: Message) => [
  text(row.organization),
  integer(row.number),
  text(row.gateway),
  text(row.gatewayId),
]

const entryFields = (row: Entry) => [
  text(row.organization),
  integer(row.number),
  text(row.kind),
  integer(row.amount),
  integer(row.balance),
  integer(row.held),
  integer(row.message),
  text(row.note),
  integer(row.at),
]

/** The parts on one schema, whose name comes quoted. */
export const make = (schema: string) => {
  const rowsOf = (type: string): string => `unnest($1::text::${schema}.${type}[])`

  /** A part that writes rows of one kind. */
  const part =
    <A>(name: string, sql: string, fields: (row: A) => ReadonlyArray<Composites.Field>) =>
    (rows: ReadonlyArray<A>): Write => ({ name, sql, params: [Columns.text(array(rows, fields))] })

  const accountColumns = `organization, version, balance, held, entries, last_message, first_message, last_at,
      checks, sends`
  const insertAccounts = `INSERT INTO ${schema}.accounts (${accountColumns})
    SELECT * FROM ${rowsOf("account_row")}`
  const insertVerifications = `INSERT INTO ${schema}.verifications (organization, id, number, channel, status,
      created_at, expires_at, verified_at, attempts_remaining, digest, pepper, message)
    SELECT * FROM ${rowsOf("verification_row")}`
  const insertMessages = `INSERT INTO ${schema}.messages (organization, number, id, recipient, body, channel,
      log_channel, sender, verification, status, charge, hold, gateway, gateway_id, error, created_at, attempt,
      due_at, settle_by, anomalies, anomaly)
    SELECT * FROM ${rowsOf("message_row")}`

  return {
    insertAccounts: part("insert accounts", insertAccounts, accountFields),

    updateAccounts: part(
      "update accounts",
      `${insertAccounts} ON CONFLICT (organization) DO UPDATE SET version = excluded.version,
        balance = excluded.balance, held = excluded.held, entries = excluded.entries,
        last_message = excluded.last_message, first_message = excluded.first_message,
        last_at = excluded.last_at, checks = excluded.checks, sends = excluded.sends`,
      accountFields,
    ),

    saveRecipients: part(
      "save recipients",
      `INSERT INTO ${schema}.recipients (organization, number, sends, pending)
        SELECT * FROM ${rowsOf("recipient_row")}
        ON CONFLICT (organization, number) DO UPDATE SET sends = excluded.sends, pending = excluded.pending`,
      recipientFields,
    ),

    insertVerifications: part("insert verifications", insertVerifications, verificationFields),

    updateVerifications: part(
      "update verifications",
      `${insertVerifications} ON CONFLICT (organization, id) DO UPDATE SET status = excluded.status,
        verified_at = excluded.verified_at, attempts_remaining = excluded.attempts_remaining`,
      verificationFields,
    ),

    insertMessages: part("insert messages", insertMessages, messageFields),

    updateMessages: part(
      "update messages",
      `${insertMessages} ON CONFLICT (organization, number) DO UPDATE SET status = excluded.status,
        hold = excluded.hold, gateway_id = excluded.gateway_id, error = excluded.error,
        attempt = excluded.attempt, due_at = excluded.due_at, anomalies = excluded.anomalies,
        anomaly = excluded.anomaly`,
      messageFields,
    ),

    /** What somebody has to look at again, and when. */
    saveOpenMessages: part(
      "save open messages",
      `INSERT INTO ${schema}.open_messages (organization, number, due_at)
        SELECT * FROM ${rowsOf("open_message_row")}
        ON CONFLICT (organization, number) DO UPDATE SET due_at = excluded.due_at`,
      openMessageFields,
    ),

    /**
     * A subquery for each row, and then their places: again a statement that has one plan only. The keys
     * are looked at once more, because a place is one in each partition.
     */
    deleteOpenMessages: part(
      "delete open messages",
      `DELETE FROM ${schema}.open_messages WHERE ctid = ANY (ARRAY(
          SELECT (SELECT o.ctid FROM ${schema}.open_messages o
            WHERE o.organization = d.organization AND o.number = d.number)
          FROM ${rowsOf("open_message_row")} AS d))
        AND ((organization, number) IN (
          SELECT d.organization, d.number FROM ${rowsOf("open_message_row")} AS d)) IS TRUE`,
      openMessageFields,
    ),

    saveGatewayIds: part(
      "save gateway ids",
      `INSERT INTO ${schema}.gateway_ids (organization, number, gateway, gateway_id)
        SELECT * FROM ${rowsOf("gateway_id_row")}
        ON CONFLICT (organization, number) DO UPDATE SET gateway = excluded.gateway,
          gateway_id = excluded.gateway_id`,
      gatewayIdFields,
    ),

    insertEntries: part(
      "insert entries",
      `INSERT INTO ${schema}.entries (organization, number, kind, amount, balance, held, message, note, at)
        SELECT * FROM ${rowsOf("entry_row")}`,
      entryFields,
    ),

    /** Signs a lane's transaction with the number of its batch, in one of the organizations that it changes. */
    signLane: (organization: string, lane: string, batch: number): Write => ({
      name: "sign lane",
      sql: `INSERT INTO ${schema}.lanes (organization, id, batch) VALUES ($1, $2, $3)
        ON CONFLICT (organization, id) DO UPDATE SET batch = excluded.batch, seen_at = now()`,
      params: [Columns.text(organization), Columns.text(lane), Columns.int8(batch)],
    }),
  }
}

export type Writes = ReturnType<typeof make>

/** Joins parts into one statement, and remembers the text of every combination. */
export const makeJoin = (): ((parts: ReadonlyArray<Write>) => Statement) => {
  const known = new Map<string, string>()
  return (parts) => {
    const name = parts.map((part) => part.name).join(", ")
    let sql = known.get(name)
    if (sql === undefined) {
      sql = joined(parts)
      known.set(name, sql)
    }
    return { sql, params: parts.flatMap((part) => part.params) }
  }
}

const joined = (parts: ReadonlyArray<Write>): string => {
  let before = 0
  const texts = parts.map(({ params, sql }) => {
    const shift = before
    before += params.length
    return sql.replace(/\$(\d+)/g, (_, number) => `$${Number(number) + shift}`)
  })
  const last = texts.pop() ?? "SELECT"
  const others = texts.map((sql, index) => `part_${index + 1} AS (${sql})`)
  return others.length === 0 ? last : `WITH ${others.join(", ")} ${last}`
}
