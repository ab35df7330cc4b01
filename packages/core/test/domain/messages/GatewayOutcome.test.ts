import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import {
  errorText,
  type GatewayOutcome,
  maxErrorLength,
  readOutcome,
  readReachable,
  reasonOf,
  type Unaccepted,
} from "../../../src/domain/messages/GatewayOutcome.ts"

describe("errorText", () => {
  it.each([
    ["no route", "no route"],
    ["two\r\nlines", "two lines"],
    ["\u0000\u001f\u007f", " "],
    ["প্রাপক নেই", "প্রাপক নেই"],
    ["x".repeat(500), "x".repeat(maxErrorLength)],
    [`${"x".repeat(maxErrorLength - 1)}😀`, `${"x".repeat(maxErrorLength - 1)}\ufffd`],
    ["\ud800 alone", "\ufffd alone"],
  ])("keeps %j as %j", (text, kept) => assert.strictEqual(errorText(text), kept))

  it("fits a row and can be stored for any text of a vendor", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 1_000 }), (text) => {
        const kept = errorText(text)
        assert.isAtMost(kept.length, maxErrorLength)
        assert.isTrue(kept.isWellFormed() && !kept.includes("\u0000"))
        assert.strictEqual(errorText(kept), kept)
      }),
    )
  })
})

const wellFormed: ReadonlyArray<GatewayOutcome> = [
  { _tag: "Accepted", gatewayId: "g" },
  { _tag: "Accepted", gatewayId: "g", gateway: "vendor", idMillis: Infinity, segments: 2 },
  { _tag: "Delivered", gatewayId: "g", gateway: undefined, segments: undefined },
  { _tag: "Rejected", reason: "recipient", message: "" },
  { _tag: "Rejected", reason: "content", message: "spam", unreachable: false },
  { _tag: "Throttled", message: "too fast" },
  { _tag: "Throttled", message: "too fast", retryAfterMillis: 0.5 },
  { _tag: "NotSent", message: "no connection" },
  { _tag: "Unknown", message: "silence" },
]

const taken = { _tag: "Accepted", gatewayId: "g" }
const refused = { _tag: "Rejected", reason: "account", message: "no money" }
const throttled = { _tag: "Throttled", message: "too fast" }

describe("readOutcome", () => {
  it.each(wellFormed)("returns %j unchanged", (outcome) => {
    assert.strictEqual(Result.getOrThrow(readOutcome(outcome)), outcome)
  })

  it.each<readonly [unknown, string]>([
    [undefined, "the answer must be an object"],
    [null, "the answer must be an object"],
    ["Accepted", "the answer must be an object"],
    [202, "the answer must be an object"],
    [{}, "_tag must be one of"],
    [{ ...taken, _tag: null }, "_tag must be one of"],
    [{ ...taken, _tag: "accepted" }, "_tag must be one of"],
    [{ ...taken, _tag: "toString" }, "_tag must be one of"],
    [{ _tag: "Accepted" }, "gatewayId must be"],
    [{ _tag: "Delivered" }, "gatewayId must be"],
    [{ ...taken, gatewayId: 4711 }, "gatewayId must be"],
    [{ ...taken, gatewayId: "" }, "gatewayId must be"],
    [{ ...taken, gateway: 1 }, "gateway must be"],
    [{ ...taken, gateway: "a\u0000" }, "gateway must be"],
    [{ ...taken, gateway: "\ud800" }, "gateway must be"],
    [{ ...taken, segments: "2" }, "segments must be"],
    [{ ...taken, segments: 1.5 }, "segments must be"],
    [{ ...taken, segments: -1 }, "segments must be"],
    [{ ...taken, idMillis: "1" }, "idMillis must be"],
    [{ ...taken, idMillis: -1 }, "idMillis must be"],
    [{ ...refused, reason: undefined }, "reason must be one of"],
    [{ ...refused, reason: "blocked" }, "reason must be one of"],
    [{ ...refused, message: 7 }, "message must be a text"],
    [{ ...refused, unreachable: "yes" }, "unreachable must be"],
    [{ ...throttled, retryAfterMillis: "3" }, "retryAfterMillis must be"],
    [{ ...throttled, retryAfterMillis: null }, "retryAfterMillis must be"],
    [{ ...throttled, retryAfterMillis: Number.NaN }, "retryAfterMillis must be"],
    [{ ...throttled, retryAfterMillis: Infinity }, "retryAfterMillis must be"],
    [{ ...throttled, retryAfterMillis: -1 }, "retryAfterMillis must be"],
    ...["Rejected", "Throttled", "NotSent", "Unknown"].flatMap((_tag) =>
      [undefined, null, { text: "no" }].map(
        (message) => [{ ...refused, _tag, message }, "message must be a text"] as const,
      ),
    ),
  ])("rejects %j: %s", (value, problem) => {
    const read = readOutcome(value)
    assert.isTrue(Result.isFailure(read))
    if (Result.isFailure(read)) assert.include(read.failure, problem)
  })

  it("never quotes its input", () => {
    const secret = "482913"
    for (const value of [
      secret,
      { _tag: secret },
      { ...taken, gatewayId: [secret] },
      { ...refused, reason: secret },
    ]) {
      const read = readOutcome(value)
      if (Result.isSuccess(read)) assert.fail("it was read")
      assert.notInclude(read.failure, secret)
    }
  })
})

describe("reasonOf", () => {
  it.each<readonly [Unaccepted, string]>([
    [{ _tag: "Rejected", message: "", reason: "content" }, "content"],
    [{ _tag: "Throttled", message: "" }, "throttled"],
    [{ _tag: "NotSent", message: "" }, "not_sent"],
    [{ _tag: "NotSent", message: "", reason: "no_gateway" }, "no_gateway"],
    [{ _tag: "Unknown", message: "" }, "unknown"],
  ])("of %j is %s", (outcome, reason) => assert.strictEqual(reasonOf(outcome), reason))
})

describe("readReachable", () => {
  it.each(["yes", "no", "unknown"])("reads %s", (answer) => {
    assert.deepStrictEqual<unknown>(readReachable(answer), Result.succeed(answer))
  })

  it.each(["", "maybe", true, undefined])("rejects %j", (answer) => {
    const problem = "the answer must be one of yes, no, unknown"
    assert.deepStrictEqual<unknown>(readReachable(answer), Result.fail(problem))
  })
})
