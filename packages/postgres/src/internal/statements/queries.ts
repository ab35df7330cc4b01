/** The statements outside of batches. */
import { sampleMillis } from "@countersign/core/domain/access/ApiKey"
import { dayMillis } from "@countersign/core/domain/money/Total"
import type * as Store from "@countersign/core/ports/Store"
import { int8s } from "../connection/parameters.ts"
import type { Statement } from "../connection/pipeline.ts"
import { audit, totals } from "../rows/recordRows.ts"
import { events } from "../rows/eventRows.ts"
import { optOuts } from "../rows/optOutRows.ts"
import * as Tables from "../rows/tables.ts"
import { webhookProgress } from "../rows/webhookRows.ts"
import { databaseNow } from "./batchReads.ts"

const { apiKeys, messages } = Tables

/** The columns of a key that does not exist. */
const noKey: Readonly<Record<string, string>> = {
  id: "wanted.id",
  name: "'no key'",
  environment: "'live'",
  secret_hash: "decode(repeat('00', 32), 'hex')",
  created_at: "0",
  created_by: "''",
}

const keyColumns = apiKeys.columns
  .map(({ isNullable, name }) =>
    isNullable ? `k.${name}` : `coalesce(k.${name}, ${noKey[name]}) AS ${name}`,
  )
  .join(", ")

// LIMIT does not change the result. It tells the planner that there will be few rows.
const pageBelow = (schema: string, low: string, high: string): string =>
  `LEFT JOIN LATERAL (
        SELECT * FROM ${schema}.messages WHERE organization = $1
          AND sequence <= ${high} - $2::int8 AND sequence >= ${low} ORDER BY sequence DESC LIMIT $3::int8
      ) m ON true`

const pageOfAll = (schema: string): string =>
  `SELECT a.version, a.last_message - a.first_message + 1 AS total, ${messages.of("m")} FROM ${schema}.accounts a
      ${pageBelow(schema, "a.first_message", "a.last_message")}
      WHERE a.organization = $1 ORDER BY m.sequence DESC`

/** The messages between the times `$4` and `$5`, which are inclusive or NULL: the sequences `b.low` to `b.high`. */
export const rangeOfDates = (schema: string): string =>
  `WITH RECURSIVE a AS MATERIALIZED (
        SELECT version, last_at, first_message, last_message FROM ${schema}.accounts WHERE organization = $1
      ), since (low, high) AS (
        SELECT first_message, last_message + 1 FROM a WHERE $4::int8 IS NOT NULL
        UNION ALL
        ${halve(schema, "since", "m.created_at >= $4::int8")}
      ), until (low, high) AS (
        SELECT first_message, last_message + 1 FROM a WHERE $5::int8 IS NOT NULL
        UNION ALL
        ${halve(schema, "until", "m.created_at > $5::int8")}
      ), b AS MATERIALIZED (
        SELECT version, last_at, coalesce((SELECT low FROM since WHERE low = high), first_message) AS low,
          coalesce((SELECT low FROM until WHERE low = high) - 1, last_message) AS high
        FROM a
      )`

const pageOfDates = (schema: string): string =>
  `${rangeOfDates(schema)}
      SELECT b.version, greatest(0, b.high - b.low + 1) AS total, ${messages.of("m")} FROM b
      ${pageBelow(schema, "b.low", "b.high")} ORDER BY m.sequence DESC`

/** One step of a binary search for the first message for which `condition` holds. */
export const halve = (
  schema: string,
  range: string,
  condition: string,
  { table, time } = { table: "messages", time: "created_at" },
): string =>
  `SELECT CASE WHEN ${condition} THEN low ELSE m.sequence + 1 END,
          CASE WHEN ${condition} THEN m.sequence ELSE high END
        FROM ${range}, LATERAL (SELECT sequence, ${time} FROM ${schema}.${table}
          WHERE organization = $1 AND sequence = (low + high) / 2 OFFSET 0) m
        WHERE low < high`

const most = Number.MAX_SAFE_INTEGER

/** The order of identifiers in the database. */
export const compare = (a: string, b: string): number => Number(a > b) - Number(a < b)

/** Creates the statements for one schema, whose name is quoted. */
export const make = (schema: string) => ({
  listOrganizations: (after: string, limit: number, which?: "with codes"): Statement => ({
    sql: `SELECT organization AS id FROM ${schema}.accounts WHERE organization > $1
      ${which === undefined ? "" : "AND codes_erased_to < last_message"} ORDER BY organization LIMIT $2`,
    params: [after, limit],
  }),

  /** Counts the messages in a range of the key of totals. It is a range of rows, so no other index has it. */
  listSummaries: (
    now: number | undefined,
    after: string,
    limit: number,
    { hasPendingSenders = false, order = "id", search }: Store.SummarySelection,
  ): Statement => {
    const at = `coalesce($3::int8, ${databaseNow})`
    const pending = `FROM ${schema}.brands b WHERE b.organization = o.id AND b.status = 'pending'`
    const isSelected = `($4::text IS NULL OR position(lower($4) IN lower(o.id)) > 0 OR position(lower($4) IN lower(o.name)) > 0)
        ${hasPendingSenders ? `AND EXISTS (SELECT ${pending})` : ""}`
    // By id, the page is read before its accounts.
    const page =
      order === "id"
        ? `(SELECT * FROM ${schema}.organizations o WHERE o.id > $1 AND ${isSelected} ORDER BY o.id LIMIT $2) o
      JOIN ${schema}.accounts a ON a.organization = o.id ORDER BY o.id`
        : `${schema}.organizations o JOIN ${schema}.accounts a ON a.organization = o.id
      WHERE ($1 = '' OR (a.balance, o.id) > ((SELECT balance FROM ${schema}.accounts WHERE organization = $1), $1))
        AND ${isSelected} ORDER BY a.balance, o.id LIMIT $2`
    return {
      sql: `SELECT o.id, o.name, o.settings -> 'isSuspended' AS is_suspended, a.balance, a.held,
        (SELECT count(*) FROM ${schema}.brands b WHERE b.organization = o.id
          AND b.is_default AND b.status = 'approved') > 0 AS has_default_sender,
        (SELECT count(*) ${pending}) AS pending_senders,
        (SELECT coalesce(sum(t.count), 0)::int8 FROM ${schema}.totals t
          WHERE (t.organization, t.kind, t.slot, t.hour) >= (o.id, 'messages', 'hour', ${at} - ${dayMillis})
            AND (t.organization, t.kind, t.slot, t.hour) <= (o.id, 'messages', 'hour', ${most})) AS messages_last_day,
        (SELECT count(*) FROM ${schema}.api_keys k
          WHERE k.organization = o.id AND k.revoked_at IS NULL
            AND (k.expires_at IS NULL OR k.expires_at > ${at})) AS active_api_keys
      FROM ${page}`,
      params: [after, limit, now, search ?? null],
    }
  },

  /**
   * Makes one look-up in each table for every id, and returns a row of the same size. So the time does not reveal
   * whether a key exists. The row of an unknown id has an empty organization.
   */
  readApiKey: (id: string): Statement => ({
    sql: `SELECT coalesce(k.organization, '') AS organization, ${keyColumns},
        coalesce(o.settings -> 'isSuspended', 'false') AS is_suspended
      FROM (SELECT $1::text AS id) wanted
      LEFT JOIN ${schema}.api_keys k ON k.id = wanted.id
      LEFT JOIN ${schema}.organizations o ON o.id = coalesce(k.organization, '')`,
    params: [id],
  }),

  /** Locks the rows in the order of the ids, so that concurrent statements do not wait for each other in a circle. */
  recordKeyUses: (now: number | undefined, uses: ReadonlyArray<Store.KeyUse>): Statement => {
    const inOrder = uses.toSorted(
      (a, b) => compare(a.organization, b.organization) || compare(a.id, b.id),
    )
    return {
      sql: `UPDATE ${schema}.api_keys k SET last_used_at = used.at
      FROM (SELECT given.organization, given.id, least(given.at, coalesce($4::int8, ${databaseNow})) AS at
        FROM unnest($1::text[], $2::text[], $3::int8[]) AS given (organization, id, at)) used
      WHERE k.id = used.id AND (k.organization = used.organization) IS TRUE AND k.revoked_at IS NULL
        AND (k.expires_at IS NULL OR k.expires_at > used.at)
        AND (k.last_used_at IS NULL OR k.last_used_at <= used.at - ${sampleMillis})`,
      params: [
        inOrder.map(({ organization }) => organization),
        inOrder.map(({ id }) => id),
        int8s(inOrder.map(({ at }) => at)),
        now,
      ],
    }
  },

  readAccount: (id: string): Statement => ({
    sql: `SELECT ${Tables.accounts.list} FROM ${schema}.accounts WHERE organization = $1`,
    params: [id],
  }),

  readPayment: (id: string, paymentId: string): Statement => ({
    sql: `SELECT ${Tables.entries.list} FROM ${schema}.entries
      WHERE organization = $1 AND payment_id = $2`,
    params: [id, paymentId],
  }),
  readEntries: (id: string, after: number, limit: number): Statement => ({
    sql: `SELECT ${Tables.entries.list} FROM ${schema}.entries
      WHERE organization = $1 AND sequence > $2 ORDER BY sequence LIMIT $3`,
    params: [id, after, limit],
  }),

  /** Returns one row if the organization exists, without an event if the log ends at `after`. */
  readEvents: (id: string, after: number, limit: number): Statement => ({
    sql: `SELECT a.first_event, a.last_event, ${events.of("e")} FROM ${schema}.accounts a LEFT JOIN LATERAL (
        SELECT * FROM ${schema}.events WHERE organization = $1 AND sequence > $2 ORDER BY sequence LIMIT $3
      ) e ON true WHERE a.organization = $1 ORDER BY e.sequence`,
    params: [id, after, limit],
  }),

  /** As `readEvents`, for the entries of the audit below `before`, newest first. */
  readAudit: (id: string, before: number, limit: number): Statement => ({
    sql: `SELECT a.first_audit, a.last_audit, ${audit.of("e")} FROM ${schema}.accounts a LEFT JOIN LATERAL (
        SELECT * FROM ${schema}.audit WHERE organization = $1 AND sequence < $2 ORDER BY sequence DESC LIMIT $3
      ) e ON true WHERE a.organization = $1 ORDER BY e.sequence DESC`,
    params: [id, before, limit],
  }),

  readVerification: (organization: string, id: string): Statement => ({
    sql: `SELECT ${Tables.verifications.of("v")}, a.last_at, ${databaseNow} AS now FROM ${schema}.verifications v
      JOIN ${schema}.accounts a ON a.organization = v.organization
      WHERE v.organization = $1 AND v.request_id = $2`,
    params: [organization, id],
  }),

  /** `forms`: the forms that the phone number may have. */
  readRecipient: (organization: string, forms: ReadonlyArray<string>): Statement => ({
    sql: `SELECT ${Tables.recipients.of("r")}, a.last_at, ${databaseNow} AS now FROM ${schema}.recipients r
      JOIN ${schema}.accounts a ON a.organization = r.organization
      WHERE r.organization = $1 AND r.phone_number = ANY ($2::text[])`,
    params: [organization, forms],
  }),

  readNumberOfRequest: (organization: string, requestId: string): Statement => ({
    sql: `SELECT organization, phone_number FROM ${schema}.verifications
      WHERE organization = $1 AND request_id = $2`,
    params: [organization, requestId],
  }),

  /**
   * Neither counts nor skips rows, because the sequence numbers of the log have no gaps. Times never decrease along
   * them, so a binary search finds the edges of a date range. It takes 24 look-ups by primary key in 10,000,000
   * messages, and no send has to maintain a further index.
   */
  readPage: (organization: string, { from, limit, skip, to }: Store.MessageQuery): Statement =>
    from === undefined && to === undefined
      ? { sql: pageOfAll(schema), params: [organization, skip, limit] }
      : { sql: pageOfDates(schema), params: [organization, skip, limit, from, to] },

  /** Returns one row if the organization exists, without a message if it has none with this sequence. */
  readMessage: (organization: string, sequence: number): Statement => ({
    sql: `SELECT a.version, ${messages.of("m")} FROM ${schema}.accounts a LEFT JOIN LATERAL (
        SELECT * FROM ${schema}.messages WHERE organization = $1 AND sequence = $2 OFFSET 0
      ) m ON true WHERE a.organization = $1`,
    params: [organization, sequence],
  }),

  readDue: (now: number | undefined, limit: number, without: ReadonlyArray<string>): Statement => ({
    sql: `SELECT organization, sequence FROM ${schema}.open_messages
      WHERE due_at <= coalesce($1::int8, ${databaseNow}) AND organization <> ALL ($3::text[])
      ORDER BY due_at LIMIT $2`,
    params: [now, limit, without],
  }),

  /** Looks up the ids, and from each its message, regardless of the planner's estimates. */
  locate: (now: number | undefined, gateway: string, ids: ReadonlyArray<string>): Statement => ({
    sql: `SELECT g.organization, g.sequence FROM ${schema}.gateway_ids g, LATERAL (
        SELECT m.due_at, m.created_at FROM ${schema}.messages m
        WHERE m.organization = g.organization AND m.sequence = g.sequence OFFSET 0) m
      WHERE g.gateway = $1 AND g.gateway_id = ANY ($2::text[]) AND (m.due_at IS NOT NULL
        OR g.expires_at IS NULL OR g.expires_at > coalesce($3::int8, ${databaseNow}))
      ORDER BY m.due_at IS NULL, m.created_at DESC, g.organization, g.sequence DESC LIMIT 1`,
    params: [gateway, ids, now],
  }),

  keepReport: (
    now: number | undefined,
    { detail, gateway, gatewayId, evidence, status }: Omit<Store.KeptReport, "receivedAt">,
  ): Statement => ({
    sql: `INSERT INTO ${schema}.kept_reports (gateway, gateway_id, status, detail, evidence, received_at)
      VALUES ($1, $2, $3, $4, $5, coalesce($6::int8, ${databaseNow})) ON CONFLICT DO NOTHING`,
    params: [gateway, gatewayId, status, detail, evidence, now],
  }),

  /** In the order of the primary key, so that a page costs the same in a table of any size. */
  readKeptReports: (after: Store.ReportPlace | undefined, limit: number): Statement => {
    // An empty status sorts before all rows.
    const { gateway = "", gatewayId = "", status = "" } = after ?? {}
    return {
      // The prefix keeps the id in the form of its row: during a rotation, other rows have other forms.
      sql: `SELECT ${Tables.keptReports.list}, '=' || gateway_id AS place, ${databaseNow} AS now
      FROM ${schema}.kept_reports
      WHERE (gateway, gateway_id, status) > ($1, $2, $3)
      ORDER BY gateway, gateway_id, status LIMIT $4`,
      params: [gateway, gatewayId, status, limit],
    }
  },

  readReports: (organization: string, message: number): Statement => ({
    sql: `SELECT ${Tables.reports.list} FROM ${schema}.reports WHERE organization = $1 AND message_sequence = $2
      ORDER BY position`,
    params: [organization, message],
  }),

  readOptOuts: (organization: string, digests: ReadonlyArray<string>): Statement => ({
    sql: `SELECT ${optOuts.of("r")} FROM unnest($2::text[]) AS k (digest), LATERAL (
        SELECT * FROM ${schema}.opt_outs r WHERE r.organization = $1 AND r.digest = k.digest OFFSET 0) r`,
    params: [organization, digests],
  }),

  readFindings: (organization: string, limit: number): Statement => ({
    sql: `SELECT ${Tables.findings.list} FROM ${schema}.findings WHERE organization = $1
      ORDER BY at DESC, prefix DESC, reason DESC LIMIT $2`,
    params: [organization, limit],
  }),

  balancesBefore: (organization: string, at: number): Statement => ({
    sql: `WITH RECURSIVE edge (low, high) AS (
        SELECT 1::int8, entries + 1 FROM ${schema}.accounts WHERE organization = $1
        UNION ALL
        ${halve(schema, "edge", "m.at >= $2::int8", { table: "entries", time: "at" })}
      )
      SELECT sequence, balance, held FROM ${schema}.entries
      WHERE organization = $1 AND sequence = (SELECT low - 1 FROM edge WHERE low = high)`,
    params: [organization, at],
  }),

  sumEntries: (organization: string, after: number, through: number): Statement => ({
    sql: `SELECT kind, count(*) AS count, sum(amount)::text AS amount FROM ${schema}.entries
      WHERE organization = $1 AND sequence > $2 AND sequence <= $3 GROUP BY kind`,
    params: [organization, after, through],
  }),

  /** Reads a range of the primary key for each kind. */
  readTotals: (
    organization: string,
    { from, kinds, slotMillis, starts, to }: Store.TotalQuery,
  ): Statement => {
    const selected = `FROM ${schema}.totals
      WHERE organization = $1 AND kind = ANY ($4::text[]) AND slot = $5 AND hour >= $2 AND hour < $3`
    const order = "ORDER BY hour, kind, channel, gateway, country, outcome"
    const params = [organization, from, to, kinds, slotMillis === dayMillis ? "day" : "hour"]
    if (starts === undefined) {
      return {
        sql: `SELECT ${totals.list} ${selected} AND (count <> 0 OR amount <> 0 OR refunded <> 0) ${order}`,
        params,
      }
    }
    const exact = (column: string) =>
      `greatest(${-most}, least(${most}, sum(${column})))::int8 AS ${column}`
    return {
      sql: `SELECT * FROM (
        SELECT organization, ($6::int8[])[width_bucket(hour, $6::int8[])] AS hour, slot, kind, channel, gateway,
          country, outcome, sum(count)::int8 AS count, ${exact("amount")}, ${exact("refunded")} ${selected}
        GROUP BY 1, 2, 3, 4, 5, 6, 7, 8) t
      WHERE count <> 0 OR amount <> 0 OR refunded <> 0 ${order}`,
      params: [...params, int8s(starts)],
    }
  },

  readWebhookProgress: (organization: string): Statement => ({
    sql: `SELECT ${webhookProgress.list} FROM ${schema}.webhook_progress WHERE organization = $1 ORDER BY id`,
    params: [organization],
  }),

  /**
   * Selects by `WebhookProgress.isFree`, `isDue` and `isTroubled`. Looks up the account and the progress of each webhook, which
   * are few: some for each organization at most.
   */
  readDueWebhooks: (
    hostNow: number | undefined,
    { after, isTroubled, limit }: Store.DueWebhooks,
  ): Statement => {
    const now = `coalesce($1::int8, ${databaseNow})`
    const { id = "", organization = "" } = after ?? {}
    return {
      sql: `SELECT w.organization, w.id FROM ${schema}.webhooks w
      JOIN LATERAL (SELECT last_event FROM ${schema}.accounts
        WHERE organization = w.organization OFFSET 0) a ON true
      LEFT JOIN LATERAL (SELECT * FROM ${schema}.webhook_progress
        WHERE organization = w.organization AND id = w.id OFFSET 0) p ON true
      WHERE (w.organization, w.id) > ($2::text, $3::text) AND w.is_enabled
        AND (p.troubled_since IS NOT NULL OR p.slow_until IS NULL OR ${now} < p.slow_until) = ($4 = 1)
        AND coalesce(p.status, 'active') = 'active' AND coalesce(p.lease_until, 0) <= ${now}
        AND (coalesce(p.retry_at <= ${now}, false)
          OR (NOT coalesce(p.is_full, false) AND coalesce(p.position, w.starts_after) < a.last_event))
      ORDER BY w.organization, w.id LIMIT $5::int8`,
      params: [hostNow, organization, id, Number(isTroubled), limit],
    }
  },

  forgetReport: ({ gateway, status }: Store.KeptReport, ids: ReadonlyArray<string>): Statement => ({
    sql: `DELETE FROM ${schema}.kept_reports WHERE gateway = $1 AND gateway_id = ANY ($2::text[]) AND status = $3`,
    params: [gateway, ids, status],
  }),
})

export type Queries = ReturnType<typeof make>
