/**
 * Operations that return a part of a list, as the promise API has them. Each returns a page of items, and the cursor
 * with which the next page begins.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { InvalidRequest } from "../domain/errors/Errors.ts"
import * as Cursor from "../domain/values/Cursor.ts"
import * as FieldProblem from "../domain/values/FieldProblem.ts"
import { limit, optional } from "./Fields.ts"
import { pageLimit } from "./internal/pageLimit.ts"
import type { Listing, Operation } from "./Operation.ts"
import type { Page } from "./Page.ts"

/** Most items of a list that is read as a whole. */
const maxWhole = 1_000

const cursor = optional(
  Schema.String,
  "`next` of the page before, of the same list.",
  "the first page",
)

/** The input with `cursor` and `limit`. */
export const inputOf = ({ input }: Operation, { from = "", isStored = false }: Listing) => {
  const { [from]: position, limit: rows = limit, ...rest } = input.fields
  const own = { ...rest, ...(isStored && position && { [from]: position }) }
  const isPlain = Object.keys(own).every((name) => name === "organization")
  const size: Schema.Struct.Fields = { limit: rows }
  return Schema.Struct({ ...own, cursor, ...size }).annotate({
    ...input.ast.annotations,
    ...(isPlain && { identifier: "PageInput" }),
  })
}

type Fields = Readonly<Record<string, unknown>>

const invalidCursor = Result.fail(
  new InvalidRequest({ details: { cursor: [FieldProblem.make("invalid_cursor", {})] } }),
)

const positionOf = (
  cursor: string,
  field: Schema.Constraint | undefined,
  { by, from }: Listing,
): Result.Result<unknown, InvalidRequest> => {
  const isNumber = by === "sequence" || from === undefined
  const position = isNumber ? Result.getOrUndefined(Cursor.parse(cursor)) : cursor
  const isKnown = field === undefined || Schema.is(Schema.make(field.ast))(position)
  return position !== undefined && isKnown ? Result.succeed(position) : invalidCursor
}

/** The input with which the operation is performed for a page. */
export const performing = (
  { input }: Operation,
  listing: Listing,
  { cursor, ...fields }: Fields,
): Result.Result<Fields, InvalidRequest> => {
  const { from } = listing
  const field = from === undefined ? undefined : input.fields[from]
  const whole = from === undefined && "limit" in input.fields ? { limit: maxWhole } : {}
  if (typeof cursor !== "string") return Result.succeed({ ...fields, ...whole })
  return Result.map(positionOf(cursor, field, listing), (position) => ({
    ...fields,
    ...whole,
    ...(from !== undefined && { [from]: position }),
  }))
}

const cursorOf = (position: unknown): string | null =>
  typeof position === "number"
    ? Cursor.make(position)
    : typeof position === "string"
      ? position
      : null

/** The page of what the operation has returned. */
export const pageOf = (
  { by = "id", from, items: member }: Listing,
  output: unknown,
  { cursor, limit: wanted }: Fields,
): Page<unknown> => {
  const rows = pageLimit(typeof wanted === "number" ? wanted : undefined)
  const { [member ?? ""]: found = output, next, ...rest } = Object(output)
  const items: ReadonlyArray<unknown> = Array.isArray(found) ? found : []
  if (from === undefined) {
    const start =
      typeof cursor === "string" ? Result.getOrElse(Cursor.parse(cursor), () => items.length) : 0
    const end = start + rows
    return { items: items.slice(start, end), next: end < items.length ? Cursor.make(end) : null }
  }
  if (member !== undefined) return { ...rest, items, next: cursorOf(next) }
  return { items, next: items.length < rows ? null : cursorOf(Object(items.at(-1))[by]) }
}
