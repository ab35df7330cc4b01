import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Cursor from "../../../src/domain/values/Cursor.ts"
import * as FieldProblem from "../../../src/domain/values/FieldProblem.ts"

describe("a cursor", () => {
  it.each([1, 2, 35, 36, 10_000_000, Number.MAX_SAFE_INTEGER])("leads back to %i", (before) => {
    assert.deepStrictEqual(Cursor.parse(Cursor.make(before)), Result.succeed(before))
  })

  it.each(["", "c", "c0", "1", "c-1", "c1 ", "C1", "c1.5", "czzzzzzzzzzz", "c12345678901234"])(
    "is not %j",
    (text) => {
      const invalid = Result.fail(FieldProblem.make("invalid_cursor", {}))
      assert.deepStrictEqual(Cursor.parse(text), invalid)
    },
  )
})
