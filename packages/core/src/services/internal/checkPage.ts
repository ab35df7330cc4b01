import * as FieldProblem from "../../domain/FieldProblem.ts"
import type { FieldProblems } from "./fieldProblems.ts"

/** Above this page, `(page - 1) * limit` would not be exact. */
const maxPage = 1_000_000_000

/** The range of a `Date`. */
const times = { min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 }

/** A page of the log within an inclusive range of time. */
interface Page {
  readonly limit: number
  readonly page: number
  readonly from: number | undefined
  readonly to: number | undefined
}

/** Adds the problems of a page. */
export const checkPage = (
  problems: FieldProblems,
  { from, limit, page, to }: Page,
  maxLimit: number,
): void => {
  problems.integer("limit", limit, { min: 1, max: maxLimit })
  problems.integer("page", page, { min: 1, max: maxPage })
  if (from === undefined || to === undefined) return
  problems.integer("from", from, times)
  problems.integer("to", to, times)
  if (from > to) problems.add("from", FieldProblem.make("after_to", {}))
}
