/**
 * Sends messages, previews their price and reads the log.
 */
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { Access } from "../engine/Access.ts"
import type { AccessError, Parsed } from "../api/Caller.ts"
import * as Sender from "../domain/messages/Sender.ts"
import { Codes } from "../engine/Codes.ts"
import type { Charge, MayBeOptedOut } from "../decide/shared/Results.ts"
import type { Digests } from "../domain/verifications/KnownClient.ts"
import type * as Call from "../engine/Call.ts"
import { type CallError, Commits } from "../engine/Commits.ts"
import { DispatchPolicy, type DispatchResult } from "../delivery/Dispatcher.ts"
import * as Drain from "../engine/Drain.ts"
import * as Errors from "../domain/errors/Errors.ts"
import { isAccepted } from "../domain/messages/GatewayOutcome.ts"
import { invalid, FieldProblems } from "../api/internal/fieldProblems.ts"
import * as Answers from "../engine/StoredAnswer.ts"
import { checkKey, makeIdempotency } from "../engine/Idempotency.ts"
import { notQueued, refusedMessage } from "../engine/CommandErrors.ts"
import { newId, newIds } from "../engine/internal/newId.ts"
import { makeSearch } from "./internal/search.ts"
import { type ListMessages, makeMessagePages, type MessageList } from "./internal/messagePages.ts"
import * as Sending from "../delivery/internal/sending.ts"
import { traced } from "../engine/internal/traced.ts"
import { MessageId, messageIdPrefix } from "../domain/values/Ids.ts"
import { Limits } from "../domain/limits/Limits.ts"
import * as Message from "../domain/messages/Message.ts"
import type { Money } from "../domain/values/Money.ts"
import * as Organization from "../domain/organizations/Organization.ts"
import * as Prefixes from "../domain/values/PrefixList.ts"
import * as PhoneNumber from "../domain/values/PhoneNumber.ts"
import { preview, type Preview, Pricing } from "../decide/Pricing.ts"
import type { NewQueuedSend } from "../domain/outbox/QueuedSend.ts"
import { channelOf, type MessageDelivery, sentMessage, textOf } from "./internal/messageFields.ts"
import { type Queued, queuedSend } from "./internal/queuedSend.ts"
import * as Admissions from "../engine/Admission.ts"
import type { Admission, Opening, Step } from "../engine/Admission.ts"
import * as Segments from "../text/Segments.ts"
import { Refusals } from "../engine/Refusals.ts"
import { Store } from "../ports/Store.ts"
import type * as Api from "../api/messages.ts"

export type * from "../api/messages.ts"
export type { ListMessages, MessageList } from "./internal/messagePages.ts"

/** `batch`: the batch that the message belongs to. */
type QueuedMessage = Queued<Api.SendMessage> & { readonly batch: string | null }

/** `gateway`: the only gateway that may carry the message. */
type ThroughGateway = Parsed<Api.SendMessage> & { readonly gateway: string }

/** A message that could be sent. */
export interface Judged {
  readonly phoneNumber: PhoneNumber.PhoneNumber
  /** 1 on WhatsApp. */
  readonly segments: number
  readonly price: Money
}

export class Messages extends Context.Service<
  Messages,
  {
    /** Fails with `SendingFailed` unless the gateway accepts the message. */
    readonly send: (
      input: Parsed<Api.SendMessage>,
    ) => Effect.Effect<Api.SentMessage, Api.SendMessageError>
    /** As `send`, over one gateway, even if it is paused or no route leads to it. */
    readonly sendThrough: (
      input: ThroughGateway,
    ) => Effect.Effect<Api.SentMessage, Api.SendMessageError>
    /** A message for the outbox. Reads and writes nothing. Fails as `send` does, as far as the input shows it. */
    readonly queue: (
      input: Parsed<Api.SendMessage>,
    ) => Effect.Effect<NewQueuedSend, Errors.InvalidRequest>
    /** Sends a message of the outbox. Dies with `QueuedElsewhere` if it has ended, or another node has it. */
    readonly sendQueued: (
      input: QueuedMessage,
    ) => Effect.Effect<Api.SentMessage, Api.SendMessageError>
    /**
     * The phone number, the segments and the price that a message would have. Reads and writes nothing, and counts
     * against no limit.
     */
    readonly judge: (
      input: Parsed<Api.SendMessage>,
      organization: Organization.Organization,
    ) => Result.Result<Judged, Errors.InvalidRequest | Errors.SenderUnusable>
    readonly preview: (
      input: Api.PreviewMessage,
    ) => Effect.Effect<Preview, Errors.InvalidRequest | AccessError>
    /** A page of the log, newest first. */
    readonly list: (
      input: Parsed<ListMessages>,
    ) => Effect.Effect<MessageList, Errors.InvalidRequest | AccessError>
    readonly search: (
      input: Parsed<Api.SearchMessages>,
    ) => Effect.Effect<Api.FoundMessages, Api.SearchError>
    readonly get: (
      input: Api.GetMessage,
    ) => Effect.Effect<Message.Message, Errors.MessageNotFound | AccessError>
  }
>()("@countersign/core/services/Messages") {}

const make = Effect.gen(function* () {
  const access = yield* Access
  const codes = yield* Codes
  const commits = yield* Commits
  const store = yield* Store
  const hostLimits = yield* Limits
  const numberPolicy = yield* PhoneNumber.NumberPolicy
  const pricing = yield* Pricing
  const random = yield* SecureRandom.SecureRandom
  const refusals = yield* Refusals
  const search = yield* makeSearch
  const pageFor = yield* makeMessagePages
  const sendingTo = yield* Sending.makeSending
  const idempotency = yield* makeIdempotency
  const { graceMillis } = yield* DispatchPolicy
  const drain = yield* Drain.make(graceMillis)

  const numberFor = ({ settings }: Organization.Organization) =>
    Prefixes.parser((text) => numberPolicy.parse(text, "optional"), settings)

  /** Makes a queued send. Its checks need no settings of the organization, and read nothing. */
  const queue = (
    input: Parsed<Api.SendMessage>,
  ): Effect.Effect<NewQueuedSend, Errors.InvalidRequest> => {
    const problems = new FieldProblems()
    const phoneNumber = problems.parse("phoneNumber", input.phoneNumber, (text) =>
      numberPolicy.parse(text, "optional"),
    )
    channelOf(problems, input.channel)
    textOf(problems, input.text, hostLimits)
    problems.value("sender", input.sender)
    checkKey(problems, input)
    if (phoneNumber === undefined || problems.error !== undefined) {
      return Effect.fail(problems.error ?? invalid)
    }
    return Effect.flatMap(newId(random, messageIdPrefix), (id) =>
      queuedSend(id, phoneNumber, input),
    )
  }

  const prepare = (
    input: Parsed<Api.SendMessage>,
    organization: Organization.Organization,
    limits: Limits,
    admission: Admission,
  ): Result.Result<MessageDelivery, Errors.InvalidRequest | Errors.SenderUnusable> => {
    const problems = new FieldProblems()
    const phoneNumber = problems.parse("phoneNumber", input.phoneNumber, numberFor(organization))
    const channel = channelOf(problems, input.channel)
    admission.channel = channel
    const text = textOf(problems, input.text, limits)
    const requestedSender = problems.value("sender", input.sender)
    const messageClass = problems.value("class", input.class) ?? "transactional"
    checkKey(problems, input)
    if (phoneNumber === undefined || text === undefined || problems.error !== undefined) {
      return Result.fail(problems.error ?? invalid)
    }
    const sending = sendingTo(phoneNumber)
    const found = Sender.resolve(organization.senders, channel, requestedSender, messageClass)
    return Result.mapBoth(found, {
      onFailure: (problem) => new Errors.SenderUnusable({ problem }),
      onSuccess: (sender) => ({
        organization: organization.id,
        phoneNumber,
        channel,
        class: messageClass,
        sender,
        sending,
        text,
      }),
    })
  }

  const judge: Messages["Service"]["judge"] = (input, organization) => {
    const limits = Organization.limitsOf(organization, hostLimits)
    const prepared = prepare(input, organization, limits, Admissions.make())
    return Result.map(prepared, ({ channel, phoneNumber, sending, text }) => ({
      phoneNumber,
      segments: channel === "sms" ? Segments.count(text).segments : 1,
      price: sending.price({ organization: organization.id, channel, text }),
    }))
  }

  const sendFor: Step<
    Parsed<Api.SendMessage>,
    Api.SentMessage,
    Api.SendMessageError | CallError
  > = (call, done, input, organization, admission) => {
    const limits = Organization.limitsOf(organization, hostLimits)
    const result = prepare(input, organization, limits, admission)
    if (Result.isFailure(result)) {
      return call.run(access.refuse(organization, result.failure), done)
    }
    const { settings } = organization
    const hours = settings.quietHours?.[result.success.class]
    const { phoneNumber } = result.success
    const quiet = hours && { hours, phoneNumber }
    const count = (optOut: Digests | undefined) => () =>
      Effect.flatMap(
        commits.runOnce({
          _tag: "AdmitMessage",
          idempotency: admission.keyed,
          organization: organization.id,
          version: organization.version,
          limits,
          quiet,
          optOut,
        }),
        (admitted) => (admitted._tag === "Admitted" ? Effect.void : refusedMessage(admitted)),
      )
    const delivery = { ...result.success, quiet }
    const admit = (optOut: Digests | undefined): void =>
      Sending.admit(call, done, admission, delivery, count(optOut), () => {
        if (admission.isUnreachable) done(Exit.fail(new Errors.NotOnWhatsApp()))
        else deliver(call, done, { ...delivery, optOut }, { organization, limits, admission })
      })
    // Only advertisements can be refused by the number, so other messages need no digest of it.
    if (delivery.class !== "promotional") admit(undefined)
    else call.andThen(codes.phoneNumber(organization.id, delivery.phoneNumber), done, admit)
  }

  const answerTo = idempotency.answerTo(
    Answers.isMessageSent,
    Answers.ofMessage(store),
    sentMessage,
  )

  /** Charges, sends and settles. Continues if its caller is interrupted or the engine closes. */
  const deliver = (
    call: Call.Call,
    done: Call.Done<Api.SentMessage, Api.SendMessageError | CallError>,
    delivery: MessageDelivery & MayBeOptedOut,
    { admission, limits, organization }: Sending.Terms,
  ): void => {
    const { isCounted, keyed } = admission
    const { channel, phoneNumber, sender, sending, text } = delivery
    const { id: owner, version } = organization
    call.hold(drain, done, (ended) =>
      call.andThen(newIds(random), ended, ({ claimedAt, message }) => {
        const { batch = null, queued } = admission
        const id = queued === undefined ? message : MessageId(queued.id)
        const { class: messageClass } = delivery
        const of = { class: messageClass, batch }
        const draft = Sending.draftOf(call.context, delivery, id, text, text, of)
        const held = commits.runOnce({
          _tag: "HoldMessage",
          idempotency: keyed,
          organization: owner,
          version,
          phoneNumber,
          limits,
          isCounted,
          queued,
          draft,
          quiet: delivery.quiet,
          optOut: delivery.optOut,
        })
        call.andThen(held, ended, (held) => {
          if (held._tag === "NotQueued") return call.run(notQueued, ended)
          if (held._tag !== "Held") return call.run(refusedMessage(held), ended)
          const sequence = held.messageSequence
          const dispatched = sending.dispatch(
            {
              token: draft.id,
              ref: { organization: owner, sequence },
              purpose: "message",
              class: delivery.class,
              channel,
              phoneNumber: phoneNumber,
              sender: sender.value,
              text: Redacted.make(text, { label: "text" }),
              ...(admission.gateway !== undefined && { gateway: admission.gateway }),
            },
            { dispatchNumber: 1, requestId: null, claimedAt },
            drain.finish,
          )
          call.andThen(dispatched, ended, (result) => {
            const answer = answerOf(result, held, draft)
            const recorded = idempotency.record(owner, keyed, Answers.isMessageSent, answer)
            call.andThen(recorded, ended, (sent) =>
              ended(Exit.succeed(sentMessage(sent, { ...draft, sequence, phoneNumber }))),
            )
          })
        })
      }),
    )
  }

  const answerOf = (
    { outcome, settled }: DispatchResult,
    held: Charge,
    { channel, id }: Message.NewMessage,
  ): Exit.Exit<Answers.MessageSent, Errors.SendingFailed> => {
    // A report may have confirmed the delivery before the dispatch ended.
    if (isAccepted(outcome) || settled?.status === "delivered") {
      return Exit.succeed({
        _tag: "MessageSent",
        gatewayId: isAccepted(outcome) ? outcome.gatewayId : id,
        channel,
        // Without a recorded outcome, the balance after the charge is still right.
        balance: settled?.balance ?? held.balance,
        status: settled?.status ?? "accepted",
      })
    }
    return Exit.fail(Answers.sendingFailed(outcome))
  }

  const serving = access.serving(idempotency.once("messages", sendFor, answerTo))

  const sendQueued: Opening<QueuedMessage, Api.SentMessage, Api.SendMessageError> = (
    call,
    done,
    { batch, queued, ...input },
    admission,
  ) => {
    admission.queued = queued
    admission.batch = batch
    serving(call, done, input, admission)
  }

  const sendThrough: Opening<ThroughGateway, Api.SentMessage, Api.SendMessageError> = (
    call,
    done,
    { gateway, ...input },
    admission,
  ) => {
    admission.gateway = gateway
    serving(call, done, input, admission)
  }

  const previewFor = (
    input: Api.PreviewMessage,
    organization: Organization.Organization,
  ): Effect.Effect<Preview, Errors.InvalidRequest> => {
    const problems = new FieldProblems()
    const phoneNumber =
      input.phoneNumber === undefined
        ? undefined
        : problems.parse("phoneNumber", input.phoneNumber, numberFor(organization))
    const channel = channelOf(problems, input.channel)
    const text = textOf(problems, input.text, Organization.limitsOf(organization, hostLimits))
    const { error } = problems
    if (error !== undefined || text === undefined) return Effect.fail(error ?? invalid)
    const { price } = phoneNumber === undefined ? pricing : sendingTo(phoneNumber)
    const item = { organization: organization.id, channel, text }
    return Effect.succeed(preview({ ...pricing, price }, item))
  }

  return Messages.of({
    send: refusals.observed("Messages.send", "message", serving),
    sendThrough: refusals.observed("Messages.sendThrough", "message", sendThrough),
    queue,
    judge,
    sendQueued: refusals.observed("Messages.sendQueued", "message", sendQueued),
    preview: traced("Messages.preview", (input) =>
      // A preview commits no command that would detect stale settings.
      Effect.flatMap(access.confirm(input), (organization) => previewFor(input, organization)),
    ),
    list: traced("Messages.list", (input) =>
      Effect.map(
        access.read(input, (organization) => pageFor(input, organization)),
        ({ version: _, ...list }) => list,
      ),
    ),
    search: traced("Messages.search", search.messages),
    // No message has the sequence 0.
    get: traced("Messages.get", ({ id, sequence = Message.sequenceIn(id ?? "") ?? 0, ...caller }) =>
      Effect.flatMap(
        access.read(caller, ({ id: organization }) => store.message({ organization, sequence })),
        ({ message }) =>
          message === undefined || (id ?? Message.logId(message)) !== Message.logId(message)
            ? Effect.fail(new Errors.MessageNotFound())
            : Effect.succeed(message),
      ),
    ),
  })
})

export const layer = Layer.effect(Messages, make)
