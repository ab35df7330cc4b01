/**
 * Compares late pages of a long log (`GET /messages`) with the first page of a short log in the same database,
 * and with the usual way to serve pages, which counts and skips rows. Measures the pages of the admin API as well.
 */
import { isDeepStrictEqual } from "node:util"
import { Client } from "pg"
import { bulkLoad, organizationId } from "../bulk.ts"
import { checkAccounts, checkOrganization } from "../bulkCheck.ts"
import { lineChart } from "../charts.ts"
import { latencyFigure, millis } from "../compared.ts"
import { get, load } from "../load.ts"
import type { Context, Figure, Measurement, Report } from "../Measurement.ts"
import { freshDatabase, type Service, startService } from "../services/Service.ts"
import { median } from "../stats.ts"
import { inRounds } from "../sides.ts"
import { adminFigures } from "./adminPages.ts"
import { searchFigures } from "./search.ts"

/** A page of the log of one organization, and the number of messages that match. */
interface Page {
  readonly name: string
  readonly organization: number
  readonly query: (turn: number) => string
  readonly total: number
  /** `false` for a figure that is only reported. */
  readonly isWanted?: boolean
}

const limit = 50
const lastPage = (entries: number): number => Math.ceil(entries / limit)

/** Maximum time of a page of the long log, relative to the first page of the short log. */
const most = 1.5

const run = async (context: Context): Promise<Report> => {
  const full = context.scale === "full"
  const depths = full ? [1e3, 1e4, 1e5, 1e6, 1e7] : [1e3, 1e4, 1e5]
  const database = await freshDatabase(await context.postgresUrl())
  const service = await startService("countersign", {
    databaseUrl: database.url,
    organizations: depths.length + 1,
  })
  try {
    context.log(`log: loading ${depths.join(" + ")} entries`)
    await bulkLoad({
      databaseUrl: database.url,
      service,
      pattern: depths.length,
      holdings: depths.map((messages, index) => ({ index, messages, recipients: messages / 5 })),
      log: context.log,
    })
    const checked = [await checkAccounts(database.url), await checkOrganization(database.url, 0)]
    const pages = await pagesOf(database.url, depths)
    const each = full ? 400 : 20
    const figures: Array<Figure> = []
    for (const connections of [1, 8]) {
      figures.push(...(await compare(context, service, pages, connections, each)))
    }
    const [short = 0, long = 0] = [full ? 1e4 : 1e3, depths.at(-1)]
    const logOf = (messages: number) => ({ index: depths.indexOf(messages), messages })
    figures.push(...(await searchFigures(context, database.url, logOf(short), logOf(long))))
    figures.push(...(await adminFigures(context, database.url, logOf(long))))
    context.log("log: against COUNT and OFFSET")
    const usual = await usualLog(database.url, service)
    try {
      for (const page of pages.slice(1)) figures.push(await againstUsual(service, usual, page))
      return {
        figures,
        notes: [
          `All totals were compared with a count of the same rows, and the pages with those that COUNT and OFFSET give. ${checked.join(" ")}`,
          "Searches run in the process, on rows that were read before. A search without a phone number examines at most 2,000 messages for a page, and its cursor continues behind them.",
          "Pages of the admin API are requested in the process, one at a time and in turns, and each of them at another place of its list. The event log has one event for each message, the audit 10,000 entries, and the host 10,000 organizations more.",
          "COUNT and OFFSET run on the same table after an index on (organization, created_at, sequence) was added to it; the engine's own figures were taken before, without that index.",
        ],
        charts: [
          {
            file: "log-depth.svg",
            caption: "Median latency of a page of 50 messages against the length of the log",
            svg: await depthChart(service, usual, depths, each),
          },
        ],
      }
    } finally {
      await usual.stop()
    }
  } finally {
    await service.stop()
    await database.drop()
  }
}

/** The first page of the short log, and then the pages that are compared with it. */
const pagesOf = async (
  databaseUrl: string,
  depths: ReadonlyArray<number>,
): Promise<ReadonlyArray<Page>> => {
  const long = depths.length - 1
  const entries = depths[long] ?? 0
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  const number = async (sql: string, values: ReadonlyArray<unknown>): Promise<number> =>
    Number((await client.query<{ value: string }>(sql, [...values])).rows[0]?.value)
  try {
    const messages = "countersign.messages WHERE organization = $1"
    const id = organizationId(long)
    const at = (rank: number) =>
      number(`SELECT created_at AS value FROM ${messages} AND sequence = $2`, [id, rank])
    const [from, to] = [await at(Math.floor(entries / 3)), await at(Math.floor((entries * 2) / 3))]
    const matching = await number(
      `SELECT count(*) AS value FROM ${messages} AND created_at BETWEEN $2 AND $3`,
      [id, from, to],
    )
    const iso = (millis: number) => new Date(millis).toISOString()
    const dates = `from=${iso(from)}&to=${iso(to)}`
    const all = { organization: long, total: entries }
    const deep = Math.min(10_000, lastPage(entries))
    const fixed = (name: string, query: string, total = entries): Page => ({
      ...all,
      name,
      query: () => query,
      total,
    })
    return [
      { name: "page 1", organization: 1, query: () => "page=1", total: depths[1] ?? 0 },
      fixed("page 1", "page=1"),
      fixed(`page ${deep.toLocaleString("en")}`, `page=${deep}`),
      fixed("last page", `page=${lastPage(entries)}`),
      fixed("dates in the middle, page 1", dates, matching),
      fixed(
        "dates in the middle, middle page",
        `${dates}&page=${lastPage(matching / 2)}`,
        matching,
      ),
      {
        ...all,
        name: "any page",
        isWanted: false,
        // Far from the previous page, so that few of its blocks are in the buffers of the server.
        query: (turn) => `page=${1 + ((turn * 7_919_999) % lastPage(entries))}`,
      },
    ]
  } finally {
    await client.end()
  }
}

const totalIn = /"total":(\d+)/

/** Returns the median milliseconds of each page, requested in turns. Every total has to be correct. */
const latencies = async (
  service: Pick<Service, "origin" | "keys">,
  pages: ReadonlyArray<Page>,
  connections: number,
  bound: { readonly each: number; readonly durationMillis?: number },
): Promise<ReadonlyArray<number>> => {
  const times = pages.map((): Array<number> => [])
  const begun = new Map<number, number>()
  await load({
    origin: service.origin,
    connections,
    requests: bound.each * pages.length,
    durationMillis: bound.durationMillis,
    request: (rank) => {
      const page = pages[rank % pages.length]
      const query = page?.query(Math.floor(rank / pages.length)) ?? ""
      begun.set(rank, performance.now())
      return get(`/api/v2/messages?${query}`, service.keys[page?.organization ?? 0] ?? "")
    },
    answer: (rank, status, body) => {
      times[rank % pages.length]?.push(performance.now() - (begun.get(rank) ?? 0))
      begun.delete(rank)
      const page = pages[rank % pages.length]
      const total = Number(totalIn.exec(body)?.[1])
      if (status !== 200 || total !== page?.total) {
        throw new Error(`${page?.name} was answered ${status} with the total ${total}: ${body}`)
      }
    },
  })
  return times.map(median)
}

/** Compares the pages of the long log with the first page of the short one in every round. */
const compare = async (
  context: Context,
  service: Service,
  pages: ReadonlyArray<Page>,
  connections: number,
  each: number,
): Promise<ReadonlyArray<Figure>> => {
  await latencies(service, pages, connections, { each })
  const measured = await inRounds(context, async (round) => {
    const times = await latencies(service, pages, connections, { each })
    context.log(
      `log: ${connections} connections, round ${round + 1}: ${times.map((ms) => ms.toFixed(2)).join(" ")} ms`,
    )
    return times
  })
  const [short] = pages
  const of = (page: number) => measured.map((times) => times[page] ?? 0)
  return pages.slice(1).map((page, index): Figure => {
    const { reached, wanted, ...figure } = latencyFigure(
      { ours: of(index + 1), other: of(0) },
      {
        work: `${workOf(page)}, ${connections} ${connections === 1 ? "connection" : "connections"}`,
        name: `for page 1 of ${short?.total.toLocaleString("en")}`,
        wanted: most,
      },
    )
    return page.isWanted === false ? figure : { ...figure, wanted, reached }
  })
}

const workOf = ({ name, total }: Page): string =>
  `GET /messages, ${name} of ${total.toLocaleString("en")}`

/** The usual way to serve a log, with the index that it needs. */
const usualLog = async (databaseUrl: string, { keys }: Service): Promise<Service> => {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query("SET maintenance_work_mem = '512MB'")
  await client.query(
    "CREATE INDEX usual_log ON countersign.messages (organization, created_at, sequence)",
  )
  await client.end()
  return await startService("../baselines/countedLog", { databaseUrl, share: keys })
}

const bodyOf = async ({ keys, origin }: Service, page: Page): Promise<unknown> => {
  const url = `${origin}/api/v2/messages?${page.query(1)}`
  const headers = { authorization: `Bearer ${keys[page.organization]}` }
  const response = await fetch(url, { headers })
  return await response.json()
}

/** Few requests, because one of them may take seconds. */
const patience = { each: 10, durationMillis: 4_000 }

const againstUsual = async (service: Service, usual: Service, page: Page): Promise<Figure> => {
  if (!isDeepStrictEqual(await bodyOf(service, page), await bodyOf(usual, page))) {
    throw new Error(`${page.name} is not what COUNT and OFFSET give`)
  }
  const [ours = 0] = await latencies(service, [page], 1, { each: 100 })
  const [theirs = 0] = await latencies(usual, [page], 1, patience)
  return {
    work: `${workOf(page)}, 1 connection`,
    ours: millis(ours),
    against: `${millis(theirs)} by COUNT and OFFSET, ${Math.round(theirs / ours).toLocaleString("en")} times as long`,
  }
}

const depthChart = async (
  service: Service,
  usual: Service,
  depths: ReadonlyArray<number>,
  each: number,
): Promise<string> => {
  const pageOf =
    (name: string, at: (last: number) => number) => (total: number, index: number) => ({
      name,
      organization: index,
      query: () => `page=${at(lastPage(total))}`,
      total,
    })
  const first = depths.map(pageOf("page 1", () => 1))
  const middle = depths.map(pageOf("middle page", (last) => Math.ceil(last / 2)))
  const last = depths.map(pageOf("last page", (page) => page))
  // In turns, so that other load on the machine affects all lines of the chart alike.
  const ours = await latencies(service, [...first, ...middle, ...last], 1, { each })
  const points = (times: ReadonlyArray<number>) =>
    depths.map((depth, index) => [depth, times[index] ?? 0] as const)
  const usually = async (pages: ReadonlyArray<Page>) => {
    const times: Array<number> = []
    for (const page of pages) times.push(...(await latencies(usual, [page], 1, patience)))
    return points(times)
  }
  const size = depths.length
  return lineChart({
    title: "A page of 50 messages",
    xLabel: "messages in the log",
    yLabel: "median milliseconds, 1 connection",
    xScale: "log",
    yScale: "log",
    series: [
      { name: "page 1", points: points(ours.slice(0, size)) },
      { name: "middle page", points: points(ours.slice(size, 2 * size)) },
      { name: "last page", points: points(ours.slice(2 * size)) },
      { name: "COUNT + OFFSET, page 1", points: await usually(first) },
      { name: "COUNT + OFFSET, last page", points: await usually(last) },
    ],
  })
}

export const log: Measurement = {
  id: "log",
  title: "The log at any depth",
  rows: [7],
  run,
}
