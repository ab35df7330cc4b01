/** What a thief of the database can do with the digest of a code: try all codes. */
import { PgConnection } from "@effect/sql-pg"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { createHmac } from "node:crypto"

export interface StolenRow {
  readonly organization: string
  readonly requestId: string
  readonly digest: Buffer
  /** The id of the secret. */
  readonly pepper: string
}

/** The rows of all verifications in a database. */
export const stolenRows = (url: string): Promise<ReadonlyArray<StolenRow>> =>
  Effect.gen(function* () {
    const connection = yield* PgConnection.make({ url: Redacted.make(url) })
    const { rows } = yield* connection.query(
      `SELECT organization, request_id, encode(digest, 'hex') AS digest, pepper
       FROM countersign.verifications ORDER BY request_id`,
    )
    return rows.map((row) => ({
      organization: String(row["organization"]),
      requestId: String(row["request_id"]),
      digest: Buffer.from(String(row["digest"]), "hex"),
      pepper: String(row["pepper"]),
    }))
  }).pipe(Effect.scoped, Effect.runPromise)

const codes = Array.from({ length: 10_000 }, (_, code) => String(code).padStart(4, "0"))

/** The code of four digits that has the digest under a secret; `undefined` if none has. */
export const crack = (
  { digest, organization, requestId }: StolenRow,
  secret: string,
): string | undefined =>
  codes.find((code) =>
    createHmac("sha256", secret)
      .update(`code\n${organization}\n${requestId}\n${code}`)
      .digest()
      .equals(digest),
  )

/** What the database itself offers as a secret. */
export const secretsInRow = ({ organization, pepper, requestId }: StolenRow) => [
  "",
  pepper,
  organization,
  requestId,
]
