/**
 * Phone numbers as people type them.
 */
import * as PhoneNumber from "@countersign/core/domain/PhoneNumber"
import * as Result from "effect/Result"
import { attempt } from "./check.ts"

/** Options of `parsePhoneNumber`. */
export interface ParsePhoneNumberOptions {
  /**
   * The country of numbers in national form, ISO 3166 alpha-2, such as `"BD"`.
   *
   * @defaultValue none: only numbers with their country code are read
   */
  readonly country?: string | undefined
}

/**
 * A number as a user types or pastes it, in E.164 with its plus, for `verifications.send` and
 * `messages.send`; `undefined` if it is not a valid number in its country's numbering plan. `01712-345678`
 * with the country `BD` is `+8801712345678`, and so are `+880 (0)1712 345678` and `00880 1712 345678`.
 *
 * Ignores white space, hyphens, dots, slashes, parentheses and invisible characters, and reads Bangla
 * digits. Letters, extensions and values that are not a string, such as a missing member of a body, give
 * `undefined`. Throws a `ConfigurationError` for a `country` without a numbering plan.
 */
export const parsePhoneNumber = (
  text: unknown,
  options: ParsePhoneNumberOptions = {},
): string | undefined => {
  const parsed = attempt("country", () =>
    PhoneNumber.parseLenient(typeof text === "string" ? text : "", options),
  )
  return Result.getOrUndefined(parsed)
}
