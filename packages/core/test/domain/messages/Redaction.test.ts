import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import type { GatewayOutcome } from "../../../src/domain/messages/GatewayOutcome.ts"
import * as Redaction from "../../../src/domain/messages/Redaction.ts"

const phoneNumber = Samples.phoneNumber(45_678)
const code = "739184"
const text = `${code} is your verification code for the quokka park.`
const content: Redaction.Content = {
  token: "msg_1",
  phoneNumber,
  text: Redacted.make(text),
  code: Redacted.make(code),
}

const said = (words: string): string => Redaction.words(words, content)

const cases: ReadonlyArray<readonly [string, string]> = [
  ["Number is not valid", "Number is not valid"],
  ["+8801712345678 is not valid", "+8801*****678 is not valid"],
  ["8801712345678 is not valid", "+8801*****678 is not valid"],
  ["01712345678 is not valid", "+8801*****678 is not valid"],
  ["+880 1712-345678 is not valid", "+8801*****678 is not valid"],
  ["to=%2B8801712345678", "to=%2B+8801*****678"],
  ["8809600000000 is no sender", "8809600000000 is no sender"],
  ["error 21211", "error 21211"],
  [`"${text}" has a link`, '"[text]" has a link'],
  [`"${text.slice(0, 30)}…" has a link`, '"[text]…" has a link'],
  [`"…${text.slice(-25)}" has a link`, '"…[text]" has a link'],
  ["is your code right?", "is your code right?"],
  [`code ${code}`, "code [code]"],
  ["code 739 184, 739-184, 7,3,9,1,8,4", "code [code], [code], [code]"],
  ["two\nlines", "two lines"],
]

describe("A gateway's words", () => {
  it.each(cases)("%s become %s", (words, expected) => {
    assert.strictEqual(said(words), expected)
  })

  it("show nothing of a number that contains the code", () => {
    const own = { ...content, code: Redacted.make("1712") }
    assert.strictEqual(Redaction.words("8801712345678 is off", own), "+8801*****678 is off")
  })

  it("never contain the text, the code or the number", () => {
    const to = phoneNumber
    const secrets = [text, code, to, to.slice(1), `0${to.slice(4)}`]
    const words = fc
      .array(
        fc.oneof(fc.constantFrom(...secrets), fc.string({ unit: "grapheme", maxLength: 12 })),
        { maxLength: 12 },
      )
      .map((parts) => parts.join(" "))
    fc.assert(
      fc.property(words, (one) => {
        for (const shown of [said(one), Redaction.unknownWords(one)]) {
          const found = secrets.filter((secret) => shown.includes(secret))
          assert.deepStrictEqual(found, [])
          assert.isAtMost(shown.length, 300)
        }
      }),
    )
  })

  it.each([
    ["131026: not on WhatsApp", "[digits]: not on WhatsApp"],
    ["to +880 1712-345678, error 42", "to +8801*****678, error 42"],
    ["739 184 is blocked", "[digits] is blocked"],
    ["UNDELIV", "UNDELIV"],
  ])("about an unknown message, %s, become %s", (words, expected) => {
    assert.strictEqual(Redaction.unknownWords(words), expected)
  })
})

describe("An outcome", () => {
  const messages = [
    { _tag: "Rejected", reason: "content" },
    { _tag: "Throttled", retryAfterMillis: 5 },
    { _tag: "NotSent" },
    { _tag: "Unknown" },
  ] as const
  it.each(messages.map((outcome) => [outcome._tag, outcome] as const))(
    "%s keeps its fields, and has no content in its message",
    (_, outcome) => {
      assert.deepStrictEqual<unknown>(
        Redaction.outcome({ ...outcome, message: `to ${phoneNumber}: ${text}` }, content),
        { ...outcome, message: "to +8801*****678: [text]" },
      )
    },
  )

  const ids: ReadonlyArray<readonly [id: string, code: string, isKept: boolean]> = [
    ["SM00000000000000000000000000000001", code, true],
    [code, code, false],
    [`id-${code}`, code, false],
    [`x${code}y`, code, false],
    [`1795${code}`, code, false],
    // Four digits are often in an id by chance.
    ["id-7391", "7391", false],
    ["id-87391", "7391", true],
    ["7391f00d", "7391", false],
    // Our own id, from which some vendors make theirs.
    ["sim_msg_1", "1", true],
  ]
  it.each(ids)("accepted as %s keeps its id if %s is the code: %s", (gatewayId, digits, isKept) => {
    for (const _tag of ["Accepted", "Delivered"] as const) {
      const given: GatewayOutcome = { _tag, gatewayId, segments: 2 }
      const shown = Redaction.outcome(given, { ...content, code: Redacted.make(digits) })
      assert.deepStrictEqual(shown, isKept ? given : { ...given, gatewayId: "msg_1" })
      assert.strictEqual(Redaction.outcome(given, { ...content, code: undefined }), given)
    }
  })
})

describe("The evidence of a report", () => {
  const stored = (fields: object): string => JSON.stringify(fields)

  it.each([
    [code, "[code]"],
    [`00${code}`, "[code]"],
    [`${code}.0`, "[code]"],
    ["739185", "739185"],
    ["", ""],
    [`is ${code}`, "is [code]"],
    ["+8801712345678", "+8801*****678"],
    ["2026-11-24T05:55:28Z", "2026-11-24T05:55:28Z"],
  ])("with %s has %s", (value, expected) => {
    assert.strictEqual(Redaction.evidence(stored({ a: value }), content), stored({ a: expected }))
  })

  it("of a message without a code keeps its numbers", () => {
    const { code: _, ...plain } = content
    const evidence = stored({ a: "", b: "12" })
    assert.strictEqual(Redaction.evidence(evidence, { ...plain, code: undefined }), evidence)
    assert.isNull(Redaction.evidence(null, content))
  })

  it("of an unknown message has no digits that may be a code", () => {
    assert.strictEqual(
      Redaction.unknownEvidence(stored({ a: "123", b: "x 7391 y", c: "+8801*****678" })),
      stored({ a: "123", b: "x [digits] y", c: "+8801*****678" }),
    )
    assert.isNull(Redaction.unknownEvidence(null))
  })
})

it.each([
  ["no route", false],
  ["error 123", false],
  ["1234", true],
  ["at 7-3-9-1", true],
  ["+8801*****678", true],
])("%s may contain a code or a number: %s", (text, expected) => {
  assert.strictEqual(Redaction.hasDigits(text), expected)
})
