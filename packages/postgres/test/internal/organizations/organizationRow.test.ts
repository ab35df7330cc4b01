import { Store } from "@countersign/core/ports/Store"
import { ApiKeyId } from "@countersign/core/domain/values/Ids"
import * as Samples from "@countersign/testing/Samples"
import { PgPool } from "@effect/sql-pg"
import { assert, describe, layer } from "@effect/vitest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { makeQuery } from "../../../src/internal/connection/query.ts"
import * as OrganizationRow from "../../../src/internal/organizations/organizationRow.ts"
import * as RowArrays from "../../../src/internal/rows/rowArrays.ts"
import * as PostgresStore from "../../../src/PostgresStore.ts"
import { databases } from "../../fixtures/databases.ts"

const { id } = Samples.apiKey()
const { now, organizationId } = Samples

describe.each(databases)("the rows of an organization on $name", ({ layer: database }) => {
  const store = PostgresStore.layer({ clock: Effect.succeed(now) }).pipe(
    Layer.provideMerge(database),
    Layer.provide(SecureRandom.layerWebCrypto),
  )

  layer(store, { excludeTestServices: true })((it) => {
    it.effect("keep a use of a key that was recorded after they were read", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const query = makeQuery(yield* PgPool.PgPool)
        const gone = Samples.apiKey({ id: ApiKeyId("gone") })
        const read = Samples.organization({ keys: [gone, Samples.apiKey()] })
        yield* store.createOrganization(read)
        yield* store.recordKeyUses([{ organization: organizationId, id, at: now }])
        const changed = { ...read, keys: [Samples.apiKey({ revokedAt: now })] }
        const arrays = yield* RowArrays.open("countersign", query)
        yield* Effect.forEach(OrganizationRow.write("countersign", arrays, changed), query)
        const written = yield* store.organization(organizationId)
        assert.deepStrictEqual(written?.keys, [Samples.apiKey({ revokedAt: now, lastUsedAt: now })])
        assert.deepStrictEqual(written?.brands, read.brands)
      }),
    )
  })
})
