/**
 * Checks the rows of every organization after a load, when nothing is under way. The queries work on sets, so
 * that a million rows take seconds.
 *
 * Written from the documents and not from the engine, so that a mistake of the engine is not repeated here.
 */
import { Client } from "pg"

export interface Expected {
  /** Number of verification requests that got status 200. All of them must have rows, and no others. */
  readonly sent: number
  /** The limits of one phone number that no response may exceed; `undefined` without limits. */
  readonly perNumber?:
    | { readonly sends: number; readonly windowMillis: number; readonly pending: number }
    | undefined
}

/** Each query finds the rows that break its rule. */
const rules = {
  "an entry carries the balances that the ones before it and itself make": `
    SELECT 1 FROM (
      SELECT organization, sequence, balance, held,
        row_number() OVER w AS expected_sequence,
        sum(CASE kind WHEN 'hold' THEN -amount WHEN 'capture' THEN 0 ELSE amount END) OVER w AS expected_balance,
        sum(CASE kind WHEN 'hold' THEN amount WHEN 'capture' THEN -amount WHEN 'release' THEN -amount ELSE 0 END)
          OVER w AS expected_held
      FROM countersign.entries WINDOW w AS (PARTITION BY organization ORDER BY sequence)
    ) e WHERE sequence <> expected_sequence OR balance <> expected_balance OR held <> expected_held`,
  "an account is its last entry": `
    SELECT 1 FROM countersign.accounts a LEFT JOIN LATERAL (
      SELECT * FROM countersign.entries e WHERE e.organization = a.organization ORDER BY sequence DESC LIMIT 1
    ) e ON true
    WHERE (a.entries, a.balance, a.held) IS DISTINCT FROM (e.sequence, e.balance, e.held)`,
  "messages are numbered without gaps, and the account knows the last": `
    SELECT 1 FROM countersign.accounts a LEFT JOIN (
      SELECT organization, count(*) AS count, min(sequence) AS low, max(sequence) AS high
      FROM countersign.messages GROUP BY organization
    ) m USING (organization)
    WHERE a.last_message - a.first_message + 1 <> coalesce(m.count, 0)
      OR (m.count > 0 AND (m.low, m.high) <> (a.first_message, a.last_message))`,
  "messages are in the order of time": `
    SELECT 1 FROM (
      SELECT created_at, lag(created_at) OVER (PARTITION BY organization ORDER BY sequence) AS before
      FROM countersign.messages
    ) m WHERE created_at < before`,
  "every message has been held for once and resolved once, at its price": `
    SELECT 1 FROM countersign.messages m LEFT JOIN (
      SELECT organization, message_sequence, count(*) FILTER (WHERE kind = 'hold') AS holds,
        count(*) FILTER (WHERE kind IN ('capture', 'release')) AS resolutions,
        min(amount) AS low, max(amount) AS high
      FROM countersign.entries WHERE message_sequence IS NOT NULL
      GROUP BY organization, message_sequence
    ) e ON e.organization = m.organization AND e.message_sequence = m.sequence
    WHERE (e.holds, e.resolutions, e.low, e.high) IS DISTINCT FROM (1::int8, 1::int8, m.charge, m.charge)`,
  "a message and the request whose code it carries name each other": `
    SELECT 1 FROM countersign.messages m FULL JOIN countersign.verifications v
      ON v.organization = m.organization AND v.request_id = m.request_id
    WHERE v.message_sequence IS DISTINCT FROM m.sequence OR v.phone_number IS DISTINCT FROM m.phone_number`,
  "nothing is left open": `SELECT 1 FROM countersign.open_messages`,
}

const sendsPerNumber = `
  SELECT 1 FROM (
    SELECT count(*) OVER (
      PARTITION BY organization, phone_number ORDER BY created_at
      RANGE BETWEEN ($2 - 1)::int8 PRECEDING AND CURRENT ROW
    ) AS sends FROM countersign.verifications
  ) v WHERE sends > $1`

/** The rule for unchecked requests: each is pending until it expires. */
const pendingPerNumber = `
  SELECT 1 FROM countersign.verifications v WHERE (
    SELECT count(*) FROM countersign.verifications o
    WHERE o.organization = v.organization AND o.phone_number = v.phone_number
      AND o.created_at <= v.created_at AND o.expires_at > v.created_at AND o.status = 'pending'
  ) > $1`

/** Returns the problems in words, or an empty list. */
export const mistakes = async (
  databaseUrl: string,
  { perNumber, sent }: Expected,
): Promise<ReadonlyArray<string>> => {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const found: Array<string> = []
    const rule = async (name: string, sql: string, values: ReadonlyArray<number> = []) => {
      const { rows } = await client.query<{ count: number }>({
        text: `SELECT count(*)::int4 AS count FROM (${sql}) broken`,
        values: [...values],
      })
      const count = rows[0]?.count ?? 0
      if (count > 0) found.push(`${count} times not so: ${name}`)
    }
    for (const [name, sql] of Object.entries(rules)) await rule(name, sql)
    if (perNumber !== undefined) {
      const { pending, sends, windowMillis } = perNumber
      await rule("sends to a number stay in the window", sendsPerNumber, [sends, windowMillis])
      await rule("pending requests of a number stay below their cap", pendingPerNumber, [pending])
    }
    const { rows } = await client.query<{ messages: number; requests: number }>(`SELECT
      (SELECT count(*) FROM countersign.messages)::int4 AS messages,
      (SELECT count(*) FROM countersign.verifications)::int4 AS requests`)
    const { messages, requests } = rows[0] ?? { messages: 0, requests: 0 }
    if (messages !== sent || requests !== sent) {
      found.push(`${sent} answers of 200, ${messages} messages, ${requests} requests`)
    }
    return found
  } finally {
    await client.end()
  }
}
