/** An organization. Its senders and keys are read as JSON, so that one statement reads one state. */
import { alertTable, type Row as AlertRow } from "@countersign/core/domain/alerts/AlertTable"
import {
  type Kind,
  limitTable,
  type Row as LimitRow,
} from "@countersign/core/domain/limits/LimitTable"
import type { Organization } from "@countersign/core/domain/organizations/Organization"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import type { Statement } from "../connection/pipeline.ts"
import { int8, type Row, text } from "../rows/columns.ts"
import type { RowArrays } from "../rows/rowArrays.ts"
import type { RowTable } from "../rows/rowTable.ts"
import * as Tables from "../rows/tables.ts"
import { webhookProgress, webhooks } from "../rows/webhookRows.ts"

const Limit = Schema.Struct({ max: Schema.Int, windowMillis: Schema.Int })
const Range = Schema.Struct({ min: Schema.Int, max: Schema.Int, default: Schema.Int })

const money = Schema.Int.pipe(Schema.brand("@countersign/core/domain/values/Money"))

const kinds = {
  window: Schema.Union([Limit, Schema.Array(Limit)]),
  count: Schema.Int,
  money,
  duration: Schema.Int,
  range: Range,
  durationRange: Range,
  cap: Schema.Struct({ max: Schema.Int, default: Schema.Int }),
} satisfies Record<Kind, Schema.Top>

type StoredAs<R> = R extends { readonly kind: infer K extends Kind; readonly canBeNone: infer None }
  ? Schema.optionalKey<None extends true ? Schema.NullOr<(typeof kinds)[K]> : (typeof kinds)[K]>
  : never

interface StoredBound extends Struct.Lambda {
  (row: AlertRow): Schema.Top
  readonly "~lambda.out": Schema.optionalKey<Schema.NullOr<typeof Schema.Int>>
}

interface Stored extends Struct.Lambda {
  (row: LimitRow): Schema.Top
  readonly "~lambda.out": StoredAs<this["~lambda.in"]>
}

const limits = Struct.map(
  limitTable,
  Struct.lambda<Stored>(({ canBeNone, kind }) =>
    Schema.optionalKey(canBeNone ? Schema.NullOr(kinds[kind]) : kinds[kind]),
  ),
)

const alerts = Struct.map(
  alertTable,
  Struct.lambda<StoredBound>(() => Schema.optionalKey(Schema.NullOr(Schema.Int))),
)

const hours = Schema.Struct({ from: Schema.String, to: Schema.String })

const decodeSettings = Schema.decodeUnknownSync(
  Schema.Struct({
    allowList: Schema.Array(Schema.String),
    isSuspended: Schema.Boolean,
    balanceLowAt: Schema.NullOr(money),
    blockedPrefixes: Schema.Array(Schema.String),
    allowedPrefixes: Schema.Array(Schema.String),
    prefixReasons: Schema.Record(Schema.String, Schema.String).pipe(
      Schema.withDecodingDefaultKey(Effect.succeed({})),
    ),
    // Settings that older builds have written lack it.
    quietHours: Schema.NullOr(
      Schema.Struct({
        promotional: Schema.optionalKey(hours),
        transactional: Schema.optionalKey(hours),
      }),
    ).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
    zone: Schema.NullOr(Schema.String).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
    limits: Schema.Struct(limits),
    alerts: Schema.Struct(alerts).pipe(Schema.withDecodingDefaultKey(Effect.succeed({}))),
    changes: Schema.Record(
      Schema.String,
      Schema.Struct({ at: Schema.Int, by: Schema.String }),
    ).pipe(Schema.withDecodingDefaultKey(Effect.succeed({}))),
  }),
)

const decodeRows = Schema.decodeUnknownSync(
  Schema.Array(Schema.Record(Schema.String, Schema.Unknown)),
)

export const decode = (row: Row): Organization => ({
  id: Tables.organization.decode(row, "id"),
  name: text.decode(row, "name"),
  version: int8.decode(row, "version"),
  settings: decodeSettings(row["settings"]),
  ...(row["erased_at"] !== null && { erasedAt: int8.decode(row, "erased_at") }),
  senders: decodeRows(row["brands"]).map(Tables.brands.decode),
  keys: decodeRows(row["keys"]).map(Tables.apiKeys.decode),
  webhooks: decodeRows(row["webhooks"]).map(webhooks.decode),
})

export const read = (schema: string, id: string): Statement => {
  const parts = ({ name }: Pick<RowTable<never>, "name">) =>
    `(SELECT coalesce(json_agg(p ORDER BY p.position), '[]'::json)
          FROM ${schema}.${name} p WHERE p.organization = o.id)`
  return {
    sql: `SELECT o.id, o.name, o.settings, o.erased_at, a.version, ${parts(Tables.brands)} AS brands,
        ${parts(Tables.apiKeys)} AS keys, ${parts(webhooks)} AS webhooks
      FROM ${schema}.organizations o JOIN ${schema}.accounts a ON a.organization = o.id WHERE o.id = $1`,
    params: [id],
  }
}

/**
 * Replaces all settings, senders and keys of an organization. Rows that stay are updated in the order of their
 * ids, as `recordKeyUses` updates them, and keep a later use that was recorded meanwhile.
 */
export const write = (
  schema: string,
  arrays: RowArrays,
  { senders, erasedAt, id, keys, name, settings, webhooks: hooks }: Omit<Organization, "version">,
): ReadonlyArray<Statement> => {
  const remove = <A, B extends { readonly id: string }>(
    { name: table }: RowTable<A>,
    kept: ReadonlyArray<B>,
  ): Statement => ({
    sql: `DELETE FROM ${schema}.${table} WHERE organization = $1 AND id <> ALL ($2::text[])`,
    params: [id, kept.map((row) => row.id)],
  })
  const replace = <A extends { readonly id: string }>(
    table: RowTable<A>,
    rows: ReadonlyArray<A>,
  ): ReadonlyArray<Statement> => [
    remove(table, rows),
    {
      sql: `INSERT INTO ${schema}.${table.name} AS kept (organization, ${table.list}, position)
        SELECT $2::text, given.* FROM unnest($1::${schema}.${table.type}[]) WITH ORDINALITY AS given
        ORDER BY given.id COLLATE "C"
        ON CONFLICT (organization, id) DO UPDATE SET position = excluded.position, ${table.columns
          .map(({ name }) =>
            name === "last_used_at"
              ? `${name} = greatest(kept.${name}, excluded.${name})`
              : `${name} = excluded.${name}`,
          )
          .join(", ")}`,
      params: [arrays(table, rows), id],
    },
  ]
  return [
    {
      sql: `INSERT INTO ${schema}.organizations (id, name, settings, erased_at) VALUES ($1, $2, $3::jsonb, $4::int8)
        ON CONFLICT (id) DO UPDATE SET name = excluded.name, settings = excluded.settings,
          erased_at = excluded.erased_at`,
      params: [id, name, JSON.stringify(settings), erasedAt],
    },
    ...replace(Tables.brands, senders),
    ...replace(Tables.apiKeys, keys),
    ...replace(webhooks, hooks),
    remove(webhookProgress, hooks),
  ]
}
