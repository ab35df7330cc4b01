/**
 * The statements of a batch. Each reads or writes rows as they are; none decides anything.
 *
 * All of them are set-based: one statement for each kind of row, however many commands the batch has.
 */
import type { Account, Entry } from "@countersign/core/Account"
import type { Message } from "@countersign/core/Message"
import type { Recipient } from "@countersign/core/Recipient"
import type { Verification } from "@countersign/core/Verification"
import * as Columns from "./columns.ts"
import type { Statement } from "./pipeline.ts"
import { pendingJson } from "./rows.ts"

/** A row's place: its organization, and its name there. */
export interface Key<A> {
  readonly organization: string
  readonly key: A
}

/** Milliseconds since the epoch by the database's clock. */
export const databaseNow = "(floor(extract(epoch FROM clock_timestamp()) * 1000))::int8"

const messageColumns = `organization, number, id, recipient, body, channel, log_channel, sender, verification,
  status, charge, hold, gateway, gateway_id, error, created_at, attempt, due_at, settle_by, anomalies, anomaly`

/** The statements on one schema, whose name comes quoted. */
export const make = (schema: string) => ({
  /** Takes the locks in one order, whoever asks. */
  lockAccounts: (organizations: ReadonlyArray<string>): Statement => ({
    sql: `SELECT * FROM ${schema}.accounts WHERE organization = ANY($1::text[]) ORDER BY organization FOR UPDATE`,
    params: [Columns.texts(organizations, (id) => id)],
  }),

  /** By the database's clock; sent after the locks were asked for, so answered after they were given. */
  readClock: { sql: `SELECT ${databaseNow} AS now` } satisfies Statement,

  readRecipients: (keys: ReadonlyArray<Key<string>>): Statement => ({
    sql: `SELECT r.* FROM unnest($1::text[], $2::text[]) AS k (organization, number)
      JOIN ${schema}.recipients r ON r.organization = k.organization AND r.number = k.number`,
    params: [Columns.texts(keys, (k) => k.organization), Columns.texts(keys, (k) => k.key)],
  }),

  readVerifications: (keys: ReadonlyArray<Key<string>>): Statement => ({
    sql: `SELECT v.* FROM unnest($1::text[], $2::text[]) AS k (organization, id)
      JOIN ${schema}.verifications v ON v.organization = k.organization AND v.id = k.id`,
    params: [Columns.texts(keys, (k) => k.organization), Columns.texts(keys, (k) => k.key)],
  }),

  /** The recipients of the requests of the same keys. */
  readRecipientsOf: (keys: ReadonlyArray<Key<string>>): Statement => ({
    sql: `SELECT DISTINCT ON (r.organization, r.number) r.* FROM unnest($1::text[], $2::text[]) AS k (organization, id)
      JOIN ${schema}.verifications v ON v.organization = k.organization AND v.id = k.id
      JOIN ${schema}.recipients r ON r.organization = v.organization AND r.number = v.number`,
    params: [Columns.texts(keys, (k) => k.organization), Columns.texts(keys, (k) => k.key)],
  }),

  readMessages: (keys: ReadonlyArray<Key<number>>): Statement => ({
    sql: `SELECT m.* FROM unnest($1::text[], $2::int8[]) AS k (organization, number)
      JOIN ${schema}.messages m ON m.organization = k.organization AND m.number = k.number`,
    params: [Columns.texts(keys, (k) => k.organization), Columns.int8s(keys, (k) => k.key)],
  }),

  updateAccounts: (rows: ReadonlyArray<Account>): Statement => ({
    sql: `UPDATE ${schema}.accounts a SET version = u.version, balance = u.balance, held = u.held,
        entries = u.entries, last_message = u.last_message, first_message = u.first_message,
        last_at = u.last_at, checks = u.checks::int8[], sends = u.sends::int8[]
      FROM unnest($1::text[], $2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::int8[], $7::int8[], $8::int8[],
        $9::text[], $10::text[]) AS u (organization, version, balance, held, entries, last_message, first_message,
        last_at, checks, sends)
      WHERE a.organization = u.organization`,
    params: [
      Columns.texts(rows, (row) => row.organization),
      Columns.int8s(rows, (row) => row.version),
      Columns.int8s(rows, (row) => row.balance),
      Columns.int8s(rows, (row) => row.held),
      Columns.int8s(rows, (row) => row.entries),
      Columns.int8s(rows, (row) => row.lastMessage),
      Columns.int8s(rows, (row) => row.firstMessage),
      Columns.int8s(rows, (row) => row.lastAt),
      Columns.texts(rows, (row) => Columns.int8Literal(row.checks)),
      Columns.texts(rows, (row) => Columns.int8Literal(row.sends)),
    ],
  }),

  insertAccount: (row: Account): Statement => ({
    sql: `INSERT INTO ${schema}.accounts (organization, version, balance, held, entries, last_message,
        first_message, last_at, checks, sends)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::int8[], $10::int8[])`,
    params: [
      Columns.text(row.organization),
      Columns.int8(row.version),
      Columns.int8(row.balance),
      Columns.int8(row.held),
      Columns.int8(row.entries),
      Columns.int8(row.lastMessage),
      Columns.int8(row.firstMessage),
      Columns.int8(row.lastAt),
      Columns.text(Columns.int8Literal(row.checks)),
      Columns.text(Columns.int8Literal(row.sends)),
    ],
  }),

  saveRecipients: (rows: ReadonlyArray<Recipient>): Statement => ({
    sql: `INSERT INTO ${schema}.recipients (organization, number, sends, pending)
      SELECT u.organization, u.number, u.sends::int8[], u.pending::jsonb
      FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS u (organization, number, sends, pending)
      ON CONFLICT (organization, number) DO UPDATE SET sends = excluded.sends, pending = excluded.pending`,
    params: [
      Columns.texts(rows, (row) => row.organization),
      Columns.texts(rows, (row) => row.number),
      Columns.texts(rows, (row) => Columns.int8Literal(row.sends)),
      Columns.texts(rows, (row) => pendingJson(row.pending)),
    ],
  }),

  insertVerifications: (rows: ReadonlyArray<Verification>): Statement => ({
    sql: `INSERT INTO ${schema}.verifications (organization, id, number, channel, status, created_at, expires_at,
        verified_at, attempts_remaining, digest, pepper, message)
      SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int8[], $7::int8[],
        $8::int8[], $9::int4[], $10::bytea[], $11::text[], $12::int8[])`,
    params: [
      Columns.texts(rows, (row) => row.organization),
      Columns.texts(rows, (row) => row.id),
      Columns.texts(rows, (row) => row.number),
      Columns.texts(rows, (row) => row.channel),
      Columns.texts(rows, (row) => row.status),
      Columns.int8s(rows, (row) => row.createdAt),
      Columns.int8s(rows, (row) => row.expiresAt),
      Columns.int8s(rows, (row) => row.verifiedAt),
      Columns.int4s(rows, (row) => row.attemptsRemaining),
      Columns.byteas(rows, (row) => row.digest),
      Columns.texts(rows, (row) => row.pepper),
      Columns.int8s(rows, (row) => row.message),
    ],
  }),

  updateVerifications: (rows: ReadonlyArray<Verification>): Statement => ({
    sql: `UPDATE ${schema}.verifications v SET status = u.status, verified_at = u.verified_at,
        attempts_remaining = u.attempts_remaining
      FROM unnest($1::text[], $2::text[], $3::text[], $4::int8[], $5::int4[])
        AS u (organization, id, status, verified_at, attempts_remaining)
      WHERE v.organization = u.organization AND v.id = u.id`,
    params: [
      Columns.texts(rows, (row) => row.organization),
      Columns.texts(rows, (row) => row.id),
      Columns.texts(rows, (row) => row.status),
      Columns.int8s(rows, (row) => row.verifiedAt),
      Columns.int4s(rows, (row) => row.attemptsRemaining),
    ],
  }),

  insertMessages: (rows: ReadonlyArray<Message>): Statement => ({
    sql: `INSERT INTO ${schema}.messages (${messageColumns})
      SELECT * FROM unnest($1::text[], $2::int8[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
        $8::text[], $9::text[], $10::text[], $11::int8[], $12::text[], $13::text[], $14::text[], $15::text[],
        $16::int8[], $17::int4[], $18::int8[], $19::int8[], $20::int4[], $21::text[])`,
    params: [
      Columns.texts(rows, (row) => row.organization),
      Columns.int8s(rows, (row) => row.number),
      Columns.texts(rows, (row) => row.id),
      Columns.texts(rows, (row) => row.recipient),
      Columns.texts(rows, (row) => row.text),
      Columns.texts(rows, (row) => row.channel),
      Columns.texts(rows, (row) => row.logChannel),
      Columns.texts(rows, (row) => row.sender),
      Columns.texts(rows, (row) => row.verification),
      Columns.texts(rows, (row) => row.status),
      Columns.int8s(rows, (row) => row.charge),
      Columns.texts(rows, (row) => row.hold),
      Columns.texts(rows, (row) => row.gateway),
      Columns.texts(rows, (row) => row.gatewayId),
      Columns.texts(rows, (row) => row.error),
      Columns.int8s(rows, (row) => row.createdAt),
      Columns.int4s(rows, (row) => row.attempt),
      Columns.int8s(rows, (row) => row.dueAt),
      Columns.int8s(rows, (row) => row.settleBy),
      Columns.int4s(rows, (row) => row.anomalies),
      Columns.texts(rows, (row) => row.anomaly),
    ],
  }),

  updateMessages: (rows: ReadonlyArray<Message>): Statement => ({
    sql: `UPDATE ${schema}.messages m SET status = u.status, hold = u.hold, gateway_id = u.gateway_id,
        error = u.error, attempt = u.attempt, due_at = u.due_at, anomalies = u.anomalies, anomaly = u.anomaly
      FROM unnest($1::text[], $2::int8[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int4[], $8::int8[],
        $9::int4[], $10::text[])
        AS u (organization, number, status, hold, gateway_id, error, attempt, due_at, anomalies, anomaly)
      WHERE m.organization = u.organization AND m.number = u.number`,
    params: [
      Columns.texts(rows, (row) => row.organization),
      Columns.int8s(rows, (row) => row.number),
      Columns.texts(rows, (row) => row.status),
      Columns.texts(rows, (row) => row.hold),
      Columns.texts(rows, (row) => row.gatewayId),
      Columns.texts(rows, (row) => row.error),
      Columns.int4s(rows, (row) => row.attempt),
      Columns.int8s(rows, (row) => row.dueAt),
      Columns.int4s(rows, (row) => row.anomalies),
      Columns.texts(rows, (row) => row.anomaly),
    ],
  }),

  /** What somebody has to look at again, and when. */
  saveOpenMessages: (rows: ReadonlyArray<Message>): Statement => ({
    sql: `INSERT INTO ${schema}.open_messages (organization, number, due_at)
      SELECT * FROM unnest($1::text[], $2::int8[], $3::int8[])
      ON CONFLICT (organization, number) DO UPDATE SET due_at = excluded.due_at`,
    params: [
      Columns.texts(rows, (row) => row.organization),
      Columns.int8s(rows, (row) => row.number),
      Columns.int8s(rows, (row) => row.dueAt),
    ],
  }),

  deleteOpenMessages: (rows: ReadonlyArray<Message>): Statement => ({
    sql: `DELETE FROM ${schema}.open_messages o USING unnest($1::text[], $2::int8[]) AS u (organization, number)
      WHERE o.organization = u.organization AND o.number = u.number`,
    params: [
      Columns.texts(rows, (row) => row.organization),
      Columns.int8s(rows, (row) => row.number),
    ],
  }),

  saveGatewayIds: (rows: ReadonlyArray<Message>): Statement => ({
    sql: `INSERT INTO ${schema}.gateway_ids (organization, number, gateway, gateway_id)
      SELECT * FROM unnest($1::text[], $2::int8[], $3::text[], $4::text[])
      ON CONFLICT (organization, number) DO UPDATE SET gateway = excluded.gateway, gateway_id = excluded.gateway_id`,
    params: [
      Columns.texts(rows, (row) => row.organization),
      Columns.int8s(rows, (row) => row.number),
      Columns.texts(rows, (row) => row.gateway),
      Columns.texts(rows, (row) => row.gatewayId),
    ],
  }),

  insertEntries: (rows: ReadonlyArray<Entry>): Statement => ({
    sql: `INSERT INTO ${schema}.entries (organization, number, kind, amount, balance, held, message, note, at)
      SELECT * FROM unnest($1::text[], $2::int8[], $3::text[], $4::int8[], $5::int8[], $6::int8[], $7::int8[],
        $8::text[], $9::int8[])`,
    params: [
      Columns.texts(rows, (row) => row.organization),
      Columns.int8s(rows, (row) => row.number),
      Columns.texts(rows, (row) => row.kind),
      Columns.int8s(rows, (row) => row.amount),
      Columns.int8s(rows, (row) => row.balance),
      Columns.int8s(rows, (row) => row.held),
      Columns.int8s(rows, (row) => row.message),
      Columns.texts(rows, (row) => row.note),
      Columns.int8s(rows, (row) => row.at),
    ],
  }),

  /** Signs a lane's transaction with the number of its batch. */
  signLane: (lane: string, batch: number): Statement => ({
    sql: `INSERT INTO ${schema}.lanes (id, batch) VALUES ($1, $2)
      ON CONFLICT (id) DO UPDATE SET batch = excluded.batch, seen_at = now()`,
    params: [Columns.text(lane), Columns.int8(batch)],
  }),

  /** Waits for whoever is writing the lane's row, holds it, and tells the last batch that was committed. */
  holdLane: (lane: string): Statement => ({
    sql: `INSERT INTO ${schema}.lanes (id, batch) VALUES ($1, 0)
      ON CONFLICT (id) DO UPDATE SET batch = lanes.batch RETURNING batch`,
    params: [Columns.text(lane)],
  }),

  pruneLanes: {
    sql: `DELETE FROM ${schema}.lanes WHERE seen_at < now() - interval '7 days'`,
  } satisfies Statement,
})

export type Statements = ReturnType<typeof make>
