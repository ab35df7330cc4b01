/** The records of the rows that `bulk.ts` has written. */
import type { Client } from "pg"

/** The totals of all rows. The events and the audit of before were dropped. */
export const writeRecords = async (
  client: Client,
  schema: string,
  organizations: ReadonlyArray<string>,
): Promise<void> => {
  const ids = [[...organizations]]
  const ofPlans = "WHERE organization = ANY($1)"
  for (const name of ["events", "audit", "totals"]) {
    await client.query(`DELETE FROM ${schema}.${name} ${ofPlans}`, ids)
  }
  await client.query(
    `UPDATE ${schema}.accounts SET first_event = last_event + 1, first_audit = last_audit + 1 ${ofPlans}`,
    ids,
  )
  const sums: ReadonlyArray<readonly [table: string, at: string, values: string]> = [
    [
      "messages",
      "created_at",
      "'messages', channel, gateway, 'BD', status, count(*), sum(charge), 0",
    ],
    ["verifications", "created_at", "'requests', '', '', 'BD', 'opened', count(*), 0, 0"],
    ["verifications", "created_at", "'requests', '', '', 'BD', status, count(*), 0, 0"],
    ["entries", "at", "'bookings', '', '', '', kind, count(*), sum(amount), 0"],
  ]
  for (const [table, at, values] of sums) {
    const which =
      table === "entries"
        ? "AND message_sequence IS NULL"
        : values.includes("status") && table === "verifications"
          ? "AND status <> 'pending'"
          : ""
    for (const [slot, millis] of [
      ["hour", 3_600_000],
      ["day", 86_400_000],
    ]) {
      await client.query(
        `INSERT INTO ${schema}.totals
            (slot, organization, hour, kind, channel, gateway, country, outcome, count, amount, refunded)
          SELECT '${slot}', organization, ${at} / ${millis} * ${millis}, ${values}
          FROM ${schema}.${table} ${ofPlans} ${which}
          GROUP BY ${[2, 3, 4, 5, 6, 7, 8].join(", ")}`,
        ids,
      )
    }
  }
}
