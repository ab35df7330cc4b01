import { assert, test } from "vitest"
import { readCookie } from "../src/cookie.ts"

test.each([
  [undefined, undefined],
  ["", undefined],
  ["session=abc", "abc"],
  ["other=1; session=abc; more=2", "abc"],
  ["my-session=abc", undefined],
  ["__Host-session=abc", undefined],
])("of %s it reads %s", (cookie, expected) => {
  const headers = cookie === undefined ? {} : { cookie }
  assert.strictEqual(readCookie({ headers }, "session"), expected)
})
