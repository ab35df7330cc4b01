/**
 * Sends messages, previews their price and reads the log.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { type AccessError, Access, type Caller, type Parsed } from "./Access.ts"
import * as Brand from "../domain/Brand.ts"
import { type Channel, channels } from "../domain/Channel.ts"
import type { Draft } from "../decide/Command.ts"
import { type Settled, Commits } from "./Commits.ts"
import { DispatchPolicy } from "./Dispatcher.ts"
import * as Drain from "./Drain.ts"
import {
  BrandUnusable,
  InsufficientBalance,
  InvalidRequest,
  MessageNotFound,
  NotOnWhatsApp,
  OrganizationNotFound,
  RateLimited,
  SendingFailed,
} from "../domain/Errors.ts"
import { isUnsent } from "../domain/GatewayOutcome.ts"
import { MessageId } from "../domain/Ids.ts"
import * as Checks from "../domain/internal/checks.ts"
import { FieldProblems } from "./internal/fieldProblems.ts"
import { checkPage } from "./internal/checkPage.ts"
import { newId } from "./internal/newId.ts"
import type { Progress } from "./internal/progress.ts"
import { makeSending, type Sending } from "./internal/sending.ts"
import { StaleSettings } from "./internal/staleSettings.ts"
import { Limits } from "../domain/Limits.ts"
import * as FieldProblem from "../domain/FieldProblem.ts"
import * as Message from "../domain/Message.ts"
import type { Money } from "../domain/Money.ts"
import * as Organization from "../domain/Organization.ts"
import * as PhoneNumber from "../domain/PhoneNumber.ts"
import { preview, type Preview, Pricing } from "../decide/Pricing.ts"
import { Store } from "../ports/Store.ts"
import * as Telemetry from "./Telemetry.ts"

export interface SendMessage extends Caller {
  /** E.164, with or without the plus. */
  readonly to: string
  /** 1 to 1,600 characters, stored and sent unchanged. */
  readonly text: string
  /** The channel to send on. @defaultValue `sms` */
  readonly channel?: Channel | undefined
  /**
   * A brand id, an approved masking name, or a registered number. `undefined`: the channel's default brand.
   */
  readonly brand?: string | undefined
}

export interface SentMessage {
  /** The gateway's id of the message; the message's own id if only a report has confirmed the delivery. */
  readonly gatewayId: string
  readonly to: PhoneNumber.PhoneNumber
  readonly channel: Channel
  readonly status: "delivered"
  /** Amount that can be spent. */
  readonly balance: Money
}

export interface PreviewMessage extends Caller {
  /** As in `SendMessage`. */
  readonly text: string
  /** As in `SendMessage`. @defaultValue `sms` */
  readonly channel?: Channel | undefined
  /** As in `SendMessage`. A test number is charged nothing. `undefined`: a regular number. */
  readonly to?: string | undefined
}

export interface ListMessages extends Caller {
  /** 1 to 200. @defaultValue 50 */
  readonly limit?: number | undefined
  /** From 1. @defaultValue 1 */
  readonly page?: number | undefined
  /** Epoch milliseconds, inclusive. Set both bounds or neither. */
  readonly from?: number | undefined
  readonly to?: number | undefined
}

export interface GetMessage extends Caller {
  /** The id of a log entry: `Message.logId`. */
  readonly id: string
}

export interface MessageList {
  /** Newest first. */
  readonly messages: ReadonlyArray<Message.Message>
  readonly page: number
  readonly limit: number
  /** The exact number of matching messages. */
  readonly total: number
  readonly totalPages: number
}

export type SendMessageError =
  | InvalidRequest
  | BrandUnusable
  | RateLimited
  | NotOnWhatsApp
  | InsufficientBalance
  | SendingFailed
  | AccessError

export class Messages extends Context.Service<
  Messages,
  {
    /** Sends a message. Fails with `SendingFailed` unless the gateway accepts it. */
    readonly send: (input: Parsed<SendMessage>) => Effect.Effect<SentMessage, SendMessageError>
    /**
     * The price that `send` would charge for a text, and its number of segments. Sends and counts nothing.
     */
    readonly preview: (
      input: PreviewMessage,
    ) => Effect.Effect<Preview, InvalidRequest | AccessError>
    /** A page of the log, newest first. */
    readonly list: (
      input: Parsed<ListMessages>,
    ) => Effect.Effect<MessageList, InvalidRequest | AccessError>
    /** One entry of the log. */
    readonly get: (
      input: GetMessage,
    ) => Effect.Effect<Message.Message, MessageNotFound | AccessError>
  }
>()("@countersign/core/services/Messages") {
  static readonly layer = Layer.effect(
    Messages,
    Effect.gen(function* () {
      const access = yield* Access
      const commits = yield* Commits
      const random = yield* SecureRandom.SecureRandom
      const store = yield* Store
      const hostLimits = yield* Limits
      const numberPolicy = yield* PhoneNumber.NumberPolicy
      const pricing = yield* Pricing
      const sendingTo = yield* makeSending
      const { graceMillis } = yield* DispatchPolicy
      const drain = yield* Drain.make(graceMillis)

      const prepare = (
        input: Parsed<SendMessage>,
        organization: Organization.Organization,
        limits: Limits,
      ): Result.Result<Prepared, InvalidRequest | BrandUnusable> => {
        const problems = new FieldProblems()
        const to = problems.parse("to", input.to, (text) => numberPolicy.parse(text, "optional"))
        const channel = channelOf(problems, input.channel)
        const text = textOf(problems, input.text, limits)
        const brand = problems.value("brand", input.brand)
        const { error } = problems
        if (error !== undefined) return Result.fail(error)
        if (to === undefined || text === undefined) return Result.fail(invalid)
        return Result.mapBoth(Brand.resolve(organization.brands, channel, brand), {
          onFailure: (problem) => new BrandUnusable({ problem }),
          onSuccess: (sender): Prepared => ({ to, channel, sender, sending: sendingTo(to), text }),
        })
      }

      /** Counts the message and checks the number, if the gateway can check numbers. */
      const admit = Effect.fnUntraced(function* (
        progress: Progress,
        prepared: Prepared,
        organization: Organization.Organization,
        limits: Limits,
      ) {
        const outcome = yield* commits.run({
          _tag: "AdmitMessage",
          organization: organization.id,
          version: organization.version,
          limit: limits.messagesPerOrganization,
        })
        if (outcome._tag !== "Admitted") return yield* refused(outcome)
        progress.counted = true
        const reachable = yield* prepared.sending.isReachable("whatsapp", prepared.to)
        if (reachable === "no") return yield* new NotOnWhatsApp()
      })

      const sendFor = Effect.fnUntraced(function* (
        input: Parsed<SendMessage>,
        organization: Organization.Organization,
        progress: Progress,
      ) {
        const limits = Organization.limitsOf(organization, hostLimits)
        const result = prepare(input, organization, limits)
        if (Result.isFailure(result)) return yield* access.refuse(organization, result.failure)
        const prepared = result.success
        yield* Effect.annotateCurrentSpan({
          "countersign.number": PhoneNumber.mask(prepared.to),
          "countersign.channel": prepared.channel,
        })
        const isChecked = prepared.channel === "whatsapp" && prepared.sending.checksRecipients
        if (isChecked && !progress.counted) yield* admit(progress, prepared, organization, limits)
        return yield* drain.run(deliver(prepared, organization, limits, progress.counted))
      })

      /** Charges, sends and settles. Continues if its caller is interrupted or the engine closes. */
      const deliver = Effect.fnUntraced(function* (
        { channel, sender, sending, text, to }: Prepared,
        organization: Organization.Organization,
        limits: Limits,
        counted: boolean,
      ) {
        const draft: Draft = {
          ...sending.terms,
          id: MessageId(yield* newId(random, "msg")),
          text,
          channel,
          logChannel: sender.logChannel,
          sender: sender.sender,
          charge: sending.price({ organization: organization.id, channel, text }),
        }
        const claimedAt = yield* Clock.monotonicTimeNanos
        const held = yield* commits.run({
          _tag: "HoldMessage",
          organization: organization.id,
          version: organization.version,
          phoneNumber: to,
          limit: limits.messagesPerOrganization,
          spendPerDay: limits.spendPerDay,
          counted,
          draft,
        })
        if (held._tag !== "Held") return yield* refused(held)
        const { outcome, settled } = yield* sending.dispatch(
          {
            token: draft.id,
            ref: { organization: organization.id, sequence: held.messageSequence },
            purpose: "message",
            channel,
            to,
            sender: sender.sender,
            text: Redacted.make(text, { label: "text" }),
          },
          { attempt: 1, verification: null, claimedAt },
        )
        const isTaken = outcome._tag === "Accepted" || outcome._tag === "Delivered"
        // A report may have confirmed the delivery before the dispatch ended.
        if (isTaken || settled?.status === "delivered") {
          const sent: SentMessage = {
            gatewayId: isTaken ? outcome.gatewayId : draft.id,
            to,
            channel,
            status: "delivered",
            // The outcome of the accepted message is not recorded yet: the balance after the charge is still
            // right.
            balance: settled?.balance ?? held.balance,
          }
          return sent
        }
        return yield* new SendingFailed({ status: isUnsent(outcome) ? "failed" : "unknown" })
      }, Effect.uninterruptible)

      const previewFor = (
        input: PreviewMessage,
        { id, settings }: Organization.Organization,
      ): Effect.Effect<Preview, InvalidRequest> => {
        const problems = new FieldProblems()
        const to =
          input.to === undefined
            ? undefined
            : problems.parse("to", input.to, (text) => numberPolicy.parse(text, "optional"))
        const channel = channelOf(problems, input.channel)
        const text = textOf(problems, input.text, Organization.limitsOf({ settings }, hostLimits))
        if (text === undefined || problems.error !== undefined)
          return Effect.fail(problems.error ?? invalid)
        const { price } = to === undefined ? pricing : sendingTo(to)
        return Effect.succeed(preview({ ...pricing, price }, { organization: id, channel, text }))
      }

      const listFor = Effect.fnUntraced(function* (
        input: Parsed<ListMessages>,
        organization: Organization.Organization,
      ) {
        const { pageSize } = Organization.limitsOf(organization, hostLimits)
        const problems = new FieldProblems()
        const limit = problems.value("limit", input.limit) ?? pageSize.default
        const page = problems.value("page", input.page) ?? 1
        const from = problems.value("from", input.from)
        const to = problems.value("to", input.to)
        checkPage(problems, { limit, page, from, to }, pageSize.max)
        const { error } = problems
        if (error !== undefined) return yield* access.refuse(organization, error)
        const bounded = from !== undefined && to !== undefined
        const found = yield* store.messages(organization.id, {
          from: bounded ? from : undefined,
          to: bounded ? to : undefined,
          skip: (page - 1) * limit,
          limit,
        })
        if (found === undefined) return yield* new OrganizationNotFound()
        if (found.version !== organization.version) return yield* new StaleSettings()
        const list: MessageList = {
          messages: found.messages,
          page,
          limit,
          total: found.total,
          totalPages: Math.ceil(found.total / limit),
        }
        return list
      })

      const getFor = Effect.fnUntraced(function* (
        { id }: GetMessage,
        { id: organization, version }: Organization.Organization,
      ) {
        // No message has the sequence 0.
        const number = Message.sequenceIn(id) ?? 0
        const found = yield* store.message({ organization, sequence: number })
        if (found === undefined) return yield* new OrganizationNotFound()
        if (found.version !== version) return yield* new StaleSettings()
        const { message } = found
        if (message === undefined || Message.logId(message) !== id) {
          return yield* new MessageNotFound()
        }
        return message
      })

      return Messages.of({
        send: Effect.fn("Messages.send")(function* (input) {
          yield* Effect.annotateCurrentSpan("countersign.organization", input.organization)
          const progress: Progress = { counted: false, unreachable: false }
          return yield* access.serve(input, (organization) =>
            sendFor(input, organization, progress),
          )
        }),
        preview: Effect.fn("Messages.preview")(function* (input) {
          yield* Effect.annotateCurrentSpan("countersign.organization", input.organization)
          // A preview commits no command that would detect stale settings.
          yield* access.confirm(input)
          return yield* previewFor(input, yield* access.current(input.organization))
        }),
        list: Effect.fn("Messages.list")(function* (input) {
          yield* Effect.annotateCurrentSpan("countersign.organization", input.organization)
          return yield* access.serve(input, (organization) => listFor(input, organization))
        }),
        get: Effect.fn("Messages.get")(function* (input) {
          yield* Effect.annotateCurrentSpan("countersign.organization", input.organization)
          return yield* access.serve(input, (organization) => getFor(input, organization))
        }),
      })
    }),
  )
}

interface Prepared {
  readonly to: PhoneNumber.PhoneNumber
  readonly channel: Channel
  readonly sender: Brand.Sender
  readonly sending: Sending
  readonly text: string
}

const invalid = new InvalidRequest({ details: {} })

const channelOf = (problems: FieldProblems, parsed: Parsed<SendMessage>["channel"]): Channel => {
  const channel = problems.value("channel", parsed) ?? "sms"
  if (!channels.includes(channel)) problems.add("channel", FieldProblem.make("unknown_channel", {}))
  return channel
}

const textOf = (
  problems: FieldProblems,
  parsed: Parsed<SendMessage>["text"],
  limits: Limits,
): string | undefined =>
  problems.parse("text", parsed, (text) => {
    const problem = Checks.textProblem(text, limits.messageLength)
    return problem === undefined ? Result.succeed(text) : Result.fail(problem)
  })

type Refusal = Exclude<Settled<"HoldMessage">, { readonly _tag: "Held" }>

const refused = (outcome: Refusal): Effect.Effect<never, RateLimited | InsufficientBalance> =>
  Effect.andThen(Telemetry.countRefusal(outcome._tag), Effect.fail(refusal(outcome)))

const refusal = (outcome: Refusal): RateLimited | InsufficientBalance => {
  switch (outcome._tag) {
    case "Limited":
      return new RateLimited({ retryAfterSeconds: outcome.retryAfterSeconds, reason: "rate" })
    case "Capped":
      return new RateLimited({
        retryAfterSeconds: outcome.retryAfterSeconds,
        reason: "spending",
      })
    case "Insufficient":
      return new InsufficientBalance({ required: outcome.required, available: outcome.available })
  }
}
