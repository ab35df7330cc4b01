import { ApiKeyId } from "@countersign/core/domain/values/Ids"
import * as Samples from "@countersign/testing/Samples"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Queries from "../../../src/internal/statements/queries.ts"
import { database, node } from "../../fixtures/databases.ts"
import { test } from "../../../../../test/support/testsOver.ts"

/** Which columns a row has, and what each contains. */
const formOf = (row: object | undefined) =>
  Object.entries(row ?? {}).map(([name, value]) => [name, value === null ? null : typeof value])

describe("readApiKey", () => {
  test.effect("returns a row of the same form for an unknown id", function* () {
    const { pool, store } = yield* node(yield* database)
    const key = Samples.apiKey()
    yield* store.createOrganization(Samples.organization({ keys: [key] }))
    const { readApiKey } = Queries.make('"countersign"')
    const [known, unknown] = yield* Effect.forEach([key.id, "unknown"], (id) => {
      const { params, sql } = readApiKey(id)
      return pool.use((connection) => connection.query(sql, params, false))
    })
    assert.lengthOf(unknown?.rows ?? [], 1)
    assert.deepStrictEqual(formOf(unknown?.rows[0]), formOf(known?.rows[0]))
    assert.isUndefined(yield* store.apiKey(ApiKeyId("0000000000000000")))
    assert.deepStrictEqual((yield* store.apiKey(key.id))?.apiKey, key)
  })
})
