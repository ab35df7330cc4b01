/**
 * Brings the phone numbers of all rows, and the texts that may contain one, under the current key. It takes one page at
 * a time in the background. When a scan has found no other form, the keys that no node has used first for a day leave
 * `number_keys`. A start then no longer requires them.
 */
import * as Effect from "effect/Effect"
import type { StoreUnavailable } from "@countersign/core/domain/errors/Errors"
import type { Statement } from "../connection/pipeline.ts"
import type { Query } from "../connection/query.ts"
import { type Row, type SecretKind, text } from "../rows/columns.ts"
import type { NumberCipher } from "./cipher.ts"

export const rowsPerStep = 500

interface Sealed {
  readonly column: string
  readonly kind: SecretKind
}

/** A table, its key within an organization, and its encrypted columns. */
interface Scanned {
  readonly table: string
  readonly key: ReadonlyArray<readonly [name: string, type: "text" | "int4" | "int8"]>
  readonly sealed: ReadonlyArray<Sealed>
}

const number: Sealed = { column: "phone_number", kind: "number" }
const gatewayId: Sealed = { column: "gateway_id", kind: "text" }
const evidence: Sealed = { column: "evidence", kind: "text" }

/** Stored answers are not among them: a key is needed for longer than they are used. */
const tables: ReadonlyArray<Scanned> = [
  { table: "recipients", key: [["phone_number", "text"]], sealed: [number] },
  { table: "verifications", key: [["request_id", "text"]], sealed: [number] },
  { table: "messages", key: [["sequence", "int8"]], sealed: [number, gatewayId] },
  {
    table: "reports",
    key: [
      ["message_sequence", "int8"],
      ["position", "int4"],
    ],
    sealed: [gatewayId, evidence],
  },
  {
    table: "outbox",
    key: [["id", "text"]],
    sealed: [number, { column: "call", kind: "text" }],
  },
  { table: "gateway_ids", key: [["sequence", "int8"]], sealed: [gatewayId] },
]

const namesOf = ({ key }: Scanned): string => key.map(([name]) => name).join(", ")

const placesOf = ({ key }: Scanned, row: Row): ReadonlyArray<string> =>
  key.map(([name]) => text.decode(row, `place_${name}`))

const readPage = (schema: string, scanned: Scanned, after: Row): Statement => {
  const { key, sealed, table } = scanned
  const places = key.map(([name]) => `${name}::text AS place_${name}`)
  const bounds = key.map(([, type], index) => `$${index + 2}::${type}`)
  return {
    sql: `SELECT organization, ${[...places, ...sealed.map(({ column }) => column)].join(", ")}
      FROM ${schema}.${table} WHERE (organization, ${namesOf(scanned)}) > ($1::text, ${bounds.join(", ")})
      ORDER BY organization, ${namesOf(scanned)} LIMIT ${rowsPerStep}`,
    params: [text.decode(after, "organization"), ...placesOf(scanned, after)],
  }
}

/** The new form of a column of a row. */
interface Renewed {
  readonly organization: string
  readonly places: ReadonlyArray<string>
  readonly stored: string
  readonly form: string
}

/**
 * Skips rows that another transaction has locked, because waiting could cause a deadlock. The key of a recipient
 * contains its number, and a commit may give it the new form at the same time. So its organization is locked as by a
 * commit.
 */
const write = (
  schema: string,
  { key, table }: Scanned,
  column: string,
  rows: ReadonlyArray<Renewed>,
): Statement => {
  const places = key.map((_, index) => `place_${index}`)
  const isKey = key.some(([name]) => name === column)
  const same = (left: string, right: (index: number) => string) =>
    key.map(([name], index) => `${left}.${name} = ${right(index)}`).join(" AND ")
  return {
    sql: `WITH held AS MATERIALIZED (
      SELECT organization FROM ${schema}.accounts WHERE organization = ANY ($1::text[])
      ${isKey ? "ORDER BY organization FOR UPDATE" : ""}
    ), old AS MATERIALIZED (
      SELECT o.*, given.form
      FROM held JOIN unnest($1::text[], $2::text[], $3::text[], ${places.map((_, index) => `$${index + 4}::text[]`).join(", ")})
          AS given (organization, stored, form, ${places.join(", ")}) USING (organization),
        LATERAL (SELECT r.ctid, r.organization, ${key.map(([name], index) => `r.${name} AS key_${index}`).join(", ")}
          FROM ${schema}.${table} r
          WHERE r.organization = given.organization AND ${same("r", (index) => `given.place_${index}::${key[index]?.[1] ?? ""}`)}
            AND (r.${column} = given.stored) IS TRUE FOR UPDATE SKIP LOCKED) o
    )
    UPDATE ${schema}.${table} r SET ${column} = (
      SELECT form FROM old WHERE old.organization = r.organization AND ${same("r", (index) => `old.key_${index}`)})
    WHERE r.ctid = ANY (ARRAY(SELECT ctid FROM old))
      AND ((r.organization, ${key.map(([name]) => `r.${name}`).join(", ")})
        IN (SELECT organization, ${key.map((_, index) => `key_${index}`).join(", ")} FROM old)) IS TRUE`,
    params: [
      rows.map(({ organization }) => organization),
      rows.map(({ stored }) => stored),
      rows.map(({ form }) => form),
      ...places.map((_, index) => rows.map((row) => row.places[index] ?? "")),
    ],
  }
}

/** Reports on unknown messages belong to no organization, and are under their ids. */
const readKept = (schema: string, prefix: string): Statement => ({
  sql: `SELECT gateway, gateway_id, status, evidence FROM ${schema}.kept_reports
    WHERE NOT starts_with(gateway_id, $1) LIMIT ${rowsPerStep}`,
  params: [prefix],
})

/** A report that was kept again meanwhile stays as it is. */
const moveKept = (
  schema: string,
  rows: ReadonlyArray<Row>,
  formOf: (stored: string) => string,
): Statement => ({
  sql: `WITH given AS MATERIALIZED (
      SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
        AS given (gateway, gateway_id, status, id, proof)
    ), moved AS (
      DELETE FROM ${schema}.kept_reports r USING given
      WHERE (r.gateway, r.gateway_id, r.status) = (given.gateway, given.gateway_id, given.status)
      RETURNING r.gateway, given.id, r.status, r.detail, given.proof, r.received_at
    )
    INSERT INTO ${schema}.kept_reports (gateway, gateway_id, status, detail, evidence, received_at)
    SELECT * FROM moved ON CONFLICT DO NOTHING`,
  params: [
    ...["gateway", "gateway_id", "status"].map((name) => rows.map((row) => text.decode(row, name))),
    rows.map((row) => formOf(text.decode(row, "gateway_id"))),
    rows.map(({ evidence }) => (typeof evidence === "string" ? formOf(evidence) : null)),
  ],
})

/** Returns the step of a scan. It takes the place that the step before has returned. `schema` is quoted. */
export const makeStep = (
  schema: string,
  query: Query,
  cipher: NumberCipher,
): ((after: Row | undefined) => Effect.Effect<Row | undefined, StoreUnavailable>) => {
  let renewed = 0

  const begin = Effect.suspend(() => {
    renewed = 0
    return query({
      sql: `UPDATE ${schema}.number_keys SET used_at = now() WHERE id = $1`,
      params: [cipher.id],
    })
  })

  const end = Effect.gen(function* () {
    if (renewed > 0) return undefined
    yield* query({
      sql: `DELETE FROM ${schema}.number_keys
        WHERE id <> $1 AND used_at < now() - interval '25 hours'`,
      params: [cipher.id],
    })
    return undefined
  })

  const startOf = (index: number): Row | undefined => {
    const next = tables[index]
    return (
      next && {
        index,
        organization: "",
        ...Object.fromEntries(
          next.key.map(([name, type]) => [`place_${name}`, type === "text" ? "" : "0"]),
        ),
      }
    )
  }

  /** The forms under the current key of a column in a page, where they differ. */
  const staleIn = (rows: ReadonlyArray<Row>, scanned: Scanned, { column, kind }: Sealed) =>
    rows.flatMap((row): ReadonlyArray<Renewed> => {
      if (row[column] === null) return []
      const organization = text.decode(row, "organization")
      const stored = text.decode(row, column)
      const form = cipher.renew(stored, organization, kind)
      return form === undefined
        ? []
        : [{ organization, places: placesOf(scanned, row), stored, form }]
    })

  const renewKept: Effect.Effect<void, StoreUnavailable> = Effect.gen(function* () {
    const rows = yield* query(readKept(schema, cipher.prefix))
    if (rows.length === 0) return
    renewed += rows.length
    yield* query(moveKept(schema, rows, (stored) => cipher.renew(stored, "", "text") ?? stored))
    if (rows.length === rowsPerStep) yield* renewKept
  })

  return Effect.fnUntraced(function* (after) {
    // With a single form, all rows have it.
    if (after === undefined) {
      yield* begin
      if (cipher.count > 1) yield* renewKept
    }
    const place = after ?? (cipher.count > 1 ? startOf(0) : undefined)
    const index = Number(place?.["index"])
    const scanned = tables[index]
    if (place === undefined || scanned === undefined) return yield* end
    const rows = yield* query(readPage(schema, scanned, place))
    for (const sealed of scanned.sealed) {
      const stale = staleIn(rows, scanned, sealed)
      if (stale.length > 0) yield* query(write(schema, scanned, sealed.column, stale))
      renewed += stale.length
    }
    const last = rows.length < rowsPerStep ? undefined : rows.at(-1)
    const next = last === undefined ? startOf(index + 1) : { ...last, index }
    return next ?? (yield* end)
  })
}
