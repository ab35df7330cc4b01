/**
 * The reads of a batch: one statement for each kind of row. A lateral subquery that cannot be pulled up runs for
 * each key separately, and only an index can serve it. Such a plan suits tables of any size, so it can be kept.
 */
import { int8s } from "../connection/parameters.ts"
import type { Statement } from "../connection/pipeline.ts"
import type { FormsOf } from "../numbers/cipher.ts"
import type { RowTable } from "../rows/rowTable.ts"
import { optOuts } from "../rows/optOutRows.ts"
import * as Tables from "../rows/tables.ts"
import { alerts } from "../rows/alertRows.ts"
import { batches } from "../rows/batchTables.ts"
import { outbox } from "../rows/outboxRows.ts"
import { webhookProgress } from "../rows/webhookRows.ts"

const { messages, prefixStats, recipients, verifications } = Tables

export interface Key<A> {
  readonly organization: string
  readonly key: A
}

/** The database's clock in milliseconds since the epoch. */
export const databaseNow = "(floor(extract(epoch FROM clock_timestamp()) * 1000))::int8"

/** Creates the statements for one schema, whose name is quoted. */
export const make = (schema: string, forms?: FormsOf) => {
  const accountsAndClock = `SELECT ${Tables.accounts.of("a")}, a.stamp, ${databaseNow} AS now`

  /** Looks up the row `r` for each key. The column `column` of the table contains the key. */
  const lookUp = <A>({ name }: RowTable<A>, column: string, type = "text"): string =>
    `unnest($1::text[], $2::${type}[]) AS k (organization, key), LATERAL (
        SELECT * FROM ${schema}.${name} r
        WHERE r.organization = k.organization AND r.${column} = k.key OFFSET 0) r`

  const select = <A>(table: RowTable<A>, column: string, type?: string): string =>
    `SELECT ${table.of("r")} FROM ${lookUp(table, column, type)}`

  const ofAccounts =
    (sql: string) =>
    (organizations: ReadonlyArray<string>): Statement => ({
      sql,
      params: [organizations],
    })

  const byText =
    (sql: string) =>
    (keys: ReadonlyArray<Key<string>>): Statement => ({
      sql,
      params: [organizationsOf(keys), keys.map(({ key }) => key)],
    })

  const recipientsByForm = byText(select(recipients, "phone_number"))

  return {
    /** Must precede all other reads, so that these are at least as recent as the stamp. */
    readAccounts: ofAccounts(
      `${accountsAndClock} FROM ${schema}.accounts a
      WHERE organization = ANY($1::text[]) ORDER BY organization`,
    ),

    /** Takes the locks in one order. `FOR UPDATE` keeps the subquery separate, so `now` is read after each lock. */
    lockAccounts: ofAccounts(
      `${accountsAndClock} FROM (
        SELECT * FROM ${schema}.accounts WHERE organization = ANY($1::text[]) ORDER BY organization FOR UPDATE
      ) a`,
    ),

    /** Locks the organizations that no other transaction has locked, without waiting, and returns them. */
    lockUnlocked: ofAccounts(
      `SELECT organization FROM ${schema}.accounts WHERE organization = ANY($1::text[])
      ORDER BY organization FOR UPDATE SKIP LOCKED`,
    ),

    /** Must follow all locks, so that its result is later. */
    readClock: { sql: `SELECT ${databaseNow} AS now` } satisfies Statement,

    readRecipients: (keys: ReadonlyArray<Key<string>>): Statement =>
      recipientsByForm(inForms(keys, forms)),

    /** Reads verifications with their recipients. */
    readVerifications: byText(
      `SELECT ${verifications.of("r")}, ${ofRecipient}
        FROM ${lookUp(verifications, "request_id")} LEFT JOIN LATERAL (
        SELECT ${ofRecipient} FROM ${schema}.recipients p
        WHERE p.organization = r.organization AND p.phone_number = r.phone_number OFFSET 0) p ON true`,
    ),

    readMessages: (keys: ReadonlyArray<Key<number>>): Statement => ({
      sql: select(messages, "sequence", "int8"),
      params: [organizationsOf(keys), int8s(keys.map(({ key }) => key))],
    }),

    readIdempotencyKeys: byText(select(Tables.idempotencyKeys, "id")),
    readPayments: byText(select(Tables.entries, "payment_id")),
    readClients: byText(select(Tables.clients, "client")),
    readQueued: byText(select(outbox, "id")),
    readAlerts: byText(select(alerts, "organization")),
    readBatches: byText(select(batches, "id")),
    readWebhooks: byText(select(webhookProgress, "id")),
    readErasedRecipients: byText(select(Tables.erasedRecipients, "digest")),
    readOptOuts: byText(select(optOuts, "digest")),
    readPrefixStats: byText(select(prefixStats, "prefix")),

    /** Reads the messages that verifications point to. */
    readCarriers: byText(
      `SELECT ${messages.of("m")} FROM ${lookUp(verifications, "request_id")}, LATERAL (
        SELECT * FROM ${schema}.messages m
        WHERE m.organization = r.organization AND m.sequence = r.message_sequence OFFSET 0) m`,
    ),

    /** Reads the statistics that count the codes of verifications. */
    readPrefixStatsOfVerifications: byText(
      `SELECT ${prefixStats.of("s")} FROM ${lookUp(verifications, "request_id")}, LATERAL (
        SELECT * FROM ${schema}.prefix_stats s
        WHERE s.organization = r.organization AND s.prefix = r.prefix OFFSET 0) s`,
    ),

    /** Locks the lane's row, waiting for its current writer, and returns the number of the last committed batch. */
    holdLane: (organization: string, lane: string): Statement => ({
      sql: `INSERT INTO ${schema}.lanes (organization, id, batch) VALUES ($1, $2, 0)
      ON CONFLICT (organization, id) DO UPDATE SET batch = lanes.batch RETURNING batch`,
      params: [organization, lane],
    }),
  }
}

/** The columns of a recipient that its verification does not have. */
const ofRecipient = recipients.columns
  .flatMap(({ name }) => (recipients.key.includes(name) ? [] : [`p.${name}`]))
  .join(", ")

/** Phone numbers in all forms that rows may have. */
export const inForms = (
  keys: ReadonlyArray<Key<string>>,
  forms: FormsOf | undefined,
): ReadonlyArray<Key<string>> =>
  forms === undefined
    ? keys
    : keys.flatMap(({ key, organization }) =>
        forms(key, organization).map((form) => ({ organization, key: form })),
      )

export const organizationsOf = (
  keys: ReadonlyArray<{ readonly organization: string }>,
): ReadonlyArray<string> => keys.map(({ organization }) => organization)

export type BatchReads = ReturnType<typeof make>
