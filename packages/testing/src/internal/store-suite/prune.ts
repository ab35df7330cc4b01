import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import type { Kind } from "@countersign/core/decide/maintenance/Pruning"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Invariants from "../../Invariants.ts"
import * as Samples from "../../Samples.ts"
import { present, type StoreService } from "./support.ts"

export const day = 86_400_000

/** Prunes in steps until no rows remain to prune. Returns the count of each step. */
export const prune = Effect.fnUntraced(function* (
  store: StoreService,
  kind: Kind,
  options: {
    readonly keepMillis?: number
    readonly limit?: number
    readonly organization?: OrganizationId
  } = {},
) {
  const { keepMillis = day, limit = 100, organization = Samples.organizationId } = options
  const dropped: Array<number> = []
  let after: string | undefined
  do {
    const pruned = yield* store.prune({ organization, kind, keepMillis, after, limit })
    dropped.push(pruned.dropped)
    after = pruned.next
    assert.isBelow(dropped.length, 1_000, "it does not come to an end")
  } while (after !== undefined)
  return dropped
})

export const total = (dropped: ReadonlyArray<number>): number =>
  dropped.reduce((sum, rows) => sum + rows, 0)

/** Returns the organization's rows after checking their consistency. */
export const sound = Effect.fnUntraced(function* (store: StoreService) {
  const snapshot = present(yield* Invariants.read(store, Samples.organizationId))
  const bounds = { ...Invariants.standardBounds, droppedBefore: Infinity }
  assert.deepStrictEqual(Invariants.problems(snapshot, bounds), [])
  return snapshot
})
