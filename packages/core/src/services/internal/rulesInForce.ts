import * as Effect from "effect/Effect"
import { FraudRules } from "../Fraud.ts"
import { TestNumbers } from "../TestNumbers.ts"

/**
 * The fraud rules in force. Codes of test numbers are exempt, because they are not sent and indicate nothing
 * about their prefix.
 */
export const rulesInForce = Effect.gen(function* () {
  const rules = yield* FraudRules
  const { numbers } = yield* TestNumbers
  return rules === undefined || numbers.size === 0 ? rules : { ...rules, exempt: numbers }
})
