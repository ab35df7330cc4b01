/**
 * Deletes old rows, one kind of row in a step.
 *
 * A step reads without a lock, asks `Pruning`, and deletes with one statement. The statement takes the account's lock,
 * so no batch that has read these rows can write them again. A row that may be deleted once may be deleted at any later
 * time. So a lost response loses nothing, and two nodes at once do no harm.
 *
 * Reads begin at the first remaining row, because a scan would have to skip the index entries of deleted rows.
 */
import * as Pruning from "@countersign/core/decide/maintenance/Pruning"
import { dayMillis, kinds, quarterMillis } from "@countersign/core/domain/money/Total"
import type { PruneResult, PruneStep, Store } from "@countersign/core/ports/Store"
import * as Effect from "effect/Effect"
import type { Value } from "../connection/parameters.ts"
import type { Statement } from "../connection/pipeline.ts"
import type { Database } from "../database.ts"
import { int8, text } from "../rows/columns.ts"
import { rowType } from "../rows/rowTable.ts"
import * as Tables from "../rows/tables.ts"
import { totals } from "../rows/recordRows.ts"
import { databaseNow } from "../statements/batchReads.ts"

const { messages, recipients, verifications } = Tables

const { createdAt, dueAt, followAt, hold, sequence } = messages.fields
const logLine = rowType<Pruning.LogLine>({ sequence, createdAt, dueAt, followAt, hold })

const { expiresAt, requestId, status } = verifications.fields
const requestLine = rowType<Pruning.RequestLine>({ requestId, status, createdAt, expiresAt })

/**
 * Returns for each message after `from`, up to `to`, the request whose sealed code it carries. The subquery runs for
 * each message, and only the primary key can serve it. `schema` is quoted.
 */
export const readCodes = (
  schema: string,
  organization: string,
  from: number,
  to: number,
): Statement => ({
  sql: `SELECT ${requestLine.of("v")} FROM ${schema}.messages m LEFT JOIN LATERAL (
      SELECT * FROM ${schema}.verifications v WHERE v.organization = m.organization
        AND v.request_id = m.request_id AND v.sealed IS NOT NULL OFFSET 0) v ON true
    WHERE m.organization = $1 AND m.sequence > $2 AND m.sequence <= $3 ORDER BY m.sequence`,
  params: [organization, from, to],
})

const nothing: PruneResult = { dropped: 0, next: undefined }

const places = rowType({
  firstMessage: int8,
  firstEvent: int8,
  firstAudit: int8,
  lastAt: int8,
  /** The messages up to this sequence lead to no sealed code. */
  codesErasedTo: int8,
})

interface Front extends ReturnType<typeof places.decode> {
  /** Empty if the log is. */
  readonly oldest: ReadonlyArray<Pruning.LogLine>
  readonly now: number
  readonly before: number
}

/** The primary key of a total. */
const ofTotal = (alias: string): string => totals.key.map((name) => `${alias}${name}`).join(", ")

/** No step drops a row because of the organization's latest time, which may be far ahead. */
export const makePrune = (database: Database): Store["Service"]["prune"] => {
  const { arrays, clock, nextStamp, query, schema } = database
  // Every write joins it, so none begins before the lock is granted.
  const held = `held AS MATERIALIZED (
      SELECT organization FROM ${schema}.accounts WHERE organization = $1 FOR UPDATE
    )`
  /** Sends a statement that gives the organization another stamp, which invalidates all earlier reads of its rows. */
  const stamped = (
    params: ReadonlyArray<Value>,
    parts: ReadonlyArray<string>,
    places: ReadonlyArray<string>,
    result: string,
  ) => {
    const sets = [`stamp = $${params.length + 1}::int8`, ...places]
    const account = `stamped AS (
        UPDATE ${schema}.accounts a SET ${sets.join(", ")} FROM held WHERE a.organization = $1
      )`
    return query({
      sql: `WITH ${[held, ...parts, account].join(", ")} SELECT ${result}`,
      params: [...params, nextStamp()],
    })
  }

  const erasure = (requests: string) =>
    `UPDATE ${schema}.verifications v SET sealed = NULL FROM held
      WHERE v.organization = $1 AND v.request_id = ANY (${requests}::text[]) RETURNING 1`

  /** Returns the number of rows that `gone` deletes. `places` are changes of the account, `others` further parts. */
  const drop = (
    params: ReadonlyArray<Value>,
    gone: string,
    places: ReadonlyArray<string> = [],
    ...others: ReadonlyArray<string>
  ) =>
    Effect.map(
      stamped(params, [`gone AS (${gone})`, ...others], places, "count(*) AS dropped FROM gone"),
      ([row]) => (row === undefined ? 0 : int8.decode(row, "dropped")),
    )

  /** If some of the rows are gone, another node is pruning as well, and one is enough. */
  const nextAlone = (dropped: number, rows: number, next: string | undefined): PruneResult =>
    dropped < rows ? { dropped, next: undefined } : { dropped, next }

  /** All rows that a step has found are gone; there may be more. */
  const allOf = (dropped: number, { kind, limit }: PruneStep): PruneResult =>
    nextAlone(dropped, limit, kind)

  const codesBetween = (organization: string, from: number, to: number) =>
    Effect.map(query(readCodes(schema, organization, from, to)), (rows) =>
      rows.map((row) => (row["request_id"] === null ? undefined : requestLine.decode(row))),
    )

  const pruneMessages = Effect.fnUntraced(function* (
    { limit, organization }: PruneStep,
    { before, codesErasedTo, firstMessage: from, lastAt, now, oldest }: Front,
  ) {
    // In most organizations, one entry is enough to see that there is nothing to delete.
    if (Pruning.firstToKeep({ firstMessage: from }, oldest, before) === from) return nothing
    const lines = yield* query({
      sql: `SELECT ${logLine.list} FROM ${schema}.messages
        WHERE organization = $1 AND sequence >= $2 AND sequence < $3 ORDER BY sequence`,
      params: [organization, from, from + limit],
    })
    const old = Pruning.firstToKeep({ firstMessage: from }, lines.map(logLine.decode), before)
    // Only messages lead to the codes, so a message goes no earlier than its code.
    const codes =
      old - 1 > codesErasedTo ? yield* codesBetween(organization, codesErasedTo, old - 1) : []
    const { cleared } = Pruning.codesToErase(codes, now, lastAt)
    const { requests } = Pruning.codesToErase(codes.slice(0, cleared), now, lastAt)
    const to = Math.min(old, codesErasedTo + cleared + 1)
    if (to === from) return nothing
    const dropped = yield* drop(
      // A node that ended during its step may have left reports of that step.
      [organization, from, to, Math.max(0, from - limit), requests],
      `DELETE FROM ${schema}.messages USING held
        WHERE messages.organization = $1 AND sequence >= $2 AND sequence < $3 RETURNING 1`,
      [
        "first_message = greatest(a.first_message, $3)",
        "codes_erased_to = greatest(a.codes_erased_to, $3 - 1)",
      ],
      `ids AS (
        DELETE FROM ${schema}.gateway_ids USING held
        WHERE gateway_ids.organization = $1 AND sequence >= $2 AND sequence < $3
      ), their_reports AS (
        DELETE FROM ${schema}.reports r USING held
        WHERE r.organization = $1 AND r.message_sequence >= $4 AND r.message_sequence < $3
      ), erased AS (${erasure("$5")})`,
    )
    // A statement does not see reports that were added while it waited for the lock. None are added after that.
    yield* query({
      sql: `DELETE FROM ${schema}.reports
        WHERE organization = $1 AND message_sequence >= $2 AND message_sequence < $3`,
      params: [organization, from, to],
    })
    return nextAlone(dropped, to - from, to === from + limit ? String(to) : undefined)
  })

  const pruneVerifications = Effect.fnUntraced(function* (
    { after = "", limit, organization }: PruneStep,
    { before, now }: Front,
  ) {
    const rows = yield* query({
      sql: `SELECT ${requestLine.list} FROM ${schema}.verifications
        WHERE organization = $1 AND request_id > $2 AND request_id < $3 ORDER BY request_id LIMIT $4`,
      params: [organization, after, Pruning.firstRequestToKeep(before), limit],
    })
    const read = rows.map(requestLine.decode)
    const over = read.filter((one) => Pruning.isRequestOver(one, before, now))
    const next = read.length < limit ? undefined : read.at(-1)?.requestId
    if (over.length === 0) return { dropped: 0, next }
    const dropped = yield* drop(
      [organization, over.map(({ requestId }) => requestId)],
      `DELETE FROM ${schema}.verifications v USING held
        WHERE v.organization = $1 AND v.request_id = ANY ($2::text[]) RETURNING 1`,
    )
    return nextAlone(dropped, over.length, next)
  })

  const pruneRecipients = Effect.fnUntraced(function* (
    { after = "", limit, organization }: PruneStep,
    { before, now }: Front,
  ) {
    const rows = yield* query({
      sql: `SELECT ${recipients.list}, phone_number AS form FROM ${schema}.recipients
        WHERE organization = $1 AND phone_number > $2 ORDER BY phone_number LIMIT $3`,
      params: [organization, after, limit],
    })
    const idle = rows
      .map(recipients.decode)
      .filter((one) => Pruning.isRecipientIdle(one, before, now))
    const last = rows.length < limit ? undefined : rows.at(-1)
    const next = last && text.decode(last, "form")
    if (idle.length === 0) return { dropped: 0, next }
    const forms = new Map(
      rows.map((row) => [text.decode(row, "phone_number"), text.decode(row, "form")]),
    )
    // A recipient that got another code since it was read stays.
    const dropped = yield* drop(
      [organization, arrays(recipients, idle, (number) => forms.get(number) ?? number)],
      `DELETE FROM ${schema}.recipients r
        USING held, unnest($2::${schema}.${recipients.type}[]) AS given
        WHERE r.organization = $1 AND r.phone_number = given.phone_number
          AND r.sends = given.sends AND r.pending = given.pending
          AND r.guesses IS NOT DISTINCT FROM given.guesses
          AND r.clients IS NOT DISTINCT FROM given.clients RETURNING 1`,
    )
    return { dropped, next }
  })

  /** Prunes a table of records, whose sequences have no gaps. The account has the sequence of the oldest one. */
  const pruneRecords = Effect.fnUntraced(function* (
    { kind, limit, organization }: PruneStep,
    { before, firstAudit, firstEvent }: Front,
  ) {
    const [place, from] =
      kind === "events" ? ["first_event", firstEvent] : ["first_audit", firstAudit]
    const rows = yield* query({
      sql: `SELECT at FROM ${schema}.${kind}
        WHERE organization = $1 AND sequence >= $2 AND sequence < $3 ORDER BY sequence`,
      params: [organization, from, from + limit],
    })
    const times = rows.map((row) => int8.decode(row, "at"))
    const to = Pruning.firstRecordToKeep(from, times, before)
    if (to === from) return nothing
    const dropped = yield* drop(
      [organization, from, to],
      `DELETE FROM ${schema}.${kind} e USING held
        WHERE e.organization = $1 AND e.sequence >= $2 AND e.sequence < $3 RETURNING 1`,
      [`${place} = greatest(a.${place}, $3)`],
    )
    return nextAlone(dropped, to - from, to - from === limit ? kind : undefined)
  })

  /** Prunes old findings and the statistics that no rules need any more. */
  const pruneFindings = Effect.fnUntraced(function* (
    { kind, limit, organization }: PruneStep,
    { before, now }: Front,
  ) {
    const since = Pruning.firstPrefixStatsToKeep(before, now)
    const [found] = yield* query({
      sql: `SELECT EXISTS (SELECT FROM ${schema}.findings WHERE organization = $1 AND at < $2)
        OR EXISTS (SELECT FROM ${schema}.prefix_stats WHERE organization = $1 AND since < $3) AS any`,
      params: [organization, before, since],
    })
    if (found?.["any"] !== true) return nothing
    const [row = {}] = yield* stamped(
      [organization, before, since, limit],
      [
        `gone AS (
          DELETE FROM ${schema}.findings f USING held
          WHERE f.organization = $1 AND (f.at, f.prefix, f.reason) IN (
            SELECT at, prefix, reason FROM ${schema}.findings
            WHERE organization = $1 AND at < $2 ORDER BY at LIMIT $4) RETURNING 1
        )`,
        `idle AS (
          DELETE FROM ${schema}.prefix_stats t USING held
          WHERE t.organization = $1 AND t.since < $3 AND t.prefix IN (
            SELECT prefix FROM ${schema}.prefix_stats WHERE organization = $1 AND since < $3 LIMIT $4)
          RETURNING 1
        )`,
      ],
      [],
      "(SELECT count(*) FROM gone) AS findings, (SELECT count(*) FROM idle) AS stats",
    )
    const findings = int8.decode(row, "findings")
    const stats = int8.decode(row, "stats")
    const isMore = findings === limit || stats === limit
    return { dropped: findings + stats, next: isMore ? kind : undefined }
  })

  /** No decision reads totals, so the stamp may stay. Days are part of the quarters that the step drops. */
  const pruneTotals = Effect.fnUntraced(function* (
    { kind, limit, organization }: PruneStep,
    { before }: Front,
  ) {
    const [row = {}] = yield* query({
      sql: `WITH ${held}, gone AS (
          DELETE FROM ${schema}.totals t USING held
          WHERE t.organization = $1 AND (${ofTotal("t.")}) IN (
            SELECT ${ofTotal("")} FROM ${schema}.totals
            WHERE organization = $1 AND kind = ANY ($5::text[])
              AND (slot = 'hour' AND hour <= $2 OR slot = 'day' AND hour <= $3) LIMIT $4)
          RETURNING slot
        )
        SELECT count(*) FILTER (WHERE slot = 'hour') AS hours, count(*) AS slots FROM gone`,
      params: [organization, before - quarterMillis, before - dayMillis, limit, kinds],
    })
    const isMore = int8.decode(row, "slots") === limit
    return { dropped: int8.decode(row, "hours"), next: isMore ? kind : undefined }
  })

  /** No decision reads refusals, so the stamp may stay. */
  const pruneRefusals = Effect.fnUntraced(function* (step: PruneStep, { before }: Front) {
    const { limit, organization } = step
    const gone = yield* query({
      // A place may have got a newer refusal before the lock was granted.
      sql: `WITH ${held}
        DELETE FROM ${schema}.refusals r USING held
        WHERE r.organization = $1 AND r.at < $2 AND r.place IN (
          SELECT place FROM ${schema}.refusals WHERE organization = $1 AND at < $2 LIMIT $3)
        RETURNING r.place`,
      params: [organization, before, limit],
    })
    return allOf(gone.length, step)
  })

  /** No batch keeps queued sends, so the stamp may stay. A row that has ended never changes. */
  const pruneOutbox = Effect.fnUntraced(function* (step: PruneStep, { before }: Front) {
    const { limit, organization } = step
    const gone = yield* query({
      sql: `DELETE FROM ${schema}.outbox WHERE organization = $1 AND id IN (
          SELECT id FROM ${schema}.outbox WHERE organization = $1 AND ended_at < $2
          ORDER BY ended_at LIMIT $3)
        RETURNING id`,
      params: [organization, before, limit],
    })
    return allOf(gone.length, step)
  })

  /** A batch that is not open never changes, so the stamp may stay. Its totals go with it. */
  const pruneBatches = Effect.fnUntraced(function* (step: PruneStep, { before }: Front) {
    const { limit, organization } = step
    const gone = yield* query({
      sql: `WITH gone AS (
          DELETE FROM ${schema}.batches WHERE organization = $1 AND id IN (
            SELECT id FROM ${schema}.batches WHERE organization = $1 AND created_at < $2 AND NOT is_open
            ORDER BY created_at LIMIT $3)
          RETURNING id
        ), their_totals AS (
          DELETE FROM ${schema}.batch_totals t USING gone g WHERE t.organization = $1 AND t.batch = g.id
        )
        SELECT id FROM gone`,
      params: [organization, before, limit],
    })
    return allOf(gone.length, step)
  })

  /**
   * Erases the codes that the messages after the stored place lead to. A pending code stops the place, but not the
   * steps.
   */
  const eraseCodes = Effect.fnUntraced(function* (
    { after = "0", limit, organization }: PruneStep,
    { codesErasedTo, lastAt, now }: Front,
  ) {
    const from = Math.max(Number(after), codesErasedTo)
    const codes = yield* codesBetween(organization, from, from + limit)
    const { cleared, requests } = Pruning.codesToErase(codes, now, lastAt)
    const next = codes.length < limit ? undefined : String(from + limit)
    const place = from === codesErasedTo ? from + cleared : codesErasedTo
    if (requests.length === 0 && place === codesErasedTo) return { dropped: 0, next }
    const dropped = yield* drop([organization, requests, place], erasure("$2"), [
      "codes_erased_to = greatest(a.codes_erased_to, $3)",
    ])
    return { dropped, next }
  })

  const steps = {
    messages: pruneMessages,
    verifications: pruneVerifications,
    recipients: pruneRecipients,
    findings: pruneFindings,
    totals: pruneTotals,
    events: pruneRecords,
    audit: pruneRecords,
    refusals: pruneRefusals,
    outbox: pruneOutbox,
    batches: pruneBatches,
    codes: eraseCodes,
  }
  return Effect.fnUntraced(function* (step) {
    const hostNow = yield* clock.hostNow
    const [row] = yield* query({
      sql: `SELECT ${places.of("a")}, ${databaseNow} AS now, ${logLine.of("m")}
        FROM ${schema}.accounts a
        LEFT JOIN ${schema}.messages m ON m.organization = a.organization AND m.sequence = a.first_message
        WHERE a.organization = $1`,
      params: [step.organization],
    })
    if (row === undefined) return nothing
    const now = clock.timeAt(hostNow, row)
    return yield* steps[step.kind](step, {
      ...places.decode(row),
      oldest: row["sequence"] === null ? [] : [logLine.decode(row)],
      now,
      before: Pruning.cutOff(now, step.keepMillis),
    })
  })
}
