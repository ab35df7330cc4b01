/**
 * Delivers codes, from the charge to the recorded outcome: the first message, a fallback by SMS, and resends. What it
 * takes to send a code again is sealed in the request's row, so any node can do it.
 */
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Access } from "../engine/Access.ts"
import type { AccessError } from "../api/Caller.ts"
import * as Sender from "../domain/messages/Sender.ts"
import type { Command } from "../decide/Command.ts"
import type { Channel } from "../domain/values/Channel.ts"
import { Codes } from "../engine/Codes.ts"
import { type CallError, Commits, retryUnavailable } from "../engine/Commits.ts"
import { type Claim, DispatchPolicy, wasUnsent } from "./Dispatcher.ts"
import * as Drain from "../engine/Drain.ts"
import type { GatewayMessage } from "../ports/Gateway.ts"
import { isUnsent, type Unaccepted } from "../domain/messages/GatewayOutcome.ts"
import type {
  InsufficientBalance,
  InvalidRequest,
  RateLimited,
  SendingFailed,
  StoreUnavailable,
  TooManyPending,
} from "../domain/errors/Errors.ts"
import { Fallback } from "../engine/SmsFallback.ts"
import { rulesInForce } from "../engine/FraudRules.ts"
import type { IdempotentCall } from "../domain/values/IdempotencyKey.ts"
import type { MessageId, MessageRef, RequestId } from "../domain/values/Ids.ts"
import type { Digests } from "../domain/verifications/KnownClient.ts"
import { Limits } from "../domain/limits/Limits.ts"
import type { Message } from "../domain/messages/Message.ts"
import * as Prefixes from "../domain/values/PrefixList.ts"
import * as Organization from "../domain/organizations/Organization.ts"
import { Refusals } from "../engine/Refusals.ts"
import { Store } from "../ports/Store.ts"
import * as Telemetry from "../engine/Telemetry.ts"
import type { NotResent } from "../api/verifications.ts"
import * as Verification from "../domain/verifications/Verification.ts"
import * as StoredAnswer from "../engine/StoredAnswer.ts"
import { makeCodeTexts, sealedOf, type Texts, type Wording } from "./internal/codeTexts.ts"
import { makeIdempotency } from "../engine/Idempotency.ts"
import { type KnownCode, makeReopen, type NewCode, type Reopen } from "./internal/reopening.ts"
import { newIds } from "../engine/internal/newId.ts"
import { refused, refusedRequest, refusedResend } from "../engine/CommandErrors.ts"
import { type Delivery, draftOf } from "./internal/sending.ts"

/** A code to send again. */
interface ResentCode extends KnownCode {
  readonly client: Digests | undefined
}

/**
 * Maximum number of requests of strangers that one request cancels. One is enough, unless a stranger takes the
 * place before it is used.
 */
const maxDisplaced = 3

type Refused = RateLimited | InsufficientBalance | SendingFailed

export class CodeDelivery extends Context.Service<
  CodeDelivery,
  {
    /** Whether requests without a channel begin on WhatsApp. */
    readonly isWhatsAppFirst: boolean
    /** The same code by SMS; `undefined` without a fallback or a sender for SMS. */
    readonly bySms: <A extends Delivery & Wording>(
      code: A,
      organization: Organization.Organization,
    ) => A | undefined
    /** Opens a request and sends its code. Continues if its caller is interrupted or the engine closes. */
    readonly deliver: (
      code: NewCode,
      organization: Organization.Organization,
      limits: Limits,
      isCounted: boolean,
      call: IdempotentCall | undefined,
    ) => Effect.Effect<
      { readonly requestId: RequestId; readonly sent: StoredAnswer.CodeSent },
      Refused | TooManyPending | InvalidRequest | AccessError | CallError
    >
    /** Charges and sends a code once more, like `deliver`. */
    readonly resend: (
      code: ResentCode,
      organization: Organization.Organization,
      limits: Limits,
      isCounted: boolean,
      call: IdempotentCall | undefined,
    ) => Effect.Effect<StoredAnswer.CodeSent, Refused | NotResent | AccessError | CallError>
    /** The code of a request; `undefined` if it cannot be read. `channel` is the last one by default. */
    readonly reopen: Reopen
    /**
     * Sends a code by SMS because the message has not arrived, unless another node has done it. Returns the
     * last channel of the request; `undefined` if no SMS can be sent.
     */
    readonly follow: (
      message: MessageRef,
      requestId: RequestId,
    ) => Effect.Effect<Channel | undefined, Refused | AccessError>
    /** What to send again for a message whose node has stopped; `undefined` if the code is not needed. */
    readonly recover: (
      message: Message,
      requestId: RequestId,
    ) => Effect.Effect<
      | {
          readonly content: Pick<GatewayMessage, "code" | "locale" | "payment" | "text">
          readonly followMillis: number | undefined
        }
      | undefined,
      StoreUnavailable
    >
  }
>()("@countersign/core/delivery/CodeDelivery") {}

const make = Effect.gen(function* () {
  const access = yield* Access
  const codes = yield* Codes
  const commits = yield* Commits
  const random = yield* SecureRandom.SecureRandom
  const store = yield* Store
  const hostLimits = yield* Limits
  const idempotency = yield* makeIdempotency
  const refusals = yield* Refusals
  const rules = yield* rulesInForce
  const textsOf = yield* makeCodeTexts
  const reopen = yield* makeReopen
  const fallback = yield* Fallback
  const { graceMillis } = yield* DispatchPolicy
  const drain = yield* Drain.make(graceMillis)

  const rulesFor = ({ phoneNumber }: Delivery, { settings }: Organization.Organization) =>
    Prefixes.isExempt(settings, phoneNumber) ? undefined : rules

  const bySms: CodeDelivery["Service"]["bySms"] = (code, { senders, settings }) => {
    if (fallback === undefined || code.channel !== "whatsapp") return undefined
    if (Prefixes.isBlocked(settings, code.phoneNumber)) return undefined
    if (!hostLimits.codeChannels.includes("sms")) return undefined
    const sender = Sender.resolveOrDefault(senders, "sms", code.requestedSender)
    return sender && { ...code, channel: "sms", sender }
  }

  /** How long a message may take to arrive before the code goes out by SMS; `undefined` if it never does. */
  const followMillisOf = (
    code: Delivery & Wording,
    organization: Organization.Organization,
  ): number | undefined =>
    fallback === undefined || bySms(code, organization) === undefined
      ? undefined
      : Math.min(fallback.reportWithinMillis, code.expirySeconds * 500)

  /** Dispatches a message that is charged. Returns its channel, or that of the SMS that followed at once. */
  const dispatched = (
    known: KnownCode,
    token: MessageId,
    text: Texts["sent"],
    sequence: number,
    claim: Pick<Claim, "claimedAt" | "followMillis">,
  ) => {
    const { channel, code, locale, metadata, organization, payment, phoneNumber, purpose } = known
    const { requestId, sender, sending } = known
    const dispatch = sending.dispatch(
      {
        token,
        ref: { organization, sequence },
        purpose: "verification",
        channel,
        phoneNumber,
        sender: sender.value,
        text,
        code,
        locale,
        payment,
      },
      { ...claim, dispatchNumber: 1, requestId, verification: { purpose, metadata } },
      drain.finish,
    )
    return Effect.flatMap(dispatch, (result) =>
      isUnsent(result.outcome) && wasUnsent(result)
        ? followUnsent(known, sequence, claim, result.outcome)
        : Effect.succeed(channel),
    )
  }

  const followUnsent = Effect.fnUntraced(function* (
    { organization, requestId }: KnownCode,
    sequence: number,
    { followMillis }: Pick<Claim, "followMillis">,
    outcome: Unaccepted,
  ) {
    const isFollowed = followMillis !== undefined
    const channel = isFollowed ? yield* follow({ organization, sequence }, requestId) : undefined
    return channel ?? (yield* StoredAnswer.sendingFailed(outcome))
  })

  const followFor = Effect.fnUntraced(function* (
    organization: Organization.Organization,
    ref: MessageRef,
    requestId: RequestId,
    message: MessageId,
    claimedAt: bigint,
  ) {
    const found = yield* store.verification(organization.id, requestId)
    const known = found && (yield* reopen(found.verification, organization, found.now, "whatsapp"))
    const sms = known && bySms(known, organization)
    const texts = sms && (yield* textsOf(sms, sms.code))
    if (sms === undefined || texts === undefined) {
      yield* retryUnavailable(
        commits.run({
          _tag: "EndFollow",
          organization: organization.id,
          messageSequence: ref.sequence,
          requestId,
          rules,
        }),
      )
      return found?.verification.messageSequence === ref.sequence
        ? undefined
        : found?.verification.channel
    }
    const limits = Organization.limitsOf(organization, hostLimits)
    const result = yield* retryUnavailable(
      commits.run({
        _tag: "FollowVerification",
        organization: organization.id,
        version: organization.version,
        requestId,
        messageSequence: ref.sequence,
        limits,
        rules,
        draft: draftOf(sms, message, texts.masked, texts.priced),
      }),
    )
    if (result._tag === "NotFound" || result._tag === "NotNeeded") {
      return (yield* store.verification(organization.id, requestId))?.verification.channel
    }
    if (result._tag !== "Followed") return yield* refused(result)
    yield* Telemetry.countFallback(result.after)
    return yield* dispatched(sms, message, texts.sent, result.messageSequence, {
      claimedAt,
      followMillis: undefined,
    })
  })

  const follow: CodeDelivery["Service"]["follow"] = Effect.fnUntraced(
    function* (ref, requestId) {
      // The message's id identifies the command's own commit, so a repeat sends no second message.
      const { claimedAt, message } = yield* newIds(random)
      return yield* access.serve({ organization: ref.organization }, (organization) =>
        followFor(organization, ref, requestId, message, claimedAt),
      )
    },
    (effect, { organization, sequence: message }) =>
      Effect.tapError(effect, ({ _tag: why }) =>
        Effect.logWarning("A code that did not arrive over WhatsApp was not sent by SMS", {
          organization,
          message,
          why,
        }),
      ),
    Effect.uninterruptible,
  )

  const deliver: CodeDelivery["Service"]["deliver"] = Effect.fnUntraced(
    function* (given, organization, limits, isCounted, call) {
      const code = yield* given.sending.code(given.codeLength)
      const texts = yield* textsOf(given, code)
      if (texts === undefined) return yield* StoredAnswer.noText
      const { claimedAt, message, ...ids } = yield* newIds(random)
      const requestId = given.requestId ?? ids.requestId
      const owner = { organization: organization.id, requestId }
      const request: Command<"RequestVerification"> = {
        _tag: "RequestVerification",
        idempotency: call,
        organization: organization.id,
        version: organization.version,
        requestId,
        mayBeTaken: given.requestId !== undefined,
        phoneNumber: given.phoneNumber,
        code: yield* codes.digest(owner, code),
        sealed: yield* codes.seal(owner, sealedOf(given, code)),
        purpose: given.purpose,
        metadata: given.metadata,
        expirySeconds: given.expirySeconds,
        limits,
        rules: rulesFor(given, organization),
        isCounted,
        client: given.client,
        erased: given.erased,
        draft: draftOf(given, message, texts.masked, texts.priced),
      }
      let result = yield* commits.runOnce(request)
      for (let count = 0; count < maxDisplaced; count++) {
        if (result._tag !== "TooManyPending" || result.displaces === undefined) break
        const { id, version } = organization
        const displaced = { organization: id, version, requestId: result.displaces }
        yield* commits.run({ _tag: "CancelVerification", ...displaced })
        result = yield* commits.runOnce({ ...request, isCounted: true })
      }
      if (result._tag !== "Requested") {
        return yield* refusedRequest(result, limits.pendingPerNumber)
      }
      const known = { ...given, requestId, code }
      const claim = { claimedAt, followMillis: followMillisOf(given, organization) }
      const sentAt = result.expiresAt - given.expirySeconds * 1_000
      const terms = { ...result, resends: 0, sentAt }
      const answer = Effect.map(
        dispatched(known, message, texts.sent, terms.messageSequence, claim),
        (channel) => StoredAnswer.codeSent(channel, given.expirySeconds, terms, limits),
      )
      const sent = yield* idempotency.record(organization.id, call, StoredAnswer.isCodeSent, answer)
      return { requestId, sent }
    },
    drain.run,
    Effect.uninterruptible,
  )

  const resend: CodeDelivery["Service"]["resend"] = Effect.fnUntraced(
    function* (known, organization, limits, isCounted, call) {
      const texts = yield* textsOf(known, known.code)
      if (texts === undefined) return yield* StoredAnswer.noText
      const { claimedAt, message } = yield* newIds(random)
      const { requestId } = known
      const result = yield* commits.runOnce({
        _tag: "ResendVerification",
        idempotency: call,
        organization: organization.id,
        version: organization.version,
        requestId,
        limits,
        rules: rulesFor(known, organization),
        isCounted,
        client: known.client,
        draft: draftOf(known, message, texts.masked, texts.priced),
      })
      if (result._tag !== "Resent") return yield* refusedResend(requestId, result)
      const claim = { claimedAt, followMillis: followMillisOf(known, organization) }
      const answer = Effect.map(
        dispatched(known, message, texts.sent, result.messageSequence, claim),
        (channel) => StoredAnswer.codeSent(channel, known.expirySeconds, result, limits),
      )
      return yield* idempotency.record(organization.id, call, StoredAnswer.isCodeSent, answer)
    },
    drain.run,
    Effect.uninterruptible,
  )

  const recover: CodeDelivery["Service"]["recover"] = Effect.fnUntraced(function* (
    { channel, organization: id, sequence },
    requestId,
  ) {
    const found = yield* store.verification(id, requestId)
    const organization = Option.getOrUndefined(yield* Effect.option(access.load(id)))
    if (found === undefined || organization === undefined) return undefined
    const { now, verification } = found
    if (Verification.stateAt(verification, now) !== "pending") return undefined
    if (verification.messageSequence !== sequence) return undefined
    if (!codes.knows(verification.pepper)) return undefined
    const known = yield* reopen(verification, organization, now, channel)
    const texts = known && (yield* textsOf(known, known.code))
    if (known === undefined || texts === undefined) return undefined
    const { code, locale, payment } = known
    return {
      content: { code, locale, payment, text: texts.sent },
      followMillis: followMillisOf(known, organization),
    }
  })

  return CodeDelivery.of({
    isWhatsAppFirst: fallback?.whatsappFirst === true,
    bySms,
    deliver,
    resend,
    reopen,
    follow: (ref, requestId) =>
      Effect.tapError(drain.run(follow(ref, requestId)), (error) =>
        refusals.note("fallback", ref, { requestId, channel: "sms" }, error),
      ),
    recover,
  })
})

export const layer = Layer.effect(CodeDelivery, make)
