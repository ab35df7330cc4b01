/**
 * The access of the hand-written service to PostgreSQL.
 */
import { hash, randomBytes } from "node:crypto"
import { Client, DatabaseError, Pool, type QueryConfig, type QueryResultRow } from "pg"
import {
  checkFunction,
  refundFunction,
  sendFunction,
  settleStatement,
  tables,
} from "./handWrittenTables.ts"

export interface Sender {
  readonly id: string
  readonly channel: string
  readonly sender: string
  readonly approved: boolean
  readonly is_default: boolean
}

/** The organization of a key, with the settings that a request needs. */
export interface Caller {
  readonly organization: number
  readonly hash: Buffer
  readonly sends_max: number
  readonly sends_window: number
  readonly checks_max: number
  readonly checks_window: number
  readonly pending_max: number
  readonly attempts: number
  readonly senders: ReadonlyArray<Sender>
}

export interface Sending {
  readonly id: string
  readonly number: string
  readonly channel: string
  readonly digest: Buffer
  readonly expirySeconds: number
  readonly price: number
  readonly token: string
  /** With the code masked. */
  readonly text: string
  readonly sender: string
}

export type Requested =
  | { readonly outcome: "requested"; readonly message: string }
  | { readonly outcome: "limited"; readonly wait: number }
  | { readonly outcome: "pending" | "insufficient" }

export interface Checked {
  readonly outcome: "verified" | "wrong" | "failed" | "expired" | "unknown" | "limited"
  readonly number: string
  readonly attempts: number
  /** Epoch milliseconds. */
  readonly at: number
  readonly wait: number
}

export interface Database {
  readonly caller: (key: string) => Promise<Caller | undefined>
  readonly request: (caller: Caller, sending: Sending) => Promise<Requested>
  readonly delivered: (message: string, gatewayId: string) => Promise<void>
  readonly refused: (message: string, error: string) => Promise<void>
  readonly check: (caller: Caller, id: string, digest: Buffer) => Promise<Checked>
  readonly balance: (caller: Caller) => Promise<number>
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof DatabaseError && error.code === code

/**
 * Runs a statement in its own transaction. Statements with the same `place` use the same connection, because
 * the statements of an organization wait for each other anyway.
 */
type Run = <Row extends QueryResultRow>(place: number, statement: QueryConfig) => Promise<Row>

const session = (url: string) => ({
  connectionString: url,
  // Each statement needs its index, even if the table has few rows at the moment.
  options: "-c enable_seqscan=off -c plan_cache_mode=force_generic_plan -c jit=off",
})

/** The common use of `pg`: a connection runs one statement at a time. */
const pooled = (url: string, connections: number): Run => {
  const pool = new Pool({ ...session(url), max: connections })
  return async (_, statement) => (await pool.query(statement)).rows[0]
}

/** Sends statements without waiting for the results of earlier statements. */
const pipelined = async (url: string, connections: number): Promise<Run> => {
  const clients = await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = new Client({ ...session(url), pipeline: true })
      await client.connect()
      return client
    }),
  )
  return async (place, statement) => {
    const client = clients[place % connections]
    if (client === undefined) throw new RangeError("There is no such connection")
    return (await client.query(statement)).rows[0]
  }
}

/** Numbers of connections for requests and checks, and for settling. */
const requestConnections = 4
const settleConnections = 4

export const open = async (url: string): Promise<Database> => {
  const pool = new Pool({ ...session(url), max: 2 })
  // For comparison: the size of an ordinary pool.
  const poolSize = process.env["HAND_WRITTEN_POOL"]
  const run =
    poolSize === undefined
      ? await pipelined(url, requestConnections)
      : pooled(url, Number(poolSize))
  const settle = poolSize === undefined ? await pipelined(url, settleConnections) : run
  let settled = 0
  return {
    caller: async (key) => {
      const { rows } = await pool.query<Caller>(
        `SELECT o.id AS organization, k.hash, o.sends_max, o.sends_window, o.checks_max, o.checks_window,
            o.pending_max, o.attempts,
            (SELECT coalesce(json_agg(s), '[]') FROM senders s WHERE s.organization = o.id) AS senders
          FROM api_keys k JOIN organizations o ON o.id = k.organization
          WHERE k.id = $1 AND k.revoked_at IS NULL`,
        [key],
      )
      return rows[0]
    },
    request: async (caller, sending) => {
      try {
        return await run(caller.organization, {
          name: "request",
          text: "SELECT * FROM request_verification($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
          values: [
            caller.organization,
            sending.number,
            sending.channel,
            sending.id,
            sending.digest,
            sending.expirySeconds,
            sending.price,
            sending.token,
            sending.text,
            sending.sender,
            caller.attempts,
            caller.sends_max,
            caller.sends_window,
            caller.pending_max,
          ],
        })
      } catch (error) {
        // The balance must not become negative. The constraint undoes the whole transaction.
        if (isCode(error, "23514")) return { outcome: "insufficient" }
        throw error
      }
    },
    delivered: async (message, gatewayId) => {
      await settle(settled++, {
        name: "settle",
        text: settleStatement,
        values: [message, gatewayId],
      })
    },
    refused: async (message, error) => {
      await pool.query("SELECT refund_message($1, $2)", [message, error])
    },
    check: (caller, id, digest) =>
      run(caller.organization, {
        name: "check",
        text: "SELECT * FROM check_code($1, $2, $3, $4, $5)",
        values: [caller.organization, id, digest, caller.checks_max, caller.checks_window],
      }),
    balance: async ({ organization }) => {
      const { rows } = await pool.query<{ balance: string }>(
        "SELECT balance FROM accounts WHERE organization = $1",
        [organization],
      )
      return Number(rows[0]?.balance ?? 0)
    },
  }
}

const ownLimits = [10, 60_000, 20, 60_000, 5, 3]
/** As in `countersign.ts`. */
const raisedLimits = [1_000, 60_000, 1_000, 10, 1_000, 3]

/** Creates the tables, and organizations with a sufficient balance. Returns their keys. */
export const prepare = async (
  url: string,
  organizations: number,
  raised: boolean,
): Promise<ReadonlyArray<string>> => {
  const client = new Client({ connectionString: url })
  await client.connect()
  const keys = Array.from({ length: organizations }, () => {
    const id = randomBytes(8).toString("hex")
    const secret = randomBytes(32).toString("base64url")
    return { id, secret, text: `hw_${id}_${secret}` }
  })
  await client.query(tables)
  await client.query(sendFunction)
  await client.query(checkFunction)
  await client.query(refundFunction)
  await client.query(
    `INSERT INTO organizations
      SELECT n, 'bench-' || n, $2, $3, $4, $5, $6, $7 FROM generate_series(1, $1::int4) n`,
    [organizations, ...(raised ? raisedLimits : ownLimits)],
  )
  await client.query(
    `INSERT INTO senders
      SELECT n, 'snd_' || n, 'sms', '8809612000000', true, true FROM generate_series(1, $1::int4) n`,
    [organizations],
  )
  await client.query(
    `INSERT INTO accounts (organization, balance)
      SELECT n, 100000000000 FROM generate_series(1, $1::int4) n`,
    [organizations],
  )
  await client.query(
    "INSERT INTO api_keys SELECT id, n, hash FROM unnest($1::text[], $2::bytea[]) WITH ORDINALITY k (id, hash, n)",
    [keys.map(({ id }) => id), keys.map(({ secret }) => hash("sha256", secret, "buffer"))],
  )
  await client.query("VACUUM ANALYZE organizations, senders, accounts, api_keys")
  await client.end()
  return keys.map(({ text }) => text)
}
