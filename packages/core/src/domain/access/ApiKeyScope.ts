/** The parts of the HTTP interface that an API key may be limited to. */
import * as FieldProblem from "../values/FieldProblem.ts"

/**
 * - `messages:send`: send messages.
 * - `messages:read`: read the log of messages.
 * - `balance:read`: read the balance.
 * - `verify:send`: send codes, send them again, and cancel requests.
 * - `verify:check`: check codes, and consume verified requests.
 * - `verify:read`: read the state of requests.
 */
export const scopes = [
  "messages:send",
  "messages:read",
  "balance:read",
  "verify:send",
  "verify:check",
  "verify:read",
] as const

export type ApiKeyScope = (typeof scopes)[number]

/** Reads a list of scopes, which must not be empty. Drops repeated ones. */
export const read = (
  values: ReadonlyArray<unknown>,
): ReadonlyArray<ApiKeyScope> | FieldProblem.FieldProblem => {
  const known: ReadonlySet<unknown> = new Set(scopes)
  if (!Array.isArray(values)) return FieldProblem.make("not_string_list", {})
  if (values.length === 0) return FieldProblem.make("empty", {})
  return values.every((value) => known.has(value))
    ? scopes.filter((scope) => values.includes(scope))
    : FieldProblem.make("unknown_option", { options: scopes })
}
