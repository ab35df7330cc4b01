/** Delivers a code, from the charge to the settled outcome, and with a fallback once more by SMS. */
import * as Clock from "effect/Clock"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { Access } from "../Access.ts"
import * as Brand from "../../domain/Brand.ts"
import { Codes } from "../Codes.ts"
import { Commits, retryUnavailable } from "../Commits.ts"
import { type Claim, Dispatcher, DispatchPolicy, wasUnsent } from "../Dispatcher.ts"
import * as Drain from "../Drain.ts"
import { SendingFailed } from "../../domain/Errors.ts"
import { Fallback } from "../Fallback.ts"
import { rulesInForce } from "../Fraud.ts"
import { type MessageId, RequestId } from "../../domain/Ids.ts"
import type { Digests } from "../../domain/KnownClient.ts"
import { Limits } from "../../domain/Limits.ts"
import * as Organization from "../../domain/Organization.ts"
import * as Telemetry from "../Telemetry.ts"
import { maskedCode, placeholderCode, Templates, textProblem } from "../../text/Templates.ts"
import { type SettlementWait, makeSettlementWaits } from "./settlementWaits.ts"
import { newId } from "./newId.ts"
import { refusedVerification } from "./refusals.ts"
import { type Delivery, draftOf, makeMessageId } from "./sending.ts"

/** A code whose request is valid. */
export interface CodeDelivery extends Delivery {
  /** The requested sender. */
  readonly brand: string | undefined
  readonly codeLength: number
  readonly expirySeconds: number
  readonly locale: string
  readonly client: Digests | undefined
}

/** The texts of a request: for the log, for the price, and for the gateway. */
interface Texts {
  readonly masked: string
  readonly priced: string
  readonly sent: Redacted.Redacted<string>
}

/** A code that was sent, and the message that carries it. */
interface SentCode {
  readonly requestId: RequestId
  readonly code: Redacted.Redacted<string>
  readonly messageSequence: number
  /** Epoch milliseconds. */
  readonly sentAt: number
}

export const makeCodeDelivery = Effect.gen(function* () {
  const access = yield* Access
  const codes = yield* Codes
  const commits = yield* Commits
  const dispatcher = yield* Dispatcher
  const random = yield* SecureRandom.SecureRandom
  const hostLimits = yield* Limits
  const newMessageId = yield* makeMessageId
  const rules = yield* rulesInForce
  const templates = yield* Templates
  const fallback = yield* Fallback
  // Closes after the drain, so that codes that are sent until then can still be watched.
  const scope = yield* Effect.flatMap(Effect.scope, Scope.fork)
  const settlementWaits = fallback === undefined ? undefined : yield* makeSettlementWaits
  const { graceMillis } = yield* DispatchPolicy
  const drain = yield* Drain.make(graceMillis)

  /** Renders a text. The failure is the problem of the text. */
  const render = (delivery: CodeDelivery, code: string): Result.Result<string, string> =>
    Result.try({
      try: () =>
        templates.render({
          organization: delivery.organization,
          locale: delivery.locale,
          channel: delivery.channel,
          code,
          expirySeconds: delivery.expirySeconds,
          brandName: delivery.sender.logChannel === "mask" ? delivery.sender.sender : undefined,
        }),
      // The error may quote the code.
      catch: () => "must not throw",
    }).pipe(
      Result.flatMap((text) => {
        const problem = textProblem(text, code)
        return problem === undefined ? Result.succeed(text) : Result.fail(problem)
      }),
    )

  /** Renders all texts of a request before anything is charged; `undefined` if one cannot be sent. */
  const textsOf = (
    delivery: CodeDelivery,
    code: Redacted.Redacted<string>,
  ): Effect.Effect<Texts | undefined> => {
    const rendered = Result.all({
      masked: render(delivery, maskedCode),
      // Not the masked text: GSM-7 does not contain the mask, so the masked text would cost more.
      priced: render(delivery, placeholderCode(delivery.codeLength)),
      sent: Result.map(render(delivery, Redacted.value(code)), (text) =>
        Redacted.make(text, { label: "text" }),
      ),
    })
    if (Result.isSuccess(rendered)) return Effect.succeed(rendered.success)
    const { locale, organization } = delivery
    const problem = `the text ${rendered.failure}`
    return Effect.as(
      Telemetry.noteUnreadable("template", { organization, locale }, problem),
      undefined,
    )
  }

  const dispatch = (
    { channel, locale, organization, phoneNumber, sender, sending }: CodeDelivery,
    token: MessageId,
    text: Texts["sent"],
    { code, messageSequence, requestId }: SentCode,
    claim: Pick<Claim, "claimedAt" | "isFollowed">,
  ) =>
    sending.dispatch(
      {
        token,
        ref: { organization, sequence: messageSequence },
        purpose: "verification",
        channel,
        phoneNumber: phoneNumber,
        sender: sender.sender,
        text,
        code,
        locale,
      },
      { ...claim, attempt: 1, requestId },
    )

  /** The same request by SMS; `undefined` without a fallback or a sender for SMS. */
  const bySms = (
    delivery: CodeDelivery,
    { brands }: Pick<Organization.Organization, "brands">,
  ): CodeDelivery | undefined => {
    if (fallback === undefined || delivery.channel !== "whatsapp") return undefined
    // A sender for WhatsApp often cannot send an SMS.
    const sender = Result.orElse(Brand.resolve(brands, "sms", delivery.brand), () =>
      Brand.resolve(brands, "sms", undefined),
    )
    return Result.isSuccess(sender)
      ? { ...delivery, channel: "sms", sender: sender.success }
      : undefined
  }

  /** Sends the code by SMS if needed. Returns its last channel; `undefined` if no SMS can be sent. */
  const follow = Effect.fnUntraced(function* (
    delivery: CodeDelivery,
    sent: SentCode,
    reason: "refused" | "undelivered" | "silence",
  ) {
    // The message's id identifies the command's own commit, so a repeat sends no second message.
    const message = yield* newMessageId
    const claimedAt = yield* Clock.monotonicTimeNanos
    return yield* access.serve({ organization: delivery.organization }, (organization) =>
      Effect.gen(function* () {
        const next = bySms(delivery, organization)
        if (next === undefined) return undefined
        const elapsed = (yield* Clock.currentTimeMillis) - sent.sentAt
        const left = Math.max(1, Math.floor(delivery.expirySeconds - elapsed / 1_000))
        const last = { ...next, expirySeconds: left }
        const texts = yield* textsOf(last, sent.code)
        if (texts === undefined) return undefined
        const limits = Organization.limitsOf(organization, hostLimits)
        const result = yield* retryUnavailable(
          commits.run({
            _tag: "FollowVerification",
            organization: organization.id,
            version: organization.version,
            requestId: sent.requestId,
            messageSequence: sent.messageSequence,
            isUnsent: reason === "refused",
            limits,
            rules,
            draft: draftOf(last, message, texts.masked, texts.priced),
          }),
        )
        if (result._tag === "NotFound" || result._tag === "NotNeeded") return delivery.channel
        if (result._tag !== "Followed") {
          return yield* refusedVerification(result, limits.pendingPerNumber)
        }
        yield* Telemetry.countFallback(reason)
        const { messageSequence } = result
        // If WhatsApp did not report, its message may have arrived, so the code stays valid.
        const claim = { claimedAt, isFollowed: reason === "silence" }
        const followed = { ...sent, messageSequence }
        const dispatched = yield* dispatch(last, message, texts.sent, followed, claim)
        if (wasUnsent(dispatched)) return yield* new SendingFailed({ status: "failed" })
        return last.channel
      }),
    )
  })

  /** Waits in the background for the delivery of a code, and sends it by SMS if it does not arrive. */
  const watch = (
    delivery: CodeDelivery,
    sent: SentCode,
    settlement: SettlementWait,
    millis: number,
  ) => {
    const ref = { organization: delivery.organization, message: sent.messageSequence }
    return settlement.within(millis).pipe(
      Effect.flatMap((status) => {
        if (status === "delivered") return Effect.void
        const reason = status === undefined ? "silence" : "undelivered"
        return Effect.uninterruptible(Effect.asVoid(follow(delivery, sent, reason)))
      }),
      Effect.catch((error) =>
        Effect.logWarning("A code that did not arrive over WhatsApp was not sent by SMS", {
          ...ref,
          why: error._tag,
        }),
      ),
      Effect.interruptible,
      // Only this node has the code, so no other node takes over.
      Effect.onInterrupt(() =>
        Effect.logWarning(
          "A code whose arrival was waited for will not be sent by SMS: the node ends",
          ref,
        ),
      ),
      // Started immediately: a fiber that is interrupted before its start would not log the loss.
      Effect.forkIn(scope, { startImmediately: true }),
    )
  }

  /** Charges, sends and settles a code, even if its caller is interrupted or the engine closes. */
  const deliver = Effect.fnUntraced(
    function* (
      delivery: CodeDelivery,
      organization: Organization.Organization,
      limits: Limits,
      isCounted: boolean,
    ) {
      const requestId = RequestId(yield* newId(random, "vrf"))
      const code = yield* delivery.sending.code(delivery.codeLength)
      const texts = yield* textsOf(delivery, code)
      if (texts === undefined) return yield* new SendingFailed({ status: "failed" })
      const message = yield* newMessageId
      const sentAt = yield* Clock.currentTimeMillis
      const claimedAt = yield* Clock.monotonicTimeNanos
      const result = yield* commits.run({
        _tag: "RequestVerification",
        organization: organization.id,
        version: organization.version,
        requestId,
        phoneNumber: delivery.phoneNumber,
        code: yield* codes.digest({ organization: organization.id, requestId }, code),
        expirySeconds: delivery.expirySeconds,
        limits,
        rules,
        isCounted,
        client: delivery.client,
        draft: draftOf(delivery, message, texts.masked, texts.priced),
      })
      if (result._tag !== "Requested") {
        return yield* refusedVerification(result, limits.pendingPerNumber)
      }
      const sent: SentCode = { requestId, code, messageSequence: result.messageSequence, sentAt }
      const ref = { organization: organization.id, sequence: sent.messageSequence }
      const settlement =
        bySms(delivery, organization) === undefined ? undefined : settlementWaits?.(ref)
      const claim = { claimedAt, isFollowed: settlement !== undefined }
      const dispatched = yield* dispatch(delivery, message, texts.sent, sent, claim)
      if (!wasUnsent(dispatched)) {
        if (fallback !== undefined && settlement !== undefined) {
          if (dispatched.settled?.status === "delivered") yield* settlement.forget
          else {
            const waitMillis = Math.min(fallback.reportWithinMillis, delivery.expirySeconds * 500)
            yield* watch(delivery, sent, settlement, waitMillis)
          }
        }
        return { requestId, channel: delivery.channel }
      }
      if (settlement !== undefined) {
        yield* settlement.forget
        const channel = yield* follow(delivery, sent, "refused")
        if (channel !== undefined) return { requestId, channel }
        // No message follows, so the request must fail.
        yield* dispatcher.settle(
          { ref, channel: delivery.channel },
          { attempt: 1, requestId },
          dispatched.outcome,
        )
      }
      return yield* new SendingFailed({ status: "failed" })
    },
    Effect.uninterruptible,
    drain.run,
  )

  return { bySms, deliver, isWhatsAppFirst: fallback?.whatsappFirst === true }
})
