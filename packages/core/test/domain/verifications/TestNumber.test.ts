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
  const inDevelopment = (...numbers: ReadonlyArray<TestNumber.TestNumber>) => ({
    numbers,
    production: false,
  })
  const withCode = (code: string) => inDevelopment(named({ code: Redacted.make(code) }))
  const one = { numbers: [named()], production: true }
  const cases: ReadonlyArray<
    readonly [what: string, options: TestNumber.Options, expected: RegExp | undefined]
  > = [
    ["none in development", inDevelopment(), undefined],
    ["one in development", inDevelopment(named()), undefined],
    ["none in production", { ...one, numbers: [] }, undefined],
    ["one in production", one, /not for production/],
    ["one refused in production", { ...one, allowInProduction: false }, /not for production/],
    ["one allowed in production", { ...one, allowInProduction: true }, undefined],
    [
      "one that is allowed in production, under nist",
      { ...one, allowInProduction: true, profile: "nist" },
      /not for production under the profile nist/,
    ],
    ["none in production, under nist", { ...one, numbers: [], profile: "nist" }, undefined],
    ["one in development, under nist", { ...one, production: false, profile: "nist" }, undefined],
    ["a hundred", inDevelopment(...numbered(100)), undefined],
    ["one more", inDevelopment(...numbered(101)), /at most 100/],
    [
      "a number without its plus",
      inDevelopment(named({ phoneNumber: "8801712345678" })),
      /number 1 must be in E\.164/,
    ],
    ["a code of 3 digits", withCode("123"), /number 1 must have a code of 4 to 15 digits/],
    ["a code of 4 digits", withCode("1234"), undefined],
    ["a code of 15 digits", withCode("1".repeat(15)), undefined],
    ["a code of 16 digits", withCode("1".repeat(16)), /code of 4 to 15/],
    ["a code with a letter", withCode("12345a"), /code of 4 to 15/],
    [
      "one number twice",
      inDevelopment(named(), named({ outcome: "failed" })),
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
    assert.strictEqual(TestNumber.outcomes.join(), "delivered,undelivered,not-on-whatsapp,failed")
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
