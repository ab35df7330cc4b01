import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as FieldProblem from "../../../src/domain/values/FieldProblem.ts"
import { FieldProblems } from "../../../src/api/internal/fieldProblems.ts"

const bounds = { min: 1, max: 9 }

const tooLong = FieldProblem.make("too_long", { max: 5 })
const malformed = FieldProblem.make("malformed_text", {})
const notString = FieldProblem.make("not_string", {})
const outOfRange = FieldProblem.make("out_of_range", bounds)
const notInteger = FieldProblem.make("not_integer", {})

describe("FieldProblems", () => {
  it("gives no error without a problem", () => {
    const problems = new FieldProblems()
    problems.integer("count", 5, bounds)
    assert.isUndefined(problems.error)
  })

  it("collects all problems in the order found", () => {
    const problems = new FieldProblems()
    problems.add("text", tooLong)
    problems.add("text", malformed)
    const range = { ...bounds, default: 5 }
    problems.integer("count", 0, range)
    assert.deepStrictEqual(problems.error?.details, {
      text: [tooLong, malformed],
      count: [outOfRange],
    })
  })

  it.each([
    [1, undefined],
    [9, undefined],
    [0, outOfRange],
    [10, outOfRange],
    [1.5, notInteger],
    [Number.NaN, notInteger],
    [Number.POSITIVE_INFINITY, notInteger],
    [2 ** 53, notInteger],
  ])("says of %d: %j", (value, problem) => {
    const problems = new FieldProblems()
    problems.integer("count", value, bounds)
    assert.deepStrictEqual(
      problems.error?.details["count"],
      problem === undefined ? undefined : [problem],
    )
  })

  it("returns the value of a valid field, and adds the problem of an invalid one", () => {
    const problems = new FieldProblems()
    assert.strictEqual(problems.value("text", "x"), "x")
    assert.isUndefined(problems.value("count", notString))
    assert.deepStrictEqual([problems.has("text"), problems.has("count")], [false, true])
    assert.deepStrictEqual(problems.error?.details, { count: [notString] })
  })

  it("applies a rule to a valid field only", () => {
    const problems = new FieldProblems()
    const short = (text: string) =>
      text.length > 5 ? Result.fail(tooLong) : Result.succeed(text.length)
    assert.strictEqual(problems.parse("name", "x", short), 1)
    assert.isUndefined(problems.parse("text", "x".repeat(6), short))
    assert.isUndefined(problems.parse("count", notString, short))
    assert.deepStrictEqual(problems.error?.details, { text: [tooLong], count: [notString] })
  })
})
