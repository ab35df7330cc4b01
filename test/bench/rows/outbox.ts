/** What the statement of a queued send costs the host's transaction, and how soon a node sends it. */
import { once } from "node:events"
import { Client, Pool, type PoolClient } from "pg"
import { createCountersign, type Gateway } from "countersign"
import { latencyFigure } from "../compared.ts"
import type { Context, Measurement } from "../Measurement.ts"
import { freshDatabase } from "../services/Service.ts"
import { inTurns } from "../sides.ts"
import { median } from "../stats.ts"

const sizes = {
  full: { transactions: 4_000, warmUp: 500, commits: 300 },
  quick: { transactions: 50, warmUp: 10, commits: 5 },
}

const sessions = 8

/** A gateway that tells when it is called, and accepts at once. */
const timedGateway = () => {
  const calls = new EventTarget()
  const gateway: Gateway = {
    name: "timed",
    send: async () => {
      calls.dispatchEvent(new Event("call"))
      return { status: "accepted", gatewayId: "1" }
    },
  }
  return { calls, gateway }
}

/** Runs transactions on all sessions, and returns the milliseconds of one. */
const timed = async (
  pool: Pool,
  count: number,
  work: (client: PoolClient) => Promise<unknown>,
): Promise<number> => {
  let next = 0
  const begin = performance.now()
  await Promise.all(
    Array.from({ length: sessions }, async () => {
      const client = await pool.connect()
      try {
        while (next < count) {
          const index = next++
          await client.query("BEGIN")
          await client.query("INSERT INTO users (name) VALUES ($1)", [`user ${index}`])
          await work(client)
          await client.query("COMMIT")
        }
      } finally {
        client.release()
      }
    }),
  )
  return ((performance.now() - begin) * sessions) / count
}

const numberOf = (index: number): string => `+88017${String(10_000_000 + (index % 80_000_000))}`

const run = async (context: Context) => {
  const size = sizes[context.scale]
  const database = await freshDatabase(await context.postgresUrl())
  const { calls, gateway } = timedGateway()
  const pool = new Pool({ connectionString: database.url, max: sessions })
  try {
    const secret = "a secret of the bench that is long enough"
    const options = { secret, gateways: [gateway] } as const
    const engine = await createCountersign({ ...options, database: database.url })
    await engine.account.topUp({ amount: "100000", paymentId: "bench" })
    const client = new Client({ connectionString: database.url })
    await client.connect()
    await client.query("CREATE TABLE users (id int8 GENERATED ALWAYS AS IDENTITY, name text)")
    // The same columns, indexes and identity, without the engine's part of the statement.
    await client.query("CREATE TABLE plain (LIKE countersign.outbox INCLUDING ALL)")
    const delays: Array<number> = []
    for (let index = 0; index < size.commits; index++) {
      const send = engine.messages.prepare({ phoneNumber: numberOf(index), text: "Hello" })
      const called = once(calls, "call").then(() => performance.now())
      await client.query("BEGIN")
      await client.query(send.statement)
      await client.query("COMMIT")
      const committed = performance.now()
      delays.push((await called) - committed)
    }
    await client.end()
    // Prepared before the engine ends: no node takes the sends whose transactions are timed.
    const count = 2 * (context.rounds * size.transactions + size.warmUp)
    const statements = Array.from(
      { length: count },
      (_, index) =>
        engine.messages.prepare({ phoneNumber: numberOf(index), text: "Hello" }).statement,
    )
    await engine.dispose()
    const prepared = () => statements.pop() ?? { text: "", values: [] }
    const own = (count: number) => timed(pool, count, (session) => session.query(prepared()))
    const plain = (count: number) =>
      timed(pool, count, (session) => {
        const { text, values } = prepared()
        const columns = /INSERT INTO "countersign"\.outbox (\([^)]*\))/.exec(text)?.[1] ?? ""
        const places = values.map((_, place) => `$${place + 1}`).join(", ")
        return session.query(`INSERT INTO plain ${columns} VALUES (${places})`, values)
      })
    await own(size.warmUp)
    await plain(size.warmUp)
    const [ours = [], other = []] = await inTurns(context, [
      () => own(size.transactions),
      () => plain(size.transactions),
    ])
    const delay = median(delays)
    return {
      figures: [
        latencyFigure(
          { ours, other },
          {
            work: `A host's transaction with the statement, ${sessions} sessions`,
            name: "with an insert of the same row",
            wanted: 1.15,
          },
        ),
        {
          work: "From the host's commit to the call of the gateway, median, one caller",
          ours: `${delay.toFixed(1)} ms`,
          wanted: "≤ 15 ms",
          reached: delay <= 15,
        },
      ],
    }
  } finally {
    await pool.end()
    await database.drop()
  }
}

export const outbox: Measurement = {
  id: "outbox",
  title: "Sends that commit with the host's rows",
  rows: [],
  run,
}
