import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Limits from "../../../src/domain/limits/Limits.ts"
import * as TestNumber from "../../../src/domain/verifications/TestNumber.ts"

const named = (more: Partial<TestNumber.TestNumber> = {}): TestNumber.TestNumber => ({
  phoneNumber: "+8801712345678",
  code: Redacted.make("730164"),
  outcome: "delivered",
  ...more,
})

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => named({ phoneNumber: `+88017123450${100 + index}` }))

describe("TestNumber.problems", () => {
  const cases: ReadonlyArray<
    readonly [what: string, options: TestNumber.Options, expected: RegExp | undefined]
  > = [
    ["none in development", { numbers: [], production: false }, undefined],
    ["one in development", { numbers: [named()], production: false }, undefined],
    ["none in production", { numbers: [], production: true }, undefined],
    ["one in production", { numbers: [named()], production: true }, /not for production/],
    [
      "one that is refused in production",
      { numbers: [named()], production: true, allowInProduction: false },
      /not for production/,
    ],
    [
      "one that is allowed in production",
      { numbers: [named()], production: true, allowInProduction: true },
      undefined,
    ],
    [
      "one that is allowed in production, under nist",
      { numbers: [named()], production: true, allowInProduction: true, profile: "nist" },
      /not for production under the profile nist/,
    ],
    [
      "none in production, under nist",
      { numbers: [], production: true, profile: "nist" },
      undefined,
    ],
    [
      "one in development, under nist",
      { numbers: [named()], production: false, profile: "nist" },
      undefined,
    ],
    ["a hundred", { numbers: numbered(100), production: false }, undefined],
    ["one more", { numbers: numbered(101), production: false }, /at most 100/],
    [
      "a number without its plus",
      { numbers: [named({ phoneNumber: "8801712345678" })], production: false },
      /number 1 must be in E\.164/,
    ],
    [
      "a code of 3 digits",
      { numbers: [named({ code: Redacted.make("123") })], production: false },
      /number 1 must have a code of 4 to 15 digits/,
    ],
    [
      "a code of 4 digits",
      { numbers: [named({ code: Redacted.make("1234") })], production: false },
      undefined,
    ],
    [
      "a code of 15 digits",
      { numbers: [named({ code: Redacted.make("1".repeat(15)) })], production: false },
      undefined,
    ],
    [
      "a code of 16 digits",
      { numbers: [named({ code: Redacted.make("1".repeat(16)) })], production: false },
      /code of 4 to 15/,
    ],
    [
      "a code with a letter",
      { numbers: [named({ code: Redacted.make("12345a") })], production: false },
      /code of 4 to 15/,
    ],
    [
      "one number twice",
      { numbers: [named(), named({ outcome: "failed" })], production: false },
      /number 2 is named twice/,
    ],
  ]
  it.each(cases)("of %s", (_what, options, expected) => {
    const found = TestNumber.problems(options)
    assert.strictEqual(found.length, expected === undefined ? 0 : 1)
    if (expected !== undefined) assert.match(found.join(), expected)
  })

  it("quote neither a number nor a code", () => {
    const bad = named({ phoneNumber: "8801712345678", code: Redacted.make("90210x") })
    const text = TestNumber.problems({ numbers: [bad, bad], production: true }).join()
    assert.notMatch(text, /8801712345678|90210x/)
  })
})

describe("a test number", () => {
  const token = Samples.messageId(1)
  const gatewayId = `test_${token}`
  it.each([
    ["delivered", "yes", "yes", "Delivered", undefined],
    ["undelivered", "yes", "yes", "Accepted", "undelivered"],
    ["not-on-whatsapp", "yes", "no", "Delivered", undefined],
    ["failed", "yes", "yes", "NotSent", undefined],
  ] as const)(
    "that is %s: reachable by SMS %s, by WhatsApp %s, answered %s, reported %s",
    (outcome, sms, whatsapp, answer, report) => {
      const self = named({ outcome })
      assert.strictEqual(TestNumber.isReachable(self, "sms"), sms)
      assert.strictEqual(TestNumber.isReachable(self, "whatsapp"), whatsapp)
      const answered = TestNumber.outcomeOf(self, token)
      assert.strictEqual(answered._tag, answer)
      if ("gatewayId" in answered) assert.strictEqual(answered.gatewayId, gatewayId)
      assert.strictEqual(TestNumber.reportOf(self), report)
    },
  )

  it("has every outcome", () => {
    assert.deepStrictEqual(TestNumber.outcomes, [
      "delivered",
      "undelivered",
      "not-on-whatsapp",
      "failed",
    ])
  })
})

it("lifts the limits of a test number, and of no other", () => {
  assert.deepStrictEqual(TestNumber.lifted(Limits.defaults), {
    ...Limits.defaults,
    sendsPerNumber: undefined,
    sendsPerClient: undefined,
    checksPerClient: undefined,
    guessesPerNumber: undefined,
    guessesSinceSuccess: undefined,
    pendingPerNumber: Limits.bounds.pendingPerNumber.max,
  })
})
