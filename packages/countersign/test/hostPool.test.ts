import { Pool, type PoolClient, type PoolConfig } from "pg"
import { assert, describe, it, onTestFinished } from "vitest"
import * as Countersign from "../src/index.ts"
import { hosts } from "./support/host.ts"
import { failure } from "./support/values.ts"

const { database, host } = hosts()
const phoneNumber = "+8801712345678"

const poolOf = async (options: PoolConfig = {}) => {
  const pool = new Pool({ connectionString: await database(), max: 2, ...options })
  onTestFinished(() => pool.end())
  return pool
}

/** Sends a code and enters it. */
const verify = async (
  { engine, gateway }: Awaited<ReturnType<typeof host>>,
  number = phoneNumber,
): Promise<string> => {
  const { requestId } = await engine.verifications.send({ phoneNumber: number })
  const code = gateway.latestCode(number)
  await engine.verifications.check({ requestId, code })
  return (await engine.verifications.get({ requestId })).status
}

/** Calls `use` with all connections of a pool that has two. */
const withBoth = async <A>(pool: Pool, use: (clients: ReadonlyArray<PoolClient>) => Promise<A>) => {
  const clients = [await pool.connect(), await pool.connect()]
  try {
    return await use(clients)
  } finally {
    for (const client of clients) client.release()
  }
}

/** What a session keeps beyond its transactions. */
const stateOf = async (client: PoolClient) => {
  const { rows: settings } = await client.query(
    "SELECT name, setting FROM pg_settings WHERE source = 'session' ORDER BY name",
  )
  const { rows: prepared } = await client.query("SELECT name FROM pg_prepared_statements")
  const { rows: channels } = await client.query("SELECT pg_listening_channels() AS name")
  return { settings, prepared, channels, listeners: client.listenerCount("error") }
}

describe("a pool of pg", () => {
  it("serves the engine and its host, and keeps its sessions as they were", async () => {
    // Parsers and a format that the engine must not use.
    const types = { getTypeParser: () => () => "parsed by the host" }
    const pool = await poolOf({ types, options: "-c bytea_output=escape" })
    const state = () => withBoth(pool, (clients) => Promise.all(clients.map(stateOf)))
    const before = await state()
    const events = pool.eventNames()
    const made = await host({ database: { pool } })
    const numbers = Array.from({ length: 8 }, (_, index) => `+880171234500${index}`)
    const statuses = await Promise.all(numbers.map((number) => verify(made, number)))
    assert.deepStrictEqual([...new Set(statuses)], ["verified"])
    await made.engine.dispose()
    assert.deepStrictEqual(await state(), before)
    assert.deepStrictEqual(pool.eventNames(), events)
    assert.strictEqual(pool.totalCount, 2)
    assert.strictEqual(pool.idleCount, 2)
  })

  it("lets a call from inside of a transaction of the host pass", async () => {
    const pool = await poolOf()
    const made = await host({ database: { pool } })
    const client = await pool.connect()
    await client.query("BEGIN")
    const status = await verify(made)
    await client.query("COMMIT")
    client.release()
    assert.strictEqual(status, "verified")
  })

  it("that has no connection free makes calls fail with UnavailableError", async () => {
    const pool = await poolOf()
    const made = await host({ database: { pool } })
    const error = await withBoth(pool, () => {
      pool.options.connectionTimeoutMillis = 50
      return failure(made.engine.verifications.send({ phoneNumber }))
    })
    assert.instanceOf(error, Countersign.UnavailableError)
    pool.options.connectionTimeoutMillis = 0
    assert.strictEqual(await verify(made), "verified")
  })

  it("replaces sessions that the server has ended", async () => {
    const pool = await poolOf()
    pool.on("error", () => {})
    const made = await host({ database: { pool } })
    assert.strictEqual(await verify(made), "verified")
    await pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    )
    assert.strictEqual(await verify(made), "verified")
  })

  it("replaces sessions that the host has given back in a transaction that has failed", async () => {
    const pool = await poolOf()
    const made = await host({ database: { pool } })
    await withBoth(pool, async (clients) => {
      for (const client of clients) {
        await client.query("BEGIN")
        await client.query("SELECT 1 / 0").catch(() => undefined)
      }
    })
    // A call may get each of the two.
    for (let tries = 1; tries <= 3; tries++) {
      try {
        await made.engine.account.balance()
      } catch (error) {
        assert.instanceOf(error, Countersign.UnavailableError)
      }
    }
    assert.strictEqual(await verify(made), "verified")
  })

  it("with pipeline: true is refused at the start", async () => {
    const pool = await poolOf({ pipeline: true })
    const error = await failure(host({ database: { pool } }))
    assert.instanceOf(error, Countersign.StartError)
    assert.match(error.message, /^The pool of the host must be a Pool of pg without/)
  })
})

describe("a driver with query and transaction", () => {
  it("whose rows are no objects is refused at the start", async () => {
    const query = async () => ({ rows: [] })
    const driver = {
      query,
      transaction: <A>(run: (queries: { query: typeof query }) => Promise<A>) => run({ query }),
    }
    const error = await failure(host({ database: { pool: driver } }))
    assert.instanceOf(error, Countersign.StartError)
    assert.match(error.message, /^The pool of the host must return rows as objects/)
  })
})
