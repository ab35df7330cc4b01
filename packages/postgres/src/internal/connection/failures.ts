/** The errors of connections, and what they say about a statement. */
import * as Predicate from "effect/Predicate"
import * as Reasons from "effect/sql/SqlError"
import { SqlError } from "effect/sql/SqlError"

export const connectionError = (message: string, operation = "query"): SqlError =>
  new SqlError({
    reason: new Reasons.ConnectionError({ cause: new Error(message), message, operation }),
  })

/** An error that is not one of the server. */
export const unknownError = (message: string, cause: unknown = new Error(message)): SqlError =>
  new SqlError({ reason: new Reasons.UnknownError({ cause, message, operation: "query" }) })

/** The error for what the server reports. */
export const serverError = (fields: {
  readonly [field: string]: string | undefined
  readonly code?: string | undefined
  readonly constraint?: string | undefined
  readonly message?: string | undefined
}): SqlError => {
  const cause = Object.assign(new Error(fields.message ?? "Unknown error of the server"), fields)
  const properties = { cause, message: cause.message, operation: "query" }
  return new SqlError({ reason: reasonOf(fields.code ?? "", fields.constraint, properties) })
}

const reasonOf = (
  code: string,
  constraint: string | undefined,
  properties: { readonly cause: unknown; readonly message: string; readonly operation: string },
): SqlError["reason"] => {
  if (code.startsWith("08")) return new Reasons.ConnectionError(properties)
  if (code === "23505")
    return new Reasons.UniqueViolation({ ...properties, constraint: constraint ?? "" })
  if (code === "40001") return new Reasons.SerializationError(properties)
  if (code === "40P01") return new Reasons.DeadlockError(properties)
  if (code === "55P03") return new Reasons.LockTimeoutError(properties)
  if (code === "57014") return new Reasons.StatementTimeoutError(properties)
  return new Reasons.UnknownError(properties)
}

/** SQLSTATEs with which the server announces the end of the session, besides class 08. */
const endOfSession: ReadonlyArray<unknown> = ["57P01", "57P02", "57P03", "57P05", "25P03", "25P04"]

/**
 * Whether the connection is lost, so that the last statement may have taken effect or not. `isRetryable` does not
 * answer this: it is false for a session that was ended while it was idle.
 */
export const isConnectionLost = (error: SqlError): boolean =>
  error.reason._tag === "ConnectionError" || endOfSession.includes(sqlState(error))

/**
 * Whether the server has lost a prepared statement (`DISCARD ALL`), or a change of the schema has changed its
 * columns. The statement has not run.
 */
export const isStale = (error: SqlError): boolean =>
  ["26000", "0A000"].includes(sqlState(error) ?? "")

export const sqlState = ({ reason }: SqlError): string | undefined => {
  const { cause } = reason
  const code = Predicate.hasProperty(cause, "code") ? cause.code : undefined
  return typeof code === "string" ? code : undefined
}
