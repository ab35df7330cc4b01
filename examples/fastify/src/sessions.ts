/**
 * Which code a visitor is waiting for. The browser has an id in a cookie; the number and the id of the
 * verification request stay here, so a visitor can only confirm codes that it has asked for. In memory, for one
 * process: several processes need a table, as in `express-postgres`.
 */

export interface Session {
  /** E.164 with its plus. */
  readonly phoneNumber: string
  readonly requestId: string
}

interface Kept extends Session {
  /** When the last code was sent, in milliseconds since 1970. */
  sentAt: number
}

export interface Sessions {
  /** Replaces the session of before, and gives the value of a `Set-Cookie`. */
  readonly begin: (cookie: string | undefined, session: Session) => string
  readonly find: (cookie: string | undefined) => Session | undefined
  /** Ends a session. Of several calls at once, one gets `true`. */
  readonly end: (cookie: string | undefined) => void
  /** How many seconds another code has to wait. 0 counts as a code that is sent now. */
  readonly claimResend: (cookie: string | undefined) => number
}

const lifetimeSeconds = 15 * 60

/** How many sessions are kept; the oldest make room. */
const maxSessions = 10_000

/** The id in the `Cookie` of a request. */
const idOf = (cookie = ""): string => /(?:^|;\s*)number=([\w-]+)/.exec(cookie)?.[1] ?? ""

export const makeSessions = (): Sessions => {
  const resendMillis = Number(process.env["RESEND_SECONDS"] || 30) * 1_000
  const secure = process.env["NODE_ENV"] === "production" ? "; Secure" : ""
  const kept = new Map<string, Kept>()
  const find = (cookie: string | undefined): Kept | undefined => {
    const session = kept.get(idOf(cookie))
    const oldest = Date.now() - lifetimeSeconds * 1_000
    return session === undefined || session.sentAt < oldest ? undefined : session
  }
  return {
    find,
    begin: (cookie, session) => {
      kept.delete(idOf(cookie))
      for (const id of kept.keys()) if (kept.size >= maxSessions) kept.delete(id)
      const id = crypto.randomUUID()
      kept.set(id, { ...session, sentAt: Date.now() })
      return `number=${id}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${lifetimeSeconds}${secure}`
    },
    end: (cookie) => void kept.delete(idOf(cookie)),
    claimResend: (cookie) => {
      const session = find(cookie)
      if (session === undefined) return 0
      const now = Date.now()
      const left = Math.ceil((session.sentAt + resendMillis - now) / 1_000)
      if (left <= 0) session.sentAt = now
      return Math.max(0, left)
    },
  }
}
