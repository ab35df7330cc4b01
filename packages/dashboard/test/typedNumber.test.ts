import { assert, it } from "vitest"
import { typedNumber } from "../app/ui/typedNumber.ts"

it.each([
  ["01712-345678", "+8801712345678"],
  ["০১৭১২ ৩৪৫৬৭৮", "+8801712345678"],
  [" +880 1712-345678 ", "+8801712345678"],
  ["8801712345678", "+8801712345678"],
  ["008801712345678", "+8801712345678"],
  ["+1 (202) 555-0143", "+12025550143"],
  ["01212345678", "01212345678"],
  ["017", "017"],
  ["erased:BD", "erased:BD"],
])("%s means %s", (typed, asked) => {
  assert.strictEqual(typedNumber(typed), asked)
})
