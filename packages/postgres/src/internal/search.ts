/** Searches the messages and requests of an organization. */
import * as Verification from "@countersign/core/domain/verifications/Verification"
import type { Found, VerificationSearch } from "@countersign/core/ports/Search"
import type { Store } from "@countersign/core/ports/Store"
import * as Effect from "effect/Effect"
import type { Query } from "./connection/query.ts"
import type { Forms } from "./numbers/cipher.ts"
import { int8, type Row } from "./rows/columns.ts"
import { decodeRefusal } from "./rows/refusalRows.ts"
import { foundIn } from "./rows/rowTable.ts"
import * as Tables from "./rows/tables.ts"
import * as Searches from "./statements/searchSql.ts"
import type { StoreClock } from "./storeClock.ts"

const { status } = Tables.messages.fields

type Service = Pick<Store["Service"], "refusals" | "searchMessages" | "searchVerifications">

/** `schema` is quoted. */
export const makeSearches = (
  schema: string,
  query: Query,
  clock: StoreClock,
  execute: Store["Service"]["execute"],
  forms: Forms,
): Service => {
  const statements = Searches.make(schema, forms)

  const readVerifications = Effect.fnUntraced(function* (
    organization: string,
    search: VerificationSearch,
  ) {
    const rows = yield* query(statements.searchVerifications(organization, search))
    const hostNow = yield* clock.hostNow
    const found = pageOf(rows, Tables.decodeVerification)
    const deliveries = new Map(
      rows.flatMap((row) =>
        typeof row["delivery"] === "string"
          ? [
              [
                Tables.verifications.fields.requestId.decode(row, "request_id"),
                status.decode(row, "delivery"),
              ],
            ]
          : [],
      ),
    )
    const [row] = rows
    if (found === undefined || row === undefined) return undefined
    const lastAt = int8.decode(row, "last_at")
    return { ...found, deliveries, lastAt, now: Math.max(clock.timeAt(hostNow, row), lastAt) }
  })

  return {
    searchMessages: (organization, search) =>
      Effect.map(query(statements.searchMessages(organization, search)), (rows) =>
        pageOf(rows, Tables.messages.decode),
      ),
    searchVerifications: Effect.fnUntraced(function* (organization, search) {
      const found = yield* readVerifications(organization, search)
      if (found === undefined) return undefined
      const { lastAt, now, ...page } = found
      const late = page.rows.find((one) => Verification.mustRemember(one, lastAt, now))
      if (late === undefined) return { ...page, now }
      const { requestId } = late
      yield* execute({ _tag: "ObserveVerification", organization, requestId })
      // A check may have verified one of the requests before that commit.
      const again = yield* readVerifications(organization, search)
      if (again === undefined) return undefined
      const { lastAt: then, now: _, ...latest } = again
      return { ...latest, now: then }
    }),
    refusals: (organization, search) =>
      Effect.map(query(statements.searchRefusals(organization, search)), (rows) =>
        rows.length === 0 ? undefined : foundIn(rows, decodeRefusal),
      ),
  }
}

const pageOf = <A>(rows: ReadonlyArray<Row>, decode: (row: Row) => A): Found<A> | undefined => {
  const [row] = rows
  if (row === undefined) return undefined
  return {
    version: int8.decode(row, "version"),
    rows: foundIn(rows, decode),
    next: row["next"] === null ? undefined : int8.decode(row, "next"),
  }
}
