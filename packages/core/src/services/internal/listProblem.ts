import type { InvalidRequest } from "../../domain/Errors.ts"
import * as FieldProblem from "../../domain/FieldProblem.ts"
import type { ListMessages } from "../Messages.ts"
import { FieldProblems } from "./fieldProblems.ts"

/** Above this page, `(page - 1) * limit` would not be exact. */
const maxPage = 1_000_000_000

/** The range of a `Date`. */
const times = { min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 }

/** The problems of a request for a page of the log. */
export const listProblem = (
  { from, to, unreadable }: ListMessages,
  limit: number,
  page: number,
  maxLimit: number,
): InvalidRequest | undefined => {
  const problems = new FieldProblems(unreadable)
  problems.integer("limit", limit, { min: 1, max: maxLimit })
  problems.integer("page", page, { min: 1, max: maxPage })
  if (from !== undefined && to !== undefined) {
    problems.integer("from", from, times)
    problems.integer("to", to, times)
    if (from > to) problems.add("from", FieldProblem.make("after_to", {}))
  }
  return problems.error
}
