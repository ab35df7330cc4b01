/**
 * Sends a message to one number: through the gateway, or, for a test number, without sending anything.
 */
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { Codes } from "../Codes.ts"
import { Commits } from "../Commits.ts"
import { Dispatcher } from "../Dispatcher.ts"
import type { Limits } from "../../domain/Limits.ts"
import * as Money from "../../domain/Money.ts"
import type { PhoneNumber } from "../../domain/PhoneNumber.ts"
import { Pricing } from "../../decide/Pricing.ts"
import * as TestNumber from "../../domain/TestNumber.ts"
import { TestNumbers } from "../TestNumbers.ts"

/** The steps of sending that differ for a test number. */
export interface Sending extends Pick<
  Dispatcher["Service"],
  "checksRecipients" | "dispatch" | "isReachable" | "terms"
> {
  readonly price: Pricing["price"]
  readonly limits: (limits: Limits) => Limits
  /** A code of the given length, or the fixed code of a test number. */
  readonly code: (length: number) => Effect.Effect<Redacted.Redacted<string>>
}

/** Returns how to send to a number. */
export const makeSending = Effect.gen(function* () {
  const codes = yield* Codes
  const commits = yield* Commits
  const dispatcher = yield* Dispatcher
  const pricing = yield* Pricing
  const testNumbers = yield* TestNumbers

  const usual: Sending = {
    ...dispatcher,
    price: pricing.price,
    limits: (limits) => limits,
    code: codes.generate,
  }

  /**
   * Applies the report before the outcome, like a report that overtakes it. Works with gateways of any
   * reporting mode.
   */
  const report = (
    test: TestNumber.TestNumber,
    { sequence, organization }: Parameters<Sending["dispatch"]>[0]["ref"],
  ): Effect.Effect<void> => {
    const status = TestNumber.reportOf(test)
    if (status === undefined) return Effect.void
    return Effect.ignore(
      commits.run({
        _tag: "ApplyReport",
        organization,
        messageSequence: sequence,
        status,
        detail: `test number: ${status}`,
        source: undefined,
      }),
      {
        log: "Error",
        message: "A test number's report was lost; the settlement deadline will decide",
      },
    )
  }

  const toTestNumber = (test: TestNumber.TestNumber): Sending => ({
    terms: { ...dispatcher.terms, gateway: TestNumber.gateway },
    checksRecipients: true,
    isReachable: (channel) => Effect.succeed(TestNumber.isReachable(test, channel)),
    price: () => Money.zero,
    limits: testNumbers.bypassLimits ? TestNumber.lifted : usual.limits,
    code: () => Effect.succeed(test.code),
    dispatch: (message, options) =>
      Effect.andThen(
        report(test, message.ref),
        dispatcher.settle(message, options, TestNumber.outcomeOf(test, message.token)),
      ),
  })

  return (to: PhoneNumber): Sending => {
    const test = testNumbers.find(to)
    return test === undefined ? usual : toTestNumber(test)
  }
})
