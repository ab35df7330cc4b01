/** The fraud rules in force. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Duration from "../domain/values/Duration.ts"
import type { FraudRules as PlainRules } from "../api/types/fraud.ts"
import * as PrefixStats from "../domain/fraud/PrefixStats.ts"
import { TestNumbers } from "./TestNumbers.ts"

/** The fraud rules in force, for every organization. `undefined`: fraud detection is off. */
export const FraudRules = Context.Reference<PrefixStats.Rules | undefined>(
  "@countersign/core/FraudRules",
  { defaultValue: () => undefined },
)

export interface Options extends Omit<PlainRules, "window"> {
  /** Length of a window: 1 second to 31 days. @defaultValue `"1 hour"` */
  readonly window?: Duration.Input | undefined
}

export const made = (options: Options): PrefixStats.Rules => ({
  prefixDigits: options.prefixDigits ?? 5,
  windowMillis: Duration.millisOfOption("window", options.window ?? "1 hour"),
  maxSent: options.maxSent,
  minSent: options.minSent ?? 100,
  minConversion: options.minConversion ?? 0,
  action: options.action ?? "record",
})

/** Makes rules from options. Throws a `RangeError` if an option is invalid. */
export const rules = (options: Options): PrefixStats.Rules => {
  const rules = made(options)
  const [problem] = PrefixStats.problems(rules)
  if (problem !== undefined) throw new RangeError(PrefixStats.sentence(problem))
  return rules
}

/** Applies the rules in every engine that is built over this layer. */
export const layerRules = (options: Options): Layer.Layer<never> =>
  Layer.succeed(FraudRules, rules(options))

/** The rules in force, without test numbers, whose codes indicate nothing about their prefix. */
export const rulesInForce = Effect.gen(function* () {
  const rules = yield* FraudRules
  const { numbers } = yield* TestNumbers
  return rules === undefined || numbers.size === 0 ? rules : { ...rules, exempt: numbers }
})
