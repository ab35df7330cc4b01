import type { FieldProblem } from "@countersign/core/domain/values/FieldProblem"
import { mark } from "./baseError.ts"
import type { AnyError } from "./errorTable.ts"

/**
 * Any error of this package. `code` narrows it: `wrong_code` has `error.attemptsRemaining`. All have `code`,
 * `httpStatus`, `docs`, `requestId` and `retryAfterSeconds`.
 */
export type CountersignError = AnyError

/** The code of an error. */
export type ErrorCode = CountersignError["code"]

/** Whether a value is an error of this package. Also recognizes errors of a second copy of the package. */
export const isCountersignError = (value: unknown): value is CountersignError =>
  typeof value === "object" && value !== null && mark in value

/** For `error instanceof CountersignError`, which is the same as `isCountersignError(error)`. */
export const CountersignError: (abstract new (...args: never) => Error) & {
  /** The same as `isCountersignError`. */
  readonly [Symbol.hasInstance]: (value: unknown) => value is CountersignError
} = class extends Error {
  static override [Symbol.hasInstance](value: unknown): value is CountersignError {
    return isCountersignError(value)
  }
}

export {
  type Code as FieldProblemCode,
  type FieldProblem,
  make as fieldProblem,
  type Params as FieldProblemParams,
} from "@countersign/core/domain/values/FieldProblem"

/** The problems of each invalid field, by the field's name. */
export type FieldProblems = Readonly<Record<string, ReadonlyArray<FieldProblem>>>
