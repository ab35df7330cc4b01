/**
 * The store on PostgreSQL: a server, or PGlite in this process, with the same statements.
 *
 * The store keeps rows and takes locks; the engine contains all rules. The store guarantees that the commands
 * of one organization are decided one after another, on any number of nodes; that an outcome is durable once it
 * was returned; and that a commit whose response was lost is neither repeated nor forgotten.
 */
import * as PgPool from "@effect/sql-pg/PgPool"
import * as Account from "@countersign/core/domain/Account"
import * as Decision from "@countersign/core/decide/Decision"
import { GuardedClock } from "@countersign/core/services/GuardedClock"
import type { StoreUnavailable } from "@countersign/core/domain/Errors"
import { ApiKeyId, BrandId, type MessageRef, OrganizationId } from "@countersign/core/domain/Ids"
import type { Organization } from "@countersign/core/domain/Organization"
import { Store } from "@countersign/core/ports/Store"
import * as Verification from "@countersign/core/domain/Verification"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Batches from "./internal/batches/batches.ts"
import * as Columns from "./internal/rows/columns.ts"
import * as GatewayIds from "./internal/maintenance/gatewayIds.ts"
import { quoteIdentifier } from "./internal/schema/migrate.ts"
import { initial } from "./internal/migrations/0001_initial.ts"
import { cheaperBatches } from "./internal/migrations/0002_cheaper_batches.ts"
import { spendingAndTraffic } from "./internal/migrations/0003_spending_and_traffic.ts"
import { messageReports } from "./internal/migrations/0004_message_reports.ts"
import { expiringGatewayIds } from "./internal/migrations/0005_expiring_gateway_ids.ts"
import { paymentIds } from "./internal/migrations/0006_payment_ids.ts"
import { makeJoin } from "./internal/statements/join.ts"
import * as Partitions from "./internal/schema/partitions.ts"
import type { Statement } from "./internal/connection/pipeline.ts"
import * as Read from "./internal/rows/rows.ts"
import * as Queries from "./internal/statements/queries.ts"
import { makePrune, type Query } from "./internal/maintenance/prune.ts"
import * as Statements from "./internal/statements/batchReads.ts"
import { repairWork } from "./internal/maintenance/timeRepair.ts"
import { type Lane, makeLane, unavailable, type Work } from "./internal/batches/transactions.ts"
import * as Upkeep from "./internal/maintenance/tableScan.ts"
import * as Writes from "./internal/statements/writes.ts"
import * as Migrations from "./Migrations.ts"

/** Options of the store. */
export interface Options {
  /** The schema that holds the tables. @defaultValue `countersign` */
  readonly schema?: string | undefined
  /**
   * Whether the layer brings the schema up to date when it starts. If `false`, the layer fails to start on a
   * schema that is not up to date.
   *
   * @defaultValue `true`
   */
  readonly migrate?: boolean | undefined
  /**
   * Maximum number of concurrent commits of a node, each for other organizations. A node uses more than one
   * only if many commands wait, or wait for long.
   *
   * @defaultValue 4
   */
  readonly lanes?: number | undefined
  /** Maximum number of commands in a commit. @defaultValue 512 */
  readonly maxBatch?: number | undefined
  /** Maximum number of commands of one organization in a commit. @defaultValue 256 */
  readonly maxBatchPerOrganization?: number | undefined
  /**
   * Number of waiting commands from which an organization is hot. Commands of hot organizations are committed
   * apart, so that regular organizations do not wait for their long commits.
   *
   * @defaultValue 32
   */
  readonly hotSize?: number | undefined
  /**
   * The commands that may share a commit. `shared`: those of all organizations. `organization`: those of one
   * organization only. Then no transaction touches two organizations, as a database that is sharded by
   * organization requires.
   *
   * @defaultValue `shared`
   */
  readonly commits?: "shared" | "organization" | undefined
  /**
   * Number of partitions of the tables of a new schema, by organization; 2 to 1,024. Requires `migrate`.
   *
   * @defaultValue no partitions
   */
  readonly partitions?: number | undefined
  /** Maximum number of waiting commands; the store refuses further ones. @defaultValue 4,096 */
  readonly maxWaiting?: number | undefined
  /**
   * Returns milliseconds since the epoch. With the database's clock, the clocks of the nodes do not matter.
   * Tests pass the Effect `Clock`.
   *
   * @defaultValue the database's clock
   */
  readonly clock?: Effect.Effect<number> | undefined
}

/** All migrations of this build, in order. */
export const migrations: ReadonlyArray<Migrations.Migration> = [
  initial,
  cheaperBatches,
  spendingAndTraffic,
  messageReports,
  expiringGatewayIds,
  paymentIds,
]

/** The store over the connections of `PostgresClient.layer` or `PgliteClient.layer`. */
export const layer = (
  options: Options = {},
): Layer.Layer<
  Store,
  Migrations.MigrationError | StoreUnavailable,
  PgPool.PgPool | SecureRandom.SecureRandom
> => Layer.effect(Store, make(options))

const make = Effect.fnUntraced(function* (
  options: Options,
): Effect.fn.Return<
  Store["Service"],
  Migrations.MigrationError | StoreUnavailable,
  PgPool.PgPool | SecureRandom.SecureRandom | Scope.Scope
> {
  const pool = yield* PgPool.PgPool
  const random = yield* SecureRandom.SecureRandom
  const schema = options.schema ?? Migrations.defaultSchema
  if (options.migrate ?? true) {
    yield* Migrations.run({ schema, migrations })
    if (options.partitions !== undefined) yield* Partitions.ensure(schema, options.partitions)
  } else {
    yield* Migrations.check({ schema, migrations })
  }
  const sql = Statements.make(quoteIdentifier(schema))
  const writes = Writes.make(quoteIdentifier(schema))
  const join = makeJoin(quoteIdentifier(schema))
  const queries = Queries.make(quoteIdentifier(schema))
  const query = makeQuery(pool)
  const guarded = new GuardedClock()
  const context = yield* Effect.context<never>()
  const timeFor = (clockMillis: number, accounts: ReadonlyArray<Account.Account> = []): number => {
    const now = guarded.read(clockMillis, context)
    for (const { lastAt, organization } of accounts) {
      guarded.watch(organization, lastAt, now, context)
    }
    return now
  }

  // No other writer, on this node or another, may have the same lanes.
  const node = Array.from(yield* random.randomBytes(12), (byte) => byte.toString(16)).join("")
  const lanes = Array.from({ length: options.lanes ?? 4 }, (_, index) =>
    makeLane(pool, sql, writes, join, `${node}:${index}`),
  )
  const { execute } = yield* Batches.make(lanes, sql, writes, {
    share: {
      max: options.maxBatch ?? 512,
      maxPerOrganization: options.maxBatchPerOrganization ?? 256,
      hotSize: options.hotSize ?? 32,
      maxOrganizations: options.commits === "organization" ? 1 : Infinity,
    },
    maxWaiting: options.maxWaiting ?? 4_096,
    clock: options.clock,
    timeFor,
  })
  const directory = yield* makeDirectory(
    quoteIdentifier(schema),
    makeLane(pool, sql, writes, join, `${node}:directory`),
    sql,
    writes,
    queries,
    query,
    options,
    timeFor,
  )

  const nodeNow: Effect.Effect<number | undefined> = options.clock ?? Effect.succeed(undefined)
  const first = <A>(statement: Statement, read: (row: Read.Row) => A) =>
    Effect.map(query(statement), ([row]) => (row === undefined ? undefined : read(row)))
  // A scan with a clock that has jumped ahead would delete rows that are needed.
  const believed = Effect.flatMap(nodeNow, (now) =>
    now === undefined
      ? Effect.map(query(sql.readClock), (rows) => timeFor(clockOf({ rows })))
      : Effect.succeed(timeFor(now)),
  )
  for (const walk of [
    { name: "lanes", step: sql.pruneLanes },
    GatewayIds.walk(quoteIdentifier(schema)),
  ]) {
    yield* Effect.forkScoped(Upkeep.keepUp(query, walk, believed))
  }
  const timed = <A>(f: (now: number | undefined) => Effect.Effect<A, StoreUnavailable>) =>
    Effect.flatMap(nodeNow, f)

  return Store.of({
    execute,
    ...directory,
    organizations: (after, limit) =>
      Effect.map(query(queries.listOrganizations(after ?? "", limit)), (rows) =>
        rows.map((row) => OrganizationId(Columns.textOf(row, "id"))),
      ),
    organizationSummaries: (after, limit) =>
      Effect.map(query(queries.listSummaries(after ?? "", limit)), (rows) =>
        rows.map(Read.organizationSummary),
      ),
    apiKey: (id) => first(queries.readApiKey(id), Read.apiKey),
    account: (id) => first(queries.readAccount(id), Read.account),
    entries: (id, after, limit) =>
      Effect.map(query(queries.readEntries(id, after, limit)), (rows) => rows.map(Read.entry)),
    verification: Effect.fnUntraced(function* (organization, id) {
      const [row] = yield* query(queries.readVerification(organization, id))
      if (row === undefined) return undefined
      const verification = Read.verification(row)
      const lastAt = Columns.numberOf(row, "last_at")
      const clockMillis = (yield* nodeNow) ?? Columns.numberOf(row, "now")
      const now = Math.max(timeFor(clockMillis), lastAt)
      if (!Verification.mustRemember(verification, lastAt, now)) return { verification, now }
      const { outcome } = yield* execute({
        _tag: "ObserveVerification",
        organization,
        requestId: id,
      })
      return outcome._tag === "Observed"
        ? { verification: outcome.verification, now: outcome.now }
        : undefined
    }),
    messages: (organization, page) =>
      Effect.map(query(queries.readPage(organization, page)), (rows) => {
        const [row] = rows
        return row === undefined
          ? undefined
          : {
              version: Columns.numberOf(row, "version"),
              total: Columns.numberOf(row, "total"),
              // A page without messages is one row without a message.
              messages: row["number"] === null ? [] : rows.map(Read.message),
            }
      }),
    message: ({ sequence, organization }) =>
      first(queries.readMessage(organization, sequence), (row) => ({
        version: Columns.numberOf(row, "version"),
        message: row["number"] === null ? undefined : Read.message(row),
      })),
    due: (limit, without = []) =>
      timed((now) =>
        Effect.map(query(queries.readDue(now, limit, without)), (rows) => rows.map(messageRef)),
      ),
    locate: (gateway, gatewayId) =>
      timed((now) => first(queries.locate(now, gateway, gatewayId), messageRef)),
    keepReport: (report) => timed((now) => Effect.asVoid(query(queries.keepReport(now, report)))),
    keptReports: (after, limit) =>
      timed((now) =>
        Effect.map(query(queries.readKeptReports(after, limit)), (rows) => {
          const [row] = rows
          const clockMillis = now ?? (row && Columns.numberOf(row, "now"))
          return {
            now: clockMillis === undefined ? 0 : timeFor(clockMillis),
            reports: rows.map(Read.keptReport),
          }
        }),
      ),
    reports: ({ sequence, organization }) =>
      Effect.map(query(queries.readReports(organization, sequence)), (rows) =>
        rows.map(Read.report),
      ),
    findings: (organization, limit) =>
      Effect.map(query(queries.readFindings(organization, limit)), (rows) =>
        rows.map(Read.finding),
      ),
    forgetReport: (report) => Effect.asVoid(query(queries.forgetReport(report))),
    prune: makePrune(quoteIdentifier(schema), query, nodeNow, timeFor),
  })
})

const messageRef = (row: Read.Row): MessageRef => ({
  organization: OrganizationId(Columns.textOf(row, "organization")),
  sequence: Columns.numberOf(row, "number"),
})

/** Runs single statements. Reads may fail because the database is unavailable. Any other failure is a bug. */
const makeQuery =
  (pool: PgPool.PgPool): Query =>
  ({ params, sql }) =>
    pool
      .use((connection) => connection.query(sql, params))
      .pipe(
        Effect.map(({ rows }) => rows),
        Effect.catch((error) => {
          const refusal = unavailable(error)
          return refusal === undefined ? Effect.die(error) : Effect.fail(refusal)
        }),
      )

type Directory = Pick<
  Store["Service"],
  "createOrganization" | "changeOrganization" | "organization" | "repairTime"
>

/** Stores organizations with their settings, brands and keys. Writes are rare, so one writer is enough. */
const makeDirectory = Effect.fnUntraced(function* (
  schema: string,
  lane: Lane,
  sql: Statements.Statements,
  writes: Writes.Writes,
  queries: Queries.Queries,
  query: Query,
  options: Options,
  timeFor: (clockMillis: number) => number,
) {
  const permit = yield* Semaphore.make(1)
  const transact = <A>(work: (now: number | undefined) => Work<A>) =>
    Effect.flatMap(options.clock ?? Effect.succeed(undefined), (now) =>
      lane.transact(work(now)),
    ).pipe(Effect.uninterruptible, permit.withPermit)
  const read = (row: Read.Row) => Read.organization(row, { brand: BrandId, key: ApiKeyId })

  const directory: Directory = {
    organization: (id) =>
      Effect.map(query(queries.readOrganization(id)), ([row]) =>
        row === undefined ? undefined : read(row),
      ),
    createOrganization: (organization) =>
      transact((effectNow) => ({
        home: organization.id,
        reads: [
          queries.holdName(organization.id),
          queries.readAccount(organization.id),
          sql.readClock,
        ],
        decide: ([, accounts, clock]) => {
          if (accounts?.rows[0] !== undefined) return { value: false, rows: [] }
          const now = timeFor(effectNow ?? clockOf(clock))
          return {
            value: true,
            rows: [writes.insertAccounts([Account.empty(organization.id, now)])],
            statements: queries.writeOrganization(organization),
          }
        },
      })),
    changeOrganization: (id, change) =>
      transact<Organization | undefined>((effectNow) => ({
        home: id,
        reads: [sql.lockAccounts([id]), queries.readOrganization(id)],
        decide: ([accounts, organizations]) => {
          const [accountRow] = accounts?.rows ?? []
          const [row] = organizations?.rows ?? []
          if (accountRow === undefined || row === undefined) return { value: undefined, rows: [] }
          const account = Read.account(accountRow)
          const clockMillis = effectNow ?? Columns.numberOf(accountRow, "now")
          const lastAt = Decision.timeOf(account, timeFor(clockMillis))
          const version = account.version + 1
          const value = { ...change(read(row), lastAt), version }
          return {
            value,
            rows: [writes.updateAccounts([{ ...account, version, lastAt }])],
            statements: queries.writeOrganization(value),
          }
        },
      })),
    repairTime: (step) =>
      transact((effectNow) =>
        repairWork(schema, sql, writes, step, (row) =>
          timeFor(effectNow ?? Columns.numberOf(row, "now")),
        ),
      ),
  }
  return directory
})

const clockOf = (result: { readonly rows: ReadonlyArray<Read.Row> } | undefined): number => {
  const [row] = result?.rows ?? []
  return row === undefined ? 0 : Columns.numberOf(row, "now")
}
