import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import * as Statement from "../../domain/money/Statement.ts"
import { setNewest } from "../../domain/values/BoundedCache.ts"
import type { OrganizationId } from "../../domain/values/Ids.ts"
import type { Store } from "../../ports/Store.ts"

const sliceEntries = 100_000

/** Maximum number of queries at the same time, so that statements leave the database to messages. */
const maxQueries = 2

/** Maximum number of slices whose sums are kept; the oldest is dropped first. */
const maxKept = 10_000

/**
 * Sums up parts of ledgers in slices, so that no query takes long. Entries never change, so the sums of whole slices
 * are kept, and the next statement reads at most two slices. They are kept by the last entry of their slice, because
 * a database that was restored may have other entries under the same sequences.
 */
export const makeLedgerSums = (store: Store["Service"]) => {
  const permits = Semaphore.makeUnsafe(maxQueries)
  const kept = new Map<string, Statement.KindSums>()

  const sumSlice = Effect.fnUntraced(function* (
    id: OrganizationId,
    after: number,
    through: number,
  ) {
    const isWhole = through - after === sliceEntries
    const [last] = isWhole ? yield* store.entries(id, through - 1, 1) : []
    if (last === undefined) return yield* store.sumEntries(id, after, through)
    const key = JSON.stringify(last)
    const known = kept.get(key)
    if (known !== undefined) return known
    const sums = yield* store.sumEntries(id, after, through)
    setNewest(kept, key, sums, maxKept)
    return sums
  })

  return Effect.fnUntraced(function* (id: OrganizationId, from: number, to: number) {
    let sums = Statement.noEntries
    let after = from
    while (after < to) {
      const through = Math.min(to, after - (after % sliceEntries) + sliceEntries)
      const slice = yield* permits.withPermits(1)(sumSlice(id, after, through))
      sums = Statement.add(sums, slice)
      after = through
    }
    return sums
  })
}
