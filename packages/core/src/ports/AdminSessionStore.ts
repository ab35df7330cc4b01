/**
 * The part of the store that keeps the sessions of the admin pages. They belong to no organization, and there are
 * few of them.
 */
import type * as Effect from "effect/Effect"
import type { AdminSession } from "../domain/access/AdminSession.ts"
import type { StoreUnavailable } from "../domain/errors/Errors.ts"

export interface AdminSessionStore {
  /** All sessions, also those that are over, the newest first. */
  readonly adminSessions: Effect.Effect<ReadonlyArray<AdminSession>, StoreUnavailable>

  readonly adminSession: (id: string) => Effect.Effect<AdminSession | undefined, StoreUnavailable>

  readonly addAdminSession: (session: AdminSession) => Effect.Effect<void, StoreUnavailable>

  /** Records the time of a request. Does nothing if the session has ended. */
  readonly seeAdminSession: (id: string, at: number) => Effect.Effect<void, StoreUnavailable>

  /** Durable when it returns: every node finds none of the sessions from then on. */
  readonly endAdminSessions: (ids: ReadonlyArray<string>) => Effect.Effect<void, StoreUnavailable>
}
