import { OrganizationId } from "@countersign/core/domain/Ids"
import * as Account from "@countersign/core/domain/Account"
import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import { BatchRows } from "../../../src/internal/batches/batchRows.ts"
import { RowCache } from "../../../src/internal/batches/rowCache.ts"

describe("the memory of rows", () => {
  const committed = (organization: string, recipients: number) => {
    const id = OrganizationId(organization)
    const rows = new BatchRows(new Map(), 1)
    const own = rows.of(id)
    own.account = Account.empty(id, 0)
    for (let index = 0; index < recipients; index++) {
      own.recipients.setAbsent(Samples.phoneNumber(index))
      own.verifications.setAbsent(Samples.requestId(index))
    }
    return rows
  }

  it("keeps a bounded number of rows, those of the organizations used last", () => {
    const cache = new RowCache({ organizations: 100, rows: 50, rowsOfKind: 8 })
    for (let index = 0; index < 30; index++) cache.keep(committed(`org${index}`, 20))
    // Eight of each kind, and the account.
    assert.strictEqual(cache.rows, 2 * 17)
    assert.deepStrictEqual([...cache.take(["org0", "org28", "org29"]).keys()], ["org28", "org29"])
    assert.strictEqual(cache.rows, 0)
  })

  it("keeps a bounded number of organizations", () => {
    const cache = new RowCache({ organizations: 2, rows: 50, rowsOfKind: 8 })
    for (const name of ["one", "two", "three"]) cache.keep(committed(name, 1))
    assert.deepStrictEqual([...cache.take(["one", "two", "three"]).keys()], ["two", "three"])
  })

  it("reads for twice as many batches after each refusal, until rows in memory last again", () => {
    const cache = new RowCache({ organizations: 2, rows: 50, rowsOfKind: 8 })
    const isKept = () => {
      cache.keep(committed("one", 1))
      return cache.take(["one"]).size === 1
    }
    const pause = () => {
      cache.avoid(["one"])
      let batches = 0
      while (!isKept()) batches += 1
      return batches
    }
    // The one batch on rows in memory in between takes one off.
    const pauses = Array.from({ length: 7 }, pause)
    assert.deepStrictEqual(pauses, [32, 62, 122, 242, 482, 962, 1_024])
    for (let batch = 0; batch < 1_024; batch++) assert.isTrue(isKept())
    assert.strictEqual(pause(), 32)
  })

  it("has no row twice: a batch takes the rows out", () => {
    const cache = new RowCache({ organizations: 2, rows: 50, rowsOfKind: 8 })
    cache.keep(committed("one", 1))
    assert.strictEqual(cache.take(["one"]).size, 1)
    assert.strictEqual(cache.take(["one"]).size, 0)
  })
})
