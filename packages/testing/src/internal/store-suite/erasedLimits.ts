import type { Digests } from "@countersign/core/domain/verifications/KnownClient"
import { assert } from "@effect/vitest"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import { digests, erase, person, personal } from "./personal.ts"
import { day } from "./prune.ts"
import { open, present, run, type Test } from "./support.ts"

const { now, organizationId } = Samples

export const erasedLimitsSection = (test: Test): void => {
  test("the limits of an erased number stay under its digest until they end", function* (store) {
    yield* open(store)
    const limits = { sendsPerNumber: { max: 2, windowMillis: day } }
    const ask = (index: number, erased?: Digests) =>
      run(
        store,
        Samples.admitVerification({ phoneNumber: Samples.phoneNumber(index), erased, limits }),
      )
    yield* ask(0)
    yield* ask(0)
    assert.strictEqual((yield* ask(0))._tag, "Limited")
    yield* erase(store)
    assert.isUndefined(yield* store.recipient(organizationId, person))
    // Under an older secret as well.
    const refused = yield* ask(0, ["newer", "digest"])
    assert.deepStrictEqual(refused, { _tag: "Limited", retryAfterSeconds: 86_400 })
    assert.strictEqual((yield* ask(1, ["another"]))._tag, "Admitted")
    yield* TestClock.adjust(day)
    assert.strictEqual((yield* ask(0, digests))._tag, "Admitted")
    const { recipient } = present(yield* store.recipient(organizationId, person))
    assert.deepStrictEqual(recipient.sends, [now + day])
  })

  test("the limits of an erased number are restored once, and belong to the number again", function* (store) {
    yield* open(store)
    const limits = { sendsPerNumber: { max: 3, windowMillis: day } }
    const ask = (erased?: Digests) =>
      run(store, Samples.admitVerification({ phoneNumber: person, erased, limits }))
    yield* ask()
    yield* erase(store)
    assert.strictEqual((yield* ask(digests))._tag, "Admitted")
    const { recipient } = present(yield* store.recipient(organizationId, person))
    assert.deepStrictEqual(recipient.sends, [now, now])
    // It has expired, and a store deletes it at any later time.
    for (const row of (yield* personal(store)).erasedRecipients)
      assert.deepStrictEqual(row, {
        organization: organizationId,
        digest: "digest",
        sends: [],
        guesses: { window: [], sinceSuccess: 0 },
        expiresAt: now,
      })
    assert.strictEqual((yield* ask(digests))._tag, "Admitted")
    assert.strictEqual((yield* ask(digests))._tag, "Limited")
  })
}
