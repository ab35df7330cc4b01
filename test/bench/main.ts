/**
 * `pnpm bench [names…] [--quick] [--rounds N] [--base FOLDER]`: runs the named measurements, or all, and writes
 * `RESULTS.md`. Runs on this machine only. Starts its own PostgreSQL server with `fsync` on, or uses the
 * server of DATABASE_URL.
 *
 * `--base` is another checkout, built. The measurement `base` compares with it.
 *
 * `--quick` only shows that the measurements run: the figures mean nothing, and nothing is written.
 */
import { resolve } from "node:path"
import { parseArgs } from "node:util"
import { Client } from "pg"
import { type PostgresServer, startPostgres } from "../support/PostgresServer.ts"
import type { Context, Measurement } from "./Measurement.ts"
import { measurements } from "./measurements.ts"
import { quietCheck } from "./quiet.ts"
import { base } from "./rows/base.ts"
import { type Result, save, table, toResult } from "./report.ts"

const { positionals: ids, values } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    rounds: { type: "string" },
    base: { type: "string" },
  },
})

const known = measurements.map(({ id }) => id)
const unknown = ids.filter((id) => !known.includes(id))
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(", ")}. There are: ${known.join(", ")}`)
  process.exit(2)
}

const rounds = Number(values.rounds ?? (values.quick ? 1 : 3))
if (!Number.isInteger(rounds) || rounds < 1) {
  console.error("--rounds takes a number of rounds, at least 1")
  process.exit(2)
}

const given = process.env["DATABASE_URL"]
let server: Promise<PostgresServer> | undefined
/** The settings of memory and log for both sides. No checkpoint begins by itself during a turn. */
const settings = { shared_buffers: "1GB", max_wal_size: "16GB", checkpoint_timeout: "1h" }
const own = (): Promise<PostgresServer> => (server ??= startPostgres({ fsync: true, settings }))
let version: string | undefined

const postgresUrl = async (): Promise<string> => {
  const url = given ?? (await own()).url
  if (version === undefined) {
    const client = new Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query<{ server_version: string }>("SHOW server_version")
    await client.end()
    version = rows[0]?.server_version
  }
  return url
}

const context: Context = {
  scale: values.quick ? "quick" : "full",
  rounds,
  postgresUrl,
  postgresPid: async () => (given === undefined ? (await own()).pid : undefined),
  quietly: (round) => round(),
  log: (line) => console.log(`  ${line}`),
  base: values.base === undefined ? undefined : resolve(values.base),
}

const isChosen = ({ id }: Measurement): boolean =>
  ids.length === 0 ? id !== base.id || values.base !== undefined : ids.includes(id)

const run = async (measurement: Measurement): Promise<Result> => {
  let usesPostgres = false
  const quiet = quietCheck(context.log)
  const report = await measurement.run({
    ...context,
    // A server of the user's own is not among the processes of the bench.
    ...(context.scale === "full" && given === undefined && { quietly: quiet.quietly }),
    postgresUrl: () => {
      usesPostgres = true
      return postgresUrl()
    },
  })
  const note = quiet.note()
  const result = toResult(
    measurement,
    context,
    note === undefined ? report : { ...report, notes: [...(report.notes ?? []), note] },
    usesPostgres ? version : undefined,
  )
  if (context.scale === "full") save(result, report)
  return result
}

const results: Array<Result> = []
const failures: Array<string> = []
const started = performance.now()
try {
  for (const measurement of measurements.filter(isChosen)) {
    console.log(`${measurement.id}: ${measurement.title}`)
    try {
      const result = await run(measurement)
      results.push(result)
      console.log(`\n${table([result])}\n`)
    } catch (error) {
      failures.push(measurement.id)
      console.error(`${measurement.id} could not be measured:`, error)
    }
  }
} finally {
  // The measurement that needed the server has reported a failed start.
  await server?.then(
    ({ stop }) => stop(),
    () => {},
  )
}

if (results.length > 1) console.log(table(results))
console.log(`\n${((performance.now() - started) / 60_000).toFixed(1)} minutes`)
if (failures.length > 0) {
  console.error(`Not measured: ${failures.join(", ")}`)
  process.exit(1)
}
