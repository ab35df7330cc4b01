/**
 * The answers of calls that send. They are stored for the repeats of calls with idempotency keys, and contain no
 * code and no phone number, which a repeat reads from the message.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Channel, channels } from "../../domain/Channel.ts"
import {
  IdempotencyInFlight,
  InsufficientBalance,
  RateLimited,
  SendingFailed,
  type StoreUnavailable,
} from "../../domain/Errors.ts"
import type { IdempotencyKey } from "../../domain/IdempotencyKey.ts"
import type { Limits } from "../../domain/Limits.ts"
import { type Message, isUnsentStatus } from "../../domain/Message.ts"
import type { Store } from "../../ports/Store.ts"

const MessageSent = Schema.Struct({
  _tag: Schema.Literal("MessageSent"),
  gatewayId: Schema.String,
  channel: Schema.Literals(channels),
  balance: Schema.Int,
})
export type MessageSent = typeof MessageSent.Type

const CodeSent = Schema.Struct({
  _tag: Schema.Literal("CodeSent"),
  channel: Schema.Literals(channels),
  expiresInSeconds: Schema.Int,
  resendsRemaining: Schema.Int,
})
export type CodeSent = typeof CodeSent.Type

export const isMessageSent = (answer: Answer): answer is MessageSent =>
  answer._tag === "MessageSent"
export const isCodeSent = (answer: Answer): answer is CodeSent => answer._tag === "CodeSent"

export const codeSent = (
  channel: Channel,
  expiresInSeconds: number,
  limits: Pick<Limits, "resends">,
  resends: number,
): CodeSent => ({
  _tag: "CodeSent",
  channel,
  expiresInSeconds,
  resendsRemaining: Math.max(0, limits.resends - resends),
})

export type Sent = MessageSent | CodeSent
export type Failure = SendingFailed | InsufficientBalance | RateLimited
export type Answer = Sent | Failure

const Stored = Schema.fromJsonString(
  Schema.Union([MessageSent, CodeSent, SendingFailed, InsufficientBalance, RateLimited]),
)
export const encode = Schema.encodeSync(Stored)
export const decode = Schema.decodeSync(Stored)

/** Whether a call that failed so has had its effect and ended. Other errors leave the answer open. */
export const isFailure = (error: unknown): error is Failure =>
  error instanceof SendingFailed ||
  error instanceof InsufficientBalance ||
  error instanceof RateLimited

/** Waits as long as the first call has already taken, but not beyond the end of its lease. */
const inFlight = ({ createdAt, dueAt }: Message, now: number): IdempotencyInFlight => {
  const millis = Math.min(now - createdAt, (dueAt ?? now) - now)
  return new IdempotencyInFlight({ retryAfterSeconds: Math.max(1, Math.ceil(millis / 1_000)) })
}

const failed = Effect.fail(new SendingFailed({ status: "failed" }))
const unknown = Effect.fail(new SendingFailed({ status: "unknown" }))

/** The answer to a message whose node stopped before it recorded the answer. */
export const ofMessage =
  (store: Store["Service"]) =>
  (
    message: Message,
    { organization }: IdempotencyKey,
    now: number,
  ): Effect.Effect<MessageSent, SendingFailed | IdempotencyInFlight | StoreUnavailable> => {
    if (message.status === "pending") return Effect.fail(inFlight(message, now))
    if (isUnsentStatus(message.status)) return failed
    if (message.status === "unknown") return unknown
    return Effect.map(store.account(organization), (account): MessageSent => ({
      _tag: "MessageSent",
      gatewayId: message.gatewayId ?? message.id,
      channel: message.channel,
      balance: account?.balance ?? 0,
    }))
  }

/** As `ofMessage`, for a code. Another message may have carried it instead of one that was not sent. */
export const ofCode =
  (store: Store["Service"], maxResends: number) =>
  (first: Message, { organization, requestId }: IdempotencyKey, now: number) =>
    Effect.gen(function* () {
      const found =
        requestId === null ? undefined : yield* store.verification(organization, requestId)
      if (found === undefined) return yield* unknown
      const { earlierMessages, expiresAt, messageSequence, resends } = found.verification
      let message = first
      for (const sequence of [...earlierMessages, messageSequence]) {
        if (sequence <= message.sequence || !isUnsentStatus(message.status)) continue
        message = (yield* store.message({ organization, sequence }))?.message ?? message
      }
      if (message.status === "pending") return yield* inFlight(message, now)
      if (isUnsentStatus(message.status)) {
        return yield* message.followAt === null ? failed : Effect.fail(inFlight(message, now))
      }
      const sent: CodeSent = {
        _tag: "CodeSent",
        channel: message.channel,
        expiresInSeconds: Math.floor((expiresAt - first.createdAt) / 1_000),
        resendsRemaining: Math.max(0, maxResends - resends),
      }
      return sent
    })
