import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { metadataOf, purposeOf } from "../../../src/api/internal/fieldProblems.ts"

describe("metadataOf", () => {
  it.each([
    ["{}", true],
    [`{"a":"${"x".repeat(1_016)}"}`, true],
    [`{"a":"${"x".repeat(1_017)}"}`, false],
    // Two bytes each.
    [`{"a":"${"é".repeat(508)}"}`, true],
    [`{"a":"x${"é".repeat(508)}"}`, false],
    ["[]", false],
    ["null", false],
    ['"{}"', false],
    ["1", false],
    ["{", false],
    ["", false],
  ])("accepts the JSON text of an object of at most 1,024 bytes: %j", (text, isValid) => {
    assert.strictEqual(Result.isSuccess(metadataOf(text)), isValid)
  })
})

describe("purposeOf", () => {
  it.each([
    ["login", true],
    ["0", true],
    ["a_b.c-d", true],
    ["x".repeat(32), true],
    ["x".repeat(33), false],
    ["", false],
    ["-a", false],
    ["Login", false],
    ["log in", false],
    ["login\n", false],
  ])("accepts short names: %j", (text, isValid) => {
    assert.strictEqual(Result.isSuccess(purposeOf(text)), isValid)
  })
})
