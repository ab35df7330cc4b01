import type { InvalidRequest } from "../../domain/Errors.ts"
import * as FieldProblem from "../../domain/FieldProblem.ts"
import type { ListMessages } from "../Messages.ts"
import { FieldProblems } from "./fieldProblems.ts"

/** Beyond it, `(page - 1) * limit` would no longer be exact. */
const maxPage = 1_000_000_000

/** What a `Date` can hold. */
const times = { min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 }

/** What is wrong with a page of the log that is asked for. */
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
