import * as Account from "@countersign/core/domain/money/Account"
import { ApiKeyId, OrganizationId } from "@countersign/core/domain/values/Ids"
import type { Rules } from "@countersign/core/domain/fraud/PrefixStats"
import * as Money from "@countersign/core/domain/values/Money"
import { Store } from "@countersign/core/ports/Store"
import { PgPool } from "@effect/sql-pg"
import { assert, describe, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createHash } from "node:crypto"
import * as Samples from "@countersign/testing/Samples"
import { makeQuery } from "../src/internal/connection/query.ts"
import * as RowArrays from "../src/internal/rows/rowArrays.ts"
import * as AllTables from "../src/internal/rows/allTables.ts"
import * as Tables from "../src/internal/rows/tables.ts"
import * as Migrations from "../src/Migrations.ts"
import * as PostgresStore from "../src/PostgresStore.ts"
import { run, server, storeLayer } from "./fixtures/databases.ts"
import { nextMigration } from "./fixtures/nextMigration.ts"

const stored = (options: PostgresStore.Options) => Layer.provideMerge(storeLayer(options), server())

const query = (sql: string) =>
  Effect.map(run(sql), (rows) => rows.map((row) => Object.values(row).map(String)))

/**
 * Rows that belong to no organization: which migrations have run, which keys encrypt numbers, what gateways say
 * of unknown messages and did over all organizations, and who has signed in to the admin pages.
 */
const unowned = [
  "admin_sessions",
  "counters",
  "gateway_periods",
  "kept_reports",
  "migrations",
  "number_keys",
  "peppers",
]

layer(stored({}), { excludeTestServices: true })(
  "the schema can be split by organization",
  (it) => {
    it.effect("every table has an organization, and every unique key begins with it", () =>
      Effect.gen(function* () {
        const keys = yield* query(`
        SELECT t.relname, (SELECT a.attname FROM pg_attribute a WHERE a.attrelid = t.oid AND a.attnum = i.indkey[0])
        FROM pg_class t JOIN pg_namespace s ON s.oid = t.relnamespace
          LEFT JOIN pg_index i ON i.indrelid = t.oid AND i.indisunique
        WHERE s.nspname = 'countersign' AND t.relkind = 'r' ORDER BY 1, 2`)
        assert.includeMembers(
          keys.map(([table]) => table),
          [...AllTables.all.map(({ name }) => name), "lanes", ...unowned],
        )
        for (const [table = "", first] of keys) {
          if (unowned.includes(table)) continue
          // An organization's own row is the one that is named by its id.
          assert.strictEqual(first, table === "organizations" ? "id" : "organization", table)
        }
      }),
    )

    it.effect("no foreign key points from one organization's rows to another's", () =>
      Effect.gen(function* () {
        const links = yield* query(`
        SELECT conname FROM pg_constraint c JOIN pg_namespace s ON s.oid = c.connamespace
        WHERE s.nspname = 'countersign' AND contype = 'f'
        UNION ALL
        SELECT tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
          JOIN pg_namespace s ON s.oid = c.relnamespace WHERE s.nspname = 'countersign'`)
        assert.deepStrictEqual(links, [])
      }),
    )
  },
)

const names = Array.from({ length: 30 }, (_, index) => OrganizationId(`o${index}`))

/** Commands of many organizations at once, and then the organizations that each transaction has touched. */
const touchedTogether = Effect.gen(function* () {
  const store = yield* Store
  const all = { concurrency: "unbounded" } as const
  yield* Effect.forEach(names, (id) => store.createOrganization(Samples.organization({ id })), all)
  for (let round = 0; round < 5; round++) {
    yield* Effect.forEach(
      names,
      (organization) => store.execute(Samples.topUp({ organization, amount: Money.make("1") })),
      all,
    )
  }
  const account = yield* store.account(OrganizationId("o7"))
  assert.strictEqual(account?.balance, 5 * Money.make("1"))
  assert.strictEqual(account?.entries, 5 + Account.empty(OrganizationId("o7"), 0).entries)
  const together = yield* query(`
    SELECT max(organizations) FROM (
      SELECT count(DISTINCT organization) AS organizations FROM (
        SELECT xmin::text AS xmin, organization FROM countersign.accounts UNION ALL
        SELECT xmin::text AS xmin, organization FROM countersign.entries UNION ALL
        SELECT xmin::text AS xmin, organization FROM countersign.lanes) rows GROUP BY xmin) AS transactions`)
  return Number(together[0]?.[0])
})

describe("commands share a commit", () => {
  it.live("of all organizations by default", () =>
    Effect.gen(function* () {
      assert.isAbove(yield* touchedTogether, 1)
    }).pipe(Effect.provide(stored({}))),
  )

  it.live("of one organization only, if no transaction may touch two", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* touchedTogether, 1)
    }).pipe(Effect.provide(stored({ commits: "organization" }))),
  )
})

describe("the migrations", () => {
  it("do not change, because existing schemas have run them", () => {
    // A change of a table needs a migration of its own, and then the texts of the others, as they are now.
    assert.deepStrictEqual(
      PostgresStore.migrations.map(({ name, statements }) => {
        const text = JSON.stringify([statements('"s"')])
        return [name, createHash("sha256").update(text).digest("hex")]
      }),
      [
        ["initial", "83e348e39c608159da57e287db50b57a844ee93847ab070fb71efa6579b0cfd1"],
        ["outbox", "be6327983bea79a1db1690a587d1f08cf20a3cb6235505ce9c3b597f95018589"],
        ["message class", "5bb874211225a7f2daa48bd62f8073009cbe1e9dee8e7732b68982febc02257c"],
        ["batches", "a4f6bba6e762f51acdb3ec9577a7e892cc2b06c758df29c07f11bc90fc70048f"],
        ["batch ranges", "d217f85c93aa562607116b009c1e8f56b673e9c6c59ca2f21bec09d76c820fdb"],
        ["trace", "df257bfb9cc7ace490d0242d474d933bb4600079e85c8ae0bbae70e74b1e3a79"],
        ["alerts", "db256813faf1debb9897ab4c84be6a5679eabf81073cf27dacb32c1610677341"],
        ["people", "bdf3a1ffd2a5725ca1e2c76ae9571ff2a430d1f99506ad1117819b2b7951bf5b"],
        ["counters", "4ae40c52857c85fc60b3ddfb1b504699d99cc3956f9230e766ba73bc8f1b032c"],
        ["costs", "e60202b906ec57522cf28321ff714316538a1fabe5f6bb82f0e6fdb3eef88f01"],
      ],
    )
  })

  it.live("leave a build of the first one running, which writes messages without a class", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const id = Samples.organizationId
      yield* store.createOrganization(Samples.organization())
      yield* store.execute(Samples.topUp())
      const batch = Samples.batchId()
      for (const command of [Samples.openBatch(), Samples.changeBatch()]) {
        yield* store.execute(command)
      }
      const draft = Samples.newMessage({ class: "promotional", batch })
      yield* store.execute(Samples.holdMessage({ draft }))
      const ref = { organization: id, sequence: 1 }
      const before = (yield* store.message(ref))?.message
      assert.deepInclude(before, { class: "promotional", batch })
      const raw = makeQuery(yield* PgPool.PgPool)
      const arrays = yield* RowArrays.open("countersign", raw, [Tables.firstMessages])
      const rows = [Samples.message({ text: "changed" }), Samples.message({ sequence: 2 })]
      const { columns, list, type } = Tables.firstMessages
      yield* raw({
        sql: `INSERT INTO countersign.messages (${list})
          SELECT given.* FROM unnest($1::countersign.${type}[]) AS given
          ON CONFLICT (organization, sequence)
          DO UPDATE SET ${columns.map(({ name }) => `${name} = excluded.${name}`).join(", ")}`,
        params: [arrays(Tables.firstMessages, rows)],
      })
      yield* query("UPDATE countersign.accounts SET last_message = 2")
      assert.deepStrictEqual((yield* store.message(ref))?.message, {
        ...Samples.message({ text: "changed" }),
        class: "promotional",
        batch,
      })
      assert.deepStrictEqual(
        (yield* store.message({ ...ref, sequence: 2 }))?.message,
        Samples.message({ sequence: 2 }),
      )
    }).pipe(Effect.provide(stored({ clock: Effect.succeed(Samples.now) }))),
  )

  it.live("leave a build of the first one running, whose keys and findings stay readable", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const id = Samples.organizationId
      yield* store.createOrganization(Samples.organization())
      const raw = makeQuery(yield* PgPool.PgPool)
      const { initialApiKeys, initialFindings } = Tables
      const arrays = yield* RowArrays.open("countersign", raw, [initialApiKeys, initialFindings])
      const { createdBy: _by, ...key } = Samples.apiKey({ id: ApiKeyId("FEDCBA9876543210") })
      const finding = { organization: id, at: 1, prefix: "88017", sent: 20, verified: 2 }
      const found = { ...finding, reason: "conversion", action: "record" } as const
      yield* raw({
        sql: `INSERT INTO countersign.api_keys (${initialApiKeys.list}, organization, position)
          SELECT given.*, $2, 99 FROM unnest($1::countersign.${initialApiKeys.type}[]) AS given`,
        params: [arrays(initialApiKeys, [key]), id],
      })
      yield* raw({
        sql: `INSERT INTO countersign.findings (${initialFindings.list})
          SELECT given.* FROM unnest($1::countersign.${initialFindings.type}[]) AS given`,
        params: [arrays(initialFindings, [found])],
      })
      const keys = (yield* store.organization(id))?.keys ?? []
      assert.deepStrictEqual(keys.at(-1), { ...key, createdBy: "" })
      const findings = yield* store.findings(id, 10)
      assert.deepStrictEqual(findings, [{ ...found, unverifiedAmount: Money.zero }])
    }).pipe(Effect.provide(stored({}))),
  )

  it.live("of a later build may add columns while this build runs, and the rows keep them", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const id = Samples.organizationId
      const state = Effect.all({
        organization: store.organization(id),
        key: store.apiKey(Samples.apiKey().id),
        account: store.account(id),
        entries: store.entries(id, 0, 10),
        message: store.message({ organization: id, sequence: 1 }),
        reports: store.reports({ organization: id, sequence: 1 }),
        kept: store.keptReports(undefined, 10).pipe(Effect.map(({ reports }) => reports)),
        findings: store.findings(id, 10),
        page: store.messages(id, { from: undefined, to: undefined, skip: 0, limit: 10 }),
        dates: store.messages(id, { from: 0, to: undefined, skip: 0, limit: 10 }),
        verification: store
          .verification(id, Samples.requestId(1))
          .pipe(Effect.map((found) => found?.verification)),
      })
      const change = (index: number) =>
        Effect.all([
          store.execute(Samples.topUp()),
          store.execute(
            Samples.requestVerification({
              requestId: Samples.requestId(index),
              draft: Samples.newMessage({ id: Samples.messageId(index) }),
              rules,
            }),
          ),
          store.execute(Samples.checkCode({ requestId: Samples.requestId(index), rules })),
          store.execute(Samples.recordDispatch({ messageSequence: index })),
          store.execute(Samples.applyReport({ messageSequence: index })),
          store.prune({
            organization: id,
            kind: "recipients",
            keepMillis: 0,
            after: undefined,
            limit: 9,
          }),
        ]).pipe(
          Effect.map((all) => all.slice(0, -1).map((one) => "result" in one && one.result._tag)),
        )
      yield* store.createOrganization(
        Samples.organization({ keys: [Samples.apiKey()], senders: [Samples.sender()] }),
      )
      const outcomes = yield* change(1)
      const before = yield* state
      yield* Migrations.run({ migrations: [...PostgresStore.migrations, nextMigration] })
      yield* query("UPDATE countersign.accounts SET later = 7")
      assert.deepStrictEqual(yield* state, before)
      assert.deepStrictEqual(yield* change(2), outcomes)
      yield* store.createOrganization(Samples.organization({ id: OrganizationId("new") }))
      assert.deepStrictEqual(
        yield* query("SELECT organization, later FROM countersign.accounts ORDER BY organization"),
        [
          ["acme", "7"],
          ["new", "0"],
        ],
      )
    }).pipe(Effect.provide(stored({ clock: Effect.succeed(Samples.now) }))),
  )
})

const rules: Rules = {
  prefixDigits: 5,
  windowMillis: 3_600_000,
  maxSent: 100,
  minSent: 1_000,
  minConversion: 0,
  action: "deny",
}
