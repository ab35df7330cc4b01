/**
 * The steps that codes and other messages share. A message to a test number takes them without being sent.
 */
import type { Admission } from "../../engine/Admission.ts"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { NewMessage } from "../../domain/messages/Message.ts"
import { Pricing } from "../../decide/Pricing.ts"
import type { Channel } from "../../domain/values/Channel.ts"
import type { MessageId, OrganizationId, RequestId } from "../../domain/values/Ids.ts"
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
import * as Tracing from "../../engine/Tracing.ts"
import * as Sender from "../../domain/messages/Sender.ts"
import type { StoreUnavailable } from "../../domain/errors/Errors.ts"
import type { Digests } from "../../domain/verifications/KnownClient.ts"
import { stateAt, type Verification } from "../../domain/verifications/Verification.ts"
import { unknownCodeSecret } from "../../engine/CodeSecrets.ts"
import { openSeal, type Wording } from "./codeTexts.ts"

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
  readonly sender: Sender.ResolvedSender
  readonly sending: Sending
}

/** The organization, the limits and the admission with which a delivery is charged. */
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
  const span = Tracing.current(call.context)
  if (span?._tag === "Span" && span.sampled) {
    Tracing.annotate(span, "call", {
      "countersign.number": PhoneNumber.mask(phoneNumber),
      "countersign.channel": channel,
    })
  }
  if (isAdmitted) return next()
  call.andThen(count(), done, () => {
    admission.isCounted = true
    call.andThen(sending.isReachable("whatsapp", phoneNumber), done, (reachable) => {
      admission.isUnreachable = reachable === "no"
      next()
    })
  })
}

/** A message for the log, of a call with this context. `priced` is the text that determines the price. */
export const draftOf = (
  context: Context.Context<never>,
  { channel, organization, sender, sending }: Delivery,
  id: MessageId,
  text: string,
  priced: string = text,
  of: Pick<NewMessage, "class" | "batch"> = { class: "transactional", batch: null },
): NewMessage => ({
  ...sending.terms,
  ...of,
  id,
  text,
  channel,
  logChannel: sender.logChannel,
  sender: sender.value,
  charge: sending.price({ organization, channel, text: priced }),
  traceparent: Tracing.recorded(context),
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

/** A code whose request is valid. */
export interface NewCode extends Delivery, Wording {
  readonly codeLength: number
  readonly purpose: string | null
  readonly metadata: string | null
  readonly client: Digests | undefined
  /** Digests of the phone number, if the organization has recently erased numbers. */
  readonly erased: Digests | undefined
  /** The id that the caller has chosen. */
  readonly requestId: RequestId | undefined
}

/** A code that was sent before. */
export interface KnownCode extends Delivery, Wording, Pick<Verification, "metadata" | "purpose"> {
  readonly requestId: RequestId
  readonly code: Redacted.Redacted<string>
}

export type Reopen = (
  verification: Verification,
  organization: Organization.Organization,
  now: number,
  channel?: Channel | undefined,
) => Effect.Effect<KnownCode | undefined, StoreUnavailable>

export const makeReopen = Effect.gen(function* () {
  const codes = yield* Codes
  const sendingTo = yield* makeSending

  const reopen: Reopen = Effect.fnUntraced(function* (
    verification,
    { senders, id },
    now,
    channel = verification.channel,
  ) {
    const { metadata, phoneNumber, purpose, requestId } = verification
    // Another process has the secret, and can send the code.
    if (!codes.knows(verification.pepper) && stateAt(verification, now) === "pending") {
      return yield* unknownCodeSecret
    }
    const content = yield* openSeal(codes, id, verification)
    if (content === undefined) return undefined
    const sender = Sender.resolveOrDefault(senders, channel, content.requestedSender)
    if (sender === undefined) return undefined
    return {
      organization: id,
      requestId,
      phoneNumber,
      channel,
      sender,
      sending: sendingTo(phoneNumber),
      ...content,
      purpose,
      metadata,
      expirySeconds: Math.max(1, Math.floor((verification.expiresAt - now) / 1_000)),
    }
  })

  return reopen
})
