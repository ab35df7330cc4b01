/**
 * Fills a database with years of rows in minutes. Repeats the rows that the engine has written for one request
 * inside the database, with the numbers, times, ids and balances that the engine would have written. The
 * organizations must be new. The engine can continue to write to them.
 */
import { Client } from "pg"
import { writeRecords } from "./bulkRecords.ts"
import { load, post } from "./load.ts"
import type { Service } from "./services/Service.ts"

/** An organization, by the position of its key in the service, and the rows to create. */
export interface Holdings {
  readonly index: number
  /** Number of messages, each with a verification and with a hold and a capture in the ledger. */
  readonly messages: number
  /** Number of recipients, which take turns. */
  readonly recipients: number
}

export interface BulkOptions {
  readonly databaseUrl: string
  /** A service on that database, without load. */
  readonly service: Service
  /** The organization that sends the one request that is the pattern of all others. */
  readonly pattern: number
  readonly holdings: ReadonlyArray<Holdings>
  readonly log?: ((line: string) => void) | undefined
}

export const organizationId = (index: number): string => `bench-${index}`

/** Returns the phone number of a recipient. Neighbouring recipients have distant numbers. */
export const recipientNumber = (rank: number): string =>
  `+88017${String((rank * numberStep) % numbers).padStart(8, "0")}`

const numbers = 100_000_000
/** Has no common factor with `numbers`, so that it reaches all of them. */
const numberStep = 37_987_951

/** The age of the oldest message of each organization. */
const spanMillis = 365 * 86_400_000
/** The age of the newest message, so that no request is pending and no window counts. */
const quietMillis = 3_600_000
/** Number of messages with the same commit, and so the same time. */
const perCommit = 4

/** Maximum number of rows of one statement. More would only use more memory. */
const rowsPerStatement = 500_000

const schema = "countersign"

export const bulkLoad = async (options: BulkOptions): Promise<void> => {
  const { databaseUrl, holdings, log = () => {}, pattern, service } = options
  await sendPattern(service, pattern)
  // One connection for the log and the recipients, one for the requests and the ledger, to use two cores.
  const clients = [await connect(databaseUrl), await connect(databaseUrl)] as const
  const timed = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    const started = performance.now()
    await work()
    log(`  ${what}: ${((performance.now() - started) / 1_000).toFixed(1)} s`)
  }
  try {
    const [client] = clients
    const plans = await openAccounts(client, holdings)
    const before = await indexesOf(client)
    for (const { drop } of before) await client.query(drop)
    const fillFactor = await fillFactorOf(client)
    await setFillFactor(client, fillFactor + fuller)
    const sources: Array<string> = []
    for (const table of tables) sources.push(await sourceOf(clients[table.lane], table, pattern))
    const inParallel = (work: (client: Client, table: Table, source: string) => Promise<void>) =>
      Promise.all(
        clients.map(async (client, lane) => {
          for (const [index, table] of tables.entries()) {
            if (table.lane === lane) await work(client, table, sources[index] ?? "")
          }
        }),
      )
    await timed("rows", () =>
      inParallel(async (client, { only, perMessage }, source) => {
        for (const chunk of chunksOf(plans, perMessage, only)) {
          await client.query(source, parametersOf(chunk))
        }
      }),
    )
    await timed("records", () =>
      writeRecords(
        client,
        schema,
        plans.map(({ organization }) => organization),
      ),
    )
    await timed("indexes", () =>
      inParallel(async (client, { name }) => {
        for (const { create, table } of before) if (table === name) await client.query(create)
      }),
    )
    const after = await indexesOf(client)
    if (JSON.stringify(after) !== JSON.stringify(before)) throw new Error("The indexes differ")
    await setFillFactor(client, fillFactor)
    // All tables. Otherwise autovacuum would begin during the load.
    await timed("vacuum", () => client.query("VACUUM (ANALYZE)"))
    // Otherwise the next load would pay for it. Some roles have no permission for it.
    await timed("checkpoint", () => client.query("CHECKPOINT").catch(() => {}))
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
}

/**
 * The engine's messages reach their final size by an update within their page. Loaded messages have it at once, so
 * their pages are filled further, by this percentage. Otherwise most pages would have room for one new message, and
 * PostgreSQL would insert new messages there.
 */
const fuller = 5

const fillFactorOf = async (client: Client): Promise<number> => {
  const { rows } = await client.query<{ value: string }>(
    `SELECT option_value AS value FROM pg_class, pg_options_to_table(reloptions)
      WHERE oid = '${schema}.messages'::regclass AND option_name = 'fillfactor'`,
  )
  return Number(rows[0]?.value)
}

const setFillFactor = (client: Client, percentage: number) =>
  client.query(`ALTER TABLE ${schema}.messages SET (fillfactor = ${percentage})`)

const connect = async (databaseUrl: string): Promise<Client> => {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query("SET synchronous_commit = off")
  await client.query("SET maintenance_work_mem = '512MB'")
  return client
}

const sendPattern = async (service: Service, pattern: number): Promise<void> => {
  await load({
    origin: service.origin,
    connections: 1,
    requests: 1,
    request: () =>
      post("/api/v2/verify", service.keys[pattern] ?? "", { phone_number: "+8801812345678" }),
    answer: (_, status, body) => {
      if (status !== 200) throw new Error(`The pattern was answered ${status}: ${body}`)
    },
  })
}

/** The times of the rows of an organization. */
interface Plan {
  readonly organization: string
  readonly messages: number
  readonly recipients: number
  readonly start: number
  readonly step: number
  /** The available balance before the first message. */
  readonly funds: number
}

/**
 * Opens the accounts in the past with a sufficient balance, and writes their state after the last message. The
 * available balance is the same before and after. Each account gets a stamp that no node draws, so the service does
 * not use the account that it has in memory.
 */
const openAccounts = async (
  client: Client,
  holdings: ReadonlyArray<Holdings>,
): Promise<ReadonlyArray<Plan>> => {
  const price = Number(
    (await client.query(`SELECT max(charge) AS price FROM ${schema}.messages`)).rows[0]?.price,
  )
  if (!(price > 0)) throw new Error("The pattern has to cost something")
  const ids = holdings.map(({ index }) => organizationId(index))
  const { rows } = await client.query<{ organization: string; balance: string; last_at: string }>(
    `SELECT organization, balance, last_at FROM ${schema}.accounts
      WHERE organization = ANY($1) AND entries = 1 AND last_message = 0`,
    [ids],
  )
  const accounts = new Map(rows.map((row) => [row.organization, row]))
  const plans = holdings.map(({ index, messages, recipients }): Plan => {
    const organization = organizationId(index)
    const account = accounts.get(organization)
    if (account === undefined) throw new Error(`${organization} is not new`)
    return {
      organization,
      messages,
      recipients: Math.min(messages, recipients),
      start: Number(account.last_at) - quietMillis - spanMillis,
      step: Math.floor(spanMillis / messages),
      funds: Number(account.balance) + messages * price,
    }
  })
  const given = [
    plans.map((plan) => plan.organization),
    plans.map((plan) => plan.messages),
    plans.map((plan) => plan.start),
    plans.map((plan) => plan.funds),
  ]
  const from =
    "FROM unnest($1::text[], $2::int8[], $3::int8[], $4::int8[]) AS p (id, messages, start, funds)"
  await client.query(
    `WITH first AS (
        UPDATE ${schema}.entries e SET amount = p.funds, balance = p.funds, at = p.start
        ${from} WHERE e.organization = p.id AND e.sequence = 1
      )
      UPDATE ${schema}.accounts a
      SET entries = 1 + 2 * p.messages, last_message = p.messages, codes_erased_to = p.messages,
        stamp = -a.stamp
      ${from} WHERE a.organization = p.id`,
    given,
  )
  return plans
}

interface Table {
  readonly name: string
  /** The connection that writes the table. */
  readonly lane: 0 | 1
  readonly perMessage: number
  /** Whether only the last message of each recipient has a row. @defaultValue every message has one */
  readonly only?: "last"
  /** The columns that differ from the pattern, over `p` (the plan), `n` (the message), and
   * `x` (its time and a random word). */
  readonly columns: Readonly<Record<string, string>>
  readonly source?: string
}

/** An id in the format of the engine: a prefix, the time, and 128 random bits. */
const id = (like: string, word: string): string =>
  `left(${like}, 4) || lpad(to_hex(x.at), 12, '0') || ${word}`
const message = id("t.id", "x.word")
const request = (like: string): string => id(like, "md5(x.word)")
const phone = `'+88017' || lpad((((n - 1) % p.recipients * ${numberStep}) % ${numbers})::text, 8, '0')`

/** Of twenty requests, one has failed, three were never verified, and the others were. */
const byOutcome = (failed: string, abandoned: string, verified: string): string =>
  `CASE WHEN n % 20 = 0 THEN ${failed} WHEN n % 20 <= 3 THEN ${abandoned} ELSE ${verified} END`

const tables: ReadonlyArray<Table> = [
  {
    name: "messages",
    lane: 0,
    perMessage: 1,
    columns: {
      sequence: "n",
      id: message,
      phone_number: phone,
      request_id: request("t.request_id"),
      gateway_id: `split_part(t.gateway_id, '_', 1) || '_' || ${message}`,
      created_at: "x.at",
      settle_by: "x.at + t.settle_by - t.created_at",
    },
  },
  {
    name: "recipients",
    lane: 0,
    perMessage: 1,
    only: "last",
    columns: {
      phone_number: phone,
      sends: "ARRAY[x.at]",
      pending: byOutcome(
        "'[]'",
        `jsonb_build_array(jsonb_build_array(${request("t.pending -> 0 ->> 0")},
          x.at + (t.pending -> 0 ->> 1)::int8 - t.sends[1]))`,
        "'[]'",
      ),
    },
  },
  {
    name: "verifications",
    lane: 1,
    perMessage: 1,
    columns: {
      request_id: request("t.request_id"),
      phone_number: phone,
      status: byOutcome("'failed'", "'pending'", "'verified'"),
      created_at: "x.at",
      expires_at: "x.at + t.expires_at - t.created_at",
      verified_at: byOutcome("NULL", "NULL", "x.at + 10000 + n % 60 * 1000"),
      attempts_remaining: byOutcome("0", "t.attempts_remaining", "t.attempts_remaining"),
      digest: "sha256(x.word::bytea)",
      // Retention has erased the codes.
      sealed: "NULL",
      sent_at: "x.at + t.sent_at - t.created_at",
      message_sequence: "n",
    },
  },
  {
    name: "entries",
    lane: 1,
    perMessage: 2,
    columns: {
      sequence: "2 * n + k",
      kind: "CASE k WHEN 0 THEN 'hold' ELSE 'capture' END",
      balance: "p.funds - n * t.amount",
      held: "CASE k WHEN 0 THEN t.amount ELSE 0 END",
      message_sequence: "n",
      at: "x.at",
    },
    source: "CROSS JOIN generate_series(0, 1) AS k",
  },
]

/** The rows of the pattern that a table repeats: those of the message, without the top-up before it. */
const patternOf = (table: string): string => (table === "entries" ? "AND sequence = 2" : "")

/** Writes the rows of one table from chunks of plans. Other columns are as in the pattern. */
const sourceOf = async (
  client: Client,
  { columns, name, source = "" }: Table,
  pattern: number,
): Promise<string> => {
  const { rows } = await client.query<{ column: string }>(
    `SELECT attname AS column FROM pg_attribute
      WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [`${schema}.${name}`],
  )
  // In its own table, so that a lookup does not search the rows that were copied from it.
  await client.query(
    `CREATE TEMP TABLE pattern_${name} AS SELECT * FROM ${schema}.${name}
      WHERE organization = '${organizationId(pattern)}' ${patternOf(name)}`,
  )
  const known: Readonly<Record<string, string>> = { organization: "p.organization", ...columns }
  const values = rows.map(({ column }) => known[column] ?? `t.${column}`)
  return `INSERT INTO ${schema}.${name} (${rows.map(({ column }) => column).join(", ")})
    SELECT ${values.join(", ")}
    FROM unnest($1::text[], $2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::int8[], $7::int8[])
        AS p (organization, first, last, recipients, start, step, funds)
      CROSS JOIN generate_series(p.first, p.last) AS n
      CROSS JOIN LATERAL (SELECT p.start + (n - 1) / ${perCommit} * ${perCommit} * p.step AS at,
        md5(p.organization || n) AS word OFFSET 0) AS x
      ${source}
      CROSS JOIN pattern_${name} AS t`
}

interface Chunk extends Plan {
  readonly first: number
  readonly last: number
}

/** Large organizations in several statements, small ones together in one. */
function* chunksOf(
  plans: ReadonlyArray<Plan>,
  perMessage: number,
  only: Table["only"],
): Generator<ReadonlyArray<Chunk>> {
  const most = rowsPerStatement / perMessage
  let chunk: Array<Chunk> = []
  let size = 0
  for (const plan of plans) {
    let first = only === "last" ? plan.messages - plan.recipients + 1 : 1
    while (first <= plan.messages) {
      const last = Math.min(plan.messages, first + most - size - 1)
      chunk.push({ ...plan, first, last })
      size += last - first + 1
      first = last + 1
      if (size < most) continue
      yield chunk
      chunk = []
      size = 0
    }
  }
  if (chunk.length > 0) yield chunk
}

const parametersOf = (chunk: ReadonlyArray<Chunk>): Array<Array<string | number>> => [
  chunk.map(({ organization }) => organization),
  ...(["first", "last", "recipients", "start", "step", "funds"] as const).map((column) =>
    chunk.map((part) => part[column]),
  ),
]

interface Index {
  readonly table: string
  readonly drop: string
  readonly create: string
}

/** Returns all indexes of the large tables, as the migrations have created them. */
const indexesOf = async (client: Client): Promise<ReadonlyArray<Index>> => {
  const { rows } = await client.query<Index>(
    `SELECT t.relname AS table,
        CASE WHEN c.oid IS NULL THEN format('DROP INDEX %s', i.indexrelid::regclass)
          ELSE format('ALTER TABLE %s DROP CONSTRAINT %I', i.indrelid::regclass, c.conname) END AS drop,
        CASE WHEN c.oid IS NULL THEN pg_get_indexdef(i.indexrelid)
          ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s', i.indrelid::regclass, c.conname,
            pg_get_constraintdef(c.oid)) END AS create
      FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
        JOIN pg_class x ON x.oid = i.indexrelid
        LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid AND c.contype IN ('p', 'u')
      WHERE i.indrelid = ANY($1::regclass[]) ORDER BY t.relname, x.relname`,
    [tables.map(({ name }) => `${schema}.${name}`)],
  )
  return rows
}
