/**
 * Delivers a code to its number, from the charge to the settled outcome. With a fallback, sends the code once
 * more by SMS if WhatsApp does not deliver it.
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
import { Commits } from "../Commits.ts"
import { type Claim, Dispatcher, DispatchPolicy, wasUnsent } from "../Dispatcher.ts"
import * as Drain from "../Drain.ts"
import { SendingFailed } from "../../domain/Errors.ts"
import { Fallback, patienceOf } from "../Fallback.ts"
import { MessageId, type OrganizationId, RequestId } from "../../domain/Ids.ts"
import { Limits } from "../../domain/Limits.ts"
import * as Organization from "../../domain/Organization.ts"
import type { Draft } from "../../domain/Message.ts"
import type { PhoneNumber } from "../../domain/PhoneNumber.ts"
import * as Telemetry from "../Telemetry.ts"
import { maskedCode, placeholderCode, Templates, textProblem } from "../../text/Templates.ts"
import { type SettlementWait, makeSettlementWaits } from "./settlementWaits.ts"
import { newId } from "./newId.ts"
import { rulesInForce } from "./rulesInForce.ts"
import type { Sending } from "./sending.ts"
import { refused } from "./verificationAnswers.ts"

/** A validated request that is ready to be sent. */
export interface Prepared {
  readonly organization: OrganizationId
  readonly number: PhoneNumber
  readonly sending: Sending
  readonly sender: Brand.Sender
  /** The requested sender. */
  readonly brand: string | undefined
  readonly channel: Channel
  readonly codeLength: number
  readonly expirySeconds: number
  readonly locale: string
}

/** The texts of a request: for the log, for the price, and for the gateway. */
interface Texts {
  readonly masked: string
  readonly priced: string
  readonly sent: Redacted.Redacted<string>
}

/** A code that was sent, and the message that carries it. */
interface Carried {
  readonly requestId: RequestId
  readonly code: Redacted.Redacted<string>
  readonly messageSequence: number
  /** Epoch milliseconds. */
  readonly since: number
}

/** Why a code is sent once more. */
type Why = "refused" | "undelivered" | "silence"

// About 13 seconds, as for outcomes.
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
  // Closes after the drain, so that codes that are sent until then can still be watched.
  const scope = yield* Effect.flatMap(Effect.scope, Scope.fork)
  const settlementWaits = fallback === undefined ? undefined : yield* makeSettlementWaits
  const { graceMillis } = yield* DispatchPolicy
  const drain = yield* Drain.make(graceMillis)
  const toItsEnd = <A, E>(effect: Effect.Effect<A, E>) => drain.run(Effect.uninterruptible(effect))

  /** Renders a text. The failure is the problem of the text. */
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
      // The error may quote the code.
      catch: () => "must not throw",
    }).pipe(
      Result.flatMap((text) => {
        const problem = textProblem(text, code)
        return problem === undefined ? Result.succeed(text) : Result.fail(problem)
      }),
    )

  const newMessageId = Effect.map(newId(random, "msg"), (id) => MessageId(id))

  /** Renders all texts of a request before anything is charged; `undefined` if one of them cannot be sent. */
  const textsOf = (
    prepared: Prepared,
    code: Redacted.Redacted<string>,
  ): Effect.Effect<Texts | undefined> => {
    const rendered = Result.all({
      masked: render(prepared, maskedCode),
      // Not the masked text: GSM-7 does not contain the mask, so the masked text would cost more.
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
    { code, messageSequence, requestId }: Pick<Carried, "code" | "messageSequence" | "requestId">,
    claim: Pick<Claim, "claimedAt" | "isFollowed">,
  ) =>
    prepared.sending.dispatch(
      {
        token: draft.id,
        ref: { organization: prepared.organization, sequence: messageSequence },
        purpose: "verification",
        channel: prepared.channel,
        to: prepared.number,
        sender: draft.sender,
        text,
        code,
        locale: prepared.locale,
      },
      { ...claim, attempt: 1, requestId },
    )

  /**
   * The same request by SMS; `undefined` without a fallback, or if the organization has no sender for SMS.
   */
  const bySms = (
    prepared: Prepared,
    { brands }: Pick<Organization.Organization, "brands">,
  ): Prepared | undefined => {
    if (fallback === undefined || prepared.channel !== "whatsapp") return undefined
    // A sender for WhatsApp often cannot send an SMS.
    const sender = Result.orElse(Brand.resolve(brands, "sms", prepared.brand), () =>
      Brand.resolve(brands, "sms", undefined),
    )
    return Result.isSuccess(sender)
      ? { ...prepared, channel: "sms", sender: sender.success }
      : undefined
  }

  /**
   * Sends the code by SMS unless it is no longer needed. Returns the last channel of the code; `undefined` if
   * the organization no longer has a sender for SMS, or the text cannot be sent.
   */
  const follow = Effect.fnUntraced(function* (prepared: Prepared, carried: Carried, why: Why) {
    // Sends one message even if the command is repeated: the message's id identifies the command's own
    // commit.
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
            requestId: carried.requestId,
            messageSequence: carried.messageSequence,
            isUnsent: why === "refused",
            limits,
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
              { ...carried, messageSequence: outcome.messageSequence },
              // If WhatsApp did not report, its message may have arrived, so the code stays valid.
              { claimedAt, isFollowed: why === "silence" },
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

  /** Waits in the background for the delivery of a code, and sends it by SMS if it does not arrive. */
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
          message: carried.messageSequence,
          why: error._tag,
        }),
      ),
      Effect.interruptible,
      // Only this node has the code, so no other node takes over.
      Effect.onInterrupt(() =>
        Effect.logWarning(
          "A code whose arrival was waited for will not be sent by SMS: the node ends",
          {
            organization: prepared.organization,
            message: carried.messageSequence,
          },
        ),
      ),
      // Started immediately: a fiber that is interrupted before its start would not log the loss.
      Effect.forkIn(scope, { startImmediately: true }),
    )

  /**
   * Charges, sends and settles a code. Continues if its caller is interrupted or the engine closes. Returns
   * the request's id and its channel.
   */
  const deliver = Effect.fnUntraced(function* (
    prepared: Prepared,
    organization: Organization.Organization,
    limits: Limits,
    counted: boolean,
  ) {
    const requestId = RequestId(yield* newId(random, "vrf"))
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
      requestId,
      phoneNumber: prepared.number,
      code: yield* codes.digest({ organization: organization.id, requestId }, code),
      expirySeconds: prepared.expirySeconds,
      limits,
      rules,
      isCounted: counted,
      draft,
    })
    if (outcome._tag !== "Requested") return yield* refused(outcome, limits.pendingPerNumber)
    const { messageSequence } = outcome
    const carried: Carried = { requestId, code, messageSequence, since }
    const expected =
      bySms(prepared, organization) === undefined
        ? undefined
        : settlementWaits?.({ organization: organization.id, sequence: messageSequence })
    const sent = yield* dispatch(prepared, draft, texts.sent, carried, {
      claimedAt,
      isFollowed: expected !== undefined,
    })
    if (fallback === undefined || expected === undefined) {
      if (wasUnsent(sent)) return yield* new SendingFailed({ status: "failed" })
      return { requestId, channel: prepared.channel }
    }
    if (wasUnsent(sent)) {
      yield* expected.forget
      const channel = yield* follow(prepared, carried, "refused")
      if (channel !== undefined) return { requestId, channel }
      // No message follows, so the request must fail.
      const ref = { organization: organization.id, sequence: messageSequence }
      yield* dispatcher.settle(
        { ref, channel: prepared.channel },
        { attempt: 1, requestId },
        sent.outcome,
      )
      return yield* new SendingFailed({ status: "failed" })
    }
    if (sent.settled?.status === "delivered") yield* expected.forget
    else yield* watch(prepared, carried, expected, patienceOf(fallback, prepared))
    return { requestId, channel: prepared.channel }
  }, toItsEnd)

  return { bySms, deliver, isWhatsAppFirst: fallback?.whatsappFirst === true }
})
