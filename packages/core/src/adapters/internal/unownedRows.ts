import * as Effect from "effect/Effect"
import type { AdminSession } from "../../domain/access/AdminSession.ts"
import type { UnownedRows } from "../../ports/UnownedRows.ts"

/** The rows in memory that belong to no organization. */
export const makeUnownedRows = (): UnownedRows => {
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
    // It ends with its process, so no other process can have another secret.
    codeSecrets: Effect.succeed({ now: 0, registered: [] }),
    addFirstCodeSecret: () => Effect.succeed(true),
    useCodeSecrets: () => Effect.void,
    forgetCodeSecrets: () => Effect.void,
  }
}
