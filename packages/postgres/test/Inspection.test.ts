import * as TestEngine from "@countersign/testing/TestEngine"
import { CodeSecrets } from "@countersign/core/engine/CodeSecrets"
import { Messages } from "@countersign/core/services/Messages"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import { Webhooks } from "@countersign/core/services/Webhooks"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import { PgClient, PgPool } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Inspection from "../src/Inspection.ts"
import { databases, storeLayer } from "./fixtures/databases.ts"
import { numberKey } from "./fixtures/numberKey.ts"

const schema = "inspected"
const acme = OrganizationId("acme")
const hour = 3_600_000

const engine = Layer.unwrap(
  Effect.map(PgPool.PgPool, (pool) =>
    TestEngine.layer({
      store: Layer.provide(storeLayer({ schema }), Layer.succeed(PgPool.PgPool, pool)),
      gateway: {
        behave: ({ purpose }) =>
          purpose === "message" ? { _tag: "Reject", message: "no" } : { _tag: "Deliver" },
      },
    }),
  ),
)

for (const database of databases) {
  layer(database.layer, { excludeTestServices: true })(`Inspection on ${database.name}`, (it) => {
    it.effect("reads the server and its role", () =>
      Effect.gen(function* () {
        const server = yield* Inspection.server
        assert.match(server.version, /^1[4-9]/)
        assert.deepInclude(server, { role: "postgres", isSuperuser: true, isReplica: false })
        const now = yield* Clock.currentTimeMillis
        assert.isBelow(Math.abs(server.now - now), hour)
        assert.isFalse(yield* Inspection.isLockedOut("missing"))
      }),
    )

    it.effect("reads what rows need, and what waits in them", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const now = yield* Clock.currentTimeMillis
        yield* TestEngine.open()
        const verifications = yield* Verifications
        const messages = yield* Messages
        const webhooks = yield* Webhooks
        const to = { organization: acme, phoneNumber: "+8801712345678" }
        yield* verifications.send(to)
        const { current } = yield* CodeSecrets
        assert.deepStrictEqual(yield* Inspection.usedCodeSecrets(schema, now), [current.id])
        assert.deepStrictEqual(yield* Inspection.usedCodeSecrets(schema, now + hour), [])
        const { id } = yield* webhooks.create({ organization: acme, url: "https://example.com" })
        assert.deepStrictEqual(yield* Inspection.usedCodeSecrets(schema, now + hour), [current.id])

        yield* Effect.ignore(messages.send({ ...to, text: "Hi" }))
        assert.deepStrictEqual(yield* Inspection.gatewayOutcomes(schema, now - hour), [
          { gateway: "simulated", count: 2, failed: 1 },
        ])
        assert.deepStrictEqual(yield* Inspection.gatewayOutcomes(schema, now + 2 * hour), [])

        assert.deepStrictEqual(yield* Inspection.troubledWebhooks(schema, now), [])
        yield* sql.unsafe(`INSERT INTO ${schema}.webhook_progress (organization, id, status, position,
            retries, is_full, troubled_since, last_error, attempts, lease_until)
          VALUES ('acme', '${id}', 'active', 0, '[]', false, ${now}, 'HTTP 500', '[]', 0)`)
        const trouble = { organization: "acme", id, status: "active", lastError: "HTTP 500" }
        assert.deepStrictEqual(yield* Inspection.troubledWebhooks(schema, now - 1), [])
        assert.deepStrictEqual(yield* Inspection.troubledWebhooks(schema, now), [
          { ...trouble, troubledSince: now },
        ])

        assert.deepStrictEqual(yield* Inspection.overdueMessages(schema, now), {
          count: 0,
          oldest: null,
        })
        yield* sql.unsafe(`INSERT INTO ${schema}.open_messages (organization, sequence, due_at)
          VALUES ('acme', 8, ${now - 1}), ('acme', 9, ${now})`)
        assert.deepStrictEqual(yield* Inspection.overdueMessages(schema, now - 1), {
          count: 1,
          oldest: now - 1,
        })

        yield* sql.unsafe(`INSERT INTO ${schema}.kept_reports (gateway, gateway_id, status, received_at)
          VALUES ('robi', '1', 'delivered', ${now}), ('robi', '2', 'delivered', ${now + 1})`)
        assert.deepStrictEqual(yield* Inspection.keptReports(schema, now), [
          { gateway: "robi", count: 1 },
        ])

        assert.deepStrictEqual(yield* Inspection.missingRights(schema), [])
        yield* Inspection.checkNumberKeys(schema, [numberKey("k1")])
        yield* sql.unsafe(`INSERT INTO ${schema}.number_keys (id, fingerprint) VALUES ('k1', 'x')`)
        for (const [keys, reason] of [
          [[], "Missing"],
          [[numberKey("k1")], "OtherSecret"],
        ] as const) {
          const error = yield* Effect.flip(Inspection.checkNumberKeys(schema, keys))
          assert.deepInclude(error, { _tag: "NumberKeyError", reason, key: "k1" })
        }
      }).pipe(Effect.provide(engine)),
    )
  })
}
