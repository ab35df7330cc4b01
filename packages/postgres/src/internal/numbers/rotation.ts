/**
 * Brings the phone numbers of all rows under the current key, one page at a time in the background. When a scan has
 * found no other form, the keys that no node has used first for a day leave `number_keys`, and a start no longer
 * requires them.
 */
import * as Effect from "effect/Effect"
import type { StoreUnavailable } from "@countersign/core/domain/Errors"
import * as Parameters from "../connection/parameters.ts"
import type { Statement } from "../connection/pipeline.ts"
import type { Query } from "../connection/query.ts"
import { type Row, text } from "../rows/columns.ts"
import type { NumberCipher } from "./cipher.ts"

export const rowsPerStep = 500

/** A table with phone numbers, and the column that is the key within an organization. */
interface Scanned {
  readonly table: string
  readonly key: string
  readonly type: "text" | "int8"
}

const tables: ReadonlyArray<Scanned> = [
  { table: "recipients", key: "phone_number", type: "text" },
  { table: "verifications", key: "request_id", type: "text" },
  { table: "messages", key: "sequence", type: "int8" },
]

const readPage = (schema: string, { key, table, type }: Scanned, after: Row): Statement => ({
  sql: `SELECT organization, ${key}::text AS place, phone_number FROM ${schema}.${table}
    WHERE (organization, ${key}) > ($1::text, $2::${type})
    ORDER BY organization, ${key} LIMIT ${rowsPerStep}`,
  params: Parameters.list(text.decode(after, "organization"), text.decode(after, "place")),
})

interface Renewed {
  readonly organization: string
  readonly place: string
  readonly stored: string
  readonly form: string
}

/**
 * Skips rows that another transaction has locked, because waiting could cause a deadlock. A recipient is under its
 * number, and a commit may give it the new form at the same time, so its organization is locked as by a commit.
 */
const write = (
  schema: string,
  { key, table, type }: Scanned,
  rows: ReadonlyArray<Renewed>,
): Statement => ({
  sql: `WITH held AS MATERIALIZED (
      SELECT organization FROM ${schema}.accounts WHERE organization = ANY ($1::text[])
      ${key === "phone_number" ? "ORDER BY organization FOR UPDATE" : ""}
    ), old AS MATERIALIZED (
      SELECT o.*, given.form
      FROM held JOIN unnest($1::text[], $2::text[], $3::text[], $4::text[])
          AS given (organization, place, stored, form) USING (organization),
        LATERAL (SELECT r.ctid, r.organization, r.${key} AS key FROM ${schema}.${table} r
          WHERE r.organization = given.organization AND r.${key} = given.place::${type}
            AND (r.phone_number = given.stored) IS TRUE FOR UPDATE SKIP LOCKED) o
    )
    UPDATE ${schema}.${table} r SET phone_number = (
      SELECT form FROM old WHERE old.organization = r.organization AND old.key = r.${key})
    WHERE r.ctid = ANY (ARRAY(SELECT ctid FROM old))
      AND ((r.organization, r.${key}) IN (SELECT organization, key FROM old)) IS TRUE`,
  params: [
    Parameters.texts(rows.map(({ organization }) => organization)),
    Parameters.texts(rows.map(({ place }) => place)),
    Parameters.texts(rows.map(({ stored }) => stored)),
    Parameters.texts(rows.map(({ form }) => form)),
  ],
})

/** Returns the step of a scan, which takes the place after that of the step before. `schema` is quoted. */
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
      params: Parameters.list(cipher.id),
    })
  })

  const end = Effect.suspend(() =>
    renewed > 0
      ? Effect.undefined
      : Effect.as(
          query({
            sql: `DELETE FROM ${schema}.number_keys
              WHERE id <> $1 AND used_at < now() - interval '25 hours'`,
            params: Parameters.list(cipher.id),
          }),
          undefined,
        ),
  )

  const startOf = (index: number): Row | undefined => {
    const next = tables[index]
    return next && { index, organization: "", place: next.type === "int8" ? "0" : "" }
  }

  return Effect.fnUntraced(function* (after) {
    if (after === undefined) yield* begin
    // With a single form, all rows have it.
    const place = after ?? (cipher.count > 1 ? startOf(0) : undefined)
    const index = Number(place?.["index"])
    const scanned = tables[index]
    if (place === undefined || scanned === undefined) return yield* end
    const rows = yield* query(readPage(schema, scanned, place))
    const stale = rows.flatMap((row) => {
      const organization = text.decode(row, "organization")
      const stored = text.decode(row, "phone_number")
      const form = cipher.renew(stored, organization)
      return form === undefined
        ? []
        : [{ organization, place: text.decode(row, "place"), stored, form }]
    })
    if (stale.length > 0) yield* query(write(schema, scanned, stale))
    renewed += stale.length
    const last = rows.length < rowsPerStep ? undefined : rows.at(-1)
    const next = last === undefined ? startOf(index + 1) : { ...last, index }
    return next ?? (yield* end)
  })
}
