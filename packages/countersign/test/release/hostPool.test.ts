import { PGlite } from "@electric-sql/pglite"
import { once } from "node:events"
import { Pool } from "pg"
import { assert, describe, it, onTestFinished } from "vitest"
import * as Countersign from "../../src/index.ts"
import { driverOver } from "../../../../test/support/hostDriver.ts"
import { hosts } from "../support/host.ts"
import { failure } from "../support/values.ts"

const { database, host } = hosts()
const ignore = (): void => {}
const phoneNumber = "+8801712345678"
const other = "+8801712345679"

describe("a driver with query and transaction", () => {
  it("serves the engine and the tables of its host", async () => {
    const own = await PGlite.create()
    onTestFinished(() => own.close())
    await own.exec("CREATE TABLE users (name text)")
    const made = await host({ database: { pool: own } })
    const { engine, gateway } = made
    const { requestId } = await engine.verifications.send({ phoneNumber })
    await engine.verifications.check({ requestId, code: gateway.latestCode(phoneNumber) })
    assert.strictEqual((await engine.verifications.get({ requestId })).status, "verified")
    await own.query("INSERT INTO users VALUES ($1)", ["Salma"])
    // It has one connection, which the transaction of the host has.
    const inside = own.transaction(() => engine.verifications.send({ phoneNumber: other }))
    assert.instanceOf(await failure(inside), Countersign.UnavailableError)
    await engine.verifications.send({ phoneNumber: other })
    assert.lengthOf(gateway.messages(other), 1)
    await engine.dispose()
    const { rows } = await own.query("SELECT name FROM users")
    assert.deepStrictEqual(rows, [{ name: "Salma" }])
  }, 60_000)
})

describe("a pool of pg", () => {
  it("may end statements by its query_timeout, and the engine repeats them", async () => {
    const pool = new Pool({ connectionString: await database(), max: 4, query_timeout: 500 })
    onTestFinished(() => pool.end())
    const { engine, gateway } = await host({ database: { pool } })
    const client = await pool.connect()
    await client.query("BEGIN")
    await client.query("LOCK TABLE countersign.accounts IN ACCESS EXCLUSIVE MODE")
    const removed = once(pool, "remove")
    const sending = engine.verifications.send({ phoneNumber })
    await removed
    await client.query("COMMIT")
    client.release()
    await sending
    assert.lengthOf(gateway.messages(phoneNumber), 1)
  })

  it("may end before the engine, whose calls fail with UnavailableError then", async () => {
    const pool = new Pool({ connectionString: await database(), max: 2 })
    const { engine } = await host({ database: { pool } })
    await pool.end()
    const error = await failure(engine.verifications.send({ phoneNumber }))
    assert.instanceOf(error, Countersign.UnavailableError)
    await engine.dispose()
  })
})

describe("sessions that end in the middle of calls", () => {
  it.each(["a pool of pg", "a driver with query and transaction"])(
    "lose and repeat nothing: %s",
    async (kind) => {
      const connectionString = await database()
      const pool = new Pool({ connectionString, max: 6 })
      pool.on("error", ignore)
      // A session may end before the driver has its client.
      if (kind !== "a pool of pg") pool.on("connect", (client) => client.on("error", ignore))
      onTestFinished(() => pool.end())
      const operator = new Pool({ connectionString, max: 1 })
      onTestFinished(() => operator.end())
      const sent: Array<string> = []
      let ended = 0
      const gateway = {
        name: "ends-sessions",
        send: async ({ phoneNumber, token }: Countersign.OutgoingMessage) => {
          sent.push(phoneNumber)
          if (sent.length % 2 === 0) {
            const { rows } = await operator.query(
              `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()`,
            )
            ended += rows.length
          }
          return { status: "delivered", gatewayId: token } as const
        },
      }
      const { engine } = await host({
        database: { pool: kind === "a pool of pg" ? pool : driverOver(pool) },
        gateways: [gateway],
        prices: { sms: "1" },
      })
      await engine.account.topUp({ amount: "1000", paymentId: "first" })
      const numbers = Array.from({ length: 200 }, (_, index) => `+88017${12_000_000 + index}`)
      /** Repeats a call, as hosts do, until its outcome is known. */
      const send = async (number: string, tries = 20): Promise<void> => {
        const call = { phoneNumber: number, text: "Hello", idempotencyKey: number }
        try {
          await engine.messages.send(call)
        } catch (error) {
          if (!(error instanceof Countersign.UnavailableError) || tries === 1) throw error
          await send(number, tries - 1)
        }
      }
      for (let index = 0; index < numbers.length; index += 20) {
        await Promise.all(numbers.slice(index, index + 20).map((number) => send(number)))
      }
      assert.isAtLeast(ended, 10)
      assert.deepStrictEqual(sent.toSorted(), numbers)
      const { balance, held } = await engine.account.balance()
      assert.deepStrictEqual({ balance, held }, { balance: "800.00", held: "0.00" })
    },
    60_000,
  )
})
