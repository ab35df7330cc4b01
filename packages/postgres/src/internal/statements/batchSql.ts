import { int8s } from "../connection/parameters.ts"
import type { Statement } from "../connection/pipeline.ts"
import type { FormsOf, NumberCipher } from "../numbers/cipher.ts"
import type { RowArrays } from "../rows/rowArrays.ts"
import * as BatchReads from "./batchReads.ts"
import { compare } from "./queries.ts"
import * as Writes from "./writes.ts"

/** Creates the statements of batches for one schema, whose name is quoted. */
export const make = (schema: string, arrays: RowArrays, cipher?: NumberCipher) => ({
  ...BatchReads.make(schema, cipher?.forms.number),
  ...Writes.make(schema, arrays, cipher?.seal),
  ...makeJoin(schema, cipher?.forms.number),
})

export type BatchSql = ReturnType<typeof make>

/** The condition for a batch that is written, or that is confirmed although it writes nothing. */
export interface Condition {
  /** With the stamps that they must have. */
  readonly organizations: ReadonlyArray<{ readonly organization: string; readonly stamp: number }>
  /** The time of the decision, if it was not read but carried forward from an earlier reading. */
  readonly now: number | undefined
  /** The recipients that were taken for absent without a read. */
  readonly absent: ReadonlyArray<BatchReads.Key<string>>
  /** The queued sends whose rows the commands have brought along, with the claims that they must have. */
  readonly taken: ReadonlyArray<TakenKey>
}

export interface TakenKey extends BatchReads.Key<string> {
  readonly claim: number
}

/** How far the database's clock may be from the time of the decision, in milliseconds. */
export const maxClockDifference = 500

/** The texts of statements by the kinds of their parts, in their order. The same parts give the same string. */
class Texts {
  readonly #next = new Map<Writes.WriteKind, Texts>()
  #text: string | undefined

  of(parts: ReadonlyArray<Writes.Write>, make: () => string, from = 0): string {
    const part = parts[from]
    if (part === undefined) return (this.#text ??= make())
    const next = this.#next.get(part.kind) ?? new Texts()
    this.#next.set(part.kind, next)
    return next.of(parts, make, from + 1)
  }
}

/** Joins the writes of a transaction into one statement. */
const makeJoin = (schema: string, forms?: FormsOf) => {
  const joined = new Texts()
  const stamped = new Texts()
  const stampedTaken = new Texts()
  /** Another node may take a send again meanwhile, which does no harm. Only a commit of its organization ends it. */
  const hasClaims = `AND cardinality($7::text[]) = (
                SELECT count(*) FROM unnest($6::text[], $7::text[], $8::int8[]) AS k (organization, key, claim), LATERAL (
                  SELECT r.claim, r.ending FROM ${schema}.outbox r
                  WHERE r.organization = k.organization AND r.id = k.key OFFSET 0) r
                WHERE r.claim = k.claim AND r.ending IS NULL)`
  return {
    joinAll: (parts: ReadonlyArray<Writes.Write>): Statement => ({
      sql: joined.of(parts, () => {
        const texts = numbered(parts, "", 0)
        const last = texts.pop() ?? "SELECT"
        return texts.length === 0 ? last : `WITH ${named(texts).join(", ")} ${last}`
      }),
      params: parts.flatMap(({ params }) => params),
    }),
    /**
     * Writes only if the condition holds; the column `fits` tells whether it does. Takes the organizations' locks
     * in one order, and holds them only while the statement runs; without writes it takes none. The clock is read
     * after the locks. The search for recipients may be older than the locks, but not older than the stamps.
     */
    joinIfStamped: (parts: ReadonlyArray<Writes.Write>, condition: Condition): Statement => {
      // In the order in which the statement reads the stamps.
      const organizations = condition.organizations.toSorted((a, b) =>
        compare(a.organization, b.organization),
      )
      const absent = BatchReads.inForms(condition.absent, forms)
      const { taken } = condition
      const isTaken = taken.length > 0
      const claims = isTaken
        ? [
            BatchReads.organizationsOf(taken),
            taken.map(({ key }) => key),
            int8s(taken.map(({ claim }) => claim)),
          ]
        : []
      return {
        sql: (isTaken ? stampedTaken : stamped).of(
          parts,
          () => `WITH held AS MATERIALIZED (
            SELECT organization, stamp FROM ${schema}.accounts WHERE organization = ANY($1::text[])
            ORDER BY organization ${parts.length === 0 ? "" : "FOR UPDATE"}
          ), fits AS MATERIALIZED (
            SELECT FROM (SELECT array_agg(stamp ORDER BY organization) AS stamps FROM held) AS found
            WHERE found.stamps = $2::int8[]
              AND coalesce(abs(${BatchReads.databaseNow} - $3::int8) <= ${maxClockDifference}, true)
              AND NOT EXISTS (SELECT FROM unnest($4::text[], $5::text[]) AS k (organization, key), LATERAL (
                SELECT FROM ${schema}.recipients r
                WHERE r.organization = k.organization AND r.phone_number = k.key OFFSET 0) r)
              ${isTaken ? hasClaims : ""}
          )${["", ...named(numbered(parts, ", fits", 5 + claims.length))].join(", ")}
          SELECT EXISTS (SELECT FROM fits) AS fits`,
        ),
        params: [
          BatchReads.organizationsOf(organizations),
          int8s(organizations.map(({ stamp }) => stamp)),
          condition.now,
          BatchReads.organizationsOf(absent),
          absent.map(({ key }) => key),
          ...claims,
          ...parts.flatMap(({ params }) => params),
        ],
      }
    },
  }
}

const named = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  texts.map((sql, index) => `part_${index + 1} AS (${sql})`)

/** Returns the texts of parts, with their parameters numbered consecutively. */
const numbered = (
  parts: ReadonlyArray<Writes.Write>,
  guard: string,
  before: number,
): Array<string> => {
  let count = before
  return parts.map(({ kind, params }) => {
    const shift = count
    count += params.length
    return kind.sql(guard).replace(/\$(\d+)/g, (_, number) => `$${Number(number) + shift}`)
  })
}
