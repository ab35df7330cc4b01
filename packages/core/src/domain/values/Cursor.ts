/**
 * The place where the next page of a search begins, as opaque text. Searches go from the newest message of a log
 * to the oldest, and a page has the messages below a sequence.
 */
import * as Result from "effect/Result"
import * as FieldProblem from "./FieldProblem.ts"

/** The cursor of the messages below a sequence. */
export const make = (before: number): string => `c${before.toString(36)}`

/** The sequence of a cursor. */
export const parse = (text: string): Result.Result<number, FieldProblem.FieldProblem> => {
  const before = /^c[1-9a-z][0-9a-z]{0,10}$/.test(text) ? Number.parseInt(text.slice(1), 36) : NaN
  return Number.isSafeInteger(before)
    ? Result.succeed(before)
    : Result.fail(FieldProblem.make("invalid_cursor", {}))
}
