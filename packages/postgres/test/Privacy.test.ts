/** What an erasure leaves in the database, read from its tables and not through the store. */
import { PgPool } from "@effect/sql-pg"
import type { Command } from "@countersign/core/decide/Command"
import { fromE164 } from "@countersign/core/domain/values/PhoneNumber"
import { Store } from "@countersign/core/ports/Store"
import { Privacy } from "@countersign/core/services/Privacy"
import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as PostgresStore from "../src/PostgresStore.ts"
import { server } from "./fixtures/databases.ts"

const { messageId, organizationId: organization, requestId } = Samples

const person = fromE164("+8801712345678")
const digits = person.slice(1)
const text = "parcel for you"
const words = "a visitor of mine"

const read = (sql: string) =>
  Effect.flatMap(PgPool.PgPool, (pool) =>
    pool.use((connection) => connection.query(sql, [], false)),
  )

/** Every table as text. */
const dump = Effect.gen(function* () {
  const { rows } = yield* read(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'countersign' ORDER BY tablename",
  )
  const tables: Array<{ readonly name: string; readonly text: string }> = []
  for (const { name } of rows) {
    const found = yield* read(
      `SELECT coalesce(string_agg(t::text, ' '), '') AS text FROM countersign.${String(name)} t`,
    )
    tables.push({ name: String(name), text: String(found.rows[0]?.["text"]) })
  }
  return tables
})

/** What a row may tell: the number, whole or masked, and in base64, whose letters depend on the place; words. */
const told = [
  digits,
  digits.slice(3),
  "8801*****678",
  ...[0, 1, 2].map((shift) => btoa(digits.slice(shift, shift + 9))),
  text,
  words,
]

const tablesThatTell = Effect.map(dump, (tables) =>
  tables.flatMap(({ name, text }) => (told.some((one) => text.includes(one)) ? [name] : [])),
)

const gatewayId = `wamid.${btoa(`HBgN${digits}FQIAEhg`)}`
const draft = (index: number) => Samples.newMessage({ id: messageId(index), text })

/** A message and its report; a verified request, one that has failed, and a pending one. */
const history = Effect.gen(function* () {
  const store = yield* Store
  const run = (command: Command) => store.execute(command)
  yield* run(Samples.topUp())
  const idempotency = Samples.idempotentCall()
  yield* run(Samples.holdMessage({ phoneNumber: person, draft: draft(1), idempotency }))
  yield* run(Samples.recordDispatch({ outcome: { _tag: "Accepted", gatewayId } }))
  yield* run(Samples.recordAnswer({ answer: `{"gatewayId":"${gatewayId}"}` }))
  const source = Samples.reportSource({ gatewayId, evidence: `{"id":"${gatewayId}"}` })
  yield* run(Samples.applyReport({ detail: `to ${person}`, source }))
  const metadata = JSON.stringify({ words })
  for (const index of [2, 3, 4]) {
    const about = { requestId: requestId(index), purpose: words, metadata }
    yield* run(Samples.requestVerification({ ...about, phoneNumber: person, draft: draft(index) }))
    yield* run(
      Samples.recordDispatch({
        messageSequence: index,
        requestId: requestId(index),
        outcome: { _tag: "Delivered", gatewayId: `${gatewayId}${index}` },
      }),
    )
  }
  yield* run(Samples.checkCode({ requestId: requestId(2), client: ["digest of a client"] }))
  yield* run(Samples.cancelVerification({ requestId: requestId(3) }))
  const kept = { gateway: "simulated", gatewayId, status: "failed" } as const
  yield* store.keepReport({ ...kept, detail: null, evidence: null })
})

const database = server()
const engine = TestEngine.layer({
  store: PostgresStore.layer().pipe(
    Layer.provide(SecureRandom.layerWebCrypto),
    Layer.provide(database),
  ),
}).pipe(Layer.provideMerge(database))

describe("an erasure", () => {
  it.live("leaves the number, its texts and its words in no table", () =>
    Effect.gen(function* () {
      const store = yield* Store
      yield* store.createOrganization(Samples.organization())
      yield* history
      assert.deepStrictEqual(yield* tablesThatTell, [
        "events",
        "gateway_ids",
        "idempotency_keys",
        "kept_reports",
        "messages",
        "recipients",
        "reports",
        "verifications",
      ])
      const privacy = yield* Privacy
      const { left } = yield* privacy.erase({ organization, phoneNumber: person })
      assert.strictEqual(left, 0)
      assert.deepStrictEqual(yield* tablesThatTell, [])
    }).pipe(Effect.provide(engine)),
  )

  it.live("has a row for every column in the list of docs/privacy.md", () =>
    Effect.gen(function* () {
      const { rows } = yield* read(
        `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
          WHERE table_schema = 'countersign' AND table_name <> 'migrations'`,
      )
      const page = readFileSync(join(import.meta.dirname, "../../../docs/privacy.md"), "utf8")
      const listed = page.split("\n").flatMap((line) => {
        const [, table = "", columns = "", ...cells] = line.split("|")
        const namesIn = (cell: string) =>
          Array.from(cell.matchAll(/`([a-z_]+)`/g), ([, name]) => name)
        const [name] = namesIn(table)
        return cells.length === 4 && name !== undefined
          ? namesIn(columns).map((column) => `${name}.${column}`)
          : []
      })
      assert.deepStrictEqual(listed.toSorted(), rows.map((row) => String(row["name"])).toSorted())
    }).pipe(Effect.provide(engine)),
  )
})
