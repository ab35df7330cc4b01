/**
 * The part of the store that belongs to no organization. It contains the sessions of the admin pages, and the ids of
 * the secrets that processes have used. There are few rows of both. A store that ends with its process keeps no
 * secrets.
 */
import type * as Effect from "effect/Effect"
import type { AdminSession } from "../domain/access/AdminSession.ts"
import type { RegisteredCodeSecret } from "../domain/access/RegisteredCodeSecret.ts"
import type { StoreUnavailable } from "../domain/errors/Errors.ts"

/** Maximum number of secrets that are read. */
export const maxCodeSecrets = 100

export interface UnownedRows {
  /** All sessions, also those that are over, the newest first. */
  readonly adminSessions: Effect.Effect<ReadonlyArray<AdminSession>, StoreUnavailable>

  readonly adminSession: (id: string) => Effect.Effect<AdminSession | undefined, StoreUnavailable>

  readonly addAdminSession: (session: AdminSession) => Effect.Effect<void, StoreUnavailable>

  /** Records the time of a request. Does nothing if the session has ended. */
  readonly seeAdminSession: (id: string, at: number) => Effect.Effect<void, StoreUnavailable>

  /** Durable when it returns: every node finds none of the sessions from then on. */
  readonly endAdminSessions: (ids: ReadonlyArray<string>) => Effect.Effect<void, StoreUnavailable>

  /** The secrets, the last used first, at most `maxCodeSecrets`, and the time in epoch milliseconds. */
  readonly codeSecrets: Effect.Effect<
    { readonly now: number; readonly registered: ReadonlyArray<RegisteredCodeSecret> },
    StoreUnavailable
  >

  /** Registers a secret if none is. Returns `false` if another process was faster. Durable when it returns. */
  readonly addFirstCodeSecret: (id: string) => Effect.Effect<boolean, StoreUnavailable>

  /** Records that a process has started with these secrets. Durable when it returns. */
  readonly useCodeSecrets: (ids: ReadonlyArray<string>) => Effect.Effect<void, StoreUnavailable>

  /** Removes secrets, so that the next start need not know them. */
  readonly forgetCodeSecrets: (ids: ReadonlyArray<string>) => Effect.Effect<void, StoreUnavailable>
}
