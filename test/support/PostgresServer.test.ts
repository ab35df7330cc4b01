import { PgConnection } from "@effect/sql-pg"
import { assert, describe, inject, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { createInterface } from "node:readline"
import { freshDatabase } from "./freshDatabase.ts"
import { startPostgres } from "./PostgresServer.ts"
import { test } from "./testsOver.ts"

const ask = (url: string, sql: string) =>
  Effect.scoped(
    Effect.flatMap(PgConnection.make({ url: Redacted.make(url) }), (connection) =>
      Effect.map(connection.queryValues(sql), (rows) => rows.flat()),
    ),
  )

describe("the server of the test run", () => {
  test.live("answers, and gives each test its own database", function* () {
    const names = yield* Effect.scoped(
      Effect.gen(function* () {
        const made = [
          yield* freshDatabase(inject("postgresUrl")),
          yield* freshDatabase(inject("postgresUrl")),
        ]
        const answers: Array<unknown> = []
        for (const url of made) {
          answers.push(...(yield* ask(Redacted.value(url), "SELECT current_database()")))
        }
        return answers
      }),
    )
    assert.strictEqual(new Set(names).size, 2)
    const left = yield* ask(
      inject("postgresUrl"),
      `SELECT datname FROM pg_database WHERE datname IN ('${names.join("', '")}')`,
    )
    assert.deepStrictEqual(left, [])
  })
})

describe("startPostgres", () => {
  it("applies settings, and leaves nothing behind", async () => {
    const server = await startPostgres({ fsync: true, settings: { work_mem: "5MB" } })
    const query = "SELECT current_setting('fsync'), current_setting('work_mem')"
    assert.deepStrictEqual(await Effect.runPromise(ask(server.url, query)), ["on", "5MB"])
    await server.stop()
    await server.stop()
    assert.isFalse(Fs.existsSync(Path.dirname(server.dataDir)))
    assert.isFalse(isRunning(server.pid))
  })

  it("reports why the server does not start", async () => {
    const failed = await startPostgres({ fsync: false, settings: { work_mem: "much" } }).catch(
      (error: unknown) => error,
    )
    assert.instanceOf(failed, Error)
    assert.match(String(failed), /invalid value for parameter "work_mem"/)
  })

  it("stops its server if the process is killed with SIGKILL", async () => {
    const program = `
      const { startPostgres } = await import(${JSON.stringify(new URL("./PostgresServer.ts", import.meta.url))})
      const { pid, dataDir } = await startPostgres({ fsync: false })
      console.log(JSON.stringify({ pid, dataDir }))
      setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    const line = await once(createInterface({ input: child.stdout }), "line")
    const { pid, dataDir } = JSON.parse(String(line[0]))
    assert.isTrue(isRunning(pid))
    child.kill("SIGKILL")
    // The guardian needs a moment; the test's own time limit bounds it.
    while (isRunning(pid) || Fs.existsSync(dataDir)) {
      await new Promise((resolve) => setImmediate(resolve))
    }
  })
})

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    // A zombie process still has its id.
    return (
      process.platform !== "linux" ||
      !/^\d+ \(.*\) Z/.test(Fs.readFileSync(`/proc/${pid}/stat`, "utf8"))
    )
  } catch {
    return false
  }
}
