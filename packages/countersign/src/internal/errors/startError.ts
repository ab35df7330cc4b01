import * as Cause from "effect/Cause"
import { StartError } from "./errors.ts"
import { type Place } from "../options/database.ts"

/** Creates the error of a failed start. Its message names the database, but neither its user nor a password. */
export const startErrorOf = (cause: Cause.Cause<unknown>, place?: Place): StartError => {
  const error = Cause.squash(cause)
  const inner = innermost(error)
  const reason = textOf(inner) ?? textOf(error) ?? "The engine could not be started"
  const url = place?.kind === "server" ? URL.parse(place.url) : null
  if (url === null) return new StartError(reason, { cause: error })
  const shown = isRefusal(inner) ? withoutUser(reason, userOf(url)) : reason
  // The cause contains the server's message as well.
  return new StartError(`${nameOf(url)}: ${shown}`, shown === reason ? { cause: error } : undefined)
}

/** The error at the end of the causes: the client wraps the error of the driver in two others. */
const innermost = (error: unknown): Error | undefined => {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error ? (innermost(cause) ?? cause) : undefined
}

/** Node's error for a host with several addresses has a code, but no message. */
const textOf = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined
  return error.message === "" ? codeOf(error) : error.message
}

const codeOf = (error: Error): string | undefined =>
  "code" in error && typeof error.code === "string" ? error.code : undefined

/** Whether a server has refused the connection. Its message may name the user. */
const isRefusal = (error: Error | undefined): boolean =>
  error !== undefined && /^(?:08|28|53)\w{3}$/.test(codeOf(error) ?? "")

const withoutUser = (text: string, user: string | undefined): string =>
  user === undefined || user === ""
    ? text
    : text.replaceAll(new RegExp(`(?<!\\w)${user.replaceAll(/\W/g, "\\$&")}(?!\\w)`, "g"), "…")

/** The user as the PostgreSQL client determines it: URL parameters take precedence over all others. */
const userOf = ({ searchParams, username }: URL): string | undefined =>
  searchParams.get("user") ??
  (username === "" ? (process.env["USER"] ?? process.env["USERNAME"]) : decoded(username))

const nameOf = ({ hostname, pathname, port, searchParams }: URL): string => {
  const host = searchParams.get("host") ?? (hostname === "" ? "localhost" : decoded(hostname))
  const name = searchParams.get("dbname") ?? decoded(pathname.slice(1))
  return `The database "${name}" on ${host}:${searchParams.get("port") ?? (port === "" ? "5432" : port)}`
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
