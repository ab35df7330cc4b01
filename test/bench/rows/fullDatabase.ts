/**
 * Compares sends on a database with ten million requests with sends on an empty one, and measures an empty
 * database while it fills. The throughput must not depend on the number of past requests.
 */
import { Client } from "pg"
import { bulkLoad, type Holdings, recipientNumber } from "../bulk.ts"
import { checkAccounts, checkOrganization } from "../bulkCheck.ts"
import { lineChart } from "../charts.ts"
import { processorNote, throughputFigure } from "../compared.ts"
import { load, post } from "../load.ts"
import type { Chart, Context, Figure, Measurement, Report } from "../Measurement.ts"
import { othersShare, percent, read } from "../quiet.ts"
import { familyMillis, processMillis } from "../services/processTimes.ts"
import { freshDatabase, type Service, startService } from "../services/Service.ts"
import { inTurns, measureLoad, sendPath, type Side, withSide } from "../sides.ts"
import { median } from "../stats.ts"

const connections = 64

/** Minimum throughput of a full database, and of one at the end of its filling, relative to an empty one. */
const least = { full: 0.95, filled: 0.9 }

/**
 * One hot organization, and others that share the rest. `warmUp`: number of sends before the first turn, which visit
 * nearly all pages of recipients and of the index by number.
 */
const sizes = {
  full: {
    hot: 8_000_000,
    hotRecipients: 1_500_000,
    others: 1_000,
    each: 2_000,
    eachRecipients: 500,
    warmUp: 150_000,
  },
  quick: {
    hot: 40_000,
    hotRecipients: 8_000,
    others: 20,
    each: 500,
    eachRecipients: 100,
    warmUp: 1,
  },
}

const run = async (context: Context): Promise<Report> => {
  const compared = await compare(context)
  const filled = await fill(context)
  return {
    figures: [...compared.figures, ...filled.figures],
    notes: [...(compared.notes ?? []), ...(filled.notes ?? [])],
    charts: filled.charts,
  }
}

/** Returns the organization and the recipient of the request with this rank. */
type Choice = (rank: number) => { readonly organization: number; readonly recipient: number }

const compare = async (context: Context): Promise<Report> => {
  const size = sizes[context.scale]
  const holdings = Array.from({ length: 1 + size.others }, (_, index): Holdings =>
    index === 0
      ? { index, messages: size.hot, recipients: size.hotRecipients }
      : { index, messages: size.each, recipients: size.eachRecipients },
  )
  const messages = holdings.reduce((sum, one) => sum + one.messages, 0)
  // One more organization, with the pattern of all others.
  const organizations = holdings.length + 1
  return await withBoth(context, organizations, async (full, empty) => {
    context.log(`full: loading ${messages} messages of ${holdings.length} organizations`)
    await bulkLoad({
      databaseUrl: full.databaseUrl,
      service: full.service,
      pattern: holdings.length,
      holdings,
      log: context.log,
    })
    for (const side of [full, empty]) await stopAutovacuum(side)
    const on = `on ${messages.toLocaleString("en")} requests`
    const reports: Array<Report> = []
    for (const { known, name, unknown } of [
      {
        name: `one organization, ${on}`,
        known: (rank: number) => ({
          organization: 0,
          recipient: spread(rank, size.hotRecipients),
        }),
        unknown: (rank: number) => ({ organization: 0, recipient: size.hotRecipients + rank }),
      },
      {
        name: `${size.others.toLocaleString("en")} organizations, ${on}`,
        known: (rank: number) => ({
          organization: 1 + (rank % size.others),
          recipient: spread(Math.floor(rank / size.others), size.eachRecipients),
        }),
        unknown: (rank: number) => ({
          organization: 1 + (rank % size.others),
          recipient: size.eachRecipients + Math.floor(rank / size.others),
        }),
      },
    ]) {
      await warmUp(context, full, known)
      reports.push(await sendOnBoth(context, full, empty, name, unknown, least.full))
      const knownName = `${name}, to numbers that only the full database has`
      reports.push(await sendOnBoth(context, full, empty, knownName, known))
    }
    const sent = await messagesIn(full.databaseUrl)
    if (sent !== messages + 1 + full.sends) {
      throw new Error(`${sent} messages are not one for each of ${full.sends} sends`)
    }
    const checked = [
      await checkAccounts(full.databaseUrl),
      await checkOrganization(full.databaseUrl, 1),
    ]
    return {
      figures: reports.flatMap(({ figures }) => figures),
      notes: [
        ...reports.flatMap(({ notes = [] }) => notes),
        `The full database had ${size.warmUp.toLocaleString("en")} sends before the first turn of each kind. Autovacuum was off in both databases during the turns.`,
        `On the full database, after ${full.sends.toLocaleString("en")} sends: ${checked.join(" ")}`,
      ],
    }
  })
}

const withBoth = <A>(
  context: Context,
  organizations: number,
  use: (full: Side, empty: Side) => Promise<A>,
): Promise<A> =>
  withSide(context, "countersign", { organizations }, (full) =>
    withSide(context, "countersign", { organizations }, (empty) => use(full, empty)),
  )

/** Visits every recipient once before the first is repeated. Neighbouring ranks have distant recipients. */
const spread = (rank: number, recipients: number): number => (rank * 7_919_999) % recipients

const sendsOf = (side: Side, choose: Choice) => {
  const first = side.sends
  return {
    connections,
    request: (rank: number) => {
      side.sends = first + rank + 1
      const { organization, recipient } = choose(first + rank)
      return sendTo(side.service.keys[organization] ?? "", recipient)
    },
    answer: expectSent,
  }
}

/**
 * The first change of a page after a checkpoint writes a copy of the page to the log, and often reads the page. In a
 * service that runs, a page changes many times between two checkpoints.
 */
const warmUp = async (context: Context, full: Side, choose: Choice): Promise<void> => {
  await load({
    origin: full.service.origin,
    requests: sizes[context.scale].warmUp,
    ...sendsOf(full, choose),
  })
}

/** Its work comes in bursts, which turns of some seconds would meet by chance. */
const stopAutovacuum = async ({ databaseUrl }: Side): Promise<void> => {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'countersign'",
    )
    for (const { name } of rows) {
      await client.query(`ALTER TABLE countersign.${name} SET (autovacuum_enabled = false)`)
    }
  } finally {
    await client.end()
  }
}

const sendOnBoth = async (
  context: Context,
  full: Side,
  empty: Side,
  what: string,
  choose: Choice,
  wanted?: number,
): Promise<Report> => {
  const durationMillis = context.scale === "full" ? 10_000 : 500
  const once = async (side: Side) => {
    // Without a checkpoint.
    const measured = await measureLoad(context, side, {
      ...sendsOf(side, choose),
      durationMillis,
    })
    context.log(
      `full: ${what}, ${side === full ? "full" : "empty"}: ${measured.perSecond.toFixed(0)}/s`,
    )
    return measured
  }
  for (const side of [full, empty]) await once(side)
  const [ours = [], other = []] = await inTurns(context, [() => once(full), () => once(empty)])
  const comparison = { ours, other }
  const work = `POST /verify, ${what}, ${connections} connections`
  const name = "on an empty database"
  return {
    figures: [throughputFigure(comparison, { work, name, wanted })],
    notes: [processorNote(work, name, comparison)],
  }
}

const sendTo = (key: string, recipient: number): string =>
  post(sendPath, key, { phone_number: recipientNumber(recipient) })

const expectSent = (_: number, status: number, body: string): void => {
  if (status !== 200) throw new Error(`A send was answered ${status}: ${body}`)
}

const messagesIn = async (databaseUrl: string): Promise<number> => {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const sum = "SELECT sum(last_message) AS messages FROM countersign.accounts"
    return Number((await client.query<{ messages: string }>(sum)).rows[0]?.messages)
  } finally {
    await client.end()
  }
}

/** Number of sends, and of those in a window. */
const fillSizes = {
  full: { sends: 1_000_000, window: 20_000 },
  quick: { sends: 2_000, window: 200 },
}
/** Duration of the filling. The figure shows the number of rows at its end. */
const fillMillis = 600_000
/** A window is a dip if its throughput is below this share of its neighbours. */
const dipShare = 0.7
const neighbours = 4

interface Window {
  /** Number of requests in the database at the end of the window. */
  readonly rows: number
  /** Number of sends in the window. */
  readonly sends: number
  readonly perSecond: number
  /** Microseconds of processor time for a send, of the service and the database. */
  readonly cpu: number
  /** Share of the machine's processors that other processes used. */
  readonly others: number
}

/** From an empty database to a million requests, without `ANALYZE`. */
const fill = async (context: Context): Promise<Report> => {
  const database = await freshDatabase(await context.postgresUrl())
  try {
    const service = await startService("countersign", { databaseUrl: database.url })
    try {
      context.log(`full: ${fillSizes[context.scale].sends} sends into an empty database`)
      // The service warms up in the first window.
      const [, ...windows] = await windowsOf(context, service)
      const checked = await checkAccounts(database.url)
      return {
        figures: fillFigures(windows),
        notes: fillNotes(windows, checked),
        charts: [fillChart(windows)],
      }
    } finally {
      await service.stop()
    }
  } finally {
    await database.drop()
  }
}

const windowsOf = async (
  context: Context,
  { keys, origin, pid }: Service,
): Promise<ReadonlyArray<Window>> => {
  const { sends, window: size } = fillSizes[context.scale]
  const postgresPid = await context.postgresPid()
  const times = () => {
    const ofDatabase = postgresPid === undefined ? 0 : familyMillis(postgresPid)
    return { ...read(), cpu: processMillis(pid) + ofDatabase }
  }
  const windows: Array<Window> = []
  let answered = 0
  let began = times()
  await load({
    origin,
    connections,
    requests: sends,
    durationMillis: fillMillis,
    request: (rank) => sendTo(keys[0] ?? "", spread(rank, sizes.full.hotRecipients)),
    answer: (rank, status, body) => {
      expectSent(rank, status, body)
      answered += 1
      if (answered % size > 0) return
      const now = times()
      const window: Window = {
        rows: answered,
        sends: size,
        perSecond: (size * 1_000) / (now.at - began.at),
        cpu: ((now.cpu - began.cpu) * 1_000) / size,
        others: othersShare(began, now),
      }
      windows.push(window)
      began = now
      context.log(
        `full: ${answered} sends, ${aSecond(window.perSecond)}, ${window.cpu.toFixed(0)} µs each, others ${percent(window.others)}`,
      )
    },
  })
  return windows
}

const dipsOf = (windows: ReadonlyArray<Window>): ReadonlyArray<Window> =>
  windows.filter(({ perSecond }, index) => {
    const around = [
      ...windows.slice(Math.max(0, index - neighbours), index),
      ...windows.slice(index + 1, index + 1 + neighbours),
    ]
    return perSecond < dipShare * median(around.map((window) => window.perSecond))
  })

const fillFigures = (windows: ReadonlyArray<Window>): ReadonlyArray<Figure> => {
  const rates = windows.map(({ perSecond }) => perSecond)
  const lowest = Math.min(...rates)
  const { early, late } = endsOf(windows)
  const rate = (of: ReadonlyArray<Window>) => median(of.map(({ perSecond }) => perSecond))
  const ratio = rate(late) / rate(early)
  const { rows = 0, sends = 0 } = windows.at(-1) ?? {}
  const work = `POST /verify, one organization, ${connections} connections, from 0 to ${rows.toLocaleString("en")} requests`
  return [
    {
      work: `${work}: slowest ${sends.toLocaleString("en")} sends`,
      ours: aSecond(lowest),
      against: `${aSecond(median(rates))} median`,
      ratio: lowest / median(rates),
      // A single such window is caused by the machine. An effect of the rows would repeat.
      wanted: `at most one below ${dipShare}× its neighbours`,
      reached: dipsOf(windows).length <= 1,
    },
    {
      work: `${work}: last tenth`,
      ours: aSecond(rate(late)),
      against: `${aSecond(rate(early))} first tenth`,
      ratio,
      wanted: `≥ ${least.filled}×`,
      reached: ratio >= least.filled,
    },
  ]
}

const endsOf = (windows: ReadonlyArray<Window>) => {
  const tenth = Math.max(1, Math.floor(windows.length / 10))
  return { early: windows.slice(0, tenth), late: windows.slice(-tenth) }
}

const aSecond = (value: number): string => `${Math.round(value).toLocaleString("en")}/s`

const fillNotes = (windows: ReadonlyArray<Window>, checked: string): ReadonlyArray<string> => {
  const { early, late } = endsOf(windows)
  const cpu = (of: ReadonlyArray<Window>) => Math.round(median(of.map((window) => window.cpu)))
  const dips = dipsOf(windows).map(
    ({ others, perSecond, rows }) =>
      `${aSecond(perSecond)} up to ${rows} (${percent(others)} of the processors were others')`,
  )
  const others = median(windows.map((window) => window.others))
  return [
    `While the database fills, a send takes ${cpu(early)} µs of processor time of service and database in the first tenth, and ${cpu(late)} µs in the last. Windows of ${windows.at(-1)?.sends} sends below ${dipShare}× of the ${neighbours} before and after them: ${dips.length === 0 ? "none" : dips.join(", ")}. Other processes took ${percent(others)} of the processors in the median window. Afterwards: ${checked}`,
  ]
}

const fillChart = (windows: ReadonlyArray<Window>): Chart => ({
  file: "filling.svg",
  caption: "Sends a second into a database that was empty at first",
  svg: lineChart({
    title: "Throughput while the database fills",
    xLabel: "requests in the database",
    yLabel: `sends a second, ${connections} connections`,
    series: [
      { name: "POST /verify", points: windows.map(({ perSecond, rows }) => [rows, perSecond]) },
    ],
  }),
})

export const fullDatabase: Measurement = {
  id: "full",
  title: "A full database",
  rows: [8],
  run,
}
