/**
 * Compares sends while the same process drops a year of the organization's log and requests with sends while
 * everything is kept.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { Client } from "pg"
import { bulkLoad, organizationId } from "../bulk.ts"
import { millis, p99Figure, processorNote, throughputFigure } from "../compared.ts"
import { get, load } from "../load.ts"
import type { Context, Measurement, Report } from "../Measurement.ts"
import { freshDatabase, type Service, startService } from "../services/Service.ts"
import { inTurns, measure, type Measured, sends } from "../sides.ts"
import { median } from "../stats.ts"

/** Retention keeps this part of the year. */
const dropping = { RETENTION_DAYS: "30" }

const connections = 64

const sizes = {
  full: { messages: 1_000_000, recipients: 300_000, durationMillis: 12_000, warmUp: 5_000 },
  quick: { messages: 20_000, recipients: 5_000, durationMillis: 1_000, warmUp: 100 },
}

const hot = organizationId(0)

const count = (value: number): string => Math.round(value).toLocaleString("en")

/** The figures of a turn, and the number of rows dropped during its load. */
interface Turn extends Measured {
  readonly droppedPerSecond: number
}

/** Number of remaining rows of each kind, and the start of the log. */
interface Left {
  readonly first: number
  readonly last: number
  readonly messages: number
  readonly oldest: number
  readonly verifications: number
}

const leftOf = async (client: Client): Promise<Left> => {
  const { rows } = await client.query<Record<keyof Left, string>>(
    `SELECT first_message AS first, last_message AS last,
        (SELECT count(*) FROM countersign.messages WHERE organization = $1) AS messages,
        (SELECT min(sequence) FROM countersign.messages WHERE organization = $1) AS oldest,
        (SELECT count(*) FROM countersign.verifications WHERE organization = $1) AS verifications
      FROM countersign.accounts WHERE organization = $1`,
    [hot],
  )
  const of = (name: keyof Left): number => Number(rows[0]?.[name])
  const left: Left = {
    first: of("first"),
    last: of("last"),
    messages: of("messages"),
    oldest: of("oldest"),
    verifications: of("verifications"),
  }
  if (left.messages !== left.last - left.first + 1 || left.oldest !== left.first) {
    throw new Error(`The log has gaps: ${JSON.stringify(left)}`)
  }
  return left
}

/** The total of a page, and its median time. */
const page = async ({ keys, origin }: Service, query: string) => {
  let total = Number.NaN
  const { p50 } = await load({
    origin,
    connections: 1,
    requests: 50,
    request: () => get(`/api/v2/messages?limit=50${query}`, keys[0] ?? ""),
    answer: (_, status, body) => {
      if (status !== 200) throw new Error(`The log answered ${status}: ${body}`)
      total = Number(/"total":(\d+)/.exec(body)?.[1])
    },
  })
  return { p50, total }
}

const run = async (context: Context): Promise<Report> => {
  const size = sizes[context.scale]
  const database = await freshDatabase(await context.postgresUrl())
  const client = new Client({ connectionString: database.url })
  await client.connect()
  let up: Service | undefined
  let keys: ReadonlyArray<string> | undefined
  let sent = 0
  /** Starts a node for every turn, so that no other turn drops rows. */
  const start = async (env: Readonly<Record<string, string>> = {}): Promise<Service> => {
    up = await startService("countersign", {
      databaseUrl: database.url,
      organizations: 2,
      share: keys,
      env,
    })
    return up
  }
  const stop = async (): Promise<void> => {
    await up?.stop()
    up = undefined
  }
  const turn = (env: Readonly<Record<string, string>>) => async (): Promise<Turn> => {
    const { keys: all, origin, ...service } = await start(env)
    // The rows of the other organization are the pattern of the loaded rows.
    const one = { ...service, origin, keys: all.slice(0, 1) }
    const side = { name: "countersign", service: one, databaseUrl: database.url, sends: sent }
    await load({ origin, connections, requests: size.warmUp, ...sends(side) })
    const before = await leftOf(client)
    const result = await measure(context, side, {
      connections,
      durationMillis: size.durationMillis,
      ...sends(side),
    })
    const after = await leftOf(client)
    await stop()
    sent = side.sends
    const gone = after.first - before.first
    const goneRequests = before.verifications + result.answered - after.verifications
    context.log(
      `${count(result.perSecond)}/s, p99 ${millis(result.p99)}, ${count(gone)} messages and ${count(goneRequests)} requests dropped`,
    )
    if (context.scale === "full" && gone > 0 !== (env === dropping)) {
      throw new Error(`${count(gone)} messages were dropped in a turn with ${JSON.stringify(env)}`)
    }
    return { ...result, droppedPerSecond: (gone + goneRequests) / result.seconds }
  }
  try {
    const filling = await start()
    keys = filling.keys
    context.log(`loading ${count(size.messages)} messages`)
    await bulkLoad({
      databaseUrl: database.url,
      service: filling,
      pattern: 1,
      holdings: [{ index: 0, messages: size.messages, recipients: size.recipients }],
      log: context.log,
    })
    await stop()
    const [ours = [], other = []] = await inTurns(context, [turn(dropping), turn({})])
    const rest = await drain(context, client, () => start(dropping))
    await stop()
    return report({ ours, other }, rest, size.messages)
  } finally {
    await stop()
    await client.end()
    await database.drop()
  }
}

interface Rest {
  readonly rowsPerSecond: number
  readonly left: Left
  readonly pages: ReadonlyArray<{ readonly what: string; readonly p50: number }>
}

/** Waits until a node without load has dropped all remaining rows, and then reads the log. */
const drain = async (
  context: Context,
  client: Client,
  start: () => Promise<Service>,
): Promise<Rest> => {
  const rowsOf = ({ messages, verifications }: Left): number => messages + verifications
  const started = performance.now()
  const before = await leftOf(client)
  const service = await start()
  let seconds = 0
  let earlier = before
  let left = before
  do {
    earlier = left
    seconds = (performance.now() - started) / 1_000
    await sleep(2_000)
    left = await leftOf(client)
  } while (rowsOf(left) < rowsOf(earlier))
  const rowsPerSecond = (rowsOf(before) - rowsOf(left)) / seconds
  context.log(`${count(rowsPerSecond)} rows dropped a second without load`)
  const everything = await page(service, "")
  const older = await page(service, "&from=2000-01-01&to=2100-01-01")
  const none = await page(service, "&from=2000-01-01&to=2000-12-31")
  if (everything.total !== left.messages || older.total !== left.messages || none.total !== 0) {
    throw new Error(`Totals of ${everything.total}, ${older.total} and ${none.total}`)
  }
  return {
    rowsPerSecond,
    left,
    pages: [
      { what: "the first page", p50: everything.p50 },
      { what: "a range that begins before the first message", p50: older.p50 },
    ],
  }
}

const report = (
  turns: { readonly ours: ReadonlyArray<Turn>; readonly other: ReadonlyArray<Turn> },
  { left, pages, rowsPerSecond }: Rest,
  loaded: number,
): Report => {
  const work = `\`POST /verify\`, one organization, ${connections} connections, while ${count(loaded)} of its messages and as many requests are dropped`
  const name = "with everything kept"
  return {
    figures: [
      throughputFigure(turns, { work, name, wanted: 0.9 }),
      p99Figure(turns, { work: `${work}: p99`, name, wanted: 1.5 }),
      {
        work: "Rows dropped by one node",
        ours: `${count(median(turns.ours.map(({ droppedPerSecond }) => droppedPerSecond)))}/s under that load`,
        against: `${count(rowsPerSecond)}/s without load`,
      },
    ],
    notes: [
      processorNote(work, `the same ${name}`, turns),
      `After each turn and in the end the log had no gaps and began where the account says. In the end ${count(left.messages)} messages and ${count(left.verifications)} requests were left; ${pages.map(({ p50, what }) => `${what} took ${millis(p50)}`).join(", ")}, with exact totals, on tables whose dropped rows autovacuum removes in its own time.`,
    ],
  }
}

export const retention: Measurement = {
  id: "retention",
  title: "Sends while old rows are dropped",
  rows: [],
  run,
}
