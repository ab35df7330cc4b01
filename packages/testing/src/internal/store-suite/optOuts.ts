import type { Command } from "@countersign/core/decide/Command"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import { host } from "@countersign/core/domain/values/Actor"
import type { Digests } from "@countersign/core/domain/verifications/KnownClient"
import { assert } from "@effect/vitest"
import * as Samples from "../../Samples.ts"
import { digests as known, erase } from "./personal.ts"
import { held, open, run, type StoreService, tagsOf, type Test, times } from "./support.ts"

const { now, organizationId } = Samples
const [digest] = known
const older = "digest under the secret before"
const digests: Digests = [digest, older]

const changing = (
  change: "add" | "remove",
  numbers: ReadonlyArray<Digests> = [digests],
  organization = organizationId,
): Command<"ChangeOptOuts"> => ({
  _tag: "ChangeOptOuts",
  organization,
  actor: host,
  change,
  numbers,
})

const found = (store: StoreService, wanted: ReadonlyArray<string> = digests) =>
  store.optOuts(organizationId, wanted)

const row = { organization: organizationId, digest, addedAt: now, removedAt: null }

export const optOutsSection = (test: Test): void => {
  test("a number is stored, found by any of its digests, and audited, once for each change", function* (store) {
    yield* open(store)
    assert.deepStrictEqual(yield* found(store), [])
    const add = yield* run(store, changing("add"))
    assert.deepStrictEqual(yield* found(store), [row])
    assert.deepStrictEqual(yield* found(store, [older, digest, "unknown"]), [row])
    assert.deepStrictEqual(yield* found(store, [older]), [])
    const addAgain = yield* run(store, changing("add"))
    const remove = yield* run(store, changing("remove"))
    const removeAgain = yield* run(store, changing("remove"))
    assert.deepStrictEqual(yield* found(store), [{ ...row, removedAt: now }])
    assert.deepStrictEqual<unknown>(
      [add, addAgain, remove, removeAgain],
      [1, 0, 1, 0].map((changed) => ({ _tag: "OptOutsChanged", changed })),
    )
    const audit = yield* store.audit(organizationId, undefined, 10)
    assert.deepStrictEqual(
      audit?.entries.map(({ action }) => action).filter((action) => action.startsWith("opt")),
      ["opt_outs.removed", "opt_outs.added"],
    )
  })

  test("a promotional message to it is refused, from the next commit on", function* (store) {
    yield* open(store)
    const send = (index: number, optOut?: Digests) => run(store, held(index, { optOut }))
    const before = yield* send(1, digests)
    yield* run(store, changing("add"))
    const listed = yield* send(2, digests)
    const transactional = yield* send(3)
    const admitted = yield* run(store, Samples.admitMessage({ optOut: digests }))
    yield* run(store, changing("remove"))
    const after = yield* send(4, digests)
    assert.deepStrictEqual(tagsOf([before, listed, transactional, admitted, after]), [
      "Held",
      "OptedOut",
      "Held",
      "OptedOut",
      "Held",
    ])
    const account = yield* store.account(organizationId)
    assert.strictEqual(account?.lastMessage, 3)
  })

  test("a number under an older secret is added under the current one when it is met", function* (store) {
    yield* open(store)
    yield* run(store, changing("add", [[older]]))
    assert.strictEqual((yield* run(store, held(1, { optOut: digests })))._tag, "OptedOut")
    // The older secret is forgotten.
    assert.strictEqual((yield* run(store, held(1, { optOut: [digest] })))._tag, "OptedOut")
    assert.sameDeepMembers([...(yield* found(store))], [row, { ...row, digest: older }])
    yield* run(store, changing("remove"))
    assert.strictEqual((yield* run(store, held(1, { optOut: digests })))._tag, "Held")
  })

  test("no other organization and no other number is concerned, and an erasure keeps it", function* (store) {
    yield* open(store)
    const id = OrganizationId("zenith")
    yield* open(store, Samples.money("10"), id)
    yield* run(store, changing("add"))
    yield* erase(store)
    assert.deepStrictEqual(yield* found(store), [row])
    assert.deepStrictEqual(yield* store.optOuts(id, digests), [])
    assert.deepStrictEqual(yield* store.optOuts(OrganizationId("unknown"), digests), [])
    const elsewhere = held(1, { organization: id, version: 1, optOut: digests })
    assert.strictEqual((yield* run(store, elsewhere))._tag, "Held")
    assert.strictEqual((yield* run(store, held(2, { optOut: ["another"] })))._tag, "Held")
    assert.strictEqual(
      (yield* run(store, changing("add", [digests], OrganizationId("none"))))._tag,
      "NoAccount",
    )
    // As many as a change may have.
    const numbers = times(1_000, (index): Digests => [`digest ${index}`, `older ${index}`])
    const result = yield* run(store, changing("add", numbers))
    assert.deepStrictEqual<unknown>(result, { _tag: "OptOutsChanged", changed: 1_000 })
    const all = yield* found(
      store,
      numbers.map(([one]) => one),
    )
    assert.strictEqual(all.length, 1_000)
  })
}
