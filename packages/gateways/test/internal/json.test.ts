import { assert, test } from "vitest"
import { at, isPath } from "../../src/internal/json.ts"

const body = { a: { b: [{ c: "x" }, { c: 0 }], "d-e": true }, n: null, "": 1 }

const rows = [
  ["a.b[0].c", "x"],
  ["a.b[1].c", 0],
  ["a.b.1.c", 0],
  ["a.d-e", true],
  ["a.b[2].c", undefined],
  ["a.b.length", 2],
  ["n", null],
  ["n.x", undefined],
  ["a.constructor", undefined],
  ["__proto__", undefined],
  ["a.b[0].c.length", undefined],
] as const

test.each(rows)("at %s there is %j", (path, found) => {
  assert.isTrue(isPath(path))
  assert.deepStrictEqual(at(body, path), found)
})

test.each(["", ".", "a.", ".a", "a..b", "a[", "a[x]", "a[]", "[0]", "a[0]b"])(
  "%j is not a path",
  (text) => {
    assert.isFalse(isPath(text))
  },
)
