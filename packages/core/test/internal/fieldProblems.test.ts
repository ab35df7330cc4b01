import { assert, describe, it } from "@effect/vitest"
import { FieldProblems } from "../../src/internal/fieldProblems.ts"

const bounds = { min: 1, max: 9 }

describe("FieldProblems", () => {
  it("is no error while there is no problem", () => {
    const problems = new FieldProblems()
    problems.integer("count", 5, bounds)
    assert.isUndefined(problems.error)
  })

  it("collects everything at once, in the order it was found", () => {
    const problems = new FieldProblems()
    problems.add("text", "too long")
    problems.add("text", "too wide")
    problems.integer("count", 0, bounds)
    assert.deepStrictEqual(problems.error?.details, {
      text: ["too long", "too wide"],
      count: ["must be between 1 and 9"],
    })
  })

  it.each([
    [1, undefined],
    [9, undefined],
    [0, "must be between 1 and 9"],
    [10, "must be between 1 and 9"],
    [1.5, "must be an integer"],
    [Number.NaN, "must be an integer"],
    [Number.POSITIVE_INFINITY, "must be an integer"],
    [2 ** 53, "must be an integer"],
  ])("says of %d: %s", (value, sentence) => {
    const problems = new FieldProblems()
    problems.integer("count", value, bounds)
    assert.deepStrictEqual(
      problems.error?.details["count"],
      sentence === undefined ? undefined : [sentence],
    )
  })

  it("adds nothing to a field that could not be read", () => {
    const problems = new FieldProblems({ count: ["must be a number"] })
    problems.integer("count", 0, bounds)
    problems.add("text", "too long")
    assert.deepStrictEqual(problems.error?.details, {
      count: ["must be a number"],
      text: ["too long"],
    })
  })
})
