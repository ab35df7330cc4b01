import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as SecureRandom from "effect/crypto/SecureRandom"
import type { PgPool } from "@effect/sql-pg"
import { temporaryFolder } from "../../fixtures/folders.ts"
import { database, run } from "../../fixtures/databases.ts"
import * as PgliteClient from "../../../src/PgliteClient.ts"
import * as PostgresClient from "../../../src/PostgresClient.ts"
import * as PostgresStore from "../../../src/PostgresStore.ts"
import { test } from "../../../../../test/support/testsOver.ts"

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

  test.live.each(cases)(
    "with may_lose_commits %s and synchronous_commit %s warns of: %s",
    function* ([mayLose, synchronousCommit, risks]) {
      const url = yield* database
      const name = new URL(url).pathname.slice(1)
      const client = PostgresClient.layer({ url: Redacted.make(url) })
      yield* Effect.forEach(
        [`countersign.may_lose_commits = ${mayLose}`, `synchronous_commit = ${synchronousCommit}`],
        (setting) => run(`ALTER DATABASE ${name} SET ${setting}`),
      ).pipe(Effect.provide(Layer.fresh(client)))
      const expected =
        risks === undefined
          ? []
          : [
              `The database may lose money that was booked, because ${risks}. Run: countersign doctor`,
            ]
      assert.deepStrictEqual(yield* warnings(client), expected)
    },
  )

  test.live("does not warn of the embedded database", function* () {
    assert.deepStrictEqual(yield* warnings(PgliteClient.layer()), [])
    const dataDir = yield* temporaryFolder
    assert.deepStrictEqual(yield* warnings(PgliteClient.layer({ dataDir })), [])
  })
})
