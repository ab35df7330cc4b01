/**
 * Gets a code to its number: from the charge to the settled outcome, and, where the host wants that, once
 * more by SMS when WhatsApp has not done it.
 */
import * as Clock from "effect/Clock"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { Access } from "../Access.ts"
import * as Brand from "../../domain/Brand.ts"
import type { Channel } from "../../domain/Channel.ts"
import { Codes } from "../Codes.ts"
import type { Draft } from "../../decide/Command.ts"
import { Commits } from "../Commits.ts"
import { type Claim, Dispatcher, DispatchPolicy, wasUnsent } from "../Dispatcher.ts"
import * as Drain from "../Drain.ts"
import { SendingFailed } from "../../domain/Errors.ts"
import { Fallback, patienceOf } from "../Fallback.ts"
import { MessageId, type OrganizationId, RequestId } from "../../domain/Ids.ts"
import { Limits } from "../../domain/Limits.ts"
import * as Organization from "../../domain/Organization.ts"
import type { PhoneNumber } from "../../domain/PhoneNumber.ts"
import * as Telemetry from "../Telemetry.ts"
import { maskedCode, placeholderCode, Templates, textProblem } from "../../text/Templates.ts"
import { type SettlementWait, makeSettlementWaits } from "./settlementWaits.ts"
import { newId } from "./newId.ts"
import { rulesInForce } from "./rulesInForce.ts"
import type { Sending } from "./sending.ts"
import { refused } from "./verificationAnswers.ts"

/** A request that can be sent as it stands. */
export interface Prepared {
  readonly organization: OrganizationId
  readonly number: PhoneNumber
  readonly sending: Sending
  readonly sender: Brand.Sender
  /** The sender that was asked for. */
  readonly brand: string | undefined
  readonly channel: Channel
  readonly codeLength: number
  readonly expirySeconds: number
  readonly locale: string
}

/** What a template makes of a request: for the log, for the price, and for the gateway. */
interface Texts {
  readonly masked: string
  readonly priced: string
  readonly sent: Redacted.Redacted<string>
}

/** A code that is on its way, and the message that carries it. */
interface Carried {
  readonly id: RequestId
  readonly code: Redacted.Redacted<string>
  readonly message: number
  /** Epoch milliseconds. */
  readonly since: number
}

/** Why a code goes out once more. */
type Why = "refused" | "undelivered" | "silence"

// About thirteen seconds, as for outcomes.
const followRetries = Schedule.max([Schedule.exponential("100 millis"), Schedule.recurs(7)])

export const makeCodeDelivery = Effect.gen(function* () {
  const access = yield* Access
  const codes = yield* Codes
  const commits = yield* Commits
  const dispatcher = yield* Dispatcher
  const random = yield* SecureRandom.SecureRandom
  const hostLimits = yield* Limits
  const rules = yield* rulesInForce
  const templates = yield* Templates
  const fallback = yield* Fallback
  // Closes after the drain: until then, codes that are sent can still be watched.
  const scope = yield* Effect.flatMap(Effect.scope, Scope.fork)
  const settlementWaits = fallback === undefined ? undefined : yield* makeSettlementWaits
  const { graceMillis } = yield* DispatchPolicy
  const drain = yield* Drain.make(graceMillis)
  const toItsEnd = <A, E>(effect: Effect.Effect<A, E>) => drain.run(Effect.uninterruptible(effect))

  /** A text, or what is wrong with it. */
  const render = (prepared: Prepared, code: string): Result.Result<string, string> =>
    Result.try({
      try: () =>
        templates.render({
          organization: prepared.organization,
          locale: prepared.locale,
          channel: prepared.channel,
          code,
          expirySeconds: prepared.expirySeconds,
          brandName: prepared.sender.logChannel === "mask" ? prepared.sender.sender : undefined,
        }),
      // Its words may quote the code.
      catch: () => "must not throw",
    }).pipe(
      Result.flatMap((text) => {
        const problem = textProblem(text, code)
        return problem === undefined ? Result.succeed(text) : Result.fail(problem)
      }),
    )

  const newMessageId = Effect.map(newId(random, "msg"), (id) => MessageId(id))

  /** All texts of a request, before anything is paid for; `undefined` where one of them cannot be sent. */
  const textsOf = (
    prepared: Prepared,
    code: Redacted.Redacted<string>,
  ): Effect.Effect<Texts | undefined> => {
    const rendered = Result.all({
      masked: render(prepared, maskedCode),
      // Not the masked text: the mask is no GSM-7, and would cost more than the code does.
      priced: render(prepared, placeholderCode(prepared.codeLength)),
      sent: Result.map(render(prepared, Redacted.value(code)), (text) =>
        Redacted.make(text, { label: "text" }),
      ),
    })
    if (Result.isSuccess(rendered)) return Effect.succeed(rendered.success)
    const { locale, organization } = prepared
    const problem = `the text ${rendered.failure}`
    return Effect.as(
      Telemetry.noteUnreadable("template", { organization, locale }, problem),
      undefined,
    )
  }

  const draftOf = (prepared: Prepared, id: MessageId, { masked, priced }: Texts): Draft => {
    const { channel, organization, sender, sending } = prepared
    return {
      ...sending.terms,
      id,
      text: masked,
      channel,
      logChannel: sender.logChannel,
      sender: sender.sender,
      charge: sending.price({ organization, channel, text: priced }),
    }
  }

  const dispatch = (
    prepared: Prepared,
    draft: Draft,
    text: Texts["sent"],
    { code, id, message }: Pick<Carried, "code" | "id" | "message">,
    claim: Pick<Claim, "claimedAt" | "followed">,
  ) =>
    prepared.sending.dispatch(
      {
        token: draft.id,
        ref: { organization: prepared.organization, sequence: message },
        purpose: "verification",
        channel: prepared.channel,
        to: prepared.number,
        sender: draft.sender,
        text,
        code,
        locale: prepared.locale,
      },
      { ...claim, attempt: 1, verification: id },
    )

  /** The same request by SMS, where a host falls back on it and the organization has a sender for it. */
  const bySms = (
    prepared: Prepared,
    { brands }: Pick<Organization.Organization, "brands">,
  ): Prepared | undefined => {
    if (fallback === undefined || prepared.channel !== "whatsapp") return undefined
    // Who sends by WhatsApp is often nobody that can send an SMS.
    const sender = Result.orElse(Brand.resolve(brands, "sms", prepared.brand), () =>
      Brand.resolve(brands, "sms", undefined),
    )
    return Result.isSuccess(sender)
      ? { ...prepared, channel: "sms", sender: sender.success }
      : undefined
  }

  /**
   * Sends the code by SMS, unless that has become needless. Answers the channel that it went by last;
   * `undefined` where the organization has no sender for SMS any more, or no text that can be sent.
   */
  const follow = Effect.fnUntraced(function* (prepared: Prepared, carried: Carried, why: Why) {
    // One message however often its command is repeated: by its id the command knows its own commit again.
    const message = yield* newMessageId
    const claimedAt = yield* Clock.monotonicTimeNanos
    return yield* access.serve({ organization: prepared.organization }, (organization) =>
      Effect.gen(function* () {
        const next = bySms(prepared, organization)
        if (next === undefined) return undefined
        const elapsed = (yield* Clock.currentTimeMillis) - carried.since
        const left = Math.max(1, Math.floor(prepared.expirySeconds - elapsed / 1_000))
        const last = { ...next, expirySeconds: left }
        const texts = yield* textsOf(last, carried.code)
        if (texts === undefined) return undefined
        const draft = draftOf(last, message, texts)
        const limits = Organization.limitsOf(organization, hostLimits)
        const outcome = yield* Effect.retry(
          commits.run({
            _tag: "FollowVerification",
            organization: organization.id,
            version: organization.version,
            id: carried.id,
            after: carried.message,
            unsent: why === "refused",
            spendPerDay: limits.spendPerDay,
            rules,
            draft,
          }),
          { schedule: followRetries, while: ({ _tag }) => _tag === "StoreUnavailable" },
        )
        switch (outcome._tag) {
          case "NotFound":
          case "NotNeeded":
            return prepared.channel
          case "Followed": {
            yield* Telemetry.countFallback(why)
            const sent = yield* dispatch(
              last,
              draft,
              texts.sent,
              { ...carried, message: outcome.messageSequence },
              // Where WhatsApp has only kept silent, its message may have arrived: the code stays good.
              { claimedAt, followed: why === "silence" },
            )
            if (wasUnsent(sent)) return yield* new SendingFailed({ status: "failed" })
            return last.channel
          }
          default:
            return yield* refused(outcome, limits.pendingPerNumber)
        }
      }),
    )
  })

  /** Sees to it in the background that a code which does not arrive goes out by SMS. */
  const watch = (
    prepared: Prepared,
    carried: Carried,
    expected: SettlementWait,
    patience: number,
  ) =>
    expected.within(patience).pipe(
      Effect.flatMap((status) =>
        status === "delivered"
          ? Effect.void
          : Effect.uninterruptible(
              Effect.asVoid(
                follow(prepared, carried, status === undefined ? "silence" : "undelivered"),
              ),
            ),
      ),
      Effect.catch((error) =>
        Effect.logWarning("A code that did not arrive over WhatsApp was not sent by SMS", {
          organization: prepared.organization,
          message: carried.message,
          why: error._tag,
        }),
      ),
      Effect.interruptible,
      // The code is nowhere else: nobody takes over.
      Effect.onInterrupt(() =>
        Effect.logWarning(
          "A code whose arrival was waited for will not be sent by SMS: the node ends",
          {
            organization: prepared.organization,
            message: carried.message,
          },
        ),
      ),
      // Started at once: a fiber that is interrupted before its start would not say what is lost.
      Effect.forkIn(scope, { startImmediately: true }),
    )

  /** Neither its caller's end nor the engine's stops it. Answers the request's id and the channel it went by. */
  const deliver = Effect.fnUntraced(function* (
    prepared: Prepared,
    organization: Organization.Organization,
    limits: Limits,
    counted: boolean,
  ) {
    const id = RequestId(yield* newId(random, "vrf"))
    const code = yield* prepared.sending.code(prepared.codeLength)
    const texts = yield* textsOf(prepared, code)
    if (texts === undefined) return yield* new SendingFailed({ status: "failed" })
    const draft = draftOf(prepared, yield* newMessageId, texts)
    const since = yield* Clock.currentTimeMillis
    const claimedAt = yield* Clock.monotonicTimeNanos
    const outcome = yield* commits.run({
      _tag: "RequestVerification",
      organization: organization.id,
      version: organization.version,
      id,
      phoneNumber: prepared.number,
      code: yield* codes.digest({ organization: organization.id, request: id }, code),
      expirySeconds: prepared.expirySeconds,
      attempts: limits.attempts,
      sendLimit: limits.sendsPerNumber,
      pendingLimit: limits.pendingPerNumber,
      spendPerDay: limits.spendPerDay,
      rules,
      counted,
      draft,
    })
    if (outcome._tag !== "Requested") return yield* refused(outcome, limits.pendingPerNumber)
    const { messageSequence } = outcome
    const carried: Carried = { id, code, message: messageSequence, since }
    const expected =
      bySms(prepared, organization) === undefined
        ? undefined
        : settlementWaits?.({ organization: organization.id, sequence: messageSequence })
    const sent = yield* dispatch(prepared, draft, texts.sent, carried, {
      claimedAt,
      followed: expected !== undefined,
    })
    if (fallback === undefined || expected === undefined) {
      if (wasUnsent(sent)) return yield* new SendingFailed({ status: "failed" })
      return { id, channel: prepared.channel }
    }
    if (wasUnsent(sent)) {
      yield* expected.forget
      const channel = yield* follow(prepared, carried, "refused")
      if (channel !== undefined) return { id, channel }
      // Nothing follows after all, and the request has to hear of it.
      const ref = { organization: organization.id, sequence: messageSequence }
      yield* dispatcher.settle(
        { ref, channel: prepared.channel },
        { attempt: 1, verification: id },
        sent.outcome,
      )
      return yield* new SendingFailed({ status: "failed" })
    }
    if (sent.settled?.status === "delivered") yield* expected.forget
    else yield* watch(prepared, carried, expected, patienceOf(fallback, prepared))
    return { id, channel: prepared.channel }
  }, toItsEnd)

  return { bySms, deliver, isWhatsAppFirst: fallback?.whatsappFirst === true }
})
