/**
 * The cookie that has the id of the session. Scripts cannot read it, and other sites' forms and frames do
 * not send it along.
 */
import type { IncomingMessage } from "node:http"

export interface Cookie {
  /** The session's id, where the request has one. */
  readonly read: (request: Pick<IncomingMessage, "headers">) => string | undefined
  /** The value of a `Set-Cookie`. */
  readonly write: (id: string, maxAgeSeconds: number) => string
  /** The value of a `Set-Cookie` that makes the browser forget it. */
  readonly clear: () => string
}

/** `secure` is for everything but development: such a cookie travels over HTTPS only. */
export const sessionCookie = (secure: boolean): Cookie => {
  // Browsers take this prefix for a promise: no other host, and no plain HTTP, can have set it.
  const name = secure ? "__Host-session" : "session"
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`
  return {
    read: ({ headers }) => {
      const pairs = (headers.cookie ?? "").split(";").map((pair) => pair.trim())
      return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
    },
    write: (id, maxAgeSeconds) => `${name}=${id}; ${attributes}; Max-Age=${maxAgeSeconds}`,
    clear: () => `${name}=; ${attributes}; Max-Age=0`,
  }
}
