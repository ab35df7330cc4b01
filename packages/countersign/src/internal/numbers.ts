/**
 * Which numbers are served, and which of them are for tests.
 */
import * as PhoneNumber from "@countersign/core/domain/PhoneNumber"
import * as TestNumber from "@countersign/core/domain/TestNumber"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { attempt, refuse } from "./check.ts"
import type { CountersignOptions } from "./optionTypes.ts"

/** Whether real users are served here, by what Node is told. */
export const isProduction = (): boolean => process.env["NODE_ENV"] === "production"

/** The numbers that are accepted; `undefined` for those of all countries. */
export const numberPolicy = ({ countries }: CountersignOptions) =>
  countries === undefined
    ? undefined
    : attempt("countries", () => PhoneNumber.onlyCountries(countries))

/** The numbers whose code is always the same; `undefined` for none. */
export const testNumbers = (options: CountersignOptions): TestNumber.Options | undefined => {
  const { testNumbers: given } = options
  if (given === undefined) return undefined
  const { numbers, production = isProduction(), ...others } = given
  const made: TestNumber.Options = {
    ...others,
    production,
    numbers: numbers.map(({ code, phoneNumber, outcome = "delivered" }) => ({
      phoneNumber,
      outcome,
      code: Redacted.make(code, { label: "code" }),
    })),
  }
  const [problem] = TestNumber.problems(made)
  if (problem !== undefined) return refuse(`testNumbers: ${problem}`)
  const { parse } = numberPolicy(options) ?? PhoneNumber
  made.numbers.forEach(({ phoneNumber, outcome }, index) => {
    const at = `testNumbers: number ${index + 1}`
    if (!TestNumber.outcomes.includes(outcome)) {
      return refuse(`${at} must have an outcome of ${TestNumber.outcomes.join(", ")}`)
    }
    // Nobody could ask for its code.
    const parsed = parse(phoneNumber, "required")
    return Result.isFailure(parsed) ? refuse(`${at} ${parsed.failure.message}`) : undefined
  })
  return made
}
