/**
 * Empty databases on the server of the test run, for tests that are written with promises.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { afterAll, inject } from "vitest"
import { freshDatabase } from "./freshDatabase.ts"
import { temporaryScope } from "./temporaryScope.ts"

/** Returns what makes a database and gives its address. Drops all of them after the tests of the file or the suite. */
export const temporaryDatabases = (): (() => Promise<string>) => {
  const { close, run } = temporaryScope()
  afterAll(close)
  return () => run(Effect.map(freshDatabase(inject("postgresUrl")), Redacted.value))
}
