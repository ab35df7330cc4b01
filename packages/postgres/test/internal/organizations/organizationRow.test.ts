import { Store } from "@countersign/core/ports/Store"
import { limitTable } from "@countersign/core/domain/limits/LimitTable"
import { ApiKeyId } from "@countersign/core/domain/values/Ids"
import * as Samples from "@countersign/testing/Samples"
import { PgPool } from "@effect/sql-pg"
import { assert, describe, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { makeQuery } from "../../../src/internal/connection/query.ts"
import * as OrganizationRow from "../../../src/internal/organizations/organizationRow.ts"
import * as RowArrays from "../../../src/internal/rows/rowArrays.ts"
import { databases, storeLayer } from "../../fixtures/databases.ts"

const { id } = Samples.apiKey()
const { now, organizationId } = Samples

/** Settings as rows have them since the first version. */
const stored = {
  allowList: ["203.0.113.0/24"],
  isSuspended: true,
  balanceLowAt: 72_500,
  blockedPrefixes: ["88017"],
  allowedPrefixes: ["880171"],
  limits: {
    sendsPerNumber: { max: 10, windowMillis: 60_000 },
    pendingPerNumber: 5,
    checksPerOrganization: [{ max: 20, windowMillis: 60_000 }],
    sendsPerClient: null,
    checksPerClient: { max: 7, windowMillis: 1 },
    checksPerRequest: null,
    guessesPerNumber: [
      { max: 30, windowMillis: 86_400_000 },
      { max: 1, windowMillis: 5 },
    ],
    guessesSinceSuccess: 100,
    messagesPerOrganization: null,
    spendPerDay: 5_000_000,
    attempts: 3,
    resends: 0,
    resendCooldownMillis: 30_000,
    codeLength: { min: 4, max: 10, default: 6 },
    expirySeconds: { min: 60, max: 3_600, default: 300 },
    messageLength: 1_600,
    pageSize: { max: 200, default: 50 },
  },
}

/** What settings of earlier builds are read with. */
const added = { alerts: {}, changes: {}, prefixReasons: {}, quietHours: null, zone: null }

describe("stored settings", () => {
  const row = {
    id: "acme",
    name: "Acme",
    version: 1,
    erased_at: null,
    brands: [],
    keys: [],
    webhooks: [],
  }

  const read = (settings: object): object => OrganizationRow.decode({ ...row, settings }).settings

  it("are read as they were written, with every limit", () => {
    assert.deepEqual(read(stored), { ...stored, ...added })
    assert.sameMembers(Object.keys(stored.limits), Object.keys(limitTable))
  })

  it.each([
    null,
    {},
    { promotional: { from: "22:00", to: "08:00" } },
    { promotional: { from: "22:00", to: "08:00" }, transactional: { from: "00:00", to: "06:00" } },
  ])("may have quiet hours: %j", (quietHours) => {
    assert.deepEqual(read({ ...stored, quietHours }), { ...stored, ...added, quietHours })
  })

  it("may have a zone", () => {
    const zone = "Asia/Dhaka"
    assert.deepEqual(read({ ...stored, zone }), { ...stored, ...added, zone })
  })

  it("may have any part of the limits", () => {
    for (const [name, value] of Object.entries(stored.limits)) {
      const settings = { ...stored, limits: { [name]: value } }
      assert.deepEqual(read(settings), { ...settings, ...added })
    }
  })

  it("are refused with a limit of another type", () => {
    for (const limits of [{ attempts: null }, { resendCooldownMillis: "30 seconds" }]) {
      assert.throws(() => read({ ...stored, limits }))
    }
  })
})

describe.each(databases)("the rows of an organization on $name", ({ layer: database }) => {
  const store = Layer.provideMerge(storeLayer({ clock: Effect.succeed(now) }), database)

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
        assert.deepStrictEqual(written?.senders, read.senders)
      }),
    )
  })
})
