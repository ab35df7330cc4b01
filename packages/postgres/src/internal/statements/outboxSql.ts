/** The statements of the outbox, without the statements of commands. A stored plan of each suits tables of any size. */
import * as QueuedSend from "@countersign/core/domain/outbox/QueuedSend"
import { organizationsOf, type Share } from "@countersign/core/ports/OutboxRows"
import { createHash } from "node:crypto"
import { int8s } from "../connection/parameters.ts"
import type { Statement } from "../connection/pipeline.ts"
import type { Seal } from "../rows/columns.ts"
import { outbox } from "../rows/outboxRows.ts"
import type { RowArrays } from "../rows/rowArrays.ts"
import { databaseNow } from "./batchReads.ts"

/** PostgreSQL's bound for the name of a channel, in bytes. */
const longestChannel = 63

/** The channel on which transactions announce which organization has added to the outbox of a schema. */
export const channelOf = (schema: string): string => {
  const name = `${schema} outbox`
  if (Buffer.byteLength(name) <= longestChannel) return name
  return `outbox ${createHash("sha256").update(schema).digest("base64url")}`
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Transactions that hold it commit one after another. `organization` and `orderKey` are expressions of SQL. */
const orderLock = (organization: string, orderKey: string): string =>
  `pg_advisory_xact_lock(hashtextextended(${organization} || ' ' || ${orderKey}, 0))`

/** The columns of the host's statement, with their types. The others have defaults. */
const given = [
  ["organization", "text"],
  ["id", "text"],
  ["phone_number", "text"],
  ["call", "text"],
  ["queue", "text"],
  ["due_at", "int8"],
  ["send_at", "int8"],
  ["expires_at", "int8"],
  ["created_at", "int8"],
  ["order_key", "text"],
] as const

const names = given.map(([name]) => name)
const values = given.map(([, type], index) => `$${index + 1}::${type}`)

/**
 * The text of the host's statement. With an order key, it takes the lock before it draws the position. Its parameters
 * are the `hostValues`. `schema` is quoted.
 */
export const hostText = (schema: string, channel: string, isOrdered: boolean): string => {
  const notify = `pg_notify(${literal(channel)}, $1::text)`
  const woken = isOrdered
    ? `ordered AS MATERIALIZED (SELECT ${orderLock("$1::text", values.at(-1) ?? "")}),
  woken AS MATERIALIZED (SELECT ${notify} FROM ordered)`
    : `woken AS MATERIALIZED (SELECT ${notify})`
  const end = isOrdered ? undefined : -1
  return `WITH ${woken}
INSERT INTO ${schema}.outbox (${names.slice(0, end).join(", ")})
SELECT ${values.slice(0, end).join(", ")} FROM woken`
}

export const hostValues = (send: QueuedSend.NewQueuedSend, seal: Seal) => [
  send.organization,
  send.id,
  seal(send.phoneNumber, send.organization, "number"),
  seal(send.call, send.organization, "text"),
  send.queue,
  send.dueAt,
  send.dueAt,
  send.expiresAt,
  send.createdAt,
  send.orderKey,
]

/** The next queue of the table, with the time of its first send. */
const nextQueueOf = (table: string, after: string): string =>
  `SELECT organization, queue, due_at FROM ${table}
    WHERE due_at IS NOT NULL AND (organization, queue) > ${after} ORDER BY organization, queue, due_at LIMIT 1`

/** The time of the oldest send that is open, as an expression. Looks up one row of each queue. */
export const oldestDue = (schema: string): string => {
  const table = `${schema}.outbox`
  return `(WITH RECURSIVE found AS (
      (${nextQueueOf(table, "('', '')")})
      UNION ALL
      SELECT n.* FROM found f, LATERAL (${nextQueueOf(table, "(f.organization, f.queue)")}) n
    )
    SELECT min(due_at) FROM found)`
}

/** Creates the statements for one schema, whose name is quoted. `hostNow`: the time, if it is not the database's. */
export const make = (schema: string) => {
  const table = `${schema}.outbox`
  const now = `(SELECT coalesce($1::int8, ${databaseNow}))`

  /** The columns of a send, with the end of a lease from now on. */
  const leased = outbox.columns
    .map(({ name }) => (name === "due_at" ? `${now} + $2 AS due_at` : name))
    .join(", ")

  const nextQueue = (after: string) => nextQueueOf(table, after)

  return {
    /** Waits for the locks in one order, so that two statements cannot wait for each other. */
    enqueue: (
      arrays: RowArrays,
      rows: ReadonlyArray<QueuedSend.NewQueuedSend>,
      channel: string,
      seal: Seal,
    ): Statement => ({
      sql: `WITH given AS MATERIALIZED (
          SELECT * FROM unnest($1::${schema}.${outbox.type}[]) WITH ORDINALITY AS given (${outbox.list}, place)
        ), locked AS MATERIALIZED (
          SELECT count(${orderLock("organization", "order_key")}) FROM (
            SELECT DISTINCT organization, order_key FROM given WHERE order_key IS NOT NULL
            ORDER BY organization, order_key) keys
        ), woken AS MATERIALIZED (SELECT count(pg_notify($2, o)) FROM locked, unnest($3::text[]) AS o)
        INSERT INTO ${table} (${outbox.list})
        SELECT ${outbox.of("given")} FROM woken, given ORDER BY given.place ON CONFLICT DO NOTHING`,
      params: [arrays(outbox, rows.map(QueuedSend.make), seal), channel, organizationsOf(rows)],
    }),

    readQueued: (organization: string, id: string): Statement => ({
      sql: `SELECT ${outbox.list} FROM ${table} WHERE organization = $1 AND id = $2`,
      params: [organization, id],
    }),

    readQueuedPage: (
      { organization, queue }: { readonly organization: string; readonly queue: string },
      after: number,
      limit: number,
    ): Statement => ({
      sql: `SELECT ${outbox.list}, position FROM ${table}
        WHERE organization = $1 AND queue = $2 AND position > $3 ORDER BY position LIMIT $4`,
      params: [organization, queue, after, limit],
    }),

    /** Looks up one row of each queue. The search for the next queue begins only when a further one is needed. */
    readQueues: (
      hostNow: number | undefined,
      after: QueuedSend.QueueRef | undefined,
      limit: number,
    ): Statement => ({
      sql: `WITH RECURSIVE found AS (
          (${nextQueue("($2, $3)")})
          UNION ALL
          SELECT n.* FROM found f, LATERAL (${nextQueue("(f.organization, f.queue)")}) n
        )
        SELECT f.organization, f.queue FROM found f, LATERAL (
          SELECT FROM ${schema}.accounts a WHERE a.organization = f.organization OFFSET 0) a
        WHERE f.due_at <= ${now} LIMIT $4`,
      params: [hostNow, after?.organization ?? "", after?.queue ?? "", limit],
    }),

    /** The lock of the batch's row lets one node after another move the place up to which it is read. */
    nextOfBatch: (
      hostNow: number | undefined,
      { limit, organization, queue }: Share,
      leaseMillis: number,
    ): Statement => ({
      sql: `WITH batch AS MATERIALIZED (
          SELECT read_to FROM ${schema}.batches WHERE organization = $3 AND id = $4 FOR UPDATE
        ), found AS MATERIALIZED (
          SELECT r.* FROM batch, LATERAL (
            SELECT ${outbox.list}, position FROM ${table}
            WHERE organization = $3 AND queue = $4 AND position > batch.read_to AND claim = 0 AND due_at <= ${now}
            ORDER BY position LIMIT $5) r
        ), moved AS (
          UPDATE ${schema}.batches SET read_to = f.last, read_until = ${now} + $2
          FROM (SELECT max(position) AS last FROM found) f
          WHERE organization = $3 AND id = $4 AND f.last IS NOT NULL
        )
        SELECT ${leased}, position FROM found ORDER BY position`,
      params: [hostNow, leaseMillis, organization, queue, limit],
    }),

    /**
     * The first send of each order key is a join. The server remembers the results of a join, and no results of
     * `EXISTS`.
     */
    take: (
      hostNow: number | undefined,
      shares: ReadonlyArray<Share>,
      leaseMillis: number,
    ): Statement => ({
      sql: `WITH picked AS MATERIALIZED (
          SELECT o.*, s.place FROM unnest($3::text[], $4::text[], $5::int8[])
              WITH ORDINALITY AS s (organization, queue, max, place), LATERAL (
            SELECT FROM ${schema}.accounts a WHERE a.organization = s.organization OFFSET 0) a, LATERAL (
            SELECT WHERE NOT EXISTS (SELECT FROM ${schema}.batches b
              WHERE b.organization = s.organization AND b.id = s.queue AND b.read_until > ${now})) b, LATERAL (
            SELECT r.organization, r.id, r.due_at AS due, r.position FROM ${table} r LEFT JOIN LATERAL (
              SELECT e.position FROM ${table} e WHERE e.organization = r.organization
                AND e.order_key = r.order_key AND e.due_at IS NOT NULL ORDER BY e.position LIMIT 1) e ON true
            WHERE r.organization = s.organization AND r.queue = s.queue AND r.due_at <= ${now}
              AND (r.order_key IS NULL OR e.position = r.position)
            ORDER BY r.due_at, r.position LIMIT s.max FOR UPDATE OF r SKIP LOCKED) o
        ), taken AS (
          UPDATE ${table} r SET due_at = ${now} + $2, claim = r.claim + 1
          FROM picked p WHERE r.organization = p.organization AND r.id = p.id
          RETURNING ${outbox.of("r")}, p.place, p.due, r.position
        )
        SELECT * FROM taken ORDER BY place, due, position`,
      params: [
        hostNow,
        leaseMillis,
        shares.map(({ organization }) => organization),
        shares.map(({ queue }) => queue),
        int8s(shares.map(({ limit }) => limit)),
      ],
    }),
  }
}
