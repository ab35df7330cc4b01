import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "vitest"
import * as FraudDryRun from "../../../src/domain/fraud/FraudDryRun.ts"
import type { Rules } from "../../../src/domain/fraud/PrefixStats.ts"

const { organizationId: organization } = Samples
const minute = 60_000
const start = 1_000 * minute

const rules = Samples.fraudRules()

const code = (at: number, change: Partial<FraudDryRun.PastCode> = {}): FraudDryRun.PastCode => ({
  prefix: "88017",
  createdAt: start + at,
  verifiedAt: null,
  isUnsent: false,
  ...change,
})

const tried = (codes: ReadonlyArray<FraudDryRun.PastCode>, change: Partial<Rules> = {}) =>
  FraudDryRun.run(organization, codes, { ...rules, ...change })

describe("fraud rules, tried on past codes", () => {
  it("deny codes beyond the most of a prefix, once found, and count the verified ones", () => {
    const verified = { verifiedAt: start + 50 }
    const codes = [code(0), code(1, verified), code(2), code(3, verified)]
    const tally = { codes: 4, verified: 2, denied: 2, deniedVerified: 1 }
    assert.deepStrictEqual(tried([...codes, code(4, { prefix: "88018" })]), {
      ...tally,
      codes: 5,
      findings: [
        {
          organization,
          prefix: "88017",
          reason: "velocity",
          action: "deny",
          at: start + 2,
          sent: 2,
          verified: 0,
        },
      ],
      prefixes: [{ prefix: "88017", reasons: ["velocity"], ...tally }],
    })
  })

  it("deny nothing if they only record", () => {
    const { denied, findings } = tried([code(0), code(1), code(2), code(3)], { action: "record" })
    assert.deepStrictEqual([denied, findings.length], [0, 1])
  })

  it("do not count codes that were not sent or were denied", () => {
    const unsent = code(0, { isUnsent: true })
    assert.strictEqual(tried([unsent, code(1), code(2)]).denied, 0)
    const denied = Array.from({ length: 25 }, (_, index) => code(2 + index))
    const later = Array.from({ length: 2 }, (_, index) => code(1.9 * minute + index))
    assert.strictEqual(tried([code(0), code(1), ...denied, ...later]).denied, 25)
  })

  const share = { maxSent: undefined, minSent: 2, minConversion: 0.5 }

  it("count a code as verified from then on, after it was sent", () => {
    const at = (verifiedAt: number) => code(0, { verifiedAt: start + verifiedAt })
    const { findings } = tried([at(1), code(1), code(2)], share)
    assert.deepStrictEqual(findings, [])
    assert.strictEqual(tried([at(3), code(1), code(2)], share).denied, 1)
    assert.strictEqual(tried([at(0), code(1), code(2)], share).denied, 0)
  })

  it("do not count a denied code as verified", () => {
    const denied = code(2, { verifiedAt: start + 3 })
    assert.strictEqual(tried([code(0), code(1), denied, code(4)], share).denied, 2)
  })

  it("list the prefixes with most denied codes first, and then those with most codes", () => {
    const of = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, index) => code(index, { prefix }))
    const codes = [
      ...of("1", 3),
      ...of("2", 4),
      ...of("3", 3),
      code(3, { prefix: "3", isUnsent: true }),
    ]
    const { prefixes } = tried(codes.toSorted((a, b) => a.createdAt - b.createdAt))
    assert.deepStrictEqual(
      prefixes.map(({ codes: all, denied, prefix }) => [prefix, denied, all]),
      [
        ["2", 2, 4],
        ["3", 2, 4],
        ["1", 1, 3],
      ],
    )
    const both = tried([...of("1", 3), ...of("2", 4)], { action: "record" }).prefixes
    assert.deepStrictEqual(
      both.map(({ prefix }) => prefix),
      ["2", "1"],
    )
  })
})
