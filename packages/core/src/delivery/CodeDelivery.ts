/**
 * Delivers codes, from the charge to the recorded outcome: the first message, a fallback by SMS, and resends. The data
 * for a resend is sealed in the request's row, so any node can resend a code.
 */
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Access } from "../engine/Access.ts"
import type { AccessError } from "../api/Caller.ts"
import type { Command, OwnResult } from "../decide/Command.ts"
import type { Channel } from "../domain/values/Channel.ts"
import * as Call from "../engine/Call.ts"
import { Codes } from "../engine/Codes.ts"
import { type CallError, Commits, retryUnavailable } from "../engine/Commits.ts"
import { type Claim, DispatchPolicy, wasUnsent } from "./Dispatcher.ts"
import * as Drain from "../engine/Drain.ts"
import type { GatewayMessage } from "../ports/Gateway.ts"
import { isUnsent, type Unaccepted } from "../domain/messages/GatewayOutcome.ts"
import * as Errors from "../domain/errors/Errors.ts"
import { rulesInForce } from "../engine/FraudRules.ts"
import type { MessageId, MessageRef, RequestId } from "../domain/values/Ids.ts"
import type { Digests } from "../domain/verifications/KnownClient.ts"
import { Limits } from "../domain/limits/Limits.ts"
import type { Message } from "../domain/messages/Message.ts"
import * as Prefixes from "../domain/values/PrefixList.ts"
import * as Organization from "../domain/organizations/Organization.ts"
import { Refusals } from "../engine/Refusals.ts"
import { Store } from "../ports/Store.ts"
import * as Telemetry from "../engine/Telemetry.ts"
import * as Tracing from "../engine/Tracing.ts"
import type { NotResent, SentVerification } from "../api/verifications.ts"
import * as Verification from "../domain/verifications/Verification.ts"
import * as StoredAnswer from "../engine/StoredAnswer.ts"
import { makeCodeTexts, type Texts, type Wording } from "./internal/codeTexts.ts"
import { makeIdempotency } from "../engine/Idempotency.ts"
import * as Sending from "./internal/sending.ts"
import { type NewIds, newIds } from "../engine/internal/newId.ts"
import { refused, refusedRequest, refusedResend } from "../engine/CommandErrors.ts"
import { makeSmsFallback } from "./internal/smsFallback.ts"

/** A code to send again. */
interface ResentCode extends Sending.KnownCode {
  readonly client: Digests | undefined
}

/**
 * Maximum number of requests of strangers that one request cancels. One is enough, unless a stranger takes the
 * place before it is used.
 */
const maxDisplaced = 3

type Refused = Errors.RateLimited | Errors.InsufficientBalance | Errors.SendingFailed

/** The errors of a code that is charged and sent for a call. */
type Unsent = Refused | Errors.NotOnWhatsApp | AccessError | CallError

export class CodeDelivery extends Context.Service<
  CodeDelivery,
  {
    /** Opens a request and sends its code. Continues if its caller is interrupted or the engine closes. */
    readonly deliver: (
      call: Call.Call,
      done: Call.Done<SentVerification, Unsent | Errors.TooManyPending | Errors.InvalidRequest>,
      code: Sending.NewCode,
      terms: Sending.Terms,
    ) => void
    /** Charges and sends a code once more, like `deliver`. */
    readonly resend: (
      call: Call.Call,
      done: Call.Done<SentVerification, Unsent | NotResent>,
      code: ResentCode,
      terms: Sending.Terms,
    ) => void
    /** The code of a request; `undefined` if it cannot be read. `channel` is the last one by default. */
    readonly reopen: Sending.Reopen
    /**
     * Sends a code by SMS because the message has not arrived, unless another node has done it. Returns the
     * last channel of the request; `undefined` if no SMS can be sent.
     */
    readonly follow: (
      message: MessageRef,
      requestId: RequestId,
    ) => Effect.Effect<Channel | undefined, Refused | AccessError>
    /** The content to send again for a message whose node has stopped; `undefined` if the code is not needed. */
    readonly recover: (
      message: Message,
      requestId: RequestId,
    ) => Effect.Effect<
      | {
          readonly content: Pick<GatewayMessage, "code" | "locale" | "payment" | "text">
          readonly followMillis: number | undefined
        }
      | undefined,
      Errors.StoreUnavailable
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
  const { draw, textsOf } = yield* makeCodeTexts
  const reopen = yield* Sending.makeReopen
  const { bySms, followMillisOf } = yield* makeSmsFallback
  const { graceMillis } = yield* DispatchPolicy
  const drain = yield* Drain.make(graceMillis)

  const rulesFor = ({ phoneNumber }: Sending.Delivery, { settings }: Organization.Organization) =>
    Prefixes.isExempt(settings, phoneNumber) ? undefined : rules

  /** Dispatches a message that is charged. Returns its channel, or the channel of the SMS that followed at once. */
  const dispatch = (
    call: Call.Call,
    done: Call.Done<Channel, Refused | AccessError>,
    known: Sending.KnownCode,
    token: MessageId,
    text: Texts["sent"],
    sequence: number,
    claim: Pick<Claim, "claimedAt" | "followMillis">,
  ): void => {
    const { channel, code, locale, metadata, organization, payment, phoneNumber, purpose } = known
    const { requestId, sender, sending } = known
    const sent = sending.dispatch(
      {
        token,
        ref: { organization, sequence },
        purpose: "verification",
        class: "transactional",
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
    call.andThen(sent, done, (result) => {
      if (isUnsent(result.outcome) && wasUnsent(result)) {
        call.run(followUnsent(known, sequence, claim, result.outcome), done)
      } else done(Exit.succeed(channel))
    })
  }

  const followUnsent = Effect.fnUntraced(function* (
    { organization, requestId }: Sending.KnownCode,
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
        draft: Sending.draftOf(Context.empty(), sms, message, texts.masked, texts.priced),
      }),
    )
    if (result._tag === "NotFound" || result._tag === "NotNeeded") {
      return (yield* store.verification(organization.id, requestId))?.verification.channel
    }
    if (result._tag !== "Followed") return yield* refused(result)
    yield* Telemetry.countFallback(result.after)
    const claim = { claimedAt, followMillis: undefined }
    const dispatched = Call.make<Channel, Refused | AccessError>((call, done) =>
      dispatch(call, done, sms, message, texts.sent, result.messageSequence, claim),
    )
    return yield* Tracing.resume(dispatched, result.traceparent)
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

  /** Cancels the requests of strangers that stand in the way of one. */
  const displace = Effect.fnUntraced(function* (
    request: Command<"RequestVerification">,
    first: OwnResult<"RequestVerification">,
  ) {
    let result = first
    for (let count = 0; count < maxDisplaced; count++) {
      if (result._tag !== "TooManyPending" || result.displaces === undefined) break
      const { organization, version } = request
      const displaced = { organization, version, requestId: result.displaces }
      yield* commits.run({ _tag: "CancelVerification", ...displaced })
      result = yield* commits.runOnce({ ...request, isCounted: true })
    }
    return result
  })

  /** The code on the channel that reaches its number. */
  const reaching = <A extends Sending.Delivery & Wording>(
    code: A,
    { admission, organization }: Sending.Terms,
  ) => (admission.isUnreachable && code.channel === "whatsapp" ? bySms(code, organization) : code)

  /** Dispatches a code that is charged, and records the answer to its call. */
  const answer = (
    call: Call.Call,
    done: Call.Done<SentVerification, Refused | AccessError | CallError>,
    known: Sending.KnownCode,
    { admission, limits, organization }: Sending.Terms,
    text: Texts["sent"],
    { claimedAt, message }: Pick<NewIds, "claimedAt" | "message">,
    charged: Parameters<typeof StoredAnswer.codeSent>[2] & { readonly messageSequence: number },
  ): void => {
    const claim = { claimedAt, followMillis: followMillisOf(known, organization) }
    const { expirySeconds, phoneNumber, requestId } = known
    const dispatched: Call.Done<Channel, Refused | AccessError> = (exit) => {
      const sent = Exit.map(exit, (channel) =>
        StoredAnswer.codeSent(channel, expirySeconds, charged, limits),
      )
      const { keyed } = admission
      call.andThen(
        idempotency.record(organization.id, keyed, StoredAnswer.isCodeSent, sent),
        done,
        (sent) => done(Exit.succeed(StoredAnswer.sentCode(sent, requestId, phoneNumber))),
      )
    }
    dispatch(call, dispatched, known, message, text, charged.messageSequence, claim)
  }

  const deliver: CodeDelivery["Service"]["deliver"] = (call, done, requested, terms) => {
    const { admission, limits, organization } = terms
    const given = reaching(requested, terms)
    if (given === undefined) return done(Exit.fail(new Errors.NotOnWhatsApp()))
    call.hold(drain, done, (ended) =>
      call.andThen(draw(given), ended, (drawn) => {
        const { code, message, requestId, texts } = drawn
        const request: Command<"RequestVerification"> = {
          _tag: "RequestVerification",
          idempotency: admission.keyed,
          organization: organization.id,
          version: organization.version,
          requestId,
          mayBeTaken: given.requestId !== undefined,
          phoneNumber: given.phoneNumber,
          code: drawn.digest,
          sealed: drawn.sealed,
          purpose: given.purpose,
          metadata: given.metadata,
          expirySeconds: given.expirySeconds,
          limits,
          rules: rulesFor(given, organization),
          isCounted: admission.isCounted,
          queued: admission.queued,
          client: given.client,
          erased: given.erased,
          draft: Sending.draftOf(call.context, given, message, texts.masked, texts.priced),
        }
        const charged = (result: OwnResult<"RequestVerification">): void => {
          if (result._tag !== "Requested") {
            return call.run(refusedRequest(result, limits.pendingPerNumber), ended)
          }
          const sentAt = result.expiresAt - given.expirySeconds * 1_000
          const known = { ...given, requestId, code }
          answer(call, ended, known, terms, texts.sent, drawn, { ...result, resends: 0, sentAt })
        }
        call.andThen(commits.runOnce(request), ended, (result) => {
          const isDisplacing = result._tag === "TooManyPending" && result.displaces !== undefined
          if (isDisplacing) call.andThen(displace(request, result), ended, charged)
          else charged(result)
        })
      }),
    )
  }

  const resend: CodeDelivery["Service"]["resend"] = (call, done, requested, terms) => {
    const { admission, limits, organization } = terms
    const known = reaching(requested, terms)
    if (known === undefined) return done(Exit.fail(new Errors.NotOnWhatsApp()))
    const { requestId } = known
    call.hold(drain, done, (ended) =>
      call.andThen(textsOf(known, known.code), ended, (texts) => {
        if (texts === undefined) return ended(Exit.fail(StoredAnswer.noText))
        call.andThen(newIds(random), ended, (ids) => {
          const request: Command<"ResendVerification"> = {
            _tag: "ResendVerification",
            idempotency: admission.keyed,
            organization: organization.id,
            version: organization.version,
            requestId,
            limits,
            rules: rulesFor(known, organization),
            isCounted: admission.isCounted,
            client: known.client,
            draft: Sending.draftOf(call.context, known, ids.message, texts.masked, texts.priced),
          }
          call.andThen(commits.runOnce(request), ended, (result) => {
            if (result._tag !== "Resent") call.run(refusedResend(requestId, result), ended)
            else answer(call, ended, known, terms, texts.sent, ids, result)
          })
        })
      }),
    )
  }

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
