/**
 * SIGKILL of a process in the middle of an erasure: in the transaction of a step, after its locks. A repeat erases
 * the rest.
 */
import { createCountersign, developmentGateway } from "countersign"
import { PgConnection } from "@effect/sql-pg"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { afterAll, assert, describe, inject, it } from "vitest"
import { eventually } from "../support/eventually.ts"
import { freshDatabase } from "../support/freshDatabase.ts"
import { temporaryScope } from "../support/temporaryScope.ts"

const phoneNumber = "+8801712345678"
const secret = "p".repeat(40)
const scope = temporaryScope()
afterAll(scope.close)

/** An organization with a verified request and a message to the number. */
const history = async () => {
  const database = await scope.run(freshDatabase(inject("postgresUrl")))
  const gateway = developmentGateway()
  const url = Redacted.value(database)
  const engine = await createCountersign({ database: url, secret, gateways: { sms: gateway } })
  const { requestId } = await engine.verifications.send({ phoneNumber, metadata: { user: 7 } })
  const code = gateway.latestCode(phoneNumber)
  await engine.verifications.check({ requestId, code })
  await engine.messages.send({ phoneNumber, text: "Your parcel is here" })
  return { database, engine, url }
}

const connect = (url: Redacted.Redacted) =>
  scope.run(
    Effect.map(
      PgConnection.make({ url }),
      ({ query }) =>
        (sql: string) =>
          Effect.runPromise(query(sql, [], false)),
    ),
  )

/** Locks a row, starts the erasure, kills it while it waits for the row in its transaction, and unlocks the row.
 * Returns the number of erased messages. */
const killAt = async (database: Redacted.Redacted, table: string, isLost: boolean) => {
  const holder = await connect(database)
  const watcher = await connect(database)
  await holder("BEGIN")
  await holder(`SELECT 1 FROM countersign.${table} FOR UPDATE`)
  const waiting = `WHERE wait_event_type = 'Lock' AND query LIKE '%${table}%'`
  const script = join(import.meta.dirname, "../support/erasing.ts")
  const child = spawn(process.execPath, [script, Redacted.value(database), phoneNumber, secret], {
    stdio: "inherit",
  })
  const ended = once(child, "exit")
  const session = await eventually(async () => {
    const { rows } = await watcher(`SELECT pid FROM pg_stat_activity ${waiting}`)
    assert.isNotEmpty(rows)
    return Number(rows[0]?.["pid"])
  })
  child.kill("SIGKILL")
  await ended
  // The process has sent its COMMIT with the writes. The server commits, unless its session ends first.
  if (isLost) await watcher(`SELECT pg_terminate_backend(${session})`)
  await holder("ROLLBACK")
  await eventually(async () => {
    const { rows } = await watcher(`SELECT 1 FROM pg_stat_activity WHERE pid = ${session}`)
    assert.isEmpty(rows)
  })
  const { rows } = await watcher(
    "SELECT count(*) AS erased FROM countersign.messages WHERE phone_number LIKE 'erased:%'",
  )
  return Number(rows[0]?.["erased"])
}

describe("an erasure that is killed", () => {
  for (const { isLost, table } of [
    { table: "messages", isLost: true },
    { table: "messages", isLost: false },
    { table: "events", isLost: true },
  ]) {
    const fate = isLost ? "is lost" : "may commit"
    it(`while its write of ${table} ${fate} is complete after a repeat`, async () => {
      const { database, engine } = await history()
      const before = await engine.account.entries()
      const erased = await killAt(database, table, isLost)
      if (isLost) assert.strictEqual(erased, table === "events" ? 2 : 0)
      const rest = await engine.privacy.erase({ phoneNumber })
      assert.strictEqual(rest.left, 0)
      // What was committed is not erased again.
      assert.deepInclude(rest, { messages: 2 - erased, events: 2 })
      const found = []
      for await (const { type } of engine.privacy.export({ phoneNumber })) found.push(type)
      assert.deepStrictEqual(found, ["limits"])
      assert.deepStrictEqual(await engine.account.entries(), before)
      const { items: messages } = await engine.messages.list()
      assert.deepStrictEqual(
        messages.map((message) => [message.phoneNumber, message.text]),
        [
          ["erased:BD", ""],
          ["erased:BD", ""],
        ],
      )
      await engine.dispose()
    })
  }
})
