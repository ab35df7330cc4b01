import { PgPool } from "@effect/sql-pg"
import { type Kind, kinds } from "@countersign/core/decide/maintenance/Erasure"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as ExpiredRows from "../../../src/internal/maintenance/expiredRows.ts"
import { readCodes } from "../../../src/internal/maintenance/prune.ts"
import * as PersonalRows from "../../../src/internal/statements/personalDataSql.ts"
import * as Queries from "../../../src/internal/statements/queries.ts"
import * as RowArrays from "../../../src/internal/rows/rowArrays.ts"
import * as Cipher from "../../../src/internal/numbers/cipher.ts"
import * as Searches from "../../../src/internal/statements/searchSql.ts"
import * as Traces from "../../../src/internal/statements/traces.ts"
import * as BatchSql from "../../../src/internal/statements/batchSql.ts"
import * as PostgresStore from "../../../src/PostgresStore.ts"
import { server } from "../../fixtures/databases.ts"
import { fill } from "../../fixtures/fullTables.ts"
import { numberKey } from "../../fixtures/numberKey.ts"

const arrays = RowArrays.make(() => ({ oid: 0, arrayOid: 0 }))
const sql = BatchSql.make("countersign", arrays)
const queries = Queries.make("countersign")

/** A statement, and the only indexes that may serve it. */
const planned = (
  name: string,
  { sql }: { readonly sql: string },
  ...indexes: ReadonlyArray<string>
) => ({ name, sql, indexes })

/** Every statement that a batch may send. */
const statements: ReadonlyArray<ReturnType<typeof planned>> = [
  planned("lockAccounts", sql.lockAccounts([]), "accounts_pkey"),
  planned("lockUnlocked", sql.lockUnlocked([]), "accounts_pkey"),
  planned("readAccounts", sql.readAccounts([]), "accounts_pkey"),
  planned("readRecipients", sql.readRecipients([]), "recipients_pkey"),
  planned("readVerifications", sql.readVerifications([]), "recipients_pkey", "verifications_pkey"),
  planned("readClients", sql.readClients([]), "clients_pkey"),
  planned("readWebhooks", sql.readWebhooks([]), "webhook_progress_pkey"),
  planned("readErasedRecipients", sql.readErasedRecipients([]), "erased_recipients_pkey"),
  planned("readPrefixStats", sql.readPrefixStats([]), "prefix_stats_pkey"),
  planned(
    "readPrefixStatsOfVerifications",
    sql.readPrefixStatsOfVerifications([]),
    "prefix_stats_pkey",
    "verifications_pkey",
  ),
  planned("readPayments", sql.readPayments([]), "entries_payment_id"),
  planned("readIdempotencyKeys", sql.readIdempotencyKeys([]), "idempotency_keys_pkey"),
  planned("readMessages", sql.readMessages([]), "messages_pkey"),
  planned("readCarriers", sql.readCarriers([]), "messages_pkey", "verifications_pkey"),
  ...[
    sql.insertAccounts([], 0),
    sql.saveAccounts([], 0),
    sql.saveRecipients([]),
    sql.saveClients([]),
    sql.saveErasedRecipients([]),
    sql.insertVerifications([]),
    sql.saveVerifications([]),
    sql.insertMessages([]),
    sql.saveMessages([]),
    sql.saveOpenMessages([]),
    sql.deleteOpenMessages([]),
    sql.deleteRecipients([]),
    sql.saveGatewayIds([]),
    sql.savePrefixStats([]),
    sql.saveWebhooks([]),
    sql.saveIdempotencyKeys([]),
    sql.insertFindings([]),
    sql.insertReports([]),
    sql.saveReports([]),
    sql.saveEvents([]),
    sql.insertEntries([]),
    sql.addTotals([]),
    sql.insertEvents([]),
    sql.insertAudit([]),
    sql.signLane("", "", 0),
  ].flatMap((write) => {
    const indexes = write.name.startsWith("delete ") ? [`${write.name.slice(7)}_pkey`] : []
    const stamps = { organizations: [], now: undefined, absent: [] }
    return [
      planned(write.name, sql.joinAll([write]), ...indexes),
      planned(
        `${write.name}, if stamped`,
        sql.joinIfStamped([write], stamps),
        "accounts_pkey",
        ...indexes,
        "recipients_pkey",
      ),
    ]
  }),
]

/** What a node sends in the background, for each report and for single reads, on tables that may be large. */
const background = [
  planned("readKeptReports", queries.readKeptReports(undefined, 1), "kept_reports_pkey"),
  planned("readDue", queries.readDue(undefined, 1, []), "open_messages_due_at"),
  planned(
    "old lanes",
    ExpiredRows.lanes("countersign").step(undefined, undefined),
    "lanes_pkey",
    "lanes_pkey",
  ),
  planned(
    "idle clients",
    ExpiredRows.clients("countersign").step(undefined, undefined),
    "clients_pkey",
    "clients_pkey",
  ),
  planned(
    "expired limits of erased numbers",
    ExpiredRows.erasedRecipients("countersign").step(undefined, undefined),
    "erased_recipients_pkey",
    "erased_recipients_pkey",
  ),
  planned(
    "expired idempotency keys",
    ExpiredRows.idempotencyKeys("countersign").step(undefined, undefined),
    "idempotency_keys_pkey",
    "idempotency_keys_pkey",
  ),
  planned(
    "expired gateway ids",
    ExpiredRows.gatewayIds("countersign").step(undefined, undefined),
    "gateway_ids_expires_at",
    "gateway_ids_pkey",
    "gateway_ids_pkey",
    "open_messages_pkey",
  ),
  planned("readCodes", readCodes("countersign", "", 0, 1), "messages_pkey", "verifications_pkey"),
  planned(
    "readDue of webhooks",
    queries.readDueWebhooks(undefined, { isTroubled: false, limit: 1 }),
    "accounts_pkey",
    "webhook_progress_pkey",
    "webhooks_pkey",
  ),
  planned("readProgress of webhooks", queries.readWebhookProgress(""), "webhook_progress_pkey"),
  planned("locate", queries.locate(undefined, "", []), "gateway_ids_gateway_id", "messages_pkey"),
  planned("readMessage", queries.readMessage("", 1), "accounts_pkey", "messages_pkey"),
  planned("readEvents", queries.readEvents("", 0, 1), "accounts_pkey", "events_pkey"),
  planned("readAudit", queries.readAudit("", 1, 1), "accounts_pkey", "audit_pkey"),
]

const search = {
  phoneNumber: undefined,
  from: undefined,
  to: undefined,
  before: undefined,
  limit: 50,
  examine: 1_000,
}
const retiring = Cipher.make([numberKey("2"), numberKey("1")], false)
const number = PhoneNumber.fromE164("+8801712345678")
const searching: ReadonlyArray<
  readonly [string, PhoneNumber.PhoneNumber | undefined, Cipher.NumberCipher?]
> = [
  ["", undefined],
  [", by number", number],
  [", by number in two forms", number, retiring],
]

/** The statements of searches. The binary searches, and the look-up of the next page, read the log by its key. */
const found = searching.flatMap(([by, phoneNumber, cipher]): typeof statements => {
  const searches = Searches.make("countersign", cipher?.forms ?? Cipher.plainForms)
  const index = phoneNumber === undefined ? "messages_pkey" : "messages_phone_number"
  const dates = ["accounts_pkey", "messages_pkey", "messages_pkey"]
  const examined = Array.from({ length: 3 * (cipher?.count ?? 1) }, () => index)
  const messages = { ...search, phoneNumber, statuses: [], gateway: "", gatewayId: "" }
  return [
    {
      name: `searchMessages${by}`,
      sql: searches.searchMessages("", messages).sql,
      indexes: [...dates, ...examined].toSorted(),
    },
    {
      name: `searchVerifications${by}`,
      sql: searches.searchVerifications("", { ...search, phoneNumber, statuses: [] }).sql,
      // The last one finds the status of the newest message.
      indexes: [...dates, ...examined, "verifications_pkey", "messages_pkey"].toSorted(),
    },
  ]
})

/** The reads of what is stored of a number, of each kind, in order. */
const personalIndexes: Readonly<Record<Kind, ReadonlyArray<ReadonlyArray<string>>>> = {
  recipients: [["recipients_pkey"], ["erased_recipients_pkey"]],
  messages: [
    ["messages_phone_number"],
    ["messages_phone_number", "reports_pkey"],
    ["messages_phone_number", "verifications_pkey"],
  ],
  verifications: [["accounts_pkey", "accounts_pkey", "verifications_pkey"]],
  events: [
    ["accounts_pkey", "events_pkey"],
    ["accounts_pkey", "events_pkey", "verifications_pkey"],
  ],
  refusals: [["refusals_pkey"]],
  answers: [["idempotency_keys_pkey"], ["idempotency_keys_pkey", "messages_pkey"]],
}
const personal = PersonalRows.make("countersign")
const personalReads: typeof statements = kinds.flatMap((kind) =>
  personal[kind]({
    organization: OrganizationId("acme"),
    phoneNumber: PhoneNumber.fromE164("+8801712345678"),
    digests: [""],
    forms: [""],
    kind,
    after: undefined,
    limit: 1,
  }).map(({ sql }, index) => ({
    name: `${kind} of a number, ${index}`,
    sql,
    indexes: personalIndexes[kind][index] ?? [],
  })),
)

const noTrace = { from: 0, messages: [], requestId: null, examine: 1 }

/** Reads of ledgers and event logs of any length. */
const sums: typeof statements = [
  planned(
    "balancesBefore",
    queries.balancesBefore("", 0),
    "accounts_pkey",
    "entries_pkey",
    "entries_pkey",
  ),
  planned(
    "trace of the ledger",
    Traces.make("countersign").entries("", noTrace),
    "accounts_pkey",
    "entries_pkey",
    "entries_pkey",
    "entries_pkey",
  ),
  planned(
    "trace of the events",
    Traces.make("countersign").events("", noTrace),
    "accounts_pkey",
    "events_pkey",
    "events_pkey",
    "events_pkey",
  ),
]

const year = { from: 0, to: 1, kinds: [], slotMillis: 86_400_000 } as const

const searches = Searches.make("countersign", Cipher.plainForms)

/** Pages of lists and details, of an organization of any size. */
const pages: typeof statements = [
  { name: "readEntries", sql: queries.readEntries("", 0, 1).sql, indexes: ["entries_pkey"] },
  { name: "readFindings", sql: queries.readFindings("", 1).sql, indexes: ["findings_pkey"] },
  planned(
    "searchRefusals",
    searches.searchRefusals("", { ...search, codes: [], digests: [""] }),
    "accounts_pkey",
    "refusals_pkey",
  ),
  { name: "readReports", sql: queries.readReports("", 1).sql, indexes: ["reports_pkey"] },
  planned("read of totals", queries.readTotals("", year), "totals_pkey"),
  planned(
    "readVerification",
    queries.readVerification("", ""),
    "accounts_pkey",
    "verifications_pkey",
  ),
]

/** Reads of organizations and keys; there may be many of both. */
const directory: typeof statements = [
  planned("listOrganizations", queries.listOrganizations("", 1), "accounts_pkey"),
  planned(
    "listOrganizations, with codes",
    queries.listOrganizations("", 1, "with codes"),
    "accounts_pkey",
  ),
  planned(
    "listSummaries",
    queries.listSummaries(undefined, "", 1),
    "accounts_pkey",
    "api_keys_pkey",
    "brands_pkey",
    "organizations_pkey",
  ),
  planned("readApiKey", queries.readApiKey(""), "api_keys_id", "organizations_pkey"),
  planned("recordKeyUses", queries.recordKeyUses(undefined, []), "api_keys_id"),
]

const all = [
  ...statements,
  ...background,
  ...found,
  ...personalReads,
  ...sums,
  ...pages,
  ...directory,
]

const planOf = (text: string) =>
  Effect.flatMap(PgPool.PgPool, (pool) =>
    pool.use(
      Effect.fnUntraced(function* (connection) {
        const count = Math.max(
          ...Array.from(text.matchAll(/\$(\d+)/g), ([, number]) => Number(number)),
        )
        const nulls = Array.from({ length: count }, () => "NULL").join(", ")
        yield* connection.query(`PREPARE planned AS ${text}`, [], false)
        const { rows } = yield* connection.query(
          `EXPLAIN (COSTS OFF) EXECUTE planned (${nulls})`,
          [],
          false,
        )
        yield* connection.query("DEALLOCATE planned", [], false)
        return rows.map((row) => String(row["QUERY PLAN"]))
      }),
    ),
  )

const plans = Effect.forEach(all, (statement) => planOf(statement.sql))

const store = PostgresStore.layer().pipe(
  Layer.provideMerge(server()),
  Layer.provide(SecureRandom.layerWebCrypto),
)

layer(store, { excludeTestServices: true })("the plan that a connection keeps", (it) => {
  for (const { indexes, name, sql } of all) {
    it.effect(`of ${name} uses an index, also on empty tables`, () =>
      Effect.gen(function* () {
        const lines = yield* planOf(sql)
        const used = lines.flatMap(
          (line) => /Index (?:Only )?Scan (?:Backward )?using (\w+)/.exec(line)?.[1] ?? [],
        )
        assert.deepStrictEqual(used.toSorted(), indexes)
        const others = lines.filter((line) =>
          /Seq Scan|Bitmap|Hash|Merge Join|Materialize/.test(line),
        )
        assert.deepStrictEqual(others, [])
      }),
    )
  }

  it.effect("equals the plan for full tables", () =>
    Effect.gen(function* () {
      const whenEmpty = yield* plans
      const pool = yield* PgPool.PgPool
      yield* pool.use((connection) =>
        Effect.forEach(fill, (statement) => connection.query(statement, [], false)),
      )
      assert.deepStrictEqual(yield* plans, whenEmpty)
    }),
  )
})
