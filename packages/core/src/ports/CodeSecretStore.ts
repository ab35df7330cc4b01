/**
 * The part of the store that keeps the ids of the secrets that processes have used. They belong to no organization,
 * and there are few of them. A store that ends with its process keeps none.
 */
import type * as Effect from "effect/Effect"
import type { StoreUnavailable } from "../domain/errors/Errors.ts"
import type { RegisteredCodeSecret } from "../domain/access/RegisteredCodeSecret.ts"

/** Maximum number of secrets that are read. */
export const maxCodeSecrets = 100

export interface CodeSecretStore {
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
