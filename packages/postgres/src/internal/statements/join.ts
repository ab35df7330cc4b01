import * as Parameters from "../connection/parameters.ts"
import type { Statement } from "../connection/pipeline.ts"
import type { Write } from "./writes.ts"

/** Organizations in order, with the stamp of each. */
export interface Stamps {
  readonly organizations: ReadonlyArray<string>
  readonly stamps: ReadonlyArray<number>
}

/** Joins the writes of a transaction into one statement. Caches the text of every combination. */
export const makeJoin = (schema: string) => {
  const known = new Map<string, string>()
  const remember = (name: string, make: () => string): string => {
    const text = known.get(name)
    if (text !== undefined) return text
    const made = make()
    known.set(name, made)
    return made
  }
  const namesOf = (parts: ReadonlyArray<Write>) => parts.map(({ name }) => name).join(", ")
  return {
    joinAll: (parts: ReadonlyArray<Write>): Statement => ({
      sql: remember(namesOf(parts), () => {
        const texts = numbered(parts, "", 0)
        const last = texts.pop() ?? "SELECT"
        return texts.length === 0 ? last : `WITH ${named(texts)} ${last}`
      }),
      params: parts.flatMap(({ params }) => params),
    }),
    /**
     * Writes only if the organizations still have these stamps; the column `fits` tells whether they do. Takes
     * the organizations' locks in one order, and holds them only while the statement runs.
     */
    joinIfStamped: (parts: ReadonlyArray<Write>, { organizations, stamps }: Stamps): Statement => ({
      sql: remember(
        `if stamped: ${namesOf(parts)}`,
        () => `WITH held AS MATERIALIZED (
            SELECT organization, stamp FROM ${schema}.accounts WHERE organization = ANY($1::text[])
            ORDER BY organization FOR UPDATE
          ), fits AS MATERIALIZED (
            SELECT FROM (SELECT array_agg(stamp ORDER BY organization) AS stamps FROM held) AS found
            WHERE found.stamps = $2::int8[]
          ), ${named(numbered(parts, ", fits", 2))}
          SELECT EXISTS (SELECT FROM fits) AS fits`,
      ),
      params: [
        Parameters.texts(organizations),
        Parameters.int8s(stamps),
        ...parts.flatMap(({ params }) => params),
      ],
    }),
  }
}

const named = (texts: ReadonlyArray<string>): string =>
  texts.map((sql, index) => `part_${index + 1} AS (${sql})`).join(", ")

/** Returns the texts of parts, with their parameters numbered consecutively. */
const numbered = (parts: ReadonlyArray<Write>, guard: string, before: number): Array<string> => {
  let count = before
  return parts.map(({ params, sql }) => {
    const shift = count
    count += params.length
    return sql(guard).replace(/\$(\d+)/g, (_, number) => `$${Number(number) + shift}`)
  })
}
