import { assert, it } from "vitest"
import { networkOf } from "../../../src/domain/values/Networks.ts"
import { erase, fromE164 } from "../../../src/domain/values/PhoneNumber.ts"

it.each([
  ["+8801712345678", "Grameenphone"],
  ["+8801312345678", "Grameenphone"],
  ["+8801412345678", "Banglalink"],
  ["+8801512345678", "Teletalk"],
  ["+8801612345678", "Airtel"],
  ["+8801812345678", "Robi"],
  ["+8801912345678", "Banglalink"],
  ["+88021234567", undefined],
  ["+4915112345678", undefined],
])("the operator of %s is %s", (number, expected) => {
  const phoneNumber = fromE164(number)
  assert.strictEqual(networkOf(phoneNumber), expected)
  assert.isUndefined(networkOf(erase(phoneNumber)))
})
