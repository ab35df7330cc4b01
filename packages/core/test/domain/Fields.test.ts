import { assert, describe, it } from "@effect/vitest"
import * as FieldProblem from "../../src/domain/FieldProblem.ts"
import * as Fields from "../../src/domain/Fields.ts"

const notString = FieldProblem.make("not_string", {})
const notInteger = FieldProblem.make("not_integer", {})
const notBoolean = FieldProblem.make("not_boolean", {})
const unknown = FieldProblem.make("unknown_option", { options: ["a", "b"] })
const aOrB = Fields.oneOf(["a", "b"])

describe("a reader", () => {
  it.each<readonly [Fields.Reader<unknown>, value: unknown, read: unknown]>([
    [Fields.text, "x", "x"],
    [Fields.text, "", ""],
    [Fields.text, undefined, FieldProblem.make("required", {})],
    [Fields.text, null, notString],
    [Fields.text, 5, notString],
    [Fields.integer, 5, 5],
    [Fields.integer, -1, -1],
    [Fields.integer, 1.5, notInteger],
    [Fields.integer, Number.NaN, notInteger],
    [Fields.integer, 2 ** 53, notInteger],
    [Fields.integer, "5", notInteger],
    [Fields.boolean, false, false],
    [Fields.boolean, 0, notBoolean],
    [Fields.boolean, null, notBoolean],
    [aOrB, "b", "b"],
    [aOrB, "c", unknown],
    [aOrB, ["a"], unknown],
    [Fields.optional(Fields.text), undefined, undefined],
    [Fields.optional(Fields.text), "x", "x"],
    [Fields.optional(Fields.text), null, notString],
  ])("returns the value or its problem: %o, %j", (read, value, expected) => {
    assert.deepStrictEqual(read(value), expected)
  })
})
