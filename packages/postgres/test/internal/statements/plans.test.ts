import { PgPool } from "@effect/sql-pg"
import { type Kind, kinds } from "@countersign/core/decide/maintenance/Erasure"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import * as Samples from "@countersign/testing/Samples"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import * as ExpiredRows from "../../../src/internal/maintenance/expiredRows.ts"
import { readCodes } from "../../../src/internal/maintenance/prune.ts"
import * as Cipher from "../../../src/internal/numbers/cipher.ts"
import * as PersonalData from "../../../src/internal/personalData.ts"
import * as RowArrays from "../../../src/internal/rows/rowArrays.ts"
import * as Searches from "../../../src/internal/search.ts"
import * as BatchListSql from "../../../src/internal/statements/batchListSql.ts"
import * as BatchSql from "../../../src/internal/statements/batchSql.ts"
import * as OutboxSql from "../../../src/internal/statements/outboxSql.ts"
import * as Queries from "../../../src/internal/statements/queries.ts"
import * as Writes from "../../../src/internal/statements/writes.ts"
import { server, storeLayer } from "../../fixtures/databases.ts"
import { fill } from "../../fixtures/fullTables.ts"
import { numberKey } from "../../fixtures/numberKey.ts"

const arrays = RowArrays.make(() => ({ oid: 0, arrayOid: 0 }))
const schema = "countersign"
const sql = BatchSql.make(schema, arrays)
const queries = Queries.make(schema)

/** A statement, and the only indexes that may serve it, in alphabetical order. */
type Planned = readonly [name: string, statement: { readonly sql: string }, indexes: string]

const batchReads = {
  lockAccounts: "accounts_pkey",
  lockUnlocked: "accounts_pkey",
  readAccounts: "accounts_pkey",
  readRecipients: "recipients_pkey",
  readVerifications: "recipients_pkey verifications_pkey",
  readClients: "clients_pkey",
  readWebhooks: "webhook_progress_pkey",
  readQueued: "outbox_pkey",
  readBatches: "batches_pkey",
  readErasedRecipients: "erased_recipients_pkey",
  readOptOuts: "opt_outs_pkey",
  readPrefixStats: "prefix_stats_pkey",
  readPrefixStatsOfVerifications: "prefix_stats_pkey verifications_pkey",
  readPayments: "entries_payment_id",
  readIdempotencyKeys: "idempotency_keys_pkey",
  readMessages: "messages_pkey",
  readCarriers: "messages_pkey verifications_pkey",
} as const

const { signLane, ...saves } = Writes.make(schema, arrays)
const writes = [signLane("", "", 0), ...Object.values(saves).map((save) => save([], 0))].flatMap(
  (write): ReadonlyArray<Planned> => {
    const { name } = write.kind
    const index = name.startsWith("delete ") ? `${name.slice(7)}_pkey ` : ""
    const stamped = sql.joinIfStamped([write], {
      organizations: [],
      now: undefined,
      absent: [],
      taken: [],
    })
    return [
      [name, sql.joinAll([write]), index.trim()],
      [`${name}, if stamped`, stamped, `accounts_pkey ${index}recipients_pkey`],
    ]
  },
)

const noTrace = { from: 0, messages: [], requestId: null, examine: 1 }
const [ledger, events] = Searches.traceStatements(schema, "", noTrace)
const year = { from: 0, to: 1, kinds: [], slotMillis: 86_400_000 } as const
const search = {
  phoneNumber: undefined,
  from: undefined,
  to: undefined,
  before: undefined,
  limit: 50,
  examine: 1_000,
}
const refusals = Searches.statements(schema, Cipher.plainForms).searchRefusals("", {
  ...search,
  codes: [],
  digests: [""],
})
const dueWebhooks = queries.readDueWebhooks(undefined, { isTroubled: false, limit: 1 })

const outbox = OutboxSql.make(schema)
const queue = { organization: Samples.organizationId, queue: "" }

const batches = BatchListSql.make(schema)

const twice = (index: string) => `${index} ${index}`

/** What a node sends in the background, for each report, and for reads of histories of any length. */
const single: ReadonlyArray<Planned> = [
  ["enqueue", outbox.enqueue(arrays, [], "", String), ""],
  ["readQueued alone", outbox.readQueued("", ""), "outbox_pkey"],
  ["readQueuedPage", outbox.readQueuedPage(queue, 0, 1), "outbox_position"],
  [
    "readQueues",
    outbox.readQueues(undefined, undefined, 1),
    `accounts_pkey ${twice("outbox_due_at")}`,
  ],
  [
    "take",
    outbox.take(undefined, [], 1),
    "accounts_pkey batches_pkey outbox_due_at outbox_order_key outbox_pkey",
  ],
  [
    "nextOfBatch",
    outbox.nextOfBatch(undefined, { ...queue, limit: 1 }, 1),
    `${twice("batches_pkey")} outbox_position`,
  ],
  [
    "the claims of taken sends",
    sql.joinIfStamped([], {
      organizations: [],
      now: undefined,
      absent: [],
      taken: [{ organization: "", key: "", claim: 0 }],
    }),
    "accounts_pkey outbox_pkey recipients_pkey",
  ],
  ["readBatch", batches.readBatch("", ""), "batches_pkey"],
  ["readBatches of a page", batches.readBatches("", undefined, 1), "batches_created_at"],
  ["readOpenBatches", batches.readOpenBatches(undefined, 1), "batches_open"],
  ["readBatchTotals", batches.readBatchTotals("", []), "batch_totals_pkey"],
  ["readOpenQueued", batches.readOpenQueued(queue, 1), "outbox_due_at"],
  ["readKeptReports", queries.readKeptReports(undefined, 1), "kept_reports_pkey"],
  ["readDue", queries.readDue(undefined, 1, []), "open_messages_due_at"],
  ["old lanes", ExpiredRows.lanes(schema).step(undefined, undefined), twice("lanes_pkey")],
  ["idle clients", ExpiredRows.clients(schema).step(undefined, undefined), twice("clients_pkey")],
  [
    "expired limits of erased numbers",
    ExpiredRows.erasedRecipients(schema).step(undefined, undefined),
    twice("erased_recipients_pkey"),
  ],
  [
    "expired idempotency keys",
    ExpiredRows.idempotencyKeys(schema).step(undefined, undefined),
    twice("idempotency_keys_pkey"),
  ],
  [
    "expired gateway ids",
    ExpiredRows.gatewayIds(schema).step(undefined, undefined),
    `gateway_ids_expires_at ${twice("gateway_ids_pkey")} open_messages_pkey`,
  ],
  [
    "queued sends whose organization does not exist",
    ExpiredRows.unownedSends(schema).step(undefined, undefined),
    `accounts_pkey ${twice(twice("outbox_pkey"))}`,
  ],
  ["readCodes", readCodes(schema, "", 0, 1), "messages_pkey verifications_pkey"],
  ["readDueWebhooks", dueWebhooks, "accounts_pkey webhook_progress_pkey webhooks_pkey"],
  ["readWebhookProgress", queries.readWebhookProgress(""), "webhook_progress_pkey"],
  ["locate", queries.locate(undefined, "", []), "gateway_ids_gateway_id messages_pkey"],
  ["readMessage", queries.readMessage("", 1), "accounts_pkey messages_pkey"],
  ["readEvents", queries.readEvents("", 0, 1), "accounts_pkey events_pkey"],
  ["readAudit", queries.readAudit("", 1, 1), "accounts_pkey audit_pkey"],
  ["balancesBefore", queries.balancesBefore("", 0), `accounts_pkey ${twice("entries_pkey")}`],
  ["trace of the ledger", ledger, `accounts_pkey ${twice("entries_pkey")} entries_pkey`],
  ["trace of the events", events, `accounts_pkey ${twice("events_pkey")} events_pkey`],
  ["readEntries", queries.readEntries("", 0, 1), "entries_pkey"],
  ["readFindings", queries.readFindings("", 1), "findings_pkey"],
  ["optOuts", queries.readOptOuts("", []), "opt_outs_pkey"],
  ["searchRefusals", refusals, "accounts_pkey refusals_pkey"],
  ["readReports", queries.readReports("", 1), "reports_pkey"],
  ["readTotals", queries.readTotals("", year), "totals_pkey"],
  ["readTotals in a zone", queries.readTotals("", { ...year, starts: [0, 1] }), "totals_pkey"],
  ["readVerification", queries.readVerification("", ""), "accounts_pkey verifications_pkey"],
  ["listOrganizations", queries.listOrganizations("", 1), "accounts_pkey"],
  [
    "listOrganizations, with codes",
    queries.listOrganizations("", 1, "with codes"),
    "accounts_pkey",
  ],
  [
    "listSummaries",
    queries.listSummaries(undefined, "", 1, {}),
    "accounts_pkey api_keys_pkey brands_pkey brands_pkey organizations_pkey totals_pkey",
  ],
  ["readPayment", queries.readPayment("", ""), "entries_payment_id"],
  ["readApiKey", queries.readApiKey(""), "api_keys_id organizations_pkey"],
  ["recordKeyUses", queries.recordKeyUses(undefined, []), "api_keys_id"],
]

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
const found = searching.flatMap(([by, phoneNumber, cipher]): ReadonlyArray<Planned> => {
  const searches = Searches.statements(schema, cipher?.forms ?? Cipher.plainForms)
  const index = phoneNumber === undefined ? "messages_pkey" : "messages_phone_number"
  const dates = ["accounts_pkey", "messages_pkey", "messages_pkey"]
  const examined = Array.from({ length: 3 * (cipher?.count ?? 1) }, () => index)
  const messages = { ...search, phoneNumber, statuses: [], gateway: "", gatewayId: "" }
  const verifications = { ...search, phoneNumber, statuses: [] }
  // The last ones find the status of the newest message, for the row and for a filter.
  const newest = ["messages_pkey", "messages_pkey"]
  const ofRequests = [...dates, ...examined, "verifications_pkey", ...newest]
  return [
    [
      `searchMessages${by}`,
      searches.searchMessages("", messages),
      [...dates, ...examined].toSorted().join(" "),
    ],
    [
      `searchVerifications${by}`,
      searches.searchVerifications("", verifications),
      ofRequests.toSorted().join(" "),
    ],
  ]
})

/** The reads of what is stored of a number, of each kind, in order. */
const personalIndexes: Readonly<Record<Kind, ReadonlyArray<string>>> = {
  outbox: ["outbox_phone_number"],
  recipients: ["recipients_pkey", "erased_recipients_pkey"],
  messages: [
    "messages_phone_number",
    "messages_phone_number reports_pkey",
    "messages_phone_number verifications_pkey",
  ],
  verifications: ["accounts_pkey accounts_pkey verifications_pkey"],
  events: ["accounts_pkey events_pkey", "accounts_pkey events_pkey verifications_pkey"],
  refusals: ["refusals_pkey"],
  answers: ["idempotency_keys_pkey", "idempotency_keys_pkey messages_pkey"],
}
const about = { organization: Samples.organizationId, phoneNumber: number, digests: [""] } as const
const personal = kinds.flatMap((kind) => {
  const step = { ...about, forms: [""], kind, after: undefined, limit: 1 }
  const reads = PersonalData.statements(schema)[kind](step)
  return reads.map((statement, index): Planned => {
    const indexes = personalIndexes[kind][index] ?? ""
    return [`${kind} of a number, ${index}`, statement, indexes]
  })
})

const all: ReadonlyArray<Planned> = [
  ...Record.keys(batchReads).map((name): Planned => [name, sql[name]([]), batchReads[name]]),
  ...writes,
  ...single,
  ...found,
  ...personal,
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

/** Without the memory of a join, which the server adds when it knows that keys repeat. */
const withoutMemory = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.map((line) => line.trim()).filter((line) => !/^(?:->\s+Memoize$|Cache )/.test(line))

const plans = Effect.forEach(all, ([name, { sql }]) =>
  Effect.map(planOf(sql), (lines) => (name === "take" ? withoutMemory(lines) : lines)),
)

layer(Layer.provideMerge(storeLayer(), server()), { excludeTestServices: true })(
  "the plan that a connection keeps",
  (it) => {
    for (const [name, { sql }, indexes] of all) {
      it.effect(`of ${name} uses an index, also on empty tables`, () =>
        Effect.gen(function* () {
          const lines = yield* planOf(sql)
          const used = lines.flatMap(
            (line) => /Index (?:Only )?Scan (?:Backward )?using (\w+)/.exec(line)?.[1] ?? [],
          )
          assert.strictEqual(used.toSorted().join(" "), indexes)
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
        const taking = yield* planOf(outbox.take(undefined, [], 1).sql)
        assert.include(taking.join("\n"), "Cache Key: r.organization, r.order_key")
      }),
    )
  },
)
