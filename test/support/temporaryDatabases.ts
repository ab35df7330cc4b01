/**
 * Empty databases on the server of the test run, for tests that are written with promises.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { inject } from "vitest"
import { freshDatabase } from "./freshDatabase.ts"
import { temporaryScope } from "./temporaryScope.ts"

export interface TemporaryDatabases {
  /** The address of a database that is empty. */
  readonly make: () => Promise<string>
  /** Drops all of them. */
  readonly close: () => Promise<void>
}

export const temporaryDatabases = (): TemporaryDatabases => {
  const { close, run } = temporaryScope()
  return {
    make: () => run(Effect.map(freshDatabase(inject("postgresUrl")), Redacted.value)),
    close,
  }
}
