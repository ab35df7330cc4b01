/**
 * The store on PostgreSQL: a server, or PGlite in this process, with the same statements.
 *
 * The store keeps rows and takes locks; the engine contains all rules. The store guarantees that the commands of one
 * organization are decided one after another, on any number of nodes. An outcome is durable once it was returned. A
 * commit whose response was lost is neither repeated nor forgotten.
 */
import * as PgPool from "@effect/sql-pg/PgPool"
import type { StoreUnavailable } from "@countersign/core/domain/errors/Errors"
import { Records } from "@countersign/core/domain/organizations/RecordOptions"
import * as Money from "@countersign/core/domain/values/Money"
import * as Statement from "@countersign/core/domain/money/Statement"
import * as Verification from "@countersign/core/domain/verifications/Verification"
import * as Store from "@countersign/core/ports/Store"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { afterOwnWrites } from "./internal/batches/afterOwnWrites.ts"
import * as Batches from "./internal/batches/batches.ts"
import { maxRows, RowCache } from "./internal/batches/rowCache.ts"
import { makeLane } from "./internal/batches/transactions.ts"
import { countedPool } from "./internal/connection/countedPool.ts"
import * as Durability from "./internal/connection/durability.ts"
import { defaultMax } from "./internal/connection/sessions.ts"
import { makeQuery, makeReader } from "./internal/connection/query.ts"
import type { Statement as SqlStatement } from "./internal/connection/pipeline.ts"
import { makeCounterRows } from "./internal/counterStore.ts"
import type { Database } from "./internal/database.ts"
import * as ExpiredRows from "./internal/maintenance/expiredRows.ts"
import { makePrune } from "./internal/maintenance/prune.ts"
import * as TableScan from "./internal/maintenance/tableScan.ts"
import { type NumberKey, plainForms } from "./internal/numbers/cipher.ts"
import * as Opened from "./internal/numbers/opened.ts"
import * as NumberKeys from "./internal/numbers/registry.ts"
import * as Rotation from "./internal/numbers/rotation.ts"
import { makeDirectory } from "./internal/organizations/directory.ts"
import { makePersonalRows } from "./internal/personalData.ts"
import { audit, decodeTotal } from "./internal/rows/recordRows.ts"
import { decodeEvent } from "./internal/rows/eventRows.ts"
import { bool, int8, type Row, text } from "./internal/rows/columns.ts"
import * as RowArrays from "./internal/rows/rowArrays.ts"
import { foundIn, rowType } from "./internal/rows/rowTable.ts"
import { optOuts } from "./internal/rows/optOutRows.ts"
import * as Tables from "./internal/rows/tables.ts"
import { webhookProgress } from "./internal/rows/webhookRows.ts"
import { initial } from "./internal/schema/0001_initial.ts"
import { addOutbox } from "./internal/schema/0002_outbox.ts"
import { messageClass } from "./internal/schema/0003_message_class.ts"
import { addBatches } from "./internal/schema/0004_batches.ts"
import { addBatchRanges } from "./internal/schema/0005_batch_ranges.ts"
import { addTrace } from "./internal/schema/0006_trace.ts"
import { addAlerts } from "./internal/schema/0007_alerts.ts"
import { addPeople } from "./internal/schema/0008_sessions.ts"
import { addCounters } from "./internal/schema/0009_counters.ts"
import { addCosts } from "./internal/schema/0010_costs.ts"
import { quoteIdentifier } from "./internal/schema/migrate.ts"
import * as Partitions from "./internal/schema/partitions.ts"
import { makeSearches, makeTrace } from "./internal/search.ts"
import * as BatchSql from "./internal/statements/batchSql.ts"
import * as Queries from "./internal/statements/queries.ts"
import { makeStoreClock } from "./internal/storeClock.ts"
import { makeStoreState } from "./internal/storeState.ts"
import { makeAlertRows } from "./internal/alertStore.ts"
import { makeBatchRows } from "./internal/batchStore.ts"
import { makeOutboxRows } from "./internal/outboxStore.ts"
import { makeUnownedRows } from "./internal/unownedRows.ts"
import * as Migrations from "./Migrations.ts"

export { type NumberKey, numberKeyOf } from "./internal/numbers/cipher.ts"
export { NumberKeyError } from "./internal/numbers/registry.ts"

/** Options of the store. */
export interface Options {
  /** The schema that holds the tables. @defaultValue `countersign` */
  readonly schema?: string | undefined
  /** Whether to migrate at the start. If `false`, fails to start on an outdated schema. @defaultValue `true` */
  readonly migrate?: boolean | undefined
  /** Maximum number of concurrent commits of a node, each for other organizations. @defaultValue 4 */
  readonly lanes?: number | undefined
  /** Maximum number of commands in a commit. @defaultValue 512 */
  readonly maxBatch?: number | undefined
  /** Maximum number of commands of one organization in a commit. @defaultValue 256 */
  readonly maxBatchPerOrganization?: number | undefined
  /** Number of waiting commands from which an organization is committed apart from others. @defaultValue 32 */
  readonly hotSize?: number | undefined
  /**
   * `organization`: no transaction touches two organizations, as a database that is sharded by them requires.
   *
   * @defaultValue `shared`
   */
  readonly commits?: "shared" | "organization" | undefined
  /** Partitions of the tables of a new schema, 2 to 1,024. Requires `migrate`. @defaultValue no partitions */
  readonly partitions?: number | undefined
  /** Maximum number of waiting commands; the store refuses further ones. @defaultValue 4,096 */
  readonly maxWaiting?: number | undefined
  /**
   * Encrypts phone numbers in the database. The first key encrypts; rows under the others stay readable, and the
   * store brings them under the first key.
   *
   * @defaultValue no encryption
   */
  readonly numberKeys?: ReadonlyArray<NumberKey> | undefined
  /** Returns milliseconds since the epoch. Tests pass the Effect `Clock`. @defaultValue the database's clock */
  readonly clock?: Effect.Effect<number> | undefined
}

/** All migrations of this build, in order. */
export const migrations: ReadonlyArray<Migrations.Migration> = [
  initial,
  addOutbox,
  messageClass,
  addBatches,
  addBatchRanges,
  addTrace,
  addAlerts,
  addPeople,
  addCounters,
  addCosts,
]

/** The store over the connections of `PostgresClient.layer` or `PgliteClient.layer`. */
export const layer = (
  options: Options = {},
): Layer.Layer<
  Store.Store,
  Migrations.MigrationError | NumberKeys.NumberKeyError | StoreUnavailable,
  PgPool.PgPool | SecureRandom.SecureRandom
> => Layer.effect(Store.Store, make(options))

const make = Effect.fnUntraced(function* (options: Options) {
  const { connections, pool } = countedPool(yield* PgPool.PgPool, defaultMax)
  const random = yield* SecureRandom.SecureRandom
  const name = options.schema ?? Migrations.defaultSchema
  if (options.migrate ?? true) {
    yield* Migrations.run({ schema: name, migrations })
    if (options.partitions !== undefined) yield* Partitions.ensure(name, options.partitions)
  } else {
    yield* Migrations.check({ schema: name, migrations })
  }
  const schema = quoteIdentifier(name)
  const raw = makeQuery(pool)
  yield* Durability.warn(raw)
  const cipher = yield* NumberKeys.open(schema, raw, options.numberKeys ?? [])
  const reader = makeReader(raw, cipher?.open)
  const { all, first, query, run } = reader
  const arrays = yield* RowArrays.open(name, raw)
  const sql = BatchSql.make(schema, arrays, cipher)
  const queries = Queries.make(schema)
  const clock = yield* makeStoreClock(options.clock)
  const forms = cipher?.forms ?? plainForms
  // That two nodes draw the same stamp is as improbable as a guess of 52 bits.
  let stamp = yield* random.intBetween(1, 2 ** 52)
  const records = yield* Records
  const nextStamp = () => stamp++
  const database: Database = { ...reader, schema, arrays, sql, clock, nextStamp, records, forms }

  const context = yield* Effect.context<never>()
  // No other writer, on this node or another, may have the same lanes.
  const node = Array.from(yield* random.randomBytes(12), (byte) => byte.toString(16)).join("")
  const lane = (name: number | string) => {
    const made = makeLane(pool, sql, `${node}:${name}`, context)
    return cipher === undefined ? made : Opened.lane(made, cipher)
  }
  const lanes = Array.from({ length: options.lanes ?? 4 }, (_, index) => lane(index))
  const bounds = {
    max: options.maxBatch ?? 512,
    maxPerOrganization: options.maxBatchPerOrganization ?? 256,
    hotSize: options.hotSize ?? 32,
    maxOrganizations: options.commits === "organization" ? 1 : Infinity,
    maxWaiting: options.maxWaiting ?? 4_096,
  }
  const isRotating = cipher !== undefined && cipher.count > 1
  // A rotation changes the forms of phone numbers without a stamp.
  const cache = new RowCache(isRotating ? 0 : maxRows)
  const phoneNumberOf = isRotating ? Opened.phoneNumberOf(queries, query) : undefined
  const batches = yield* Batches.make(database, lanes, cache, bounds, phoneNumberOf)
  const { execute } = batches
  const directory = yield* makeDirectory(database, lane("directory"))

  // A scan with a clock that has jumped ahead would delete rows that are needed.
  const trustedNow = Effect.gen(function* () {
    const hostNow = yield* clock.hostNow
    const [row] = hostNow === undefined ? yield* query(sql.readClock) : []
    return clock.timeAt(hostNow, row)
  })
  // The scans take turns, so that an idle node needs one connection for all of them.
  const turn = yield* Semaphore.make(1)
  for (const scanOf of ExpiredRows.all) {
    yield* TableScan.keepUp(query, scanOf(schema), turn, trustedNow).pipe(
      // Leaves the first second of a start to the first requests.
      Effect.delay("1 second"),
      Effect.forkScoped,
    )
  }

  /** Reads a page. Without rows of its own it is one row without a sequence. */
  const page = <A, B>(
    statement: SqlStatement,
    decode: (row: Row) => A,
    make: (row: Row, found: ReadonlyArray<A>) => B,
  ) => Effect.map(query(statement), (rows) => rows[0] && make(rows[0], foundIn(rows, decode)))
  const sealed = (value: string) => forms.text(value)[0] ?? value
  const stored = <A extends Pick<Store.KeptReport, "evidence" | "gatewayId">>(report: A): A => ({
    ...report,
    gatewayId: sealed(report.gatewayId),
    evidence: report.evidence === null ? null : sealed(report.evidence),
  })
  const timed = <A>(f: (hostNow: number | undefined) => Effect.Effect<A, StoreUnavailable>) =>
    Effect.flatMap(clock.hostNow, f)

  if (cipher !== undefined) {
    const step = Rotation.makeStep(schema, raw, cipher)
    const problem = "Could not encrypt phone numbers again"
    yield* Effect.forkScoped(TableScan.repeat(problem, turn, step))
  }

  return afterOwnWrites(batches, {
    execute,
    ...directory,
    organizations: (after, limit, which) =>
      all(queries.listOrganizations(after ?? "", limit, which), (row) =>
        Tables.organization.decode(row, "id"),
      ),
    organizationSummaries: (after, limit, selection = {}) =>
      timed((hostNow) =>
        all(queries.listSummaries(hostNow, after ?? "", limit, selection), summary.decode),
      ),
    apiKey: (id) => first(queries.readApiKey(id), decodeOwnedKey),
    recordKeyUses: (uses) => timed((hostNow) => run(queries.recordKeyUses(hostNow, uses))),
    account: (id) => first(queries.readAccount(id), Tables.accounts.decode),
    entries: (id, after, limit) =>
      all(queries.readEntries(id, after, limit), Tables.entries.decode),
    payment: (id, paymentId) => first(queries.readPayment(id, paymentId), Tables.entries.decode),
    balancesBefore: (id, at) =>
      Effect.map(
        first(queries.balancesBefore(id, at), balances.decode),
        (row) => row ?? noBalances,
      ),
    sumEntries: (id, after, through) =>
      Effect.map(all(queries.sumEntries(id, after, through), kindSum.decode), (rows) =>
        rows.reduce<Statement.KindSums>(
          (sums, { amount, count, kind }) => ({
            ...sums,
            [kind]: { count, amount: BigInt(amount) },
          }),
          Statement.noEntries,
        ),
      ),
    events: (id, after, limit) =>
      page(queries.readEvents(id, after, limit), decodeEvent, (row, found) => ({
        first: int8.decode(row, "first_event"),
        last: int8.decode(row, "last_event"),
        events: found,
      })),
    trace: makeTrace(database),
    audit: (id, before = Number.MAX_SAFE_INTEGER, limit) =>
      page(queries.readAudit(id, before, limit), audit.decode, (row, entries) => ({
        first: int8.decode(row, "first_audit"),
        last: int8.decode(row, "last_audit"),
        entries,
      })),
    verification: Effect.fnUntraced(function* (organization, id) {
      const [row] = yield* query(queries.readVerification(organization, id))
      if (row === undefined) return undefined
      const verification = Tables.decodeVerification(row)
      if (Verification.isErased(verification)) return undefined
      const lastAt = int8.decode(row, "last_at")
      const now = Math.max(clock.timeAt(yield* clock.hostNow, row), lastAt)
      if (!Verification.mustRemember(verification, lastAt, now)) return { verification, now }
      const observe = { _tag: "ObserveVerification", organization, requestId: id } as const
      const { result } = yield* execute(observe)
      if (result._tag !== "Observed") return undefined
      return { verification: result.verification, now: result.now }
    }),
    recipient: (organization, phoneNumber) =>
      timed((hostNow) =>
        first(
          queries.readRecipient(organization, forms.number(phoneNumber, organization)),
          (row) => ({
            recipient: Tables.recipients.decode(row),
            now: Math.max(clock.timeAt(hostNow, row), int8.decode(row, "last_at")),
          }),
        ),
      ),
    messages: (organization, wanted) =>
      page(queries.readPage(organization, wanted), Tables.messages.decode, (row, messages) => ({
        version: int8.decode(row, "version"),
        total: int8.decode(row, "total"),
        messages,
      })),
    ...makeSearches(database, execute),
    message: ({ sequence, organization }) =>
      first(queries.readMessage(organization, sequence), (row) => ({
        version: int8.decode(row, "version"),
        message: row["sequence"] === null ? undefined : Tables.messages.decode(row),
      })),
    due: (limit, without = []) =>
      timed((hostNow) => all(queries.readDue(hostNow, limit, without), messageRef.decode)),
    locate: (gateway, gatewayId) =>
      timed((hostNow) =>
        first(queries.locate(hostNow, gateway, forms.text(gatewayId)), messageRef.decode),
      ),
    keepReport: (report) => timed((hostNow) => run(queries.keepReport(hostNow, stored(report)))),
    keptReports: (after, limit) =>
      timed((hostNow) =>
        Effect.map(query(queries.readKeptReports(after, limit)), (rows) => {
          const reports = rows.map(Tables.keptReports.decode)
          const now = clock.timeAt(hostNow, rows[0])
          const [last, row] = [reports.at(-1), rows.at(-1)]
          const place = last && row && { ...last, gatewayId: text.decode(row, "place").slice(1) }
          return { now, reports, last: place }
        }),
      ),
    reports: ({ sequence, organization }) =>
      all(queries.readReports(organization, sequence), Tables.reports.decode),
    findings: (organization, limit) =>
      all(queries.readFindings(organization, limit), Tables.findings.decode),
    webhookProgress: (organization) =>
      all(queries.readWebhookProgress(organization), webhookProgress.decode),
    dueWebhooks: (due) =>
      timed((hostNow) => all(queries.readDueWebhooks(hostNow, due), webhookRef.decode)),
    totals: (organization, query) => all(queries.readTotals(organization, query), decodeTotal),
    forgetReport: (report) => run(queries.forgetReport(report, forms.text(report.gatewayId))),
    optOuts: (organization, digests) =>
      all(queries.readOptOuts(organization, digests), optOuts.decode),
    prune: makePrune(database),
    personalRows: makePersonalRows(database),
    ...makeUnownedRows(database),
    ...makeBatchRows(database),
    ...makeStoreState(database, {
      pool,
      migrations: { schema: name, migrations },
      connections,
      rowsInMemory: Effect.sync(() => cache.size),
    }),
    ...makeCounterRows(database),
    ...makeAlertRows(database),
    ...(yield* makeOutboxRows(database, {
      pool,
      name,
      // One connection for each lane, and one for look-ups.
      canListen: (pool.config.maxConnections ?? defaultMax) > lanes.length + 1,
    })),
  })
})

const { organization } = Tables
const webhookRef = rowType({ organization, id: webhookProgress.fields.id })
const messageRef = rowType({ organization, sequence: int8 })

/** Returns `undefined` for the row of an unknown id, whose key is decoded like any other. */
const decodeOwnedKey = (row: Row): Store.OwnedApiKey | undefined => {
  const isSuspended = bool.decode(row, "is_suspended")
  const apiKey = Tables.apiKeys.decode(row)
  if (row["organization"] === "") return undefined
  return { organization: Tables.organization.decode(row, "organization"), isSuspended, apiKey }
}

const { balance, held, kind, sequence } = Tables.entries.fields
const balances = rowType({ balance, held, sequence })
const noBalances = { sequence: 0, balance: Money.zero, held: Money.zero }

const kindSum = rowType({ kind, count: int8, amount: text })

const summary = rowType<Store.OrganizationSummary>({
  id: Tables.organization,
  name: text,
  isSuspended: bool,
  balance: Tables.money,
  held: Tables.money,
  hasDefaultSender: bool,
  pendingSenders: int8,
  messagesLastDay: int8,
  activeApiKeys: int8,
})
