import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Ids from "../../../src/domain/values/Ids.ts"

const random = fc.uint8Array({ minLength: Ids.randomBytes, maxLength: Ids.randomBytes })

describe("Ids", () => {
  it.each(["acme", "A", "a-b_C9", "x".repeat(64)])("%j is a valid organization id", (text) => {
    assert.strictEqual<string>(Ids.OrganizationId(text), text)
  })

  it.each(["", "x".repeat(65), "a b", "a.b", "é", "a\n", "\n", "a/b", "a\u0000"])(
    "%j is not a valid organization id",
    (text) => assert.throws(() => Ids.OrganizationId(text), TypeError),
  )

  it("sorts ids by their creation time, with any random part", () => {
    const at = fc.integer({ min: 0, max: 2 ** 44 })
    fc.assert(
      fc.property(at, at, random, random, (a, b, one, other) => {
        fc.pre(a < b)
        assert.isTrue(Ids.sortable("vrf", a, one) < Ids.sortable("vrf", b, other))
      }),
    )
  })

  it("appends 128 random bits to the time", () => {
    fc.assert(
      fc.property(random, (bytes) => {
        const id = Ids.sortable("msg", Samples.now, bytes)
        assert.match(id, Ids.sortablePattern)
        assert.strictEqual(id.slice(-32), Buffer.from(bytes).toString("hex"))
      }),
    )
  })

  it("supports times before 1970 and all later times", () => {
    const bytes = new Uint8Array(Ids.randomBytes)
    assert.match(Ids.sortable("vrf", -1, bytes), Ids.sortablePattern)
    assert.match(Ids.sortable("vrf", 8.64e15, bytes), Ids.sortablePattern)
  })
})
