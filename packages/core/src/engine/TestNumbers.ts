/** Phone numbers that receive no messages and always have the same code. Empty by default. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Limits } from "../domain/limits/Limits.ts"
import type { PhoneNumber } from "../domain/values/PhoneNumber.ts"
import * as TestNumber from "../domain/verifications/TestNumber.ts"

/** The test numbers and the rules for them. */
export interface TestNumbers {
  readonly numbers: ReadonlySet<string>
  readonly find: (phoneNumber: PhoneNumber) => TestNumber.TestNumber | undefined
  /** Whether the limits per phone number are lifted for them. */
  readonly bypassLimits: boolean
}

/** The test numbers in force. */
export const TestNumbers = Context.Reference<TestNumbers>("@countersign/core/engine/TestNumbers", {
  defaultValue: () => ({ numbers: new Set(), find: () => undefined, bypassLimits: false }),
})

/** Configures test numbers. Dies if the options do not permit them, or the profile of the `Limits` that it is provided with. */
export const layer = (options: Omit<TestNumber.Options, "profile">): Layer.Layer<never> =>
  Layer.effect(
    TestNumbers,
    Effect.gen(function* () {
      const { profile } = yield* Limits
      const [problem] = TestNumber.problems({ ...options, profile })
      if (problem !== undefined) return yield* Effect.die(new TypeError(`Test numbers: ${problem}`))
      const { bypassLimits = false, numbers, production } = options
      const byNumber = new Map(numbers.map((one) => [one.phoneNumber, one]))
      if (production && numbers.length > 0) {
        yield* Effect.logWarning("Test numbers are verified by a code that never changes", {
          numbers: numbers.length,
        })
      }
      return { numbers: new Set(byNumber.keys()), find: (to) => byNumber.get(to), bypassLimits }
    }),
  )
