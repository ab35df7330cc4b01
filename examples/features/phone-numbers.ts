/** Phone numbers as people type them become E.164. */
import assert from "node:assert/strict"
import { parsePhoneNumber } from "countersign"

for (const [typed, phoneNumber] of [
  ["01712-345678", "+8801712345678"],
  ["০১৭১২ ৩৪৫৬৭৮", "+8801712345678"],
  ["+880 (0)1712 345678", "+8801712345678"],
  ["00880 1712 345678", "+8801712345678"],
  ["+1 (202) 555-0123", "+12025550123"],
  ["01712-345678 ext. 5", undefined],
  ["01212-345678", undefined],
]) {
  assert.equal(parsePhoneNumber(typed, { country: "BD" }), phoneNumber)
}
assert.equal(parsePhoneNumber("01712-345678"), undefined) // of which country?
