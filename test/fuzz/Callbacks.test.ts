/**
 * Random delivery reports, signed and forged, on every mount.
 */
import { assert, describe, it } from "vitest"
import { fuzzCallbacks } from "./callbacksFuzz.ts"

describe("random delivery reports", () => {
  it("get an answer that is no server error, and the same on every mount", async () => {
    const { statuses } = await fuzzCallbacks(1, 150)
    assert.sameMembers(Object.keys(statuses), ["200", "400", "403", "404", "405"])
  })
})
