/**
 * The program as a process, on a PostgreSQL server.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { assert, inject } from "@effect/vitest"
import { spawn } from "node:child_process"
import { join } from "node:path"
import { freshDatabase } from "../../../../test/support/freshDatabase.ts"
import { environment, run } from "../../../../test/tools/run.ts"
import { test } from "../../../../test/support/testsOver.ts"

const bin = join(import.meta.dirname, "../../src/internal/bin.ts")

/** Follows the events until the first has come, and then presses Ctrl-C. Gives the exit code. */
const interrupted = (env: Readonly<Record<string, string>>) =>
  Effect.callback<number | null>((resume) => {
    const child = spawn(process.execPath, [bin, "events", "tail", "--follow"], {
      env: environment(env),
      stdio: ["ignore", "pipe", "inherit"],
    })
    child.stdout.once("data", () => child.kill("SIGINT"))
    child.on("close", (code) => resume(Effect.succeed(code)))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

test.live("runs as a process: results, errors, exit codes, and an end by Ctrl-C", function* () {
  const url = yield* freshDatabase(inject("postgresUrl"))
  const env = { DATABASE_URL: Redacted.value(url), COUNTERSIGN_ORGANIZATION: "acme" }
  const countersign = (...args: ReadonlyArray<string>) =>
    Effect.promise(() => run(process.execPath, [bin, ...args], { env }))
  const migrated = yield* countersign("migrate")
  assert.strictEqual(migrated.code, 0, migrated.stderr)
  const created = yield* countersign("org", "create", "acme", "--json")
  assert.deepInclude(JSON.parse(created.stdout), { id: "acme", name: "acme" })
  assert.strictEqual(created.stderr, "")
  const refused = yield* countersign("org", "suspend", "acme")
  assert.strictEqual(refused.code, 2)
  assert.strictEqual(refused.stdout, "")
  assert.include(refused.stderr, "give --yes")
  yield* countersign("key", "create", "CI")
  assert.strictEqual(yield* interrupted(env), 130)
})
