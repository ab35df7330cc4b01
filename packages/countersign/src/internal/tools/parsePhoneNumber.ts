import { readLenient } from "@countersign/core/domain/values/PhoneNumberText"
import { ConfigurationError } from "../errors/errors.ts"

/** Options of `parsePhoneNumber`. */
export interface ParsePhoneNumberOptions {
  /**
   * The country for phone numbers in national form, ISO 3166 alpha-2, such as `"BD"`.
   *
   * @defaultValue phone numbers without a country code are rejected
   */
  readonly country?: string | undefined
}

/**
 * Parses a phone number that a user typed or pasted. Returns it in E.164 with its plus, for
 * `verifications.send` and `messages.send`, or `undefined` if it is not valid in its country's numbering plan.
 * With the country `BD`, `01712-345678`, `+880 (0)1712 345678` and `00880 1712 345678` all give
 * `+8801712345678`.
 *
 * Ignores white space, hyphens, dots, slashes, parentheses and invisible characters, and reads Bangla digits.
 * Letters, extensions and values that are not strings give `undefined`. Throws a `ConfigurationError` for a
 * `country` without a numbering plan.
 */
export const parsePhoneNumber = (
  text: unknown,
  options: ParsePhoneNumberOptions = {},
): string | undefined => {
  const { country, ...others } = options
  const [unknown] = Object.entries(others).filter(([, value]) => value !== undefined)
  if (unknown !== undefined) {
    throw new ConfigurationError(`${unknown[0]} is not an option; did you mean country?`)
  }
  try {
    const read = readLenient(typeof text === "string" ? text : "", { country })
    return read.startsWith("+") ? read : undefined
  } catch (error) {
    throw new ConfigurationError(`country: ${error instanceof Error ? error.message : ""}`)
  }
}
