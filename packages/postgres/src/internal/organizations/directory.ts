/** The organizations with their settings, senders and keys. Writes are rare, so one writer is enough. */
import * as Decision from "@countersign/core/decide/Decision"
import * as OrganizationChange from "@countersign/core/decide/OrganizationChange"
import type { StoreUnavailable } from "@countersign/core/domain/errors/Errors"
import { host } from "@countersign/core/domain/values/Actor"
import type { Store, RepairResult, RepairStep } from "@countersign/core/ports/Store"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Lane, Work } from "../batches/transactions.ts"
import type { Database } from "../database.ts"
import { eraseWork } from "../personalData.ts"
import type { Row } from "../rows/columns.ts"
import { encodeEvent } from "../rows/eventRows.ts"
import { counterRows } from "../rows/counterTables.ts"
import * as Tables from "../rows/tables.ts"
import { ofSome } from "../statements/writes.ts"
import * as OrganizationRow from "./organizationRow.ts"
import type { Message } from "@countersign/core/domain/messages/Message"
import * as Total from "@countersign/core/domain/money/Total"
import * as TimeRepair from "@countersign/core/decide/maintenance/TimeRepair"
import * as CounterChanges from "@countersign/core/decide/CounterChanges"
import * as Increments from "@countersign/core/decide/TotalChanges"
import * as Counter from "@countersign/core/domain/money/Counter"
import type { Statement } from "../connection/pipeline.ts"

type Directory = Pick<
  Store["Service"],
  "createOrganization" | "changeOrganization" | "erase" | "organization" | "repairTime"
>

export const makeDirectory = Effect.fnUntraced(function* (
  database: Database,
  lane: Lane,
): Effect.fn.Return<Directory> {
  const { arrays, clock, first, nextStamp, records, schema, sql } = database
  const permit = yield* Semaphore.make(1)
  /** `timeOf` reads the store's clock from a row. */
  const transact = <A>(work: (timeOf: (row: Row | undefined) => number) => Work<A>) =>
    Effect.flatMap(clock.hostNow, (hostNow) =>
      Effect.callback<A, StoreUnavailable>((resume) =>
        lane.transact(
          work((row) => clock.timeAt(hostNow, row)),
          resume,
        ),
      ),
    ).pipe(Effect.uninterruptible, permit.withPermit)

  const recordsOf = ({ audit, events }: OrganizationChange.Rows) => [
    ...ofSome(events?.map(encodeEvent), sql.insertEvents),
    ...ofSome(audit, sql.insertAudit),
  ]

  return {
    organization: (id) => first(OrganizationRow.read(schema, id), OrganizationRow.decode),
    createOrganization: (organization, actor = host, version) =>
      transact((timeOf) => ({
        home: organization.id,
        reads: () => [
          {
            // Serializes the creation of organizations with the same id.
            sql: "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))::text",
            params: [`${schema} ${organization.id}`],
          },
          sql.readAccounts([organization.id]),
          sql.readClock,
        ],
        decide: ([, accounts, found]) => {
          if (accounts?.rows[0] !== undefined) return { value: false, rows: [] }
          const now = timeOf(found?.rows[0])
          const rows = OrganizationChange.create(organization, { actor, now, records, version })
          return {
            value: true,
            rows: [sql.insertAccounts([rows.account], nextStamp()), ...recordsOf(rows)],
            statements: OrganizationRow.write(schema, arrays, organization),
          }
        },
      })),
    changeOrganization: (id, change, actor = host, version) =>
      transact<OrganizationChange.Changed | undefined>((timeOf) => ({
        home: id,
        reads: () => [sql.lockAccounts([id]), OrganizationRow.read(schema, id)],
        decide: ([accounts, organizations]) => {
          const [accountRow] = accounts?.rows ?? []
          const [row] = organizations?.rows ?? []
          if (accountRow === undefined || row === undefined) return { value: undefined, rows: [] }
          const before = Tables.accounts.decode(accountRow)
          const now = Decision.timeOf(before, timeOf(accountRow))
          const rows = { account: before, organization: OrganizationRow.decode(row) }
          const context = { actor, now, records, version }
          const { writes, ...value } = OrganizationChange.decide(rows, change, context)
          return {
            value,
            rows: [sql.saveAccounts([writes.account], nextStamp()), ...recordsOf(writes)],
            statements: OrganizationRow.write(schema, arrays, value.organization),
          }
        },
      })),
    erase: (step) => transact((timeOf) => eraseWork(database, step, timeOf)),
    repairTime: (step) => transact((timeOf) => repairWork(database, step, timeOf)),
  }
})

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

/**
 * Returns the work of one step of `Store.repairTime`. The steps repair first the newest messages, back to the first
 * that is not ahead of the clock, and then the open messages. `timeOf` reads the store's clock from the account's row.
 */
const repairWork = (
  { nextStamp, records, schema, sql }: Database,
  step: RepairStep,
  timeOf: (accountRow: Row) => number,
): Work<RepairResult | undefined> => ({
  home: step.organization,
  reads: () => [sql.lockAccounts([step.organization]), pageAt(schema, step)],
  decide: ([accounts, messages], writer) => {
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
    const counted = Counter.inSlots(CounterChanges.ofTotals(moved.rows()), Total.hourMillis)
    const open = repaired.flatMap((message) => Tables.openMessageOf(message) ?? [])
    const account = TimeRepair.account(Tables.accounts.decode(row), now)
    return {
      value: { messages: repaired.length, next: nextOf(step, page, now) },
      rows: [
        sql.saveAccounts([account], nextStamp()),
        ...ofSome(repaired, sql.saveMessages),
        ...ofSome(moved.rows(), sql.addTotals),
        ...ofSome(counted, (rows) => sql.addCounters(counterRows(rows, writer))),
        ...ofSome(open, sql.saveOpenMessages),
      ],
    }
  },
})
