import type { ApiKey } from "@countersign/core/domain/access/ApiKey"
import { ApiKeyId, OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Organization from "@countersign/core/domain/organizations/Organization"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Samples from "../../Samples.ts"
import { present, type StoreService, type Test, times } from "./support.ts"

const { apiKey, now, organization, organizationId } = Samples

const lastUse = (store: StoreService, id: ApiKeyId) =>
  Effect.map(store.apiKey(id), (owned) => present(owned).apiKey.lastUsedAt)

const { id } = apiKey()

const use = (store: StoreService, at: number, key = id, owner = organizationId) =>
  store.recordKeyUses([{ organization: owner, id: key, at }])

export const keysSection = (test: Test): void => {
  test("a use of a key is recorded without a new version of the organization", function* (store) {
    const other = apiKey({ id: ApiKeyId("o".repeat(16)) })
    yield* store.createOrganization(organization({ keys: [other, apiKey()] }))
    yield* use(store, now - 5)
    const used = apiKey({ lastUsedAt: now - 5 })
    assert.deepStrictEqual((yield* store.apiKey(id))?.apiKey, used)
    const read = present(yield* store.organization(organizationId))
    assert.deepStrictEqual(read.keys, [other, used])
    assert.strictEqual(read.version, 1)
    assert.strictEqual((yield* store.account(organizationId))?.version, 1)
  })

  const rows: ReadonlyArray<readonly [string, Partial<ApiKey>, at: number, after: number | null]> =
    [
      ["was never used", {}, now, now],
      ["was used a minute before", { lastUsedAt: now - 60_000 }, now, now],
      ["was used less than a minute before", { lastUsedAt: now - 59_999 }, now, now - 59_999],
      ["was used a millisecond later", { lastUsedAt: now }, now - 1, now],
      ["was used much later", { lastUsedAt: now }, now - 100_000, now],
      ["is used by a clock that is ahead", {}, now + 86_400_000, now],
      ["is revoked", { revokedAt: now - 1 }, now, null],
      ["is expired", { expiresAt: now }, now, null],
      ["is about to expire", { expiresAt: now + 1 }, now, now],
    ]
  for (const [state, overrides, at, after] of rows) {
    test(`the last use after a use of a key that ${state}`, function* (store) {
      yield* store.createOrganization(organization({ keys: [apiKey(overrides)] }))
      yield* use(store, at)
      assert.strictEqual(yield* lastUse(store, id), after)
    })
  }

  test("uses of keys that do not exist are ignored, and the others are recorded", function* (store) {
    const other = OrganizationId("other")
    yield* store.createOrganization(organization({ keys: [apiKey()] }))
    yield* store.createOrganization(organization({ id: other, keys: [] }))
    yield* store.recordKeyUses([
      { organization: other, id, at: now },
      { organization: OrganizationId("unknown"), id, at: now },
      { organization: organizationId, id: ApiKeyId("unknown"), at: now },
    ])
    assert.isNull(yield* lastUse(store, id))
    yield* store.recordKeyUses([])
    yield* store.recordKeyUses([
      { organization: organizationId, id: ApiKeyId("unknown"), at: now },
      { organization: organizationId, id, at: now },
    ])
    assert.strictEqual(yield* lastUse(store, id), now)
  })

  test("a change of the organization keeps a use that it has not read", function* (store) {
    yield* store.createOrganization(organization({ keys: [apiKey()] }))
    const read = present(yield* store.organization(organizationId))
    yield* use(store, now)
    yield* store.changeOrganization(organizationId, (current) => ({ ...current, name: "new" }))
    assert.strictEqual(yield* lastUse(store, id), now)
    assert.isNull(read.keys[0]?.lastUsedAt)
  })

  test("parallel changes and uses lose nothing", function* (store) {
    const ids = times(20, (index) => ApiKeyId(String((index * 7) % 20).padStart(16, "k")))
    const keys = ids.map((one) => apiKey({ id: one }))
    yield* store.createOrganization(organization({ keys }))
    const uses = ids.map((one) => ({ organization: organizationId, id: one, at: now }))
    const change = (one: ApiKeyId) =>
      Effect.asVoid(
        store.changeOrganization(organizationId, (current) =>
          Organization.withSettings(current, { allowList: [one.endsWith("1") ? "::1" : "::2"] }),
        ),
      )
    yield* Effect.forEach(
      ids,
      (one, index) =>
        index % 2 === 0
          ? change(one)
          : store.recordKeyUses(index % 4 === 1 ? uses : uses.toReversed()),
      { concurrency: "unbounded" },
    )
    const after = present(yield* store.organization(organizationId))
    assert.strictEqual(after.version, 11)
    assert.deepStrictEqual(
      after.keys,
      keys.map((key) => ({ ...key, lastUsedAt: now })),
    )
  })
}
