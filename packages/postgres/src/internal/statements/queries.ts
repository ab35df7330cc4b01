/**
 * The statements outside of batches: single reads, and the directory of organizations.
 */
import type { Organization } from "@countersign/core/domain/Organization"
import * as Columns from "../rows/columns.ts"
import type { Statement } from "../connection/pipeline.ts"
import { databaseNow } from "./batchReads.ts"

// LIMIT does not change the result. It tells the planner that there will be few rows.
const pageBelow = (schema: string, low: string, high: string): string =>
  `LEFT JOIN LATERAL (
        SELECT * FROM ${schema}.messages WHERE organization = $1
          AND number <= ${high} - $2::int8 AND number >= ${low} ORDER BY number DESC LIMIT $3::int8
      ) m ON true`

const pageOfAll = (schema: string): string =>
  `SELECT a.version, a.last_message - a.first_message + 1 AS total, m.* FROM ${schema}.accounts a
      ${pageBelow(schema, "a.first_message", "a.last_message")}
      WHERE a.organization = $1 ORDER BY m.number DESC`

const pageOfDates = (schema: string): string =>
  `WITH RECURSIVE a AS MATERIALIZED (
        SELECT version, first_message, last_message FROM ${schema}.accounts WHERE organization = $1
      ), since (low, high) AS (
        SELECT first_message, last_message + 1 FROM a WHERE $4::int8 IS NOT NULL
        UNION ALL
        ${halve(schema, "since", "m.created_at >= $4::int8")}
      ), until (low, high) AS (
        SELECT first_message, last_message + 1 FROM a WHERE $5::int8 IS NOT NULL
        UNION ALL
        ${halve(schema, "until", "m.created_at > $5::int8")}
      ), b AS MATERIALIZED (
        SELECT version, coalesce((SELECT low FROM since WHERE low = high), first_message) AS low,
          coalesce((SELECT low FROM until WHERE low = high) - 1, last_message) AS high
        FROM a
      )
      SELECT b.version, greatest(0, b.high - b.low + 1) AS total, m.* FROM b
      ${pageBelow(schema, "b.low", "b.high")} ORDER BY m.number DESC`

/** One step of a binary search for the first message for which `condition` holds. */
const halve = (schema: string, range: string, condition: string): string =>
  `SELECT CASE WHEN ${condition} THEN low ELSE m.number + 1 END,
          CASE WHEN ${condition} THEN m.number ELSE high END
        FROM ${range}, LATERAL (SELECT number, created_at FROM ${schema}.messages
          WHERE organization = $1 AND number = (low + high) / 2 OFFSET 0) m
        WHERE low < high`

/** Creates the statements for one schema, whose name is quoted. */
export const make = (schema: string) => ({
  /** Serializes the creation of organizations with the same id. */
  holdName: (id: string): Statement => ({
    sql: `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))::text`,
    params: [Columns.text(`${schema} ${id}`)],
  }),

  readOrganization: (id: string): Statement => ({
    sql: `SELECT o.id, o.name, o.settings, a.version,
        (SELECT coalesce(json_agg(json_build_object('id', b.id, 'kind', b.kind, 'sender', b.sender,
            'status', b.status, 'isDefault', b.is_default) ORDER BY b.position), '[]'::json)
          FROM ${schema}.brands b WHERE b.organization = o.id) AS brands,
        (SELECT coalesce(json_agg(json_build_object('id', k.id, 'name', k.name, 'environment', k.environment,
            'secretHash', encode(k.secret_hash, 'hex'), 'createdAt', k.created_at, 'revokedAt', k.revoked_at)
            ORDER BY k.position), '[]'::json)
          FROM ${schema}.api_keys k WHERE k.organization = o.id) AS keys
      FROM ${schema}.organizations o JOIN ${schema}.accounts a ON a.organization = o.id WHERE o.id = $1`,
    params: [Columns.text(id)],
  }),

  /** Replaces all settings of an organization. */
  writeOrganization: (row: Omit<Organization, "version">): ReadonlyArray<Statement> => [
    {
      sql: `INSERT INTO ${schema}.organizations (id, name, settings) VALUES ($1, $2, $3::jsonb)
        ON CONFLICT (id) DO UPDATE SET name = excluded.name, settings = excluded.settings`,
      params: [
        Columns.text(row.id),
        Columns.text(row.name),
        Columns.text(JSON.stringify(row.settings)),
      ],
    },
    { sql: `DELETE FROM ${schema}.brands WHERE organization = $1`, params: [Columns.text(row.id)] },
    {
      sql: `INSERT INTO ${schema}.brands (organization, id, position, kind, sender, status, is_default)
        SELECT $1, * FROM unnest($2::text[], $3::int4[], $4::text[], $5::text[], $6::text[], $7::bool[])`,
      params: [
        Columns.text(row.id),
        Columns.texts(row.brands, (brand) => brand.id),
        Columns.int4s([...row.brands.keys()], (position) => position),
        Columns.texts(row.brands, (brand) => brand.kind),
        Columns.texts(row.brands, (brand) => brand.sender),
        Columns.texts(row.brands, (brand) => brand.status),
        Columns.bools(row.brands, (brand) => brand.isDefault),
      ],
    },
    {
      sql: `DELETE FROM ${schema}.api_keys WHERE organization = $1`,
      params: [Columns.text(row.id)],
    },
    {
      sql: `INSERT INTO ${schema}.api_keys (organization, id, position, name, environment, secret_hash, created_at,
          revoked_at)
        SELECT $1, * FROM unnest($2::text[], $3::int4[], $4::text[], $5::text[], $6::bytea[], $7::int8[], $8::int8[])`,
      params: [
        Columns.text(row.id),
        Columns.texts(row.keys, (key) => key.id),
        Columns.int4s([...row.keys.keys()], (position) => position),
        Columns.texts(row.keys, (key) => key.name),
        Columns.texts(row.keys, (key) => key.environment),
        Columns.byteas(row.keys, (key) => key.secretHash),
        Columns.int8s(row.keys, (key) => key.createdAt),
        Columns.int8s(row.keys, (key) => key.revokedAt),
      ],
    },
  ],

  listOrganizations: (after: string, limit: number): Statement => ({
    sql: `SELECT id FROM ${schema}.organizations WHERE id > $1 ORDER BY id LIMIT $2`,
    params: [Columns.text(after), Columns.int8(limit)],
  }),

  listSummaries: (after: string, limit: number): Statement => ({
    sql: `SELECT o.id, o.name, o.settings -> 'isSuspended' AS is_suspended, a.balance, a.held,
        (SELECT count(*) FROM ${schema}.api_keys k
          WHERE k.organization = o.id AND k.revoked_at IS NULL) AS active_api_keys
      FROM (SELECT * FROM ${schema}.organizations WHERE id > $1 ORDER BY id LIMIT $2) o
      JOIN ${schema}.accounts a ON a.organization = o.id ORDER BY o.id`,
    params: [Columns.text(after), Columns.int8(limit)],
  }),

  /**
   * Reads one row and makes one look-up in each table for every id, so that the time does not reveal whether a
   * key exists.
   */
  readApiKey: (id: string): Statement => ({
    sql: `SELECT k.*, o.settings -> 'isSuspended' AS is_suspended FROM (SELECT $1::text AS id) wanted
      LEFT JOIN ${schema}.api_keys k ON k.id = wanted.id
      LEFT JOIN ${schema}.organizations o ON o.id = coalesce(k.organization, '')`,
    params: [Columns.text(id)],
  }),

  readAccount: (id: string): Statement => ({
    sql: `SELECT * FROM ${schema}.accounts WHERE organization = $1`,
    params: [Columns.text(id)],
  }),

  readEntries: (id: string, after: number, limit: number): Statement => ({
    sql: `SELECT * FROM ${schema}.entries WHERE organization = $1 AND number > $2 ORDER BY number LIMIT $3`,
    params: [Columns.text(id), Columns.int8(after), Columns.int8(limit)],
  }),

  readVerification: (organization: string, id: string): Statement => ({
    sql: `SELECT v.*, a.last_at, ${databaseNow} AS now FROM ${schema}.verifications v
      JOIN ${schema}.accounts a ON a.organization = v.organization
      WHERE v.organization = $1 AND v.id = $2`,
    params: [Columns.text(organization), Columns.text(id)],
  }),

  /**
   * Reads a page by arithmetic on the sequence numbers of the log. It neither counts nor skips rows. Times
   * never decrease along the numbers, which have no gaps, so a binary search finds the edges of a date range:
   * 24 look-ups by primary key in 10,000,000 messages, and no further index to maintain at every send. A single
   * statement sees one state of the log.
   */
  readPage: (
    organization: string,
    page: {
      readonly from: number | undefined
      readonly to: number | undefined
      readonly skip: number
      readonly limit: number
    },
  ): Statement => {
    const place = [Columns.int8(page.skip), Columns.int8(page.limit)]
    return page.from === undefined && page.to === undefined
      ? { sql: pageOfAll(schema), params: [Columns.text(organization), ...place] }
      : {
          sql: pageOfDates(schema),
          params: [
            Columns.text(organization),
            ...place,
            Columns.int8OrNull(page.from),
            Columns.int8OrNull(page.to),
          ],
        }
  },

  /** Returns one row if the organization exists, without a message if it has none with this number. */
  readMessage: (organization: string, number: number): Statement => ({
    sql: `SELECT a.version, m.* FROM ${schema}.accounts a LEFT JOIN LATERAL (
        SELECT * FROM ${schema}.messages WHERE organization = $1 AND number = $2 OFFSET 0
      ) m ON true WHERE a.organization = $1`,
    params: [Columns.text(organization), Columns.int8(number)],
  }),

  readDue: (now: number | undefined, limit: number, without: ReadonlyArray<string>): Statement => ({
    sql: `SELECT organization, number FROM ${schema}.open_messages
      WHERE due_at <= coalesce($1::int8, ${databaseNow}) AND organization <> ALL ($3::text[])
      ORDER BY due_at LIMIT $2`,
    params: [Columns.int8OrNull(now), Columns.int8(limit), Columns.texts(without, (id) => id)],
  }),

  /** Looks up the ids, and from each its message, regardless of the planner's estimates. */
  locate: (now: number | undefined, gateway: string, gatewayId: string): Statement => ({
    sql: `SELECT g.organization, g.number FROM ${schema}.gateway_ids g, LATERAL (
        SELECT m.due_at, m.created_at FROM ${schema}.messages m
        WHERE m.organization = g.organization AND m.number = g.number OFFSET 0) m
      WHERE g.gateway = $1 AND g.gateway_id = $2 AND (m.due_at IS NOT NULL
        OR g.expires_at IS NULL OR g.expires_at > coalesce($3::int8, ${databaseNow}))
      ORDER BY m.due_at IS NULL, m.created_at DESC, g.organization, g.number DESC LIMIT 1`,
    params: [Columns.text(gateway), Columns.text(gatewayId), Columns.int8OrNull(now)],
  }),

  keepReport: (
    now: number | undefined,
    report: {
      readonly gateway: string
      readonly gatewayId: string
      readonly status: string
      readonly detail: string | null
      readonly evidence: string | null
    },
  ): Statement => ({
    sql: `INSERT INTO ${schema}.kept_reports (gateway, gateway_id, status, detail, evidence, received_at)
      VALUES ($1, $2, $3, $4, $5, coalesce($6::int8, ${databaseNow})) ON CONFLICT DO NOTHING`,
    params: [
      Columns.text(report.gateway),
      Columns.text(report.gatewayId),
      Columns.text(report.status),
      Columns.text(report.detail),
      Columns.text(report.evidence),
      Columns.int8OrNull(now),
    ],
  }),

  /** In the order of the primary key, so that a page costs the same in a table of any size. */
  readKeptReports: (
    after:
      | { readonly gateway: string; readonly gatewayId: string; readonly status: string }
      | undefined,
    limit: number,
  ): Statement => ({
    sql: `SELECT *, ${databaseNow} AS now FROM ${schema}.kept_reports
      WHERE (gateway, gateway_id, status) > ($1, $2, $3)
      ORDER BY gateway, gateway_id, status LIMIT $4`,
    params: [
      // Sorts before all rows, because no status is empty.
      Columns.text(after?.gateway ?? ""),
      Columns.text(after?.gatewayId ?? ""),
      Columns.text(after?.status ?? ""),
      Columns.int8(limit),
    ],
  }),

  readReports: (organization: string, message: number): Statement => ({
    sql: `SELECT * FROM ${schema}.message_reports WHERE organization = $1 AND message = $2
      ORDER BY position`,
    params: [Columns.text(organization), Columns.int8(message)],
  }),

  readFindings: (organization: string, limit: number): Statement => ({
    sql: `SELECT * FROM ${schema}.fraud_findings WHERE organization = $1
      ORDER BY at DESC, prefix DESC, reason DESC LIMIT $2`,
    params: [Columns.text(organization), Columns.int8(limit)],
  }),

  forgetReport: (report: {
    readonly gateway: string
    readonly gatewayId: string
    readonly status: string
  }): Statement => ({
    sql: `DELETE FROM ${schema}.kept_reports WHERE gateway = $1 AND gateway_id = $2 AND status = $3`,
    params: [
      Columns.text(report.gateway),
      Columns.text(report.gatewayId),
      Columns.text(report.status),
    ],
  }),
})

export type Queries = ReturnType<typeof make>
