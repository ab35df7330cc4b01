/**
 * When messages arrive that nothing special happens to: at once, after some time, or when a user presses
 * a button in the inbox. It can be changed while the quickstart runs.
 */
import type { Behaviour } from "@countersign/core/adapters/SimulatedGateway"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

/** A number is seconds, from 1 to `maxSeconds`. */
export type When = "at-once" | "by-hand" | number

/** What holds unless it is set. */
export const usual: When = "at-once"

/** Longest time until messages arrive. */
export const maxSeconds = 3_600

/** Reads what a setting and the inbox's page say. The failure is a sentence without its subject. */
export const parse = (text: string): Result.Result<When, string> => {
  if (text === "at-once" || text === "by-hand") return Result.succeed(text)
  return /^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= maxSeconds
    ? Result.succeed(Number(text))
    : Result.fail(`must be at-once, by-hand, or a number of seconds from 1 to ${maxSeconds}`)
}

/** What the gateway does with a message. */
export const behaviour = (when: When): Behaviour => {
  switch (when) {
    case "at-once":
      return { _tag: "Deliver" }
    case "by-hand":
      return { _tag: "NeverReport" }
    default:
      return { _tag: "Report", status: "delivered", afterMillis: when * 1_000 }
  }
}

/** What holds for the messages that are sent from now on. */
export class Delivery extends Context.Service<
  Delivery,
  {
    /** Not an effect, because the gateway asks in the middle of a dispatch. */
    readonly current: () => When
    readonly set: (when: When) => Effect.Effect<void>
  }
>()("@countersign-examples/quickstart/Delivery") {
  static readonly layer = (first: When): Layer.Layer<Delivery> =>
    Layer.sync(Delivery, () => {
      let current = first
      return Delivery.of({
        current: () => current,
        set: (when) =>
          Effect.sync(() => {
            current = when
          }),
      })
    })
}
