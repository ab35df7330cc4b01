/**
 * The reads of a batch. This module decides nothing.
 *
 * There is one statement for each kind of row, regardless of the number of commands in the batch. A lateral
 * subquery that cannot be pulled up runs for each key separately, and only an index can serve it. Such a plan
 * suits tables of any size, so it can be kept (see `PostgresClient`).
 */
import * as Columns from "../rows/columns.ts"
import type { Statement } from "../connection/pipeline.ts"

/** The key of a row: its organization, and its id in the organization. */
export interface Key<A> {
  readonly organization: string
  readonly key: A
}

/** The database's clock in milliseconds since the epoch. */
export const databaseNow = "(floor(extract(epoch FROM clock_timestamp()) * 1000))::int8"

/** Number of lanes that one step of the scan reads. */
export const lanesPerStep = 1_000

const organizationsOf = <A>(keys: ReadonlyArray<Key<A>>) =>
  Columns.texts(keys, (k) => k.organization)

const textKeys = (keys: ReadonlyArray<Key<string>>) => [
  organizationsOf(keys),
  Columns.texts(keys, (k) => k.key),
]

/** Creates the statements for one schema, whose name is quoted. */
export const make = (schema: string) => ({
  /** Must precede all other reads, so that these are at least as recent as the stamp. */
  readAccounts: (organizations: ReadonlyArray<string>): Statement => ({
    sql: `SELECT a.*, ${databaseNow} AS now FROM ${schema}.accounts a
      WHERE organization = ANY($1::text[]) ORDER BY organization`,
    params: [Columns.texts(organizations, (id) => id)],
  }),

  /**
   * Takes the locks in the same order for all callers. `now` is read for each row after it is locked: `FOR
   * UPDATE` keeps the subquery separate.
   */
  lockAccounts: (organizations: ReadonlyArray<string>): Statement => ({
    sql: `SELECT a.*, ${databaseNow} AS now FROM (
        SELECT * FROM ${schema}.accounts WHERE organization = ANY($1::text[]) ORDER BY organization FOR UPDATE
      ) a`,
    params: [Columns.texts(organizations, (id) => id)],
  }),

  /** Locks the organizations that no other transaction has locked, without waiting, and returns them. */
  lockUnlocked: (organizations: ReadonlyArray<string>): Statement => ({
    sql: `SELECT organization FROM ${schema}.accounts WHERE organization = ANY($1::text[])
      ORDER BY organization FOR UPDATE SKIP LOCKED`,
    params: [Columns.texts(organizations, (id) => id)],
  }),

  /** Reads the database's clock. It is sent after the lock requests, so its result is later than the locks. */
  readClock: { sql: `SELECT ${databaseNow} AS now` } satisfies Statement,

  readRecipients: (keys: ReadonlyArray<Key<string>>): Statement => ({
    sql: `SELECT r.* FROM unnest($1::text[], $2::text[]) AS k (organization, number), LATERAL (
        SELECT * FROM ${schema}.recipients r
        WHERE r.organization = k.organization AND r.number = k.number OFFSET 0) r`,
    params: textKeys(keys),
  }),

  /** Reads verifications with their recipients. */
  readVerifications: (keys: ReadonlyArray<Key<string>>): Statement => ({
    sql: `SELECT v.*, r.sends, r.pending FROM unnest($1::text[], $2::text[]) AS k (organization, id), LATERAL (
        SELECT * FROM ${schema}.verifications v
        WHERE v.organization = k.organization AND v.id = k.id OFFSET 0) v LEFT JOIN LATERAL (
        SELECT r.sends, r.pending FROM ${schema}.recipients r
        WHERE r.organization = v.organization AND r.number = v.number OFFSET 0) r ON true`,
    params: textKeys(keys),
  }),

  readMessages: (keys: ReadonlyArray<Key<number>>): Statement => ({
    sql: `SELECT m.* FROM unnest($1::text[], $2::int8[]) AS k (organization, number), LATERAL (
        SELECT * FROM ${schema}.messages m
        WHERE m.organization = k.organization AND m.number = k.number OFFSET 0) m`,
    params: [organizationsOf(keys), Columns.int8s(keys, (k) => k.key)],
  }),

  readPayments: (keys: ReadonlyArray<Key<string>>): Statement => ({
    sql: `SELECT e.* FROM unnest($1::text[], $2::text[]) AS k (organization, payment_id), LATERAL (
        SELECT * FROM ${schema}.entries e
        WHERE e.organization = k.organization AND e.payment_id = k.payment_id OFFSET 0) e`,
    params: textKeys(keys),
  }),

  /** Reads the messages that verifications point to. */
  readCarriers: (keys: ReadonlyArray<Key<string>>): Statement => ({
    sql: `SELECT m.* FROM unnest($1::text[], $2::text[]) AS k (organization, id), LATERAL (
        SELECT organization, message FROM ${schema}.verifications v
        WHERE v.organization = k.organization AND v.id = k.id OFFSET 0) v, LATERAL (
        SELECT * FROM ${schema}.messages m
        WHERE m.organization = v.organization AND m.number = v.message OFFSET 0) m`,
    params: textKeys(keys),
  }),

  readTraffic: (keys: ReadonlyArray<Key<string>>): Statement => ({
    sql: `SELECT t.* FROM unnest($1::text[], $2::text[]) AS k (organization, prefix), LATERAL (
        SELECT * FROM ${schema}.traffic t
        WHERE t.organization = k.organization AND t.prefix = k.prefix OFFSET 0) t`,
    params: textKeys(keys),
  }),

  /** Reads the traffic that counts the codes of verifications. */
  readTrafficOfVerifications: (keys: ReadonlyArray<Key<string>>): Statement => ({
    sql: `SELECT t.* FROM unnest($1::text[], $2::text[]) AS k (organization, id), LATERAL (
        SELECT organization, prefix FROM ${schema}.verifications v
        WHERE v.organization = k.organization AND v.id = k.id OFFSET 0) v, LATERAL (
        SELECT * FROM ${schema}.traffic t
        WHERE t.organization = v.organization AND t.prefix = v.prefix OFFSET 0) t`,
    params: textKeys(keys),
  }),

  /** Locks the lane's row, waiting for its current writer, and returns the number of the last committed batch. */
  holdLane: (organization: string, lane: string): Statement => ({
    sql: `INSERT INTO ${schema}.lanes (organization, id, batch) VALUES ($1, $2, 0)
      ON CONFLICT (organization, id) DO UPDATE SET batch = lanes.batch RETURNING batch`,
    params: [Columns.text(organization), Columns.text(lane)],
  }),

  /**
   * One page of a scan over all lanes: deletes those that have signed nothing for seven days. `after` is the
   * key of the page before. It skips a lane that is being signed, because waiting for it with other rows locked
   * could cause a deadlock.
   */
  pruneLanes: (
    after: Readonly<Record<string, unknown>> | undefined,
    now: number | undefined,
  ): Statement => ({
    sql: `WITH looked AS MATERIALIZED (
        SELECT organization, id FROM ${schema}.lanes WHERE (organization, id) > ($1::text, $2::text)
        ORDER BY organization, id LIMIT ${lanesPerStep}
      ), old AS MATERIALIZED (
        SELECT o.* FROM looked, LATERAL (
          SELECT l.organization, l.id FROM ${schema}.lanes l
          WHERE l.organization = looked.organization AND l.id = looked.id
            AND l.seen_at < coalesce(to_timestamp($3::int8 / 1000.0), now()) - interval '7 days'
          FOR UPDATE SKIP LOCKED) o
      ), gone AS (
        DELETE FROM ${schema}.lanes l USING old
        WHERE l.organization = old.organization AND l.id = old.id
      )
      SELECT organization, id FROM looked ORDER BY organization DESC, id DESC LIMIT 1`,
    params: [
      Columns.text(after === undefined ? "" : Columns.textOf(after, "organization")),
      Columns.text(after === undefined ? "" : Columns.textOf(after, "id")),
      Columns.int8OrNull(now),
    ],
  }),
})

export type Statements = ReturnType<typeof make>
