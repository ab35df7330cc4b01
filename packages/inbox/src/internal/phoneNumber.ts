import { normalizeDigits } from "@countersign/core/domain/values/PhoneNumber"
import * as Result from "effect/Result"

/** Returns a number with its plus and ASCII digits. A plus that was not percent-encoded arrives as a space. */
export const withPlus = (to: string): string =>
  `+${normalizeDigits(to.replace(/[\s()-]/g, "").replace(/^\+/, ""))}`

/** Reads a number that a caller waits for: a mistake in it would otherwise be noticed after the wait. */
export const phoneNumberOf = (name: string, text: string): Result.Result<string, string> => {
  const phoneNumber = withPlus(text)
  return /^\+[1-9]\d{3,14}$/.test(phoneNumber)
    ? Result.succeed(phoneNumber)
    : Result.fail(`${name} must be the number of a phone, with its country code`)
}
