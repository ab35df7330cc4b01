/**
 * Histories of concurrent clients are linearizable: of each request, of the balance and of each idempotency key. Mutated
 * histories are not, which shows that the check finds what is wrong.
 */
import { assert, beforeAll, describe, it } from "vitest"
import type { History } from "./calls.ts"
import { playInMemory } from "./campaigns.ts"
import { mutantsOf, mutations } from "./mutations.ts"
import { drawing } from "./play.ts"
import { problemsOf } from "./verdict.ts"

const histories: Array<History> = []

describe("two nodes in memory", () => {
  let counts: Readonly<Record<string, number>> = {}
  beforeAll(async () => {
    counts = await playInMemory(0, 25, (history) => histories.push(history))
  })

  it("have linearizable histories, with lost answers", () => {
    assert.lengthOf(histories, 25)
    assert.isAbove(counts["calls"] ?? 0, 25 * 100)
  })

  it("meet every answer of the models", () => {
    assert.containsAllKeys(counts, [
      "lost",
      "wrong_code",
      "attempts_exhausted",
      "request_expired",
      "already_verified",
      "not_verified",
      "already_consumed",
      "resends_exhausted",
      "insufficient_balance",
      "idempotency_mismatch",
      "idempotency_in_flight",
      "sending_failed",
    ])
  })
})

describe("a mutated history", () => {
  it("is rejected, 100 of 100", () => {
    const { chosen, kinds } = mutantsOf(histories, drawing(7), 100)
    assert.lengthOf(chosen, 100)
    assert.sameMembers(
      [...kinds],
      mutations.map(({ name }) => name),
    )
    const accepted = chosen.filter(({ mutant }) => problemsOf(mutant).length === 0)
    assert.deepStrictEqual(
      accepted.map(({ name }) => name),
      [],
    )
  })
})
