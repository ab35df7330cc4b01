import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as FieldProblem from "../../../src/domain/values/FieldProblem.ts"
import * as Fields from "../../../src/domain/values/FieldReaders.ts"
import * as CodeText from "../../../src/domain/verifications/CodeText.ts"
import * as Payment from "../../../src/domain/verifications/Payment.ts"

const notString = FieldProblem.make("not_string", {})
const notInteger = FieldProblem.make("not_integer", {})
const unknown = FieldProblem.make("unknown_channel", {})
const unreadable = FieldProblem.make("unreadable", {})
const required = FieldProblem.make("required", {})
const notObject = FieldProblem.make("not_object", {})

/** An object that holds itself. */
const cycle: Record<string, unknown> = {}
cycle["self"] = cycle

/** Deeper than a stack. */
const deep: unknown = JSON.parse(`${"[".repeat(60_000)}${"]".repeat(60_000)}`)

const bill = { amount: "৳500", payee: "Rahim Store" }

describe("a reader", () => {
  it.each<readonly [Fields.Reader<unknown>, value: unknown, read: unknown]>([
    [Fields.text, "x", "x"],
    [Fields.text, "", ""],
    [Fields.text, undefined, FieldProblem.make("required", {})],
    [Fields.text, null, notString],
    [Fields.text, 5, notString],
    [Fields.name, "x", "x"],
    [Fields.name, "", FieldProblem.make("empty", {})],
    [Fields.name, undefined, required],
    [Fields.channel, "whatsapp", "whatsapp"],
    [Fields.channel, "fax", unknown],
    [Fields.channel, ["sms"], unknown],
    [CodeText.read, "123456", Redacted.make("123456", { label: "code" })],
    [CodeText.read, 123_456, notString],
    [Fields.integer, 5, 5],
    [Fields.integer, -1, -1],
    [Fields.integer, 1.5, notInteger],
    [Fields.integer, Number.NaN, notInteger],
    [Fields.integer, 2 ** 53, notInteger],
    [Fields.integer, "5", notInteger],
    [Fields.jsonText, { a: [1, null], b: "x" }, '{"a":[1,null],"b":"x"}'],
    [Fields.jsonText, undefined, unreadable],
    [Fields.jsonText, { toJSON: () => undefined }, unreadable],
    [Payment.read, { ...bill, more: 1 }, bill],
    [Payment.read, { payee: "x" }, required],
    [Payment.read, { amount: "1" }, required],
    [Payment.read, { amount: "1", payee: 5 }, notString],
    [Payment.read, { code: "required" }, required],
    [Payment.read, null, notObject],
    [Payment.read, "500", notObject],
    [Fields.optional(Fields.text), undefined, undefined],
    [Fields.optional(Fields.text), "x", "x"],
    [Fields.optional(Fields.text), null, notString],
  ])("returns the value or its problem: %o, %j", (read, value, expected) => {
    assert.deepStrictEqual(read(value), expected)
  })

  it.each([
    ["that holds itself", cycle],
    ["that is too deep", deep],
  ])("finds the problem of a value %s", (_, value) => {
    assert.deepStrictEqual(Fields.jsonText(value), unreadable)
  })
})
