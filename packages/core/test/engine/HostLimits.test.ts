import { assert, describe, it } from "@effect/vitest"
import * as HostLimits from "../../src/engine/HostLimits.ts"
import * as Limits from "../../src/domain/limits/Limits.ts"
import { untyped } from "../support/untyped.ts"
import { testOn } from "../support/engineTest.ts"

describe("HostLimits.layer", () => {
  testOn(
    HostLimits.layer({
      sendsPerNumber: { max: 2, per: "90 seconds" },
      expiresIn: { min: "1 minute", max: "2 minutes", default: "1.5 minutes" },
    }),
  )("sets limits with durations, and keeps the others", function* () {
    const limits = yield* Limits.Limits
    assert.deepStrictEqual(limits, {
      ...Limits.defaults,
      sendsPerNumber: { max: 2, windowMillis: 90_000 },
      expirySeconds: { min: 60, max: 120, default: 90 },
    })
  })

  it("throws for a bare number", () => {
    assert.throws(
      () => HostLimits.layer({ resendCooldown: untyped(30_000) }),
      RangeError,
      'limits: resendCooldown must be a number with its unit: write "30 seconds"',
    )
  })
})
