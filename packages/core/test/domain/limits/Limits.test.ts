import { assert, describe, it } from "@effect/vitest"
import * as Struct from "effect/Struct"
import * as Limits from "../../../src/domain/limits/Limits.ts"
import { namesOf } from "../../../src/domain/limits/LimitTable.ts"
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
    const windows = namesOf("window")
    for (const name of windows) assert.deepStrictEqual(Limits.bounds[name], { min: 0, max: 1_000 })
    assert.deepStrictEqual(Struct.omit(Limits.bounds, windows), {
      windowLimits: { min: 1, max: 4 },
      windowMillis: { min: 1, max: 2_678_400_000 },
      pendingPerNumber: { min: 1, max: 1_000 },
      guessesSinceSuccess: { min: 1, max: 100_000 },
      spendPerDay: { min: 0, max: Number.MAX_SAFE_INTEGER },
      attempts: { min: 1, max: 100 },
      resends: { min: 0, max: 20 },
      resendCooldownMillis: { min: 0, max: 3_600_000 },
      codeLength: { min: 4, max: 15 },
      expirySeconds: { min: 1, max: 86_400 },
      messageLength: { min: 1, max: 100_000 },
      pageSize: { min: 1, max: 1_000 },
    })
  })
})
