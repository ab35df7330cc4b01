import { assert, describe, inject, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { PgPool } from "@effect/sql-pg"
import { freshDatabase } from "../../../../../test/support/freshDatabase.ts"
import { temporaryFolder } from "../../fixtures/folders.ts"
import { rowsOf } from "../../fixtures/watchedPool.ts"
import * as PgliteClient from "../../../src/PgliteClient.ts"
import * as PostgresClient from "../../../src/PostgresClient.ts"
import * as PostgresStore from "../../../src/PostgresStore.ts"

/** The warnings of a store's start. */
const warnings = Effect.fnUntraced(function* <E>(client: Layer.Layer<PgPool.PgPool, E>) {
  const found: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    if (logLevel === "Warn") found.push(String(message))
  })
  yield* Layer.build(
    PostgresStore.layer().pipe(
      Layer.provide([client, SecureRandom.layerWebCrypto, Logger.layer([logger])]),
    ),
  )
  return found
}, Effect.scoped)

describe("the start of a store", () => {
  /** The server of the tests does without `fsync` and `full_page_writes`. */
  const cases = [
    ["off", "on", "fsync is off and full_page_writes is off"],
    ["off", "local", "fsync is off and full_page_writes is off"],
    ["off", "off", "fsync is off and full_page_writes is off and synchronous_commit is off"],
    ["on", "off", undefined],
  ] as const

  it.live.each(cases)(
    "with may_lose_commits %s and synchronous_commit %s warns of: %s",
    ([mayLose, synchronousCommit, risks]) =>
      Effect.gen(function* () {
        const url = yield* freshDatabase(inject("postgresUrl"))
        const name = new URL(Redacted.value(url)).pathname.slice(1)
        const client = PostgresClient.layer({ url })
        yield* Effect.scoped(
          Effect.gen(function* () {
            const pool = yield* PgPool.PgPool
            yield* rowsOf(
              pool,
              `ALTER DATABASE ${name} SET countersign.may_lose_commits = ${mayLose}`,
            )
            yield* rowsOf(
              pool,
              `ALTER DATABASE ${name} SET synchronous_commit = ${synchronousCommit}`,
            )
          }).pipe(Effect.provide(PostgresClient.layer({ url }))),
        )
        const expected =
          risks === undefined
            ? []
            : [
                `The database may lose money that was booked, because ${risks}. Run: countersign doctor`,
              ]
        assert.deepStrictEqual(yield* warnings(client), expected)
      }).pipe(Effect.scoped),
  )

  it.live("does not warn of the embedded database", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* warnings(PgliteClient.layer()), [])
      const dataDir = yield* temporaryFolder
      assert.deepStrictEqual(yield* warnings(PgliteClient.layer({ dataDir })), [])
    }).pipe(Effect.scoped),
  )
})
