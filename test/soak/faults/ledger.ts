/**
 * Money by double entry, in SQL: each entry of the ledger takes its amount from one account and gives it to another.
 * Each statement finds the rows that must not exist.
 */
import * as Effect from "effect/Effect"
import { onServer, type Row } from "../../../packages/postgres/test/fixtures/onServer.ts"

const legs = `legs AS (
  SELECT e.organization, e.sequence, p.account, p.sign * e.amount AS amount
  FROM countersign.entries e JOIN (VALUES
    ('top-up', 'deposits', -1), ('top-up', 'available', 1),
    ('adjustment', 'deposits', -1), ('adjustment', 'available', 1),
    ('hold', 'available', -1), ('hold', 'held', 1),
    ('capture', 'held', -1), ('capture', 'revenue', 1),
    ('release', 'held', -1), ('release', 'available', 1)
  ) AS p(kind, account, sign) USING (kind)
), sums AS (
  SELECT organization,
    coalesce(sum(amount) FILTER (WHERE account = 'deposits'), 0) AS deposits,
    coalesce(sum(amount) FILTER (WHERE account = 'available'), 0) AS available,
    coalesce(sum(amount) FILTER (WHERE account = 'held'), 0) AS held,
    coalesce(sum(amount) FILTER (WHERE account = 'revenue'), 0) AS revenue
  FROM legs GROUP BY organization
)`

const fold = `fold AS (
  SELECT organization, sequence, balance, held, at,
    sequence - coalesce(lag(sequence) OVER w, 0) AS step,
    coalesce(lag(balance) OVER w, 0) + CASE
      WHEN kind IN ('top-up', 'adjustment', 'release') THEN amount WHEN kind = 'hold' THEN -amount ELSE 0
    END AS expected_balance,
    coalesce(lag(held) OVER w, 0) + CASE
      WHEN kind = 'hold' THEN amount WHEN kind IN ('capture', 'release') THEN -amount ELSE 0
    END AS expected_held,
    coalesce(lag(at) OVER w, 0) AS earlier
  FROM countersign.entries WINDOW w AS (PARTITION BY organization ORDER BY sequence)
)`

const statements = {
  "I1: an entry does not sum to zero": `WITH ${legs}
    SELECT e.organization, e.sequence FROM countersign.entries e LEFT JOIN legs l USING (organization, sequence)
    GROUP BY 1, 2 HAVING sum(l.amount) IS DISTINCT FROM 0`,
  "I1: an account is not the sum of its entries": `WITH ${legs}
    SELECT a.organization, a.balance, a.held, s.* FROM countersign.accounts a LEFT JOIN sums s USING (organization)
    WHERE a.balance <> coalesce(s.available, 0) OR a.held <> coalesce(s.held, 0)
      OR coalesce(s.deposits + s.available + s.held + s.revenue, 0) <> 0`,
  "I2: an account is overdrawn": `SELECT organization, sequence FROM countersign.entries WHERE balance < 0 OR held < 0`,
  "I3: an entry does not follow from the one before it": `WITH ${fold}
    SELECT * FROM fold WHERE step <> 1 OR balance <> expected_balance OR held <> expected_held`,
  "I27: an entry is older than the one before it": `WITH ${fold} SELECT * FROM fold WHERE at < earlier`,
  "I4, I5: the entries of a message do not fit its hold": `
    SELECT m.organization, m.sequence, m.hold, m.charge, string_agg(e.kind || ' ' || e.amount, ', ' ORDER BY e.sequence)
    FROM countersign.messages m LEFT JOIN countersign.entries e
      ON e.organization = m.organization AND e.message_sequence = m.sequence
    GROUP BY m.organization, m.sequence
    HAVING coalesce(string_agg(e.kind || ' ' || e.amount, ', ' ORDER BY e.sequence), '') <> CASE m.hold
      WHEN 'open' THEN 'hold ' || m.charge
      WHEN 'captured' THEN 'hold ' || m.charge || ', capture ' || m.charge
      WHEN 'released' THEN 'hold ' || m.charge || ', release ' || m.charge
      ELSE '' END`,
  "I4: an entry has no message": `
    SELECT e.organization, e.sequence FROM countersign.entries e
      JOIN countersign.accounts a USING (organization) LEFT JOIN countersign.messages m
      ON m.organization = e.organization AND m.sequence = e.message_sequence
    WHERE e.message_sequence >= a.first_message AND m.sequence IS NULL`,
  "I9: an intent has two messages": `
    SELECT organization, text FROM countersign.messages WHERE text LIKE 'intent %' GROUP BY 1, 2 HAVING count(*) > 1`,
  "I9: an intent has two codes": `
    SELECT organization, phone_number FROM countersign.verifications GROUP BY 1, 2 HAVING count(*) > 1`,
  "I9: a code has two messages": `
    SELECT organization, request_id FROM countersign.messages WHERE request_id IS NOT NULL
    GROUP BY 1, 2 HAVING count(*) > 1`,
  "I22: a price is still held": `SELECT organization, held FROM countersign.accounts WHERE held <> 0`,
  "I22: a message is still open": `SELECT * FROM countersign.open_messages`,
  "I23: the revenue is not that of the log": `WITH ${legs}
    SELECT a.organization, s.revenue, m.revenue AS log FROM countersign.accounts a
      LEFT JOIN sums s USING (organization) LEFT JOIN (
        SELECT organization, sum(charge) AS revenue FROM countersign.messages WHERE hold = 'captured' GROUP BY 1
      ) AS m USING (organization)
    WHERE a.first_message = 1 AND coalesce(s.revenue, 0) <> coalesce(m.revenue, 0)`,
} as const

/** What is wrong in the database of a campaign that has come to rest. */
export const ledgerProblems = (url: string): Effect.Effect<ReadonlyArray<string>, unknown> =>
  Effect.map(
    Effect.forEach(Object.entries(statements), ([name, sql]) =>
      Effect.map(
        onServer(url, `SELECT row_to_json(r)::text AS row FROM (${sql}) AS r LIMIT 3`),
        (rows) => rows.map((row: Row) => `${name}: ${String(row["row"])}`),
      ),
    ),
    (found) => found.flat(),
  )
