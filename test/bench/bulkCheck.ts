/**
 * Checks that the engine could have written the rows that `bulk.ts` has written.
 */
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import { Store } from "@countersign/core/ports/Store"
import * as Node from "@countersign/node/Node"
import * as PostgresClient from "@countersign/postgres/PostgresClient"
import * as PostgresStore from "@countersign/postgres/PostgresStore"
import * as Invariants from "@countersign/testing/Invariants"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Client } from "pg"
import { organizationId } from "./bulk.ts"

/** The limits of the services' organizations. */
const bounds: Invariants.Bounds = {
  sendsPerNumber: { max: 1_000, windowMillis: 60_000 },
  pendingPerNumber: 1_000,
  resends: 3,
  attempts: 3,
}

const count = (value: number): string => value.toLocaleString("en")

/**
 * Reads all rows of one organization as the engine does. Returns the verified facts, and fails if a row is
 * wrong.
 */
export const checkOrganization = async (databaseUrl: string, index: number): Promise<string> => {
  const snapshot = await Effect.runPromise(
    Effect.flatMap(Store, (store) =>
      Invariants.read(store, OrganizationId(organizationId(index))),
    ).pipe(
      Effect.provide(PostgresStore.layer({ migrate: false })),
      Effect.provide(PostgresClient.layer({ url: Redacted.make(databaseUrl) })),
      Effect.provide(Node.layerCrypto),
    ),
  )
  if (snapshot === undefined) throw new Error(`${organizationId(index)} is not there`)
  const problems = Invariants.problems(snapshot, bounds)
  if (problems.length > 0) throw new Error(problems.slice(0, 10).join("\n"))
  const { entries, messages } = snapshot
  return `The engine's invariants hold of one organization's ${count(messages.length)} messages with their requests and of its ${count(entries.length)} ledger entries.`
}

/** Counts the rows of all organizations. Returns the verified facts, and fails if a count is wrong. */
export const checkAccounts = async (databaseUrl: string): Promise<string> => {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const wrong = await client.query<{ organization: string }>(miscounted)
    const ids = wrong.rows.map(({ organization }) => organization)
    if (ids.length > 0) throw new Error(`The accounts do not agree with the rows of ${ids.join()}`)
    const { rows } = await client.query<{ accounts: string; messages: string }>(
      "SELECT count(*) AS accounts, sum(last_message) AS messages FROM countersign.accounts",
    )
    return `Each of the ${count(Number(rows[0]?.accounts))} accounts agrees with the messages, requests and entries that are there, ${count(Number(rows[0]?.messages))} messages in all.`
  } finally {
    await client.end()
  }
}

/** Finds accounts that differ from the sums of the other tables. */
const miscounted = `SELECT a.organization FROM countersign.accounts a
  LEFT JOIN (SELECT organization, count(*) AS count, max(sequence) AS last, max(created_at) AS at
    FROM countersign.messages GROUP BY organization) m USING (organization)
  LEFT JOIN (SELECT organization, count(*) AS count, max(sequence) AS last,
      sum(CASE kind WHEN 'hold' THEN -amount WHEN 'capture' THEN 0 ELSE amount END) AS balance
    FROM countersign.entries GROUP BY organization) e USING (organization)
  LEFT JOIN (SELECT organization, count(*) AS count FROM countersign.verifications GROUP BY organization) v
    USING (organization)
  WHERE (a.last_message, a.last_message, a.last_message, a.entries, a.entries, a.balance)
      IS DISTINCT FROM (coalesce(m.count, 0), coalesce(m.last, 0), coalesce(v.count, 0), e.count, e.last, e.balance)
    OR a.last_at < m.at`
