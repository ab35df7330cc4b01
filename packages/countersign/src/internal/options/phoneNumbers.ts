import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import * as TestNumber from "@countersign/core/domain/verifications/TestNumber"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { attemptWith, isProduction, refuse } from "./check.ts"
import type { CountersignOptions } from "../types/options.ts"

/** Returns the accepted phone numbers; `undefined` for those of all countries. */
export const numberPolicy = ({ countries }: CountersignOptions) =>
  attemptWith("countries", countries, PhoneNumber.onlyCountries)

/** Returns the phone numbers with a fixed code; `undefined` without test numbers. */
export const testNumbers = (options: CountersignOptions): TestNumber.Options | undefined => {
  const { testNumbers: given } = options
  if (given === undefined) return undefined
  const { numbers, ...others } = given
  const made: TestNumber.Options = {
    ...others,
    production: isProduction(options),
    numbers: numbers.map(({ code, phoneNumber, outcome = "delivered" }) => ({
      phoneNumber,
      outcome,
      code: Redacted.make(code, { label: "code" }),
    })),
  }
  const [problem] = TestNumber.problems({ ...made, profile: options.verifications?.profile })
  if (problem !== undefined) return refuse(`testNumbers: ${problem}`)
  const { parse } = numberPolicy(options) ?? PhoneNumber
  for (const [index, { phoneNumber }] of numbers.entries()) {
    // The policy for phone numbers would refuse every request for a code.
    const parsed = parse(phoneNumber, "required")
    if (Result.isFailure(parsed)) {
      return refuse(`testNumbers: number ${index + 1} ${parsed.failure.message}`)
    }
  }
  return made
}
