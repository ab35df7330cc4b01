/**
 * The steps of `Store.repairTime`, each under the account's lock. They repair first the newest messages, back to
 * the first that is not ahead of the clock, and then the open messages.
 */
import type { Message } from "@countersign/core/domain/messages/Message"
import type { RepairResult, RepairStep } from "@countersign/core/ports/Store"
import * as Total from "@countersign/core/domain/money/Total"
import * as TimeRepair from "@countersign/core/decide/maintenance/TimeRepair"
import * as Increments from "@countersign/core/decide/TotalChanges"
import type { Statement } from "../connection/pipeline.ts"
import type { Row } from "../rows/columns.ts"
import * as Tables from "../rows/tables.ts"
import type { Work } from "../batches/transactions.ts"
import type { Database } from "../database.ts"
import { ofSome } from "../statements/writes.ts"

/** The start of a step: below a message of the log, or after an open message. */
const placeOf = (after = `log ${Number.MAX_SAFE_INTEGER}`) => {
  const [phase, sequence] = after.split(" ")
  return { isLog: phase === "log", sequence: Number(sequence) }
}

const pageAt = (schema: string, { after, limit, organization }: RepairStep): Statement => {
  const { isLog, sequence } = placeOf(after)
  return {
    sql: isLog
      ? `SELECT ${Tables.messages.list} FROM ${schema}.messages
            WHERE organization = $1 AND sequence < $2 ORDER BY sequence DESC LIMIT $3`
      : `SELECT ${Tables.messages.of("m")} FROM (SELECT organization, sequence FROM ${schema}.open_messages
              WHERE organization = $1 AND sequence > $2 ORDER BY sequence LIMIT $3) o,
            LATERAL (SELECT * FROM ${schema}.messages m
              WHERE m.organization = o.organization AND m.sequence = o.sequence OFFSET 0) m
            ORDER BY m.sequence`,
    params: [organization, sequence, limit],
  }
}

const nextOf = ({ after, limit }: RepairStep, page: ReadonlyArray<Message>, now: number) => {
  const last = page.length === limit ? page.at(-1) : undefined
  if (!placeOf(after).isLog) return last && `open ${last.sequence}`
  return last !== undefined && TimeRepair.isAhead(last, now) ? `log ${last.sequence}` : "open 0"
}

/** Returns the work of one step. `timeOf` reads the store's clock from the account's row. */
export const repairWork = (
  { nextStamp, records, schema, sql }: Database,
  step: RepairStep,
  timeOf: (accountRow: Row) => number,
): Work<RepairResult | undefined> => ({
  home: step.organization,
  reads: () => [sql.lockAccounts([step.organization]), pageAt(schema, step)],
  decide: ([accounts, messages]) => {
    const [row] = accounts?.rows ?? []
    if (row === undefined) return { value: undefined, rows: [] }
    const now = timeOf(row)
    const page = (messages?.rows ?? []).map(Tables.messages.decode)
    const moved = new Total.Sums()
    const repaired = page.flatMap((message) => {
      const right = TimeRepair.message(message, now)
      if (right === message) return []
      for (const one of records.totals ? Increments.ofMessage(message, right) : []) moved.add(one)
      return [right]
    })
    const open = repaired.flatMap((message) => Tables.openMessageOf(message) ?? [])
    const account = TimeRepair.account(Tables.accounts.decode(row), now)
    return {
      value: { messages: repaired.length, next: nextOf(step, page, now) },
      rows: [
        sql.saveAccounts([account], nextStamp()),
        ...ofSome(repaired, sql.saveMessages),
        ...ofSome(moved.rows(), sql.addTotals),
        ...ofSome(open, sql.saveOpenMessages),
      ],
    }
  },
})
