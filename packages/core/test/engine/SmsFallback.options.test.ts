import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Fallback from "../../src/engine/SmsFallback.ts"
import { untyped } from "../support/untyped.ts"

describe("Fallback.make", () => {
  it.each(["0 seconds", "999 milliseconds", "601 seconds", "soon", 30_000, Duration.infinity])(
    "rejects a wait of %s",
    (reportWithin) => {
      assert.throws(
        () => Fallback.make({ reportWithin: untyped(reportWithin) }),
        RangeError,
        "reportWithin must be",
      )
    },
  )

  it("accepts a duration of Effect as well", () => {
    const { reportWithinMillis } = Fallback.make({ reportWithin: Duration.minutes(1) })
    assert.strictEqual(reportWithinMillis, 60_000)
  })

  it("waits 30 seconds by default, for requests that ask for WhatsApp", () => {
    assert.deepStrictEqual(Fallback.make({}), { reportWithinMillis: 30_000, whatsappFirst: false })
  })
})
