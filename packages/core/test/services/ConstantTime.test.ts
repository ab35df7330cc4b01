/**
 * Time cannot be measured reliably, so these tests count reads: a comparison that stops early, at the
 * first byte that differs, reads fewer bytes of one stored hash than of another.
 */
import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import * as ApiKey from "../../src/domain/access/ApiKey.ts"
import { countedReads, differingAt } from "../support/countedReads.ts"
import { decide } from "../support/transcript.ts"

const hash = Samples.digest("secret")

/** The position at which the stored hash differs from the given one. */
const cases: ReadonlyArray<readonly [where: string, stored: Uint8Array]> = [
  ["in no byte", hash],
  ["in the first byte", differingAt(hash, 0)],
  ["in the middle", differingAt(hash, 15)],
  ["in the last byte", differingAt(hash, 31)],
  ["in every byte", hash.map((byte) => byte ^ 255)],
]

describe("A key's hash", () => {
  const parts = { environment: "live", isIntact: true } as const

  it.each(cases)("is read to its end when it differs %s", (where, stored) => {
    const { bytes, reads } = countedReads(stored)
    const isGood = ApiKey.matches(Samples.apiKey({ secretHash: bytes }), parts, hash, Samples.now)
    assert.strictEqual(isGood, where === "in no byte")
    assert.strictEqual(reads(), 32)
  })

  it.each([
    ["revoked", { revokedAt: Samples.now }],
    ["of the other environment", { environment: "test" }],
  ] as const)("is read to its end when the key is %s", (_, overrides) => {
    const { bytes, reads } = countedReads(hash)
    const stored = Samples.apiKey({ secretHash: bytes, ...overrides })
    assert.isFalse(ApiKey.matches(stored, parts, hash, Samples.now))
    assert.strictEqual(reads(), 32)
  })

  it("is compared to its end if the key does not exist", () => {
    const { bytes, reads } = countedReads(hash)
    assert.isFalse(ApiKey.matches(undefined, parts, bytes, Samples.now))
    assert.strictEqual(reads(), 32)
  })
})

describe("A code's digest", () => {
  it.each(cases)("is read to its end when it differs %s", (where, stored) => {
    const { bytes, reads } = countedReads(stored)
    const { result } = decide(
      { account: Samples.account(), verification: Samples.verification({ digest: bytes }) },
      Samples.checkCode({ candidates: [{ pepper: "k1", digest: hash }] }),
      Samples.now,
    )
    assert.strictEqual(result._tag, where === "in no byte" ? "Verified" : "WrongCode")
    assert.strictEqual(reads(), 32)
  })

  it("is not read when its secret is unknown, which depends on no code", () => {
    const { bytes, reads } = countedReads(hash)
    const { result } = decide(
      { account: Samples.account(), verification: Samples.verification({ digest: bytes }) },
      Samples.checkCode({ candidates: [{ pepper: "k2", digest: hash }] }),
      Samples.now,
    )
    assert.strictEqual(result._tag, "UnknownCodeSecret")
    assert.strictEqual(reads(), 0)
  })
})
