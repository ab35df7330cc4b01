/**
 * The writes of a transaction in one statement. Each kind of row is a part, regardless of the number of rows.
 * This module decides nothing.
 *
 * Existing rows are replaced through `ON CONFLICT` on their primary key, not through a join. Such a statement
 * has only one plan, regardless of the planner's estimates, so the plan can be kept.
 */
import type { Account, Entry } from "@countersign/core/domain/Account"
import type { GatewayId, Message } from "@countersign/core/domain/Message"
import * as PhoneNumber from "@countersign/core/domain/PhoneNumber"
import type { Recipient } from "@countersign/core/domain/Recipient"
import type { Report } from "@countersign/core/domain/Report"
import type { Finding, PrefixStats } from "@countersign/core/domain/PrefixStats"
import type { Verification } from "@countersign/core/domain/Verification"
import * as Columns from "../rows/columns.ts"
import * as Composites from "../rows/composites.ts"
import { actions, channels, logChannels, pendingJson, reportStatuses } from "../rows/rows.ts"

/** A part of the statement. Its parameters are numbered from 1. */
export interface Write {
  /** Identifies `sql`: all parts with one name have the same text. */
  readonly name: string
  /** Returns the text. It joins `guard`: if `guard` has no row, the part writes nothing. */
  readonly sql: (guard: string) => string
  readonly params: ReadonlyArray<unknown>
}

const { array, bytes, integer, integers, oneOf, text } = Composites

/** Converts the phone number, because another form could not be read back. */
const phone = (number: PhoneNumber.PhoneNumber) => text(PhoneNumber.fromE164(number))

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
  integer(row.spentOn),
  integer(row.spent),
]

const trafficFields = (row: PrefixStats) => [
  text(row.organization),
  text(row.prefix),
  integer(row.since),
  integer(row.running.sent),
  integer(row.running.verified),
  integer(row.before.sent),
  integer(row.before.verified),
  integer(row.velocityAt),
  integer(row.conversionAt),
]

const findingFields = (row: Finding) => [
  text(row.organization),
  integer(row.at),
  text(row.prefix),
  text(row.reason),
  oneOf(row.action, actions),
  integer(row.sent),
  integer(row.verified),
]

const recipientFields = (row: Recipient) => [
  text(row.organization),
  phone(row.phoneNumber),
  integers(row.sends),
  text(pendingJson(row.pending)),
]

const verificationFields = (row: Verification) => [
  text(row.organization),
  text(row.requestId),
  phone(row.phoneNumber),
  oneOf(row.channel, channels),
  text(row.status),
  integer(row.createdAt),
  integer(row.expiresAt),
  integer(row.verifiedAt),
  integer(row.attemptsRemaining),
  bytes(row.digest),
  text(row.pepper),
  integer(row.messageSequence),
  text(row.prefix),
]

const messageFields = (row: Message) => [
  text(row.organization),
  integer(row.sequence),
  text(row.id),
  phone(row.phoneNumber),
  text(row.text),
  oneOf(row.channel, channels),
  oneOf(row.logChannel, logChannels),
  text(row.sender),
  text(row.requestId),
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
  integer(row.reports),
]

const reportFields = (row: Report) => [
  text(row.organization),
  integer(row.messageSequence),
  integer(row.position),
  integer(row.receivedAt),
  text(row.gateway),
  text(row.gatewayId),
  oneOf(row.status, reportStatuses),
  text(row.detail),
  text(row.evidence),
]

const openMessageFields = (row: Message) => [
  text(row.organization),
  integer(row.sequence),
  integer(row.dueAt),
]

const gatewayIdFields = (row: GatewayId) => [
  text(row.organization),
  integer(row.sequence),
  text(row.gateway),
  text(row.gatewayId),
  integer(row.expiresAt),
]

const entryFields = (row: Entry) => [
  text(row.organization),
  integer(row.sequence),
  text(row.kind),
  integer(row.amount),
  integer(row.balance),
  integer(row.held),
  integer(row.messageSequence),
  text(row.note),
  integer(row.at),
  text(row.paymentId),
]

/** Creates the parts for one schema, whose name is quoted. */
export const make = (schema: string) => {
  const rowsOf = (type: string): string => `unnest($1::text::${schema}.${type}[]) AS given`

  /** Creates a part that writes rows of one kind. */
  const part =
    <A>(
      name: string,
      sql: (guard: string) => string,
      fields: (row: A) => ReadonlyArray<Composites.Field>,
    ) =>
    (rows: ReadonlyArray<A>): Write => ({ name, sql, params: [Columns.text(array(rows, fields))] })

  const accountColumns = `organization, version, balance, held, entries, last_message, first_message, last_at,
      checks, sends, spent_on, spent`
  const insertAccounts = (guard: string) => `INSERT INTO ${schema}.accounts (${accountColumns})
    SELECT given.* FROM ${rowsOf("spending_account_row")}${guard}`
  const insertVerifications = (
    guard: string,
  ) => `INSERT INTO ${schema}.verifications (organization, id, number, channel, status,
      created_at, expires_at, verified_at, attempts_remaining, digest, pepper, message, prefix)
    SELECT given.* FROM ${rowsOf("verification_row")}${guard}`
  const insertMessages = (
    guard: string,
  ) => `INSERT INTO ${schema}.messages (organization, number, id, recipient, body, channel,
      log_channel, sender, verification, status, charge, hold, gateway, gateway_id, error, created_at, attempt,
      due_at, settle_by, anomalies, anomaly, reports)
    SELECT given.* FROM ${rowsOf("reported_message_row")}${guard}`

  return {
    insertAccounts: part("insert accounts", insertAccounts, accountFields),

    updateAccounts: part(
      "update accounts",
      (
        guard,
      ) => `${insertAccounts(guard)} ON CONFLICT (organization) DO UPDATE SET version = excluded.version,
        balance = excluded.balance, held = excluded.held, entries = excluded.entries,
        last_message = excluded.last_message, first_message = excluded.first_message,
        last_at = excluded.last_at, checks = excluded.checks, sends = excluded.sends,
        spent_on = excluded.spent_on, spent = excluded.spent,
        stamp = accounts.stamp + 1`,
      accountFields,
    ),

    saveRecipients: part(
      "save recipients",
      (guard) => `INSERT INTO ${schema}.recipients (organization, number, sends, pending)
        SELECT given.* FROM ${rowsOf("recipient_row")}${guard}
        ON CONFLICT (organization, number) DO UPDATE SET sends = excluded.sends, pending = excluded.pending`,
      recipientFields,
    ),

    insertVerifications: part("insert verifications", insertVerifications, verificationFields),

    updateVerifications: part(
      "update verifications",
      (
        guard,
      ) => `${insertVerifications(guard)} ON CONFLICT (organization, id) DO UPDATE SET status = excluded.status,
        verified_at = excluded.verified_at, attempts_remaining = excluded.attempts_remaining,
        channel = excluded.channel, message = excluded.message`,
      verificationFields,
    ),

    insertMessages: part("insert messages", insertMessages, messageFields),

    updateMessages: part(
      "update messages",
      (
        guard,
      ) => `${insertMessages(guard)} ON CONFLICT (organization, number) DO UPDATE SET status = excluded.status,
        hold = excluded.hold, gateway = excluded.gateway, gateway_id = excluded.gateway_id,
        error = excluded.error,
        attempt = excluded.attempt, due_at = excluded.due_at, anomalies = excluded.anomalies,
        anomaly = excluded.anomaly, reports = excluded.reports`,
      messageFields,
    ),

    /** Updates only the times, which no other write than a repair changes after the insert. */
    redateMessages: part(
      "redate messages",
      (guard) => `${insertMessages(guard)} ON CONFLICT (organization, number) DO UPDATE SET
        created_at = excluded.created_at, settle_by = excluded.settle_by, due_at = excluded.due_at`,
      messageFields,
    ),

    /** Saves the open messages with the times at which they need a look. */
    saveOpenMessages: part(
      "save open messages",
      (guard) => `INSERT INTO ${schema}.open_messages (organization, number, due_at)
        SELECT given.* FROM ${rowsOf("open_message_row")}${guard}
        ON CONFLICT (organization, number) DO UPDATE SET due_at = excluded.due_at`,
      openMessageFields,
    ),

    /**
     * Deletes by the physical places of the rows, which a subquery for each row finds, again with a single
     * plan. The statement compares the keys again, because a place is unique only within a partition.
     */
    deleteOpenMessages: part(
      "delete open messages",
      (guard) => `DELETE FROM ${schema}.open_messages WHERE ctid = ANY (ARRAY(
          SELECT (SELECT o.ctid FROM ${schema}.open_messages o
            WHERE o.organization = given.organization AND o.number = given.number)
          FROM ${rowsOf("open_message_row")}${guard}))
        AND ((organization, number) IN (
          SELECT given.organization, given.number FROM ${rowsOf("open_message_row")})) IS TRUE`,
      openMessageFields,
    ),

    saveGatewayIds: part(
      "save gateway ids",
      (
        guard,
      ) => `INSERT INTO ${schema}.gateway_ids (organization, number, gateway, gateway_id, expires_at)
        SELECT given.* FROM ${rowsOf("expiring_gateway_id_row")}${guard}
        ON CONFLICT (organization, number) DO UPDATE SET gateway = excluded.gateway,
          gateway_id = excluded.gateway_id, expires_at = excluded.expires_at`,
      gatewayIdFields,
    ),

    saveTraffic: part(
      "save traffic",
      (
        guard,
      ) => `INSERT INTO ${schema}.traffic (organization, prefix, since, sent, verified, sent_before,
          verified_before, velocity_at, conversion_at)
        SELECT given.* FROM ${rowsOf("traffic_row")}${guard}
        ON CONFLICT (organization, prefix) DO UPDATE SET since = excluded.since, sent = excluded.sent,
          verified = excluded.verified, sent_before = excluded.sent_before,
          verified_before = excluded.verified_before, velocity_at = excluded.velocity_at,
          conversion_at = excluded.conversion_at`,
      trafficFields,
    ),

    /** Ignores a repeated finding, which needs rules that changed in the same millisecond. */
    insertFindings: part(
      "insert findings",
      (
        guard,
      ) => `INSERT INTO ${schema}.fraud_findings (organization, at, prefix, reason, action, sent, verified)
        SELECT given.* FROM ${rowsOf("fraud_finding_row")}${guard} ON CONFLICT DO NOTHING`,
      findingFields,
    ),

    insertReports: part(
      "insert reports",
      (
        guard,
      ) => `INSERT INTO ${schema}.message_reports (organization, message, position, received_at, gateway,
          gateway_id, status, detail, evidence)
        SELECT given.* FROM ${rowsOf("message_report_row")}${guard}`,
      reportFields,
    ),

    insertEntries: part(
      "insert entries",
      (
        guard,
      ) => `INSERT INTO ${schema}.entries (organization, number, kind, amount, balance, held, message, note, at,
          payment_id)
        SELECT given.* FROM ${rowsOf("payment_entry_row")}${guard}`,
      entryFields,
    ),

    /** Signs a lane's transaction with the number of its batch, in one of the organizations that it changes. */
    signLane: (organization: string, lane: string, batch: number): Write => ({
      name: "sign lane",
      sql: (guard) => `INSERT INTO ${schema}.lanes (organization, id, batch)
        SELECT given.* FROM (VALUES ($1::text, $2::text, $3::int8)) AS given${guard}
        ON CONFLICT (organization, id) DO UPDATE SET batch = excluded.batch, seen_at = now()`,
      params: [Columns.text(organization), Columns.text(lane), Columns.int8(batch)],
    }),
  }
}

export type Writes = ReturnType<typeof make>
