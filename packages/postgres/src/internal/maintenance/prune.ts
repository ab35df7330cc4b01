/**
 * Deletes old rows, one kind of row in a step.
 *
 * A step reads without a lock, asks `Pruning`, and deletes with one statement, which is a transaction of its
 * own. The statement takes the account's lock like every other writer, so no batch that has read these rows can
 * write them again. It holds the lock for no round trip. A row that may be deleted once may be deleted at any
 * later time, so a lost response loses nothing, and two nodes at once do no harm.
 *
 * Reads begin at the first remaining row. Before it, the index contains entries of deleted rows until the next
 * vacuum, and a scan would have to skip them.
 */
import type { StoreUnavailable } from "@countersign/core/domain/Errors"
import { RequestId } from "@countersign/core/domain/Ids"
import type { Hold } from "@countersign/core/domain/Message"
import * as Pruning from "@countersign/core/decide/Pruning"
import type { Recipient } from "@countersign/core/domain/Recipient"
import type { PruneResult, PruneStep, Store } from "@countersign/core/ports/Store"
import * as Effect from "effect/Effect"
import * as Columns from "../rows/columns.ts"
import type { Statement } from "../connection/pipeline.ts"
import * as Read from "../rows/rows.ts"
import { databaseNow } from "../statements/batchReads.ts"

/** Runs one statement and returns its rows. */
export type Query = (
  statement: Statement,
) => Effect.Effect<ReadonlyArray<Read.Row>, StoreUnavailable>

/** Creates the statements for one schema, whose name is quoted. */
const makeStatements = (schema: string) => {
  // Every write joins it, so none begins before the lock is granted.
  const held = `held AS MATERIALIZED (
      SELECT organization FROM ${schema}.accounts WHERE organization = $1 FOR UPDATE
    )`
  // Invalidates the reads of transactions that have read these rows without a lock.
  const stamped = `stamped AS (
      UPDATE ${schema}.accounts a SET stamp = a.stamp + 1 FROM held WHERE a.organization = $1
    )`
  const lineColumns = "number, created_at, due_at, hold"
  return {
    /** Reads the account, the time, and the oldest entry of the log. */
    readFront: (organization: string): Statement => ({
      sql: `SELECT a.*, ${databaseNow} AS now, ${lineColumns} FROM ${schema}.accounts a
        LEFT JOIN ${schema}.messages m ON m.organization = a.organization AND m.number = a.first_message
        WHERE a.organization = $1`,
      params: [Columns.text(organization)],
    }),

    readLines: (organization: string, from: number, limit: number): Statement => ({
      sql: `SELECT ${lineColumns} FROM ${schema}.messages
        WHERE organization = $1 AND number >= $2 AND number < $3 ORDER BY number`,
      params: [Columns.text(organization), Columns.int8(from), Columns.int8(from + limit)],
    }),

    /** Also deletes reports from `reportsFrom` on, because some of earlier messages may remain. */
    dropMessages: (
      organization: string,
      from: number,
      to: number,
      reportsFrom: number,
    ): Statement => ({
      sql: `WITH ${held}, gone AS (
          DELETE FROM ${schema}.messages USING held
          WHERE messages.organization = $1 AND number >= $2 AND number < $3 RETURNING 1
        ), ids AS (
          DELETE FROM ${schema}.gateway_ids USING held
          WHERE gateway_ids.organization = $1 AND number >= $2 AND number < $3
        ), told AS (
          DELETE FROM ${schema}.message_reports r USING held
          WHERE r.organization = $1 AND r.message >= $4 AND r.message < $3
        ), moved AS (
          UPDATE ${schema}.accounts a
          SET first_message = greatest(a.first_message, $3), stamp = a.stamp + 1 FROM held
          WHERE a.organization = $1
        )
        SELECT count(*) AS dropped FROM gone`,
      params: [
        Columns.text(organization),
        Columns.int8(from),
        Columns.int8(to),
        Columns.int8(reportsFrom),
      ],
    }),

    /**
     * Deletes the reports on deleted messages. A statement does not see rows that were added while it waited
     * for the lock, but no rows are added after that.
     */
    dropReports: (organization: string, from: number, to: number): Statement => ({
      sql: `DELETE FROM ${schema}.message_reports
        WHERE organization = $1 AND message >= $2 AND message < $3`,
      params: [Columns.text(organization), Columns.int8(from), Columns.int8(to)],
    }),

    readVerifications: (
      organization: string,
      after: string,
      to: string,
      limit: number,
    ): Statement => ({
      sql: `SELECT id, status, created_at, expires_at FROM ${schema}.verifications
        WHERE organization = $1 AND id > $2 AND id < $3 ORDER BY id LIMIT $4`,
      params: [
        Columns.text(organization),
        Columns.text(after),
        Columns.text(to),
        Columns.int8(limit),
      ],
    }),

    dropVerifications: (organization: string, ids: ReadonlyArray<string>): Statement => ({
      sql: `WITH ${held}, gone AS (
          DELETE FROM ${schema}.verifications v USING held
          WHERE v.organization = $1 AND v.id = ANY ($2::text[]) RETURNING 1
        ), ${stamped}
        SELECT count(*) AS dropped FROM gone`,
      params: [Columns.text(organization), Columns.texts(ids, (id) => id)],
    }),

    /** Whether `dropFindings` would delete anything. */
    readFindings: (organization: string, before: number, trafficBefore: number): Statement => ({
      sql: `SELECT EXISTS (SELECT FROM ${schema}.fraud_findings WHERE organization = $1 AND at < $2)
        OR EXISTS (SELECT FROM ${schema}.traffic WHERE organization = $1 AND since < $3) AS any`,
      params: [Columns.text(organization), Columns.int8(before), Columns.int8(trafficBefore)],
    }),

    /** Deletes old findings and expired traffic, up to a maximum number of each. */
    dropFindings: (
      organization: string,
      before: number,
      trafficBefore: number,
      limit: number,
    ): Statement => ({
      sql: `WITH ${held}, gone AS (
          DELETE FROM ${schema}.fraud_findings f USING held
          WHERE f.organization = $1 AND (f.at, f.prefix, f.reason) IN (
            SELECT at, prefix, reason FROM ${schema}.fraud_findings
            WHERE organization = $1 AND at < $2 ORDER BY at LIMIT $4) RETURNING 1
        ), idle AS (
          DELETE FROM ${schema}.traffic t USING held
          WHERE t.organization = $1 AND t.since < $3 AND t.prefix IN (
            SELECT prefix FROM ${schema}.traffic WHERE organization = $1 AND since < $3 LIMIT $4)
          RETURNING 1
        ), ${stamped}
        SELECT (SELECT count(*) FROM gone) AS findings, (SELECT count(*) FROM idle) AS traffic`,
      params: [
        Columns.text(organization),
        Columns.int8(before),
        Columns.int8(trafficBefore),
        Columns.int8(limit),
      ],
    }),

    readRecipients: (organization: string, after: string, limit: number): Statement => ({
      sql: `SELECT * FROM ${schema}.recipients WHERE organization = $1 AND number > $2
        ORDER BY number LIMIT $3`,
      params: [Columns.text(organization), Columns.text(after), Columns.int8(limit)],
    }),

    /**
     * Deletes recipients that are unchanged since they were read. A recipient that got another code meanwhile
     * stays.
     */
    dropRecipients: (organization: string, rows: ReadonlyArray<Recipient>): Statement => ({
      sql: `WITH ${held}, gone AS (
          DELETE FROM ${schema}.recipients r
          USING held, unnest($2::text[], $3::text[], $4::text[]) AS u (number, sends, pending)
          WHERE r.organization = $1 AND r.number = u.number
            AND r.sends = u.sends::int8[] AND r.pending = u.pending::jsonb RETURNING 1
        ), ${stamped}
        SELECT count(*) AS dropped FROM gone`,
      params: [
        Columns.text(organization),
        Columns.texts(rows, (row) => row.phoneNumber),
        Columns.texts(rows, (row) => Columns.int8Literal(row.sends)),
        Columns.texts(rows, (row) => Read.pendingJson(row.pending)),
      ],
    }),
  }
}

const holds: ReadonlyArray<Hold> = ["none", "open", "captured", "released"]

const line = (row: Read.Row): Pruning.LogLine => ({
  sequence: Columns.numberOf(row, "number"),
  createdAt: Columns.numberOf(row, "created_at"),
  dueAt: Columns.numberOrNull(row, "due_at"),
  hold: Columns.oneOf(row, "hold", holds),
})

const request = (row: Read.Row): Pruning.RequestLine => ({
  requestId: RequestId(Columns.textOf(row, "id")),
  status: Columns.oneOf(row, "status", ["pending", "verified", "failed"]),
  createdAt: Columns.numberOf(row, "created_at"),
  expiresAt: Columns.numberOf(row, "expires_at"),
})

const nothing: PruneResult = { dropped: 0, next: undefined }

/** The data that every kind of row needs: the account, the time, and the time from which rows are kept. */
interface Front {
  readonly firstMessage: number
  /** Empty if the log is. */
  readonly oldest: ReadonlyArray<Pruning.LogLine>
  readonly now: number
  readonly before: number
}

/**
 * Creates the pruning steps. `clock` replaces the database's clock; `timeFor` limits how far a reading of it is
 * trusted. The latest time of the organization is ignored, because it may be far in the future.
 */
export const makePrune = (
  schema: string,
  query: Query,
  clock: Effect.Effect<number | undefined>,
  timeFor: (clockMillis: number) => number,
): Store["Service"]["prune"] => {
  const sql = makeStatements(schema)

  const drop = (statement: Statement): Effect.Effect<number, StoreUnavailable> =>
    Effect.map(query(statement), ([row]) =>
      row === undefined ? 0 : Columns.numberOf(row, "dropped"),
    )

  /** If some of the rows are gone, another node is pruning as well, and one is enough. */
  const dropAlone = (statement: Statement, rows: number, next: string | undefined) =>
    Effect.map(drop(statement), (dropped): PruneResult => ({
      dropped,
      next: dropped < rows ? undefined : next,
    }))

  const pruneMessages = Effect.fnUntraced(function* (
    { limit, organization }: PruneStep,
    { before, firstMessage, oldest }: Front,
  ) {
    // In most organizations, one entry is enough to see that there is nothing to delete.
    if (Pruning.firstToKeep({ firstMessage }, oldest, before) === firstMessage) return nothing
    const lines = yield* query(sql.readLines(organization, firstMessage, limit))
    const to = Pruning.firstToKeep({ firstMessage }, lines.map(line), before)
    if (to === firstMessage) return nothing
    const isMore = to === firstMessage + limit
    const pruned = yield* dropAlone(
      // A node that ended during its step may have left reports of that step.
      sql.dropMessages(organization, firstMessage, to, Math.max(0, firstMessage - limit)),
      to - firstMessage,
      isMore ? String(to) : undefined,
    )
    yield* query(sql.dropReports(organization, firstMessage, to))
    return pruned
  })

  const pruneVerifications = Effect.fnUntraced(function* (
    { after = "", limit, organization }: PruneStep,
    { before, now }: Front,
  ) {
    const to = Pruning.firstRequestToKeep(before)
    const rows = yield* query(sql.readVerifications(organization, after, to, limit))
    const read = rows.map(request)
    const ids = read
      .filter((one) => Pruning.isRequestOver(one, before, now))
      .map(({ requestId }) => requestId)
    const next = read.length < limit ? undefined : read.at(-1)?.requestId
    return ids.length === 0
      ? { dropped: 0, next }
      : yield* dropAlone(sql.dropVerifications(organization, ids), ids.length, next)
  })

  const pruneRecipients = Effect.fnUntraced(function* (
    { after = "", limit, organization }: PruneStep,
    { before, now }: Front,
  ) {
    const rows = yield* query(sql.readRecipients(organization, after, limit))
    const read = rows.map(Read.recipient)
    const idle = read.filter((one) => Pruning.isRecipientIdle(one, before, now))
    const next = read.length < limit ? undefined : read.at(-1)?.phoneNumber
    const dropped = idle.length === 0 ? 0 : yield* drop(sql.dropRecipients(organization, idle))
    return { dropped, next }
  })

  const pruneFindings = Effect.fnUntraced(function* (
    { kind, limit, organization }: PruneStep,
    { before, now }: Front,
  ) {
    const first = Pruning.firstTrafficToKeep(before, now)
    const [found] = yield* query(sql.readFindings(organization, before, first))
    if (found?.["any"] !== true) return nothing
    const [row = {}] = yield* query(sql.dropFindings(organization, before, first, limit))
    const findings = Columns.numberOf(row, "findings")
    const traffic = Columns.numberOf(row, "traffic")
    const isMore = findings === limit || traffic === limit
    return { dropped: findings + traffic, next: isMore ? kind : undefined }
  })

  return Effect.fnUntraced(function* (step) {
    const effectNow = yield* clock
    const [row] = yield* query(sql.readFront(step.organization))
    if (row === undefined) return nothing
    const account = Read.account(row)
    const now = timeFor(effectNow ?? Columns.numberOf(row, "now"))
    const front: Front = {
      firstMessage: account.firstMessage,
      oldest: row["number"] === null ? [] : [line(row)],
      now,
      before: Pruning.cutOff(now, step.keepMillis),
    }
    switch (step.kind) {
      case "messages":
        return yield* pruneMessages(step, front)
      case "verifications":
        return yield* pruneVerifications(step, front)
      case "recipients":
        return yield* pruneRecipients(step, front)
      case "findings":
        return yield* pruneFindings(step, front)
    }
  })
}
