/** When messages arrive to which nothing special happens. */
import * as Duration from "@countersign/core/domain/values/Duration"
import type { Behaviour } from "@countersign/core/adapters/Simulation"
import * as Result from "effect/Result"
import type { Delivery } from "./types.ts"

/** Bounds of the time until messages arrive, in milliseconds. */
const bounds = { min: 1_000, max: 3_600_000 }

/** Longest time until messages arrive, in seconds. */
export const maxSeconds = bounds.max / 1_000

/** Reads a setting or a query, whose numbers are seconds. The failure is a sentence without its subject. */
export const parseDelivery = (text: string): Result.Result<Delivery, string> => {
  if (text === "at-once" || text === "by-hand") return Result.succeed(text)
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : 0
  return seconds >= 1 && seconds <= maxSeconds
    ? Result.succeed(Duration.format(seconds * 1_000))
    : Result.fail(`must be at-once, by-hand, or a number of seconds from 1 to ${maxSeconds}`)
}

/** The seconds of a duration in an option. Throws a `RangeError` that names the option. */
export const secondsOf = (name: string, value: Duration.Duration, min = 0): number => {
  const millis = Duration.millisOfOption(name, value, { min, max: bounds.max })
  if (millis % 1_000 !== 0) throw new RangeError(`${name} must be whole seconds`)
  return millis / 1_000
}

/** The form of a delivery in pages and queries: seconds instead of a duration. Throws as `secondsOf`. */
export const shownDelivery = (when: Delivery): "at-once" | "by-hand" | number =>
  when === "at-once" || when === "by-hand" ? when : secondsOf("delivery", when, bounds.min)

/** The behaviour of the gateway for a message. */
export const behaviourOf = (when: Delivery): Behaviour => {
  const shown = shownDelivery(when)
  if (shown === "at-once") return { _tag: "Deliver" }
  if (shown === "by-hand") return { _tag: "NeverReport" }
  return { _tag: "Report", status: "delivered", afterMillis: shown * 1_000 }
}
