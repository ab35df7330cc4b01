import { assert, describe, it } from "@effect/vitest"
import * as Limits from "../../../src/domain/limits/Limits.ts"
import { maxTracked } from "../../../src/domain/limits/SlidingWindow.ts"

describe("Limits", () => {
  it("match the interface document", () => {
    assert.deepStrictEqual(Limits.defaults, {
      profile: "standard",
      codeChannels: ["sms", "whatsapp"],
      sendsPerNumber: { max: 10, windowMillis: 60_000 },
      pendingPerNumber: 5,
      checksPerOrganization: { max: 20, windowMillis: 60_000 },
      sendsPerClient: undefined,
      checksPerClient: undefined,
      checksPerRequest: undefined,
      guessesPerNumber: { max: 30, windowMillis: 86_400_000 },
      guessesSinceSuccess: 100,
      messagesPerOrganization: undefined,
      spendPerDay: undefined,
      attempts: 3,
      resends: 3,
      resendCooldownMillis: 30_000,
      codeLength: { min: 4, max: 10, default: 6 },
      expirySeconds: { min: 60, max: 3_600, default: 300 },
      messageLength: 1_600,
      pageSize: { max: 200, default: 50 },
    })
  })

  it("bound an organization's settings, so that rows and answers stay small", () => {
    assert.strictEqual(maxTracked, 1_000)
    assert.isTrue(Number.isSafeInteger(10 ** Limits.bounds.codeLength.max))
    assert.isFalse(Number.isSafeInteger(10 ** (Limits.bounds.codeLength.max + 1)))
    assert.deepStrictEqual(
      Object.values(Limits.bounds).map(({ max, min }) => [min, max]),
      [
        [0, 1_000],
        [1, 4],
        [1, 2_678_400_000],
        [1, 1_000],
        [1, 100_000],
        [0, Number.MAX_SAFE_INTEGER],
        [1, 100],
        [0, 20],
        [0, 3_600_000],
        [4, 15],
        [1, 86_400],
        [1, 100_000],
        [1, 1_000],
      ],
    )
  })
})
