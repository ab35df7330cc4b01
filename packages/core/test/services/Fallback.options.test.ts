import { assert, describe, it } from "@effect/vitest"
import * as Fallback from "../../src/services/Fallback.ts"

describe("Fallback.make", () => {
  it.each([0, 999, 600_001, Number.NaN, Infinity])(
    "rejects a wait of %s ms",
    (reportWithinMillis) => {
      assert.throws(() => Fallback.make({ reportWithinMillis }), RangeError)
    },
  )

  it("waits 30 seconds by default, for requests that ask for WhatsApp", () => {
    assert.deepStrictEqual(Fallback.make({}), { reportWithinMillis: 30_000, whatsappFirst: false })
  })
})
