/**
 * The ids of the keys that rows may be encrypted under, in the table `number_keys`. A start without one of these
 * keys would find no recipient by its number, so limits would begin again. It fails instead.
 */
import type { StoreUnavailable } from "@countersign/core/domain/errors/Errors"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Query } from "../connection/query.ts"
import { text } from "../rows/columns.ts"
import { rowType } from "../rows/rowTable.ts"
import * as Cipher from "./cipher.ts"

/**
 * The keys of phone numbers do not fit the database.
 *
 * - `Missing`: rows may be encrypted under a key that is not configured.
 * - `OtherSecret`: a key has another secret than the one with its id that rows are encrypted with.
 */
export class NumberKeyError extends Schema.TaggedError<NumberKeyError>()("NumberKeyError", {
  reason: Schema.Literals(["Missing", "OtherSecret"]),
  /** The id of the key. */
  key: Schema.String,
}) {
  override get message(): string {
    switch (this.reason) {
      case "Missing":
        return `phone numbers in this database may be encrypted under the secret "${this.key}", which is missing`
      case "OtherSecret":
        return `phone numbers in this database are encrypted under another secret with the id "${this.key}"`
    }
  }
}

/** Stands for numbers from before the first key, which are not encrypted. No key has this id. */
export const plainId = ""

/** Checks the configured keys, and returns the ids that rows may be encrypted under. `schema` is quoted. */
export const check = Effect.fnUntraced(function* (
  schema: string,
  query: Query,
  keys: ReadonlyArray<Cipher.NumberKey>,
): Effect.fn.Return<ReadonlyArray<string>, NumberKeyError | StoreUnavailable> {
  const found = yield* query({
    sql: `SELECT id, fingerprint FROM ${schema}.number_keys ORDER BY id`,
  })
  const registered = found.map(rowType({ id: text, fingerprint: text }).decode)
  for (const { fingerprint, id } of registered) {
    if (id === plainId) continue
    const key = keys.find((one) => one.id === id)
    if (key === undefined) return yield* new NumberKeyError({ reason: "Missing", key: id })
    if (Cipher.fingerprintOf(key) !== fingerprint) {
      return yield* new NumberKeyError({ reason: "OtherSecret", key: id })
    }
  }
  return registered.map(({ id }) => id)
})

/** Checks the configured keys, registers the current one, and returns the cipher. `schema` is quoted. */
export const open = Effect.fnUntraced(function* (
  schema: string,
  query: Query,
  keys: ReadonlyArray<Cipher.NumberKey>,
): Effect.fn.Return<Cipher.NumberCipher | undefined, NumberKeyError | StoreUnavailable> {
  const [current, ...retiring] = keys
  const registered = yield* check(schema, query, keys)
  if (current === undefined) return undefined
  const [row] = yield* query({
    sql: `WITH first AS (
        INSERT INTO ${schema}.number_keys (id, fingerprint) SELECT $3, ''
        WHERE NOT EXISTS (SELECT FROM ${schema}.number_keys)
          AND EXISTS (SELECT FROM ${schema}.accounts WHERE last_message > 0)
        ON CONFLICT DO NOTHING RETURNING id
      ), used AS (
        INSERT INTO ${schema}.number_keys (id, fingerprint) VALUES ($1, $2)
        ON CONFLICT (id) DO UPDATE SET used_at = now()
      )
      SELECT EXISTS (SELECT FROM first) AS has_plain`,
    params: [current.id, Cipher.fingerprintOf(current), plainId],
  })
  const hasPlain = row?.["has_plain"] === true || registered.includes(plainId)
  return Cipher.make([current, ...retiring], hasPlain)
})
