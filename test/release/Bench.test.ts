/**
 * The bench itself, at a scale that says nothing of speed: every request is answered, the services do the same work
 * and say the same, the floor writes the rows of the engine, and the figures are figures.
 */
import { Client, type QueryResultRow } from "pg"
import { assert, describe, inject, test } from "vitest"
import { mistakes } from "../bench/bookkeeping.ts"
import { load } from "../bench/load.ts"
import type { Context } from "../bench/Measurement.ts"
import { type Result, table } from "../bench/report.ts"
import { check } from "../bench/rows/check.ts"
import {
  checkPath,
  checks,
  sendAndCollect,
  sendPath,
  sends,
  type Side,
  withSides,
} from "../bench/sides.ts"

const context: Context = {
  scale: "quick",
  rounds: 1,
  postgresUrl: () => Promise.resolve(inject("postgresUrl")),
  postgresPid: () => Promise.resolve(undefined),
  quietly: (round) => round(),
  log: () => {},
}

const rowsOf = async <Row extends QueryResultRow>(
  { databaseUrl }: Side,
  query: string,
): Promise<ReadonlyArray<Row>> => {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query<Row>(query)
  await client.end()
  return rows
}

const countRows = async (side: Side, from: string): Promise<number> => {
  const [row] = await rowsOf<{ count: string }>(side, `SELECT count(*) AS count FROM ${from}`)
  return Number(row?.count)
}

/** What sends and checks write, beside one row for each organization. */
const written = [
  "recipients",
  "verifications",
  "messages",
  "open_messages",
  "entries t WHERE kind <> 'top-up'",
  "events t WHERE type <> 'ToppedUp'",
  "totals t WHERE kind <> 'bookings'",
]

/** How many rows of each table have which columns. */
const shapesOf = (side: Side) =>
  Promise.all(
    written.map((from) =>
      rowsOf(
        side,
        `SELECT (SELECT string_agg(key, ' ' ORDER BY key) FROM jsonb_object_keys(
            jsonb_strip_nulls(to_jsonb(t))) AS key) AS columns, count(*)
          FROM countersign.${from.includes(" ") ? from : `${from} t`} GROUP BY 1 ORDER BY 1`,
      ),
    ),
  )

/** Where each service keeps what it has sent, and how often a price was kept. */
const tablesOf: Readonly<Record<string, { readonly log: string; readonly ledger: string }>> = {
  countersign: { log: "countersign.messages", ledger: "countersign.entries" },
  floor: { log: "countersign.messages", ledger: "countersign.entries" },
  handWritten: { log: "messages", ledger: "ledger" },
}

const requests = 300

const sendAndCheck = async (side: Side): Promise<void> => {
  const { log, ledger } = tablesOf[side.name] ?? { log: "", ledger: "" }
  const { pending, result } = await sendAndCollect(side, requests)
  assert.deepEqual([...result.statuses], [[200, requests]])
  assert.strictEqual(new Set(pending.map(({ id }) => id)).size, requests)
  const checked = await load({
    origin: side.service.origin,
    connections: 16,
    ...checks(pending),
  })
  assert.deepEqual([...checked.statuses], [[200, requests]])
  assert.strictEqual(await countRows(side, `${log} WHERE status = 'delivered'`), requests)
  assert.strictEqual(await countRows(side, log), requests)
  assert.strictEqual(await countRows(side, `${ledger} WHERE kind = 'hold'`), requests)
  assert.strictEqual(await countRows(side, `${ledger} WHERE kind = 'capture'`), requests)
}

/** What comes back for a request: the status, and the members of the body with those of `data`. */
const ask = async (
  { service }: Side,
  path: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly shape: string; readonly answer: { data?: Record<string, string> } }> => {
  const response = await fetch(`${service.origin}${path}`, {
    method: "POST",
    body,
    headers: {
      authorization: `Bearer ${service.keys[0]}`,
      "content-type": "application/json",
      ...headers,
    },
  })
  const answer = JSON.parse(await response.text())
  const members = Object.keys({ ...answer, ...answer.data, ...answer.details }).toSorted()
  return { shape: `${path} ${response.status} ${members.join(" ")}`, answer }
}

/** A conversation with a service that has its own limits, as the shapes of what it says. */
const transcript = async (side: Side): Promise<ReadonlyArray<string>> => {
  const shapes: Array<string> = []
  const say = async (...args: Parameters<typeof ask> extends [Side, ...infer Rest] ? Rest : []) => {
    const { answer, shape } = await ask(side, ...args)
    shapes.push(shape)
    return answer
  }
  const request = async (number: string): Promise<string> =>
    (await say(sendPath, JSON.stringify({ phone_number: number }))).data?.["request_id"] ?? ""
  const guess = (id: string, code: string) =>
    say(checkPath, JSON.stringify({ request_id: id, code }))

  await say(sendPath, "{}", { authorization: "Bearer unknown" })
  await say(sendPath, "{}")
  await say(sendPath, "{")
  await say(sendPath, "{}", { "content-type": "text/plain" })
  await say(sendPath, JSON.stringify({ phone_number: "+88017" }))
  await say(sendPath, JSON.stringify({ phone_number: "+8801712345678", code_length: 3 }))
  await say("/api/v2/nowhere", "{}")
  await guess("unknown", "123456")
  const failing = await request("+8801711111111")
  for (let attempt = 0; attempt < 4; attempt++) await guess(failing, "-")
  const passing = await request("+8801722222222")
  const codes = new Map(await side.service.ask<ReadonlyArray<readonly [string, string]>>("codes"))
  const first = await guess(passing, codes.get("+8801722222222") ?? "")
  const second = await guess(passing, "-")
  assert.deepEqual(second, first)
  // The fifth that is pending is the last one.
  for (let pending = 0; pending < 6; pending++) await request("+8801733333333")
  // Seven checks until here, and one that counted nothing: the twentieth is the last one.
  for (let checked = 0; checked < 14; checked++) await guess(passing, "-")
  return shapes
}

const figuresAreFinite = (report: { readonly figures: ReadonlyArray<{ ratio?: unknown }> }) => {
  assert.isAbove(report.figures.length, 0)
  for (const { ratio } of report.figures) assert.isTrue(Number.isFinite(ratio))
}

describe("bench", () => {
  test("sends and checks with each service, which records everything", async () => {
    const starts = ["countersign", "floor", "handWritten"].map((service) => ({
      service,
      organizations: 3,
    }))
    await withSides(context, starts, async (sides) => {
      const [ours, least] = sides
      assert(ours !== undefined && least !== undefined)
      for (const side of sides) await sendAndCheck(side)
      for (const side of [ours, least]) {
        assert.deepEqual(await mistakes(side.databaseUrl, { sent: requests }), [])
      }
      assert.deepEqual(await shapesOf(least), await shapesOf(ours))
    })
  })

  test("gets the same answers from the hand-written service", async () => {
    const starts = ["countersign", "handWritten"].map((service) => ({
      service,
      limits: false as const,
    }))
    await withSides(context, starts, async (sides) => {
      const [ours, other] = await Promise.all(sides.map(transcript))
      assert.deepEqual(other, ours)
    })
  })

  test("finds little among the old objects of the engine after sends: their rows in memory", async () => {
    const execArgv = ["--expose-gc", "--initial-heap-size=1000"]
    await withSides(context, [{ service: "countersign", execArgv }], async ([side]) => {
      assert(side !== undefined)
      const { service } = side
      const send = (count: number) =>
        load({ origin: service.origin, connections: 32, requests: count, ...sends(side) })
      const look = () => service.ask<{ before: number; after: number }>("oldObjects")
      await send(10_000)
      const { after } = await look()
      await send(10_000)
      const { before } = await look()
      const bytes = (before - after) / 10_000
      assert.isAbove(bytes, 0, "a collection came in between")
      assert.isBelow(bytes, 3_000)
    })
  })

  test("computes a ratio for every figure of a campaign", async () => {
    figuresAreFinite(await check.run(context))
  })

  test("shows in the table by how much a figure is missed", () => {
    const result: Result = {
      id: "x",
      title: "X",
      rows: [1],
      date: "2026-01-31T00:00:00.000Z",
      node: "v24.0.0",
      cores: 2,
      rounds: 3,
      figures: [
        { work: "a", ours: "4/s", ratio: 4, spread: [3, 5], wanted: "≥ 5×", reached: false },
        { work: "b", ours: "2 ms", against: "1 ms", ratio: 2, wanted: "≤ 1.5×", reached: false },
        { work: "c", ours: "1", wanted: "≥ 1", reached: true },
      ],
      notes: [],
      charts: [],
    }
    assert.deepEqual(table([result]).split("\n").slice(2), [
      "| 1 | a | 4/s |  | 4.00× (3.00–5.00) | ≥ 5× | **no**: 80 % of it |",
      "| 1 | b | 2 ms | 1 ms | 2.00× | ≤ 1.5× | **no**: 34 % above it |",
      "| 1 | c | 1 |  |  | ≥ 1 | yes |",
    ])
  })
})
