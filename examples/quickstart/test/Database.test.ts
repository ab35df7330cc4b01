import * as PostgresClient from "@countersign/postgres/PostgresClient"
import { PgClient } from "@effect/sql-pg"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { assert, describe, it } from "@effect/vitest"
import { inject } from "vitest"
import { freshDatabase } from "../../../test/support/freshDatabase.ts"
import { at, type Quickstart, startQuickstart } from "../../../test/support/Quickstart.ts"
import * as Database from "../src/Database.ts"

/** From an address on the allow list of `initech`, behind a proxy that the quickstart trusts. */
const fromAllowed = { "X-Forwarded-For": "203.0.113.7" }

const balances = (quickstart: Quickstart) =>
  Promise.all(
    ["acme", "globex", "initech"].map(async (as) =>
      at((await quickstart.call("/balance", { as, headers: fromAllowed })).body, "data", "balance"),
    ),
  )

/** A separate node on a database. */
const connected = (url: Redacted.Redacted) => Effect.provide(PostgresClient.layer({ url }))

/** An empty database on the server of this test run. */
const database = freshDatabase(inject("postgresUrl"))

const COUNTERSIGN_SECRET = "the secret that the quickstarts of this test share"

const started = (DATABASE_URL: string, more: Record<string, string> = {}) =>
  Effect.acquireRelease(
    Effect.promise(() =>
      startQuickstart({
        env: { DATABASE_URL, COUNTERSIGN_SECRET, TRUSTED_PROXIES: "127.0.0.1", ...more },
      }),
    ),
    (quickstart) => Effect.promise(() => quickstart.stop()),
  )

describe("sections that need exclusive access to the database", () => {
  it.live("run one after another, in any process and after any outcome", () =>
    Effect.gen(function* () {
      const url = yield* database
      let inside = 0
      const most: Array<number> = []
      const work = (index: number) =>
        Effect.gen(function* () {
          inside += 1
          most.push(inside)
          const client = yield* PgClient.PgClient
          yield* client`SELECT pg_sleep(0.02)`
          inside -= 1
          if (index % 2 === 0) return yield* Effect.fail("on purpose")
        })
      yield* Effect.forEach(
        Array.from({ length: 6 }, (_, index) => index),
        (index) => Effect.exit(Database.alone(work(index))).pipe(connected(url)),
        { concurrency: 6 },
      )
      assert.deepStrictEqual(most, [1, 1, 1, 1, 1, 1])
    }),
  )
})

describe("two quickstarts that start at once on a new database", () => {
  it.live("set it up once, and each has keys of its own to the same accounts", () =>
    Effect.gen(function* () {
      const url = Redacted.value(yield* database)
      const [one, two] = yield* Effect.all([started(url), started(url)], { concurrency: 2 })
      assert.deepStrictEqual(yield* Effect.promise(() => balances(one)), [100, 1, 100])
      const body = { to: "8801715000001", message: "From the first" }
      const sent = yield* Effect.promise(() => one.call("/messages", { body }))
      assert.strictEqual(sent.status, 200)
      assert.deepStrictEqual(yield* Effect.promise(() => balances(two)), [99.5, 1, 100])
      assert.notStrictEqual(one.keys["acme"], two.keys["acme"])
      const log = yield* Effect.promise(() => two.call("/messages"))
      assert.strictEqual(at(log.body, "data", 0, "message"), "From the first")
      const brand_id = "ACME"
      const masked = yield* Effect.promise(() =>
        two.call("/messages", { body: { ...body, brand_id } }),
      )
      assert.strictEqual(masked.status, 200)
    }),
  )
})

describe("TRUSTED_PROXIES", () => {
  it.live("names the proxies whose forwarding headers are trusted", () =>
    Effect.gen(function* () {
      const url = Redacted.value(yield* database)
      const quickstart = yield* started(url, { TRUSTED_PROXIES: "10.0.0.0/8, 127.0.0.1" })
      const statusFrom = (address: string) =>
        Effect.promise(async () => {
          const headers = { "x-forwarded-for": address }
          const body = { to: "8801715000002", message: "Hello" }
          return (await quickstart.call("/messages", { as: "initech", headers, body })).status
        })
      assert.strictEqual(yield* statusFrom("203.0.113.7"), 200)
      assert.strictEqual(yield* statusFrom("203.0.114.7"), 403)
      assert.strictEqual(yield* statusFrom("203.0.113.7, 198.51.100.1"), 403)
    }),
  )
})
