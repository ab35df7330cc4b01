/**
 * When messages arrive to which nothing special happens.
 */
import type { Behaviour } from "@countersign/core/domain/Simulation"
import * as Result from "effect/Result"
import type { Delivery } from "./types.ts"

/** Longest time until messages arrive, in seconds. */
export const maxSeconds = 3_600

/** Reads a setting or a query. The failure is a sentence without its subject. */
export const parseDelivery = (text: string): Result.Result<Delivery, string> => {
  if (text === "at-once" || text === "by-hand") return Result.succeed(text)
  return /^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= maxSeconds
    ? Result.succeed(Number(text))
    : Result.fail(`must be at-once, by-hand, or a number of seconds from 1 to ${maxSeconds}`)
}

/** What the gateway does with a message. */
export const behaviourOf = (when: Delivery): Behaviour => {
  switch (when) {
    case "at-once":
      return { _tag: "Deliver" }
    case "by-hand":
      return { _tag: "NeverReport" }
    default:
      return { _tag: "Report", status: "delivered", afterMillis: when * 1_000 }
  }
}
