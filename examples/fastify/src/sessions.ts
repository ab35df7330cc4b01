/**
 * Which code a visitor is waiting for. The browser has an id in a cookie; the id of the verification request stays
 * here, so a visitor can only confirm codes that it has asked for. In memory, for one process: several processes
 * need a table, as in `express-postgres`.
 */
import { RequestNotFoundError } from "countersign"

const lifetimeSeconds = 15 * 60

/** How many sessions are kept; the oldest make room. */
const maxSessions = 10_000

/** The id in the `Cookie` of a request. */
const idOf = (cookie = ""): string => /(?:^|;\s*)number=([\w-]+)/.exec(cookie)?.[1] ?? ""

export const makeSessions = () => {
  const secure = process.env["NODE_ENV"] === "production" ? "; Secure" : ""
  const requests = new Map<string, string>()
  return {
    /** Replaces the session of before, and gives the value of a `Set-Cookie`. */
    begin: (cookie: string | undefined, requestId: string): string => {
      requests.delete(idOf(cookie))
      for (const id of requests.keys()) if (requests.size >= maxSessions) requests.delete(id)
      const id = crypto.randomUUID()
      requests.set(id, requestId)
      return `number=${id}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${lifetimeSeconds}${secure}`
    },
    /** The request whose code the visitor has. */
    requestIdOf: (cookie: string | undefined): string => {
      const requestId = requests.get(idOf(cookie))
      if (requestId === undefined) throw new RequestNotFoundError()
      return requestId
    },
    end: (cookie: string | undefined): void => void requests.delete(idOf(cookie)),
  }
}
