import * as fc from "fast-check"
import { assert, test } from "vitest"
import { codeIn, digitsOf } from "../src/internal/code.ts"

test.each([
  ["123456", "123456"],
  [" 123456\n", "123456"],
  ["123456 is your code for Shop. Do not share it with anyone.", "123456"],
  ["আপনার কোড ১২৩৪৫৬। কাউকে দেবেন না।", "123456"],
  ["Your code is 123 456.", "123456"],
  ["123-456", "123456"],
  ["G-123456 is your code", "123456"],
  ["Call +8801712345678. Your code is 123456", "123456"],
  ["Code 123456 expires in 5 minutes", "123456"],
  ["5 minutes: 123456", "123456"],
  ["24 123456", "123456"],
  ["654321 is the order. Your code: 123456\n\n@example.com #123456", "123456"],
  ["1234", "1234"],
  ["12345678", "123456"],
  ["Room 12", ""],
  ["+8801712345678", ""],
  ["no code", ""],
  ["", ""],
])("a page that waits for six digits reads %j as %j", (pasted, code) => {
  assert.strictEqual(codeIn(pasted, 6), code)
})

test("a code of any length is found in any of the service's texts, in both kinds of digits", () => {
  const digits = fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 4, maxLength: 10 })
  const text = fc.constantFrom(
    (code: string) => `${code} is your code for Shop.`,
    (code: string) => `Your Shop code is ${code}. It is valid for 5 minutes.`,
    (code: string) => `আপনার কোড ${code}। ৫ মিনিট পর্যন্ত চলবে।`,
    (code: string) => `${code}\n\n@shop.example #${code}`,
  )
  const isBangla = fc.boolean()
  fc.assert(
    fc.property(digits, text, isBangla, (code, message, bangla) => {
      const written = bangla
        ? code.replaceAll(/\d/g, (digit) => "০১২৩৪৫৬৭৮৯".charAt(Number(digit)))
        : code
      assert.strictEqual(codeIn(message(written), code.length), code)
      assert.strictEqual(digitsOf(` ${written}x`, code.length), code)
    }),
  )
})
