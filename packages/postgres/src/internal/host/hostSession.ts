/** The common parts of the sessions over connections of the host. */
import * as Predicate from "effect/Predicate"
import * as Reasons from "effect/sql/SqlError"
import { SqlError } from "effect/sql/SqlError"
import { connectionError, serverError } from "../connection/failures.ts"
import type { Session } from "../connection/session.ts"

export interface HostSession extends Session {
  /** Whether nothing is known of the connection, so that it must not be used again. */
  readonly isBroken: boolean
}

/** Longest chain of errors in which the error of the server is looked for. */
const maxCauses = 8

/** Error codes of Node have no digit. */
const isState = (code: unknown): code is string =>
  typeof code === "string" && /^(?=.*\d)[\dA-Z]{5}$/.test(code)

/** The error of the server in an error of a driver, which may be wrapped. */
const reported = (error: unknown, depth = maxCauses): object | undefined => {
  if (depth === 0 || typeof error !== "object" || error === null) return undefined
  if (Predicate.hasProperty(error, "code") && isState(error.code)) return error
  return Predicate.hasProperty(error, "cause") ? reported(error.cause, depth - 1) : undefined
}

const textOf = (error: object, name: string): string | undefined => {
  const value = Predicate.hasProperty(error, name) ? error[name] : undefined
  return typeof value === "string" ? value : undefined
}

/** The error of a statement. Without a report of the server, the statement may have taken effect. */
export const statementError = (error: unknown): SqlError => {
  const found = reported(error)
  if (found === undefined) return connectionError(messageOf(error))
  return serverError({
    code: textOf(found, "code"),
    message: textOf(found, "message"),
    // postgres.js has the second name.
    constraint: textOf(found, "constraint") ?? textOf(found, "constraint_name"),
  })
}

/** The error of a pool that gave no connection, so that no statement has run. */
export const loanError = (error: unknown): SqlError => {
  const cause = reported(error) ?? error
  const message = messageOf(error)
  return new SqlError({
    reason: new Reasons.UnknownError({ cause, message, operation: "connect" }),
  })
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

/** Milliseconds that a piece of work waits for a connection, if the pool has no shorter limit. */
export const loanTimeout = 5_000

export const noneFree = new Error(
  `The pool of the host gave no connection within ${loanTimeout / 1_000} seconds. All of its connections are in use, or its server does not answer.`,
)
