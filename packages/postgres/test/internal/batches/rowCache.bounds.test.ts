import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Account from "@countersign/core/domain/money/Account"
import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import { BatchRows } from "../../../src/internal/batches/batchRows.ts"
import { RowCache } from "../../../src/internal/batches/rowCache.ts"

describe("the memory of rows", () => {
  const committed = (organization: string, recipients: number, stamp = 0) => {
    const id = OrganizationId(organization)
    const rows = new BatchRows(new Map())
    const own = rows.of(id)
    own.account = Account.empty(id, 0)
    own.stamp = stamp
    for (let index = 0; index < recipients; index++) {
      own.tables.recipients.expect(Samples.phoneNumber(index))
      own.tables.verifications.expect(Samples.requestId(index))
    }
    return rows
  }
  const take = (cache: RowCache, ...names: ReadonlyArray<string>) =>
    cache.take(names.map((organization) => ({ organization })))

  it("keeps a bounded number of rows, those of the organizations used last", () => {
    const cache = new RowCache(60)
    const names = Array.from({ length: 30 }, (_, index) => `org${index}`)
    for (const name of names) cache.keep(committed(name, 20))
    const taken = take(cache, ...names)
    assert.deepStrictEqual([...taken.keys()], ["org26", "org27", "org28", "org29"])
    // Four of each kind, and five for the organization.
    assert.deepStrictEqual(
      [...taken.values()].map(({ size }) => size),
      [13, 13, 13, 13],
    )
  })

  it("gives each organization a share", () => {
    const cache = new RowCache(400)
    const sizeOf = (name: string) => {
      const own = take(cache, name).get(name)
      cache.keep(committed(name, 50))
      return own?.size
    }
    for (const name of ["one", "two", "one"]) sizeOf(name)
    // A twentieth of half of the memory for each kind.
    assert.deepStrictEqual([sizeOf("one"), sizeOf("two")], [25, 25])
    for (let index = 0; index < 5; index++) sizeOf(`other${index}`)
    assert.strictEqual(sizeOf("one"), 25)
    // Less when it is used again, after others have come.
    assert.strictEqual(sizeOf("one"), 13)
  })

  it("forgets the oldest rows of a kind, once there are twice as many as it keeps", () => {
    const cache = new RowCache(400)
    const rows = committed("one", 40)
    const keep = () => {
      cache.keep(rows)
      return take(cache, "one").get("one")
    }
    assert.strictEqual(keep()?.size, 85)
    const { recipients } = rows.of(OrganizationId("one")).tables
    recipients.expect(Samples.phoneNumber(40))
    assert.strictEqual(keep()?.size, 65)
    assert.isTrue(recipients.expect(Samples.phoneNumber(20)))
    assert.isFalse(recipients.expect(Samples.phoneNumber(21)))
  })

  it("keeps a bounded number of organizations", () => {
    const cache = new RowCache(10)
    for (const name of ["one", "two", "three"]) cache.keep(committed(name, 0))
    assert.deepStrictEqual([...take(cache, "one", "two", "three").keys()], ["two", "three"])
  })

  it("keeps nothing without room", () => {
    const cache = new RowCache(0)
    cache.keep(committed("one", 1))
    assert.strictEqual(take(cache, "one").size, 0)
  })

  it("avoids an organization after a change by another node, for 1,024 batches", () => {
    const cache = new RowCache(50)
    cache.keep(committed("one", 1))
    cache.learn(take(cache, "one"), committed("one", 1, 1), [])
    for (let batch = 0; batch < 1_024; batch++) {
      cache.keep(committed("one", 1, 1))
      assert.strictEqual(take(cache, "one").size, 0)
    }
    cache.keep(committed("one", 1, 1))
    assert.strictEqual(take(cache, "one").size, 1)
  })

  it("does not avoid the organizations that have not changed", () => {
    const cache = new RowCache(50)
    cache.keep(committed("one", 1))
    cache.learn(take(cache, "one"), committed("one", 1), [])
    cache.keep(committed("one", 1))
    assert.strictEqual(take(cache, "one").size, 1)
  })

  it("has no row twice: a batch takes the rows out", () => {
    const cache = new RowCache(50)
    cache.keep(committed("one", 1))
    assert.strictEqual(take(cache, "one").size, 1)
    assert.strictEqual(take(cache, "one").size, 0)
  })
})
