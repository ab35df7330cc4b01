/** A standby of a PostgreSQL server of the tests, by streaming replication. */
import { PgConnection } from "@effect/sql-pg"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { execFile } from "node:child_process"
import { appendFileSync, chownSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { type PostgresServer, type StartOptions, startPostgres } from "./PostgresServer.ts"

const run = promisify(execFile)

/** The backup API of PostgreSQL: the label of a backup comes from the session that began it. */
const copyTo = (dataDir: string, primary: PostgresServer) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { query } = yield* PgConnection.make({ url: Redacted.make(primary.url) })
      yield* query("SELECT pg_backup_start('standby', true)::text", [], false)
      // Keeps the owner and the modes. Files that change or vanish meanwhile are replayed from the log.
      yield* Effect.promise(() =>
        run("cp", ["-a", primary.dataDir, dataDir]).catch((error: unknown) => {
          if (!String(error).includes("No such file")) throw error
        }),
      )
      const { rows } = yield* query("SELECT labelfile FROM pg_backup_stop(false)", [], false)
      return String(rows[0]?.["labelfile"])
    }),
  )

/** Starts a copy of a server that follows it, and stops it with the scope. Its name there is `standby`. */
export const startStandby = (
  primary: PostgresServer,
  options: Omit<StartOptions, "cluster">,
): Effect.Effect<PostgresServer, never, Scope.Scope> => {
  const fill = async (dataDir: string) => {
    const label = await Effect.runPromise(copyTo(dataDir, primary))
    const file = (name: string) => join(dataDir, name)
    for (const name of ["postmaster.pid", "postmaster.opts"]) rmSync(file(name), { force: true })
    const { gid, uid } = statSync(dataDir)
    for (const [name, text] of [
      ["backup_label", label],
      ["standby.signal", ""],
    ] as const) {
      writeFileSync(file(name), text)
      chownSync(file(name), uid, gid)
    }
    const source = new URL(primary.url)
    source.searchParams.set("application_name", "standby")
    appendFileSync(file("postgresql.auto.conf"), `primary_conninfo = '${source.href}'\n`)
  }
  const cluster = { password: new URL(primary.url).password, fill }
  return Effect.acquireRelease(
    Effect.promise(() => startPostgres({ ...options, cluster })),
    ({ stop }) => Effect.promise(stop),
  )
}
