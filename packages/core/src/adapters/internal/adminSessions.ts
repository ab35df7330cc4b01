import * as Effect from "effect/Effect"
import type { AdminSession } from "../../domain/access/AdminSession.ts"
import type { AdminSessionStore } from "../../ports/AdminSessionStore.ts"

/** The sessions of the admin pages in memory. */
export const makeAdminSessions = (): AdminSessionStore => {
  const sessions = new Map<string, AdminSession>()
  return {
    adminSessions: Effect.sync(() => [...sessions.values()].toReversed()),
    adminSession: (id) => Effect.sync(() => sessions.get(id)),
    addAdminSession: (session) => Effect.sync(() => void sessions.set(session.id, session)),
    seeAdminSession: (id, seenAt) =>
      Effect.sync(() => {
        const session = sessions.get(id)
        if (session !== undefined) sessions.set(id, { ...session, seenAt })
      }),
    endAdminSessions: (ids) => Effect.sync(() => ids.forEach((id) => sessions.delete(id))),
  }
}
