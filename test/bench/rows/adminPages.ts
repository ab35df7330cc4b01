/** Pages of the admin API over a long log. */
import { createCountersign } from "countersign"
import { Client } from "pg"
import { organizationId, recipientNumber } from "../bulk.ts"
import { millis } from "../compared.ts"
import type { Context, Figure } from "../Measurement.ts"
import { median, percentile } from "../stats.ts"
import { cursorAt, type Log, placeOf } from "./search.ts"

/** Maximum time of a page, in milliseconds. */
const most = 200

const schema = "countersign"

const auditEntries = 10_000
const otherOrganizations = 10_000

const organizations = "/organizations"

/** What the pages are measured on, beside the log. */
interface Samples {
  readonly log: Log
  readonly messages: ReadonlyArray<{ readonly id: string; readonly request_id: string }>
  readonly firstEvent: number
  /** Epoch milliseconds. */
  readonly newest: number
}

/** Adds the events of the dispatches, the audit, and many organizations. `bulk.ts` writes none of them. */
const writeOthers = async (client: Client, { index, messages }: Log): Promise<void> => {
  const organization = organizationId(index)
  await client.query("SET synchronous_commit = off")
  for (let first = 1; first <= messages; first += 500_000) {
    await client.query(
      `INSERT INTO ${schema}.events (organization, sequence, at, type, request_id, phone_number, channel)
        SELECT $1, a.last_event + m.sequence, m.created_at, 'VerificationSent', m.request_id, m.phone_number, m.channel
        FROM ${schema}.messages m JOIN ${schema}.accounts a ON a.organization = m.organization
        WHERE m.organization = $1 AND m.sequence >= $2 AND m.sequence < $2::int8 + 500000`,
      [organization, first],
    )
  }
  await client.query(
    `INSERT INTO ${schema}.audit (organization, sequence, at, actor, action)
      SELECT $1, a.last_audit + n, a.last_at, 'bench', 'number.exported'
      FROM ${schema}.accounts a, generate_series(1, $2::int8) AS n WHERE a.organization = $1`,
    [organization, auditEntries],
  )
  await client.query(
    `UPDATE ${schema}.accounts SET last_event = last_event + $2, last_audit = last_audit + $3
      WHERE organization = $1`,
    [organization, messages, auditEntries],
  )
  for (const [table, key] of [
    ["organizations", "id"],
    ["accounts", "organization"],
  ]) {
    await client.query(
      `INSERT INTO ${schema}.${table} SELECT other.* FROM ${schema}.${table} t, generate_series(1, $2::int8) AS n,
          jsonb_populate_record(t, jsonb_build_object('${key}', 'other-' || n)) AS other WHERE t.${key} = $1`,
      [organizationId(index), otherOrganizations],
    )
  }
  for (const table of ["events", "audit", "organizations", "accounts"]) {
    await client.query(`VACUUM (ANALYZE) ${schema}.${table}`)
  }
}

const samplesOf = async (client: Client, log: Log, count: number): Promise<Samples> => {
  const id = organizationId(log.index)
  const places = Array.from({ length: count }, (_, turn) => 1 + placeOf(turn, log.messages))
  const { rows: messages } = await client.query<Samples["messages"][number]>(
    `SELECT id || '_' || sequence AS id, request_id FROM ${schema}.messages WHERE organization = $1 AND sequence = ANY($2)`,
    [id, places],
  )
  const { rows } = await client.query<{ first_event: string; last_at: string }>(
    `SELECT first_event, last_at FROM ${schema}.accounts WHERE organization = $1`,
    [id],
  )
  return {
    log,
    messages,
    firstEvent: Number(rows[0]?.first_event),
    newest: Number(rows[0]?.last_at),
  }
}

interface Page {
  readonly name: string
  /** The path below the API. */
  readonly path: (turn: number) => string
  /** The list in the answer, which has rows. `undefined` for an answer that is not a list. */
  readonly list?: string
  /** A page without rows. */
  readonly isEmpty?: boolean
}

const pagesOf = ({ firstEvent, log, messages, newest }: Samples): ReadonlyArray<Page> => {
  const base = `${organizations}/${organizationId(log.index)}`
  const place = (turn: number) => 2_100 + placeOf(turn, log.messages - 2_100)
  const cursor = (turn: number) => `cursor=${cursorAt(place(turn))}`
  const number = (turn: number) =>
    `phoneNumber=${encodeURIComponent(recipientNumber(placeOf(turn, log.messages / 5)))}`
  const sample = (turn: number) => messages[turn % messages.length]
  const day = 86_400_000
  const iso = (at: number) => new Date(at).toISOString()
  const year = `from=${iso(newest - 365 * day)}&to=${iso(newest + day)}`
  const sections = (list: "messages" | "verifications", rare: string): ReadonlyArray<Page> => [
    { name: `${list}, first page`, list, path: () => `${base}/${list}` },
    { name: `${list}, any page`, list, path: (turn) => `${base}/${list}?${cursor(turn)}` },
    { name: `${list} of any number`, list, path: (turn) => `${base}/${list}?${number(turn)}` },
    {
      name: `${list}, any page without any of the status`,
      list,
      isEmpty: true,
      path: (turn) => `${base}/${list}?statuses=${rare}&${cursor(turn)}`,
    },
    {
      name: `${list} of any 30 days`,
      list,
      path: (turn) => {
        const from = newest - (35 + placeOf(turn, 320)) * day
        return `${base}/${list}?from=${iso(from)}&to=${iso(from + 30 * day)}`
      },
    },
  ]
  return [
    ...sections("messages", "unknown"),
    {
      name: "messages by a gateway's id, any page without any",
      list: "messages",
      isEmpty: true,
      path: (turn) => `${base}/messages?gateway=none&gatewayId=none&${cursor(turn)}`,
    },
    {
      name: "any message, with its timeline",
      path: (turn) => `${base}/messages/${sample(turn)?.id}`,
    },
    ...sections("verifications", "pending"),
    {
      name: "any verification, with its timeline",
      path: (turn) => `${base}/verifications/${sample(turn)?.request_id}`,
    },
    { name: "ledger, first page", list: "entries", path: () => `${base}/ledger` },
    {
      name: "ledger, any page",
      list: "entries",
      path: (turn) => `${base}/ledger?before=${2 * place(turn)}`,
    },
    {
      name: "events, any page",
      list: "events",
      path: (turn) => `${base}/events?after=${firstEvent + place(turn) - 2_000}`,
    },
    { name: "audit, first page", list: "entries", path: () => `${base}/audit` },
    {
      name: "audit, any page",
      list: "entries",
      path: (turn) => `${base}/audit?before=${10 + placeOf(turn, auditEntries - 10)}`,
    },
    {
      name: "totals of a year by day, channel and outcome",
      list: "totals",
      path: () => `${base}/totals?${year}&every=day&by=channel&by=outcome`,
    },
    { name: "balance", path: () => `${base}/balance` },
    { name: "organizations, first page", list: "organizations", path: () => organizations },
    {
      name: "organizations, any page",
      list: "organizations",
      path: (turn) => `${organizations}?after=other-${placeOf(turn, 9_000)}`,
    },
  ]
}

/** Measures each page one call at a time. The pages take turns. */
export const adminFigures = async (
  { log, scale }: Context,
  database: string,
  long: Log,
): Promise<ReadonlyArray<Figure>> => {
  const each = scale === "full" ? 300 : 10
  const client = new Client({ connectionString: database })
  await client.connect()
  log("log: the admin API")
  await writeOthers(client, long)
  const samples = await samplesOf(client, long, each)
  await client.end()
  await using engine = await createCountersign({
    secret: "b".repeat(32),
    database,
    log: () => {},
    gateways: {
      sms: {
        name: "none",
        send: async () => ({ status: "not_sent", message: "none" }),
      },
    },
  })
  const mount = engine.admin({
    authorize: () => ({ actor: { id: "bench" }, roles: ["operator"] }),
  })
  const read = async ({ isEmpty = false, list, name, path }: Page, turn: number) => {
    const response = await mount.fetch(new Request(`http://localhost/admin/api${path(turn)}`))
    const body: Record<string, unknown> = await response.json()
    const rows = list === undefined ? [body] : body[list]
    if (response.status === 200 && Array.isArray(rows) && (rows.length === 0) === isEmpty) return
    throw new Error(
      `${name} was answered ${response.status}: ${JSON.stringify(body).slice(0, 300)}`,
    )
  }
  const pages = pagesOf(samples)
  const times = pages.map((): Array<number> => [])
  for (const page of pages) await read(page, 0)
  for (let turn = 0; turn < each; turn++) {
    for (const [index, page] of pages.entries()) {
      const began = performance.now()
      await read(page, turn)
      times[index]?.push(performance.now() - began)
    }
  }
  return pages.map(({ name }, index): Figure => {
    const taken = times[index] ?? []
    const late = percentile(taken, 0.99)
    const figure = {
      work: `admin API: ${name}, of ${long.messages.toLocaleString("en")} messages`,
      ours: `p50 ${millis(median(taken))}, p99 ${millis(late)}`,
      wanted: `p99 ≤ ${most} ms`,
      reached: late <= most,
    }
    log(`${figure.work}: ${figure.ours}`)
    return figure
  })
}
