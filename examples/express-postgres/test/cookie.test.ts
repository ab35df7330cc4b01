import { assert, test } from "vitest"
import { sessionCookie } from "../src/cookie.ts"

test.each([
  [false, "session=abc; Path=/; HttpOnly; SameSite=Lax; Max-Age=60"],
  [true, "__Host-session=abc; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=60"],
])("a cookie with secure=%s is written as %s", (secure, expected) => {
  assert.strictEqual(sessionCookie(secure).write("abc", 60), expected)
})

test.each([
  [undefined, undefined],
  ["", undefined],
  ["session=abc", "abc"],
  ["other=1; session=abc; more=2", "abc"],
  ["my-session=abc", undefined],
  ["__Host-session=abc", undefined],
])("of %s it reads %s", (cookie, expected) => {
  const headers = cookie === undefined ? {} : { cookie }
  assert.strictEqual(sessionCookie(false).read({ headers }), expected)
})
