/**
 * Quickstarts on the PostgreSQL server of the test run, for tests that are not about PGlite: they are
 * ready in a fraction of the time that it takes to make a database in a folder.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { inject } from "vitest"
import { freshDatabase } from "../../../../test/support/freshDatabase.ts"
import {
  type Options,
  type Quickstart,
  startQuickstart,
} from "../../../../test/support/Quickstart.ts"
import { temporaryScope } from "../../../../test/support/temporaryScope.ts"

export interface Databases {
  /** The address of an empty database. */
  readonly make: () => Promise<string>
  /** Starts a quickstart on an empty database. */
  readonly start: (options?: Options) => Promise<Quickstart>
  /** Ends the quickstarts that still run, and drops the databases. */
  readonly close: () => Promise<void>
}

export const databases = (): Databases => {
  const { close, run } = temporaryScope()
  const make = async () => Redacted.value(await run(freshDatabase(inject("postgresUrl"))))
  const start = async (options: Options = {}) => {
    const DATABASE_URL = await make()
    return run(
      Effect.acquireRelease(
        Effect.promise(() =>
          startQuickstart({ ...options, env: { DATABASE_URL, ...options.env } }),
        ),
        (quickstart) => Effect.promise(() => quickstart.stop()),
      ),
    )
  }
  return { make, start, close }
}
