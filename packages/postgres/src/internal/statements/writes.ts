/**
 * The writes of a transaction, one part for each kind of row. `ON CONFLICT` on the primary key replaces existing
 * rows, not a join. Such a statement has only one plan, so the plan can be kept.
 */
import type { Account } from "@countersign/core/domain/money/Account"
import type { Refusal } from "@countersign/core/domain/verifications/Refusal"
import type { QueuedSend } from "@countersign/core/domain/outbox/QueuedSend"
import type { BatchTotal } from "@countersign/core/domain/outbox/Batch"
import type { Total } from "@countersign/core/domain/money/Total"
import type { Value } from "../connection/parameters.ts"
import type { Seal } from "../rows/columns.ts"
import type { RowArrays } from "../rows/rowArrays.ts"
import type { RowTable } from "../rows/rowTable.ts"
import { audit, encodeRefusal, refusals, totalRows, totals } from "../rows/recordRows.ts"
import { alerts } from "../rows/alertRows.ts"
import { batches, batchTotals } from "../rows/batchTables.ts"
import { type CounterRow, counters, webhookAttempts } from "../rows/counterTables.ts"
import { outbox } from "../rows/outboxRows.ts"
import { events } from "../rows/eventRows.ts"
import { optOuts } from "../rows/optOutRows.ts"
import * as Tables from "../rows/tables.ts"
import { webhookProgress } from "../rows/webhookRows.ts"

/** A part of the statement. */
export interface Write {
  readonly kind: WriteKind
  readonly params: ReadonlyArray<Value>
}

/** The kind of a part. Parts of a kind have the same text. */
export interface WriteKind {
  readonly name: string
  /**
   * Returns the text, with parameters that are numbered from 1. It joins `guard`: if `guard` has no row, the part
   * writes nothing.
   */
  readonly sql: (guard: string) => string
}

/** The write of rows, if there are any. */
export const ofSome = <A>(
  rows: ReadonlyArray<A> | undefined,
  write: (rows: ReadonlyArray<A>) => Write,
): ReadonlyArray<Write> => (rows === undefined || rows.length === 0 ? [] : [write(rows)])

/** Creates the parts for one schema, whose name is quoted. `seal` encrypts phone numbers. */
export const make = (schema: string, arrays: RowArrays, seal?: Seal) => {
  const rowsOf = <A>({ type }: RowTable<A>): string => `unnest($1::${schema}.${type}[]) AS given`

  const part = <A>(action: string, table: RowTable<A>, sql: WriteKind["sql"]) => {
    const kind = { name: `${action} ${table.name}`, sql }
    return (rows: ReadonlyArray<A>, stamp?: number): Write => {
      const given = arrays(table, rows, seal)
      return { kind, params: stamp === undefined ? [given] : [given, stamp] }
    }
  }

  const insert = <A>(table: RowTable<A>, onConflict = "", action = "insert") =>
    part(
      action,
      table,
      (guard) => `INSERT INTO ${schema}.${table.name} (${table.list})
        SELECT given.* FROM ${rowsOf(table)}${guard} ${onConflict}`,
    )

  /** Inserts rows, or replaces those that exist. */
  const save = <A>(table: RowTable<A>) => insert(table, replacing(table), "save")

  /** Writes accounts with the stamp of the commit. */
  const stamped = (
    action: string,
    onConflict = "",
  ): ((rows: ReadonlyArray<Account>, stamp: number) => Write) =>
    part(
      action,
      Tables.accounts,
      (guard) => `INSERT INTO ${schema}.accounts (${Tables.accounts.list}, stamp)
        SELECT given.*, $2::int8 FROM ${rowsOf(Tables.accounts)}${guard} ${onConflict}`,
    )

  /**
   * Deletes by the physical places of the rows, which a subquery for each row finds, again with a single plan. The
   * statement compares the keys again, because a place is unique only within a partition.
   */
  const remove = (table: string, key: string, given: string) => (guard: string) =>
    `DELETE FROM ${schema}.${table} WHERE ctid = ANY (ARRAY(
        SELECT (SELECT r.ctid FROM ${schema}.${table} r
          WHERE r.organization = given.organization AND r.${key} = given.${key})
        FROM ${given}${guard}))
      AND ((organization, ${key}) IN (SELECT given.organization, given.${key} FROM ${given})) IS TRUE`

  const addTotals = insert(
    totals,
    `ON CONFLICT (${totals.key.join(", ")}) DO UPDATE SET count = totals.count + excluded.count,
        ${exactSum("amount")}, ${exactSum("refunded")}`,
    "add to",
  )

  const addBatchTotals = insert(
    batchTotals,
    `ON CONFLICT (${batchTotals.key.join(", ")}) DO UPDATE SET count = batch_totals.count + excluded.count,
        ${exactSum("amount", "batch_totals")}, ${exactSum("refunded", "batch_totals")}`,
    "add to",
  )

  /** The rows belong to the lane that writes. */
  const addCounters = insert(
    counters,
    `ON CONFLICT (${counters.key.join(", ")}) DO UPDATE SET count = counters.count + excluded.count,
        ${exactSum("amount", "counters")}, ${exactSum("refunded", "counters")}, ${[
          "organization",
          "sequence",
        ]
          .map((name) => `last_${name}`)
          .map(
            (name) =>
              `${name} = CASE WHEN excluded.last_at >= counters.last_at THEN excluded.${name} ELSE counters.${name} END`,
          )
          .join(", ")}, last_at = greatest(counters.last_at, excluded.last_at)`,
    "add to",
  )

  const saveRefusals = save(refusals)

  const deleteRecipients = {
    name: "delete recipients",
    sql: remove(
      "recipients",
      "phone_number",
      "unnest($1::text[], $2::text[]) AS given (organization, phone_number)",
    ),
  }

  const deleteQueued = {
    name: "delete outbox",
    sql: remove("outbox", "id", "unnest($1::text[], $2::text[]) AS given (organization, id)"),
  }

  const signLane = {
    name: "sign lane",
    sql: (guard: string) => `INSERT INTO ${schema}.lanes (organization, id, batch)
        SELECT given.* FROM (VALUES ($1::text, $2::text, $3::int8)) AS given${guard}
        ON CONFLICT (organization, id) DO UPDATE SET batch = excluded.batch, seen_at = now()`,
  }

  return {
    insertAccounts: stamped("insert"),
    saveAccounts: stamped("save", replacing(Tables.accounts, "stamp")),
    insertRecipients: insert(Tables.recipients),
    saveRecipients: save(Tables.recipients),
    /** Deletes the rows of recipients that have moved to another form of their number. */
    deleteRecipients: (
      rows: ReadonlyArray<{ readonly organization: string; readonly form: string }>,
    ): Write => ({
      kind: deleteRecipients,
      params: [rows.map(({ organization }) => organization), rows.map(({ form }) => form)],
    }),
    saveClients: save(Tables.clients),
    saveErasedRecipients: save(Tables.erasedRecipients),
    saveOptOuts: save(optOuts),
    insertVerifications: insert(Tables.verifications),
    saveVerifications: save(Tables.verifications),
    insertMessages: insert(Tables.messages),
    saveMessages: save(Tables.messages),
    insertOpenMessages: insert(Tables.openMessages),
    saveOpenMessages: save(Tables.openMessages),
    saveGatewayIds: save(Tables.gatewayIds),
    savePrefixStats: save(Tables.prefixStats),
    saveIdempotencyKeys: save(Tables.idempotencyKeys),
    saveWebhooks: save(webhookProgress),
    insertWebhookAttempts: insert(webhookAttempts),
    addCounters: (rows: ReadonlyArray<CounterRow>): Write => addCounters(rows),
    /** A node that has taken the row since it was read loses it. */
    saveQueued: insert(
      outbox,
      replacing(outbox).replace(
        "claim = excluded.claim",
        `claim = CASE WHEN excluded.due_at IS NULL OR excluded.claim > outbox.claim THEN excluded.claim
          ELSE outbox.claim + 1 END`,
      ),
      "save",
    ),
    saveBatches: save(batches),
    saveAlerts: save(alerts),
    addBatchTotals: (rows: ReadonlyArray<BatchTotal>): Write => addBatchTotals(rows),
    deleteQueued: (rows: ReadonlyArray<Pick<QueuedSend, "organization" | "id">>): Write => ({
      kind: deleteQueued,
      params: [rows.map(({ organization }) => organization), rows.map(({ id }) => id)],
    }),
    insertReports: insert(Tables.reports),
    saveReports: save(Tables.reports),

    /** Adds to the rows. The organization is locked, so no writer waits for another one here. */
    addTotals: (hours: ReadonlyArray<Total>): Write => addTotals(totalRows(hours)),
    insertEntries: insert(Tables.entries),
    insertEvents: insert(events),
    saveEvents: save(events),
    insertAudit: insert(audit),
    saveRefusals: (rows: ReadonlyArray<Refusal>): Write => saveRefusals(rows.map(encodeRefusal)),

    /** Ignores a repeated finding, which needs rules that changed in the same millisecond. */
    insertFindings: insert(Tables.findings, "ON CONFLICT DO NOTHING"),
    deleteOpenMessages: part(
      "delete",
      Tables.openMessages,
      remove("open_messages", "sequence", rowsOf(Tables.openMessages)),
    ),

    /** Signs a lane's transaction with the number of its batch, in one of the organizations that it changes. */
    signLane: (organization: string, lane: string, batch: number): Write => ({
      kind: signLane,
      params: [organization, lane, batch],
    }),
  }
}

/** Replaces all columns but the key, and `others`. */
const replacing = <A>(table: RowTable<A>, ...others: ReadonlyArray<string>): string => {
  const changed = table.columns.flatMap(({ name }) => (table.key.includes(name) ? [] : [name]))
  const sets = [...changed, ...others].map((name) => `${name} = excluded.${name}`)
  return `ON CONFLICT (${table.key.join(", ")}) DO UPDATE SET ${sets.join(", ")}`
}

/** As in the engine, a sum beyond the largest exact amount stays there. */
const exactSum = (column: string, table = "totals"): string =>
  `${column} = greatest(-${Number.MAX_SAFE_INTEGER}, least(${Number.MAX_SAFE_INTEGER},
          ${table}.${column} + excluded.${column}))`

export type Writes = ReturnType<typeof make>
