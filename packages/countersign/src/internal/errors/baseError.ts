/**
 * The base class of this package's errors.
 */
import { httpStatuses as engineStatuses } from "@countersign/core/domain/ErrorCode"

/**
 * The HTTP status of each error code, as in the HTTP interface. `invalid_request` has status 400, as at the
 * verification endpoints; the message endpoints return 422.
 */
export const httpStatuses = {
  ...engineStatuses,
  configuration: 500,
  disposed: 503,
  start: 500,
} as const

/** The code of an error. */
export type ErrorCode = keyof typeof httpStatuses

/**
 * Marks the errors of every copy of this package. The classes of two copies differ, but registered symbols are
 * equal.
 */
const mark: symbol = Symbol.for("countersign/CountersignError")

/** Whether a value is an error of this package or of another copy of it. */
export const isMarked = (value: unknown): boolean =>
  typeof value === "object" && value !== null && mark in value

/** The class that all errors of this package extend. */
export abstract class BaseError<Code extends ErrorCode> extends Error {
  readonly code: Code

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  static {
    Object.defineProperty(this.prototype, mark, { value: true })
  }

  /**
   * The HTTP status for an app's response to this error: the status of the HTTP interface for `code`, or a
   * suitable one for codes that the interface does not have. `invalid_request` is 400, as at `/verify` and
   * `/verify/check`; `/messages` returns 422.
   */
  get httpStatus(): (typeof httpStatuses)[Code] {
    return httpStatuses[this.code]
  }

  override get name(): string {
    return this.constructor.name
  }
}
