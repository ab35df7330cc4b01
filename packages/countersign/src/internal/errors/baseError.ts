import { docsFile } from "./errorTable.ts"

/** Marks the errors of every copy of this package, whose classes differ. Registered symbols are equal. */
export const mark: symbol = Symbol.for("countersign/CountersignError")

/** The members of all errors of this package. */
export abstract class BaseError extends Error {
  abstract readonly code: string

  /** The HTTP status for an app's response to this error. See `errorResponse`. */
  abstract get httpStatus(): number

  /** The id of the verification request that the error is about; `undefined` for other errors. */
  declare readonly requestId: string | undefined

  /** Whole seconds, at least 1, after which the call may succeed; `undefined` if waiting does not help. */
  declare readonly retryAfterSeconds: number | undefined

  static {
    Object.defineProperty(this.prototype, mark, { value: true })
  }

  /** The address of the description of this error, in the repository of this package. */
  get docs(): string {
    return `${docsFile}#${this.code}`
  }

  override get name(): string {
    return this.constructor.name
  }
}
