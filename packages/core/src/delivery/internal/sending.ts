/**
 * The steps that codes and other messages share. A message to a test number takes them without being sent.
 */
import type { Admission } from "../../engine/Admission.ts"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { NewMessage } from "../../domain/messages/Message.ts"
import { Pricing } from "../../decide/Pricing.ts"
import type { ResolvedSender } from "../../domain/messages/Sender.ts"
import type { Channel } from "../../domain/values/Channel.ts"
import type { MessageId, OrganizationId } from "../../domain/values/Ids.ts"
import type * as Organization from "../../domain/organizations/Organization.ts"
import type { Limits } from "../../domain/limits/Limits.ts"
import * as Money from "../../domain/values/Money.ts"
import * as PhoneNumber from "../../domain/values/PhoneNumber.ts"
import * as TestNumber from "../../domain/verifications/TestNumber.ts"
import type * as Call from "../../engine/Call.ts"
import { Codes } from "../../engine/Codes.ts"
import { Commits } from "../../engine/Commits.ts"
import { Dispatcher } from "../Dispatcher.ts"
import { TestNumbers } from "../../engine/TestNumbers.ts"
import { isTraced } from "../../engine/internal/traced.ts"

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

/** A message whose fields are valid. */
export interface Delivery {
  readonly organization: OrganizationId
  readonly phoneNumber: PhoneNumber.PhoneNumber
  readonly channel: Channel
  readonly sender: ResolvedSender
  readonly sending: Sending
}

/** What a delivery is charged with. */
export interface Terms {
  readonly organization: Organization.Organization
  readonly limits: Limits
  readonly admission: Admission
}

/** Counts a WhatsApp message with `count`, so that checks are limited, and checks the number, before `next`. */
export const admit = <E>(
  call: Call.Call,
  done: Call.Done<never, E>,
  admission: Admission,
  { channel, phoneNumber, sending }: Delivery,
  count: () => Effect.Effect<void, E>,
  next: () => void,
): void => {
  const isAdmitted = channel !== "whatsapp" || !sending.checksRecipients || admission.isCounted
  const check = (): void => {
    if (isAdmitted) return next()
    call.andThen(count(), done, () => {
      admission.isCounted = true
      call.andThen(sending.isReachable("whatsapp", phoneNumber), done, (reachable) => {
        admission.isUnreachable = reachable === "no"
        next()
      })
    })
  }
  if (!isTraced(call.context)) return check()
  const attributes = {
    "countersign.number": PhoneNumber.mask(phoneNumber),
    "countersign.channel": channel,
  }
  call.andThen(Effect.annotateCurrentSpan(attributes), done, check)
}

/** A message for the log. `priced` is the text that determines the price. */
export const draftOf = (
  { channel, organization, sender, sending }: Delivery,
  id: MessageId,
  text: string,
  priced: string = text,
): NewMessage => ({
  ...sending.terms,
  id,
  text,
  channel,
  logChannel: sender.logChannel,
  sender: sender.value,
  charge: sending.price({ organization, channel, text: priced }),
})

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

  /** Applies the report before the outcome, which works with gateways of any reporting mode. */
  const report = (
    test: TestNumber.TestNumber,
    { ref: { organization, sequence }, token }: Parameters<Sending["dispatch"]>[0],
  ): Effect.Effect<void> => {
    const status = TestNumber.reportOf(test)
    if (status === undefined) return Effect.void
    return Effect.ignore(
      commits.run({
        _tag: "ApplyReport",
        organization,
        messageSequence: sequence,
        token,
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
    limits: testNumbers.bypassLimits ? TestNumber.lifted : TestNumber.withoutBudgets,
    code: () => Effect.succeed(test.code),
    dispatch: (message, options) =>
      Effect.andThen(
        report(test, message),
        dispatcher.settle(message, options, TestNumber.outcomeOf(test, message.token)),
      ),
  })

  return (phoneNumber: PhoneNumber.PhoneNumber): Sending => {
    const test = testNumbers.find(phoneNumber)
    return test === undefined ? usual : toTestNumber(test)
  }
})
