/**
 * Sends one-time codes and checks them.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Actor } from "../../domain/values/Actor.ts"
import { Access } from "../../engine/Access.ts"
import type { AccessError, Caller, Parsed } from "../../api/Caller.ts"
import * as Sender from "../../domain/messages/Sender.ts"
import { type Channel, channels } from "../../domain/values/Channel.ts"
import { CodeDelivery } from "../../delivery/CodeDelivery.ts"
import { type NewCode, admit, makeSending } from "../../delivery/internal/sending.ts"
import { Codes } from "../../engine/Codes.ts"
import { type CallError, Commits } from "../../engine/Commits.ts"
import type { InvalidRequest } from "../../domain/errors/Errors.ts"
import * as Fields from "../../api/internal/fieldProblems.ts"
import { isCodeSent, ofCode, sentCode } from "../../engine/StoredAnswer.ts"
import { checkKey, makeIdempotency } from "../../engine/Idempotency.ts"
import { makeChecks } from "./checks.ts"
import { Fallback } from "../../engine/SmsFallback.ts"
import { makeRequestLife } from "./requestLife.ts"
import { refusedRequest } from "../../engine/CommandErrors.ts"
import { makeSearch } from "../internal/search.ts"
import { traced, tracedStep } from "../../engine/internal/traced.ts"
import { Limits } from "../../domain/limits/Limits.ts"
import * as FieldProblem from "../../domain/values/FieldProblem.ts"
import * as ErasedRecipient from "../../domain/verifications/ErasedRecipient.ts"
import * as Organization from "../../domain/organizations/Organization.ts"
import { RequestId, requestIdPrefix } from "../../domain/values/Ids.ts"
import { newId } from "../../engine/internal/newId.ts"
import * as Prefixes from "../../domain/values/PrefixList.ts"
import * as PhoneNumber from "../../domain/values/PhoneNumber.ts"
import type { NewQueuedSend } from "../../domain/outbox/QueuedSend.ts"
import { type Queued, queuedSend } from "../internal/queuedSend.ts"
import type { Admission, Opening, Step } from "../../engine/Admission.ts"
import { Refusals } from "../../engine/Refusals.ts"
import { Store } from "../../ports/Store.ts"
import { Templates } from "../../text/Templates.ts"

import type { SearchError } from "../../api/messages.ts"
import type * as Api from "../../api/verifications.ts"

export type * from "../../api/verifications.ts"

const maxPayment = 64
/** A code whose client is not digested yet. */
interface PreparedCode extends NewCode {
  readonly clientName: string | undefined
}

export class Verifications extends Context.Service<
  Verifications,
  {
    /** A code that was certainly not sent fails with `SendingFailed` and is charged nothing. */
    readonly send: (
      input: Parsed<Api.SendVerification>,
    ) => Effect.Effect<Api.SentVerification, Api.SendError>
    /** A new id for `send`, for hosts that store it before they send. Reads and writes nothing. */
    readonly newRequestId: Effect.Effect<RequestId>
    /** A code for the outbox. Reads and writes nothing. Fails as `send` does, as far as the input shows it. */
    readonly queue: (
      input: Parsed<Api.SendVerification>,
    ) => Effect.Effect<NewQueuedSend, InvalidRequest>
    /** Sends a code of the outbox. Dies with `QueuedElsewhere` if it has ended, or another node has it. */
    readonly sendQueued: (
      input: Queued<Api.SendVerification>,
    ) => Effect.Effect<Api.SentVerification, Api.SendError>
    /** A wrong code costs an attempt in any format. */
    readonly check: (
      input: Parsed<Api.CheckVerification>,
    ) => Effect.Effect<Api.CheckedVerification, Api.CheckError>
    readonly resend: (
      input: Parsed<Api.ResendVerification>,
    ) => Effect.Effect<Api.SentVerification, Api.ResendError>
    readonly cancel: (
      input: Parsed<Caller & { readonly requestId: string }>,
    ) => Effect.Effect<Api.CancelledVerification, Api.CancelError>
    readonly verify: (
      input: Parsed<Api.VerifyCode>,
    ) => Effect.Effect<Api.ConsumedVerification, Api.VerifyError>
    readonly consume: (
      input: Parsed<Api.ConsumeVerification>,
    ) => Effect.Effect<Api.ConsumedVerification, Api.ConsumeError>
    readonly status: (
      input: Caller & { readonly requestId: string },
    ) => Effect.Effect<Api.VerificationStatus, Api.StatusError>
    readonly search: (
      input: Parsed<Api.SearchVerifications>,
    ) => Effect.Effect<Api.FoundVerifications, SearchError>
    readonly resetGuesses: (
      input: Parsed<Api.ResetGuesses>,
    ) => Effect.Effect<void, InvalidRequest | AccessError>
  }
>()("@countersign/core/services/verifications/Verifications") {}

const make = Effect.gen(function* () {
  const access = yield* Access
  const codes = yield* Codes
  const commits = yield* Commits
  const delivery = yield* CodeDelivery
  const checks = yield* makeChecks
  const life = yield* makeRequestLife
  const store = yield* Store
  const fallback = yield* Fallback
  const hostLimits = yield* Limits
  const numberPolicy = yield* PhoneNumber.NumberPolicy
  const sendingTo = yield* makeSending
  const idempotency = yield* makeIdempotency
  const refusals = yield* Refusals
  const search = yield* makeSearch
  const templates = yield* Templates
  const random = yield* SecureRandom.SecureRandom

  const parseNumber = (text: string) => numberPolicy.parse(text, "required")
  const { codeChannels } = hostLimits
  const onlyChannel = codeChannels.length === 1 ? codeChannels[0] : undefined

  /** The requested channel. By default the only one, or SMS, or WhatsApp if the host begins there with a sender. */
  const channelOf = (
    { sender, channel }: Pick<Api.SendVerification, "sender" | "channel">,
    { senders }: Organization.Organization,
  ): Channel => {
    if (channel !== undefined) return channel
    if (onlyChannel !== undefined) return onlyChannel
    return fallback?.whatsappFirst === true &&
      Result.isSuccess(Sender.resolve(senders, "whatsapp", sender, "transactional"))
      ? "whatsapp"
      : "sms"
  }

  /** Reads the fields that do not depend on the settings of the organization. */
  const readFields = (
    problems: Fields.FieldProblems,
    input: Parsed<Api.SendVerification>,
    limits: Limits,
  ) => {
    const requestedSender = problems.value("sender", input.sender)
    const requested = problems.value("channel", input.channel)
    const codeLength = problems.value("codeLength", input.codeLength) ?? limits.codeLength.default
    const expirySeconds =
      problems.parse("expiresIn", input.expiresIn, Fields.secondsIn(limits.expirySeconds)) ??
      limits.expirySeconds.default
    const locale = problems.value("locale", input.locale) ?? templates.defaultLocale
    const purpose = problems.parse("purpose", input.purpose, Fields.purposeOf)
    const metadata = problems.parse("metadata", input.metadata, Fields.metadataOf)
    const payment = problems.value("payment", input.payment)
    const clientName = problems.parse("client", input.client, Fields.clientOf)
    const requestId = problems.parse("requestId", input.requestId, Fields.newRequestIdOf)
    checkKey(problems, input)
    if (payment !== undefined) {
      problems.printable("payment", payment.amount, maxPayment)
      problems.printable("payment", payment.payee, maxPayment)
    }
    problems.integer("codeLength", codeLength, limits.codeLength)
    if (!templates.locales.includes(locale)) {
      problems.add("locale", FieldProblem.make("unknown_option", { options: templates.locales }))
    }
    return {
      requestedSender,
      requested,
      codeLength,
      expirySeconds,
      locale,
      purpose: purpose ?? null,
      metadata: metadata ?? null,
      payment,
      clientName,
      requestId,
    }
  }

  const checkChannel = (problems: Fields.FieldProblems, channel: Channel, limits: Limits) => {
    if (!channels.includes(channel)) problems.fail("channel", "unknown_channel", {})
    else if (!limits.codeChannels.includes(channel))
      problems.fail("channel", "channel_not_allowed", {})
  }

  const prepare = (
    input: Parsed<Api.SendVerification>,
    organization: Organization.Organization,
    limits: Limits,
    admission: Admission,
  ): Result.Result<PreparedCode, InvalidRequest> => {
    const problems = new Fields.FieldProblems()
    const parse = Prefixes.parser(parseNumber, organization.settings)
    const phoneNumber = problems.parse("phoneNumber", input.phoneNumber, parse)
    const { requested, ...fields } = readFields(problems, input, limits)
    const { requestedSender } = fields
    const channel = channelOf({ sender: requestedSender, channel: requested }, organization)
    admission.channel = channel
    const sender = Sender.resolve(organization.senders, channel, requestedSender, "transactional")
    checkChannel(problems, channel, limits)
    // A sender is not looked up for an unknown channel or by an unreadable name.
    if (Result.isFailure(sender) && !problems.has("channel") && !problems.has("sender")) {
      problems.add("sender", sender.failure)
    }
    const { error } = problems
    if (error !== undefined || phoneNumber === undefined || Result.isFailure(sender)) {
      return Result.fail(error ?? Fields.invalid)
    }
    return Result.succeed({
      ...fields,
      organization: organization.id,
      phoneNumber,
      sending: sendingTo(phoneNumber),
      sender: sender.success,
      channel,
      client: undefined,
      erased: undefined,
    })
  }

  /** Makes a queued send. Its checks need no settings of the organization, and read nothing. */
  const queue = (
    input: Parsed<Api.SendVerification>,
  ): Effect.Effect<NewQueuedSend, InvalidRequest> => {
    const problems = new Fields.FieldProblems()
    const phoneNumber = problems.parse("phoneNumber", input.phoneNumber, parseNumber)
    const { requested, requestId } = readFields(problems, input, hostLimits)
    if (requested !== undefined) checkChannel(problems, requested, hostLimits)
    if (phoneNumber === undefined || problems.error !== undefined) {
      return Effect.fail(problems.error ?? Fields.invalid)
    }
    const id = requestId === undefined ? newRequestId : Effect.succeed(requestId)
    return Effect.flatMap(id, (own) => queuedSend(own, phoneNumber, input))
  }

  const sendFor: Step<
    Parsed<Api.SendVerification>,
    Api.SentVerification,
    Api.SendError | CallError
  > = (call, done, input, organization, admission) => {
    const allowed = Organization.limitsOf(organization, hostLimits)
    const result = prepare(input, organization, allowed, admission)
    if (Result.isFailure(result)) {
      return call.run(access.refuse(organization, result.failure), done)
    }
    const { clientName, ...code } = result.success
    const limits = code.sending.limits(allowed)
    const send = ({ client, erased }: Pick<NewCode, "client" | "erased">): void => {
      const chosen = { ...code, client, erased }
      const count = () =>
        Effect.flatMap(
          commits.runOnce({
            _tag: "AdmitVerification",
            idempotency: admission.keyed,
            organization: organization.id,
            version: organization.version,
            phoneNumber: code.phoneNumber,
            limits,
            client,
            erased,
          }),
          (admitted): Effect.Effect<void, Api.SendError | CallError> => {
            if (admitted._tag === "Admitted") return Effect.void
            // The request is counted. Its own commit displaces a stranger's, if the number is on WhatsApp.
            return admitted._tag === "TooManyPending" && admitted.displaces !== undefined
              ? Effect.void
              : refusedRequest(admitted, limits.pendingPerNumber)
          },
        )
      admit(call, done, admission, code, count, () =>
        delivery.deliver(call, done, chosen, { organization, limits, admission }),
      )
    }
    if (clientName === undefined && organization.erasedAt === undefined) return send(code)
    const digests = Effect.all({
      client:
        clientName === undefined ? Effect.undefined : codes.client(organization.id, clientName),
      erased: erasedDigests(organization, code.phoneNumber),
    })
    call.andThen(digests, done, send)
  }

  const send = idempotency.once("verify", sendFor, (repeated, _, organization) => {
    const limits = Organization.limitsOf(organization, hostLimits)
    const restore = idempotency.answerTo(
      isCodeSent,
      ofCode(store, limits),
      (sent, { phoneNumber }, { requestId }) =>
        sentCode(sent, requestId ?? Fields.requestIdOf("none"), phoneNumber),
    )
    return restore(repeated)
  })

  const newRequestId = Effect.map(newId(random, requestIdPrefix), RequestId)

  const serving = access.serving(send)

  const sendQueued: Opening<Queued<Api.SendVerification>, Api.SentVerification, Api.SendError> = (
    call,
    done,
    { queued, ...input },
    admission,
  ) => {
    admission.queued = queued
    serving(call, done, input, admission)
  }

  /** The digests of a number, if an erasure may have left limits under one of them. */
  const erasedDigests = (
    { erasedAt, id }: Organization.Organization,
    phoneNumber: PhoneNumber.PhoneNumber,
  ) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      ErasedRecipient.isPossible(erasedAt, now)
        ? codes.phoneNumber(id, phoneNumber)
        : Effect.undefined,
    )

  const resetFor = Effect.fnUntraced(function* (
    input: Parsed<Api.ResetGuesses>,
    organization: Organization.Organization,
  ) {
    const problems = new Fields.FieldProblems()
    const phoneNumber = problems.parse("phoneNumber", input.phoneNumber, parseNumber)
    if (phoneNumber === undefined) {
      return yield* access.refuse(organization, problems.error ?? Fields.invalid)
    }
    const { id, version } = organization
    const erased = yield* erasedDigests(organization, phoneNumber)
    const about = { organization: id, version, phoneNumber, erased, actor: yield* Actor }
    yield* commits.run({ _tag: "ResetGuesses", ...about })
  })

  return Verifications.of({
    newRequestId,
    queue,
    sendQueued: refusals.observed("Verifications.sendQueued", "verify", sendQueued),
    send: refusals.observed("Verifications.send", "verify", serving),
    check: refusals.observed("Verifications.check", "check", access.serving(checks.check)),
    verify: refusals.observed("Verifications.verify", "check", access.serving(checks.verify)),
    resend: refusals.observed("Verifications.resend", "resend", access.serving(life.resend)),
    consume: tracedStep("Verifications.consume", access.serving(checks.consume)),
    cancel: traced("Verifications.cancel", (input) =>
      access.serve(input, (organization) => life.cancel(input, organization)),
    ),
    resetGuesses: traced("Verifications.resetGuesses", (input) =>
      access.serve(input, (organization) => resetFor(input, organization)),
    ),
    search: traced("Verifications.search", search.verifications),
    status: traced("Verifications.status", (input) =>
      Effect.flatMap(access.confirm(input), (organization) => life.status(input, organization)),
    ),
  })
})

export const layer = Layer.effect(Verifications, make)
