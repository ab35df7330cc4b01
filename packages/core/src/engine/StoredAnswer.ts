/**
 * The answers of calls that send. They are stored for the repeats of calls with idempotency keys. They contain no code
 * and no phone number, which a repeat reads from the message.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Channel, channels } from "../domain/values/Channel.ts"
import {
  IdempotencyInFlight,
  InvalidRequest,
  NotOnWhatsApp,
  OptedOut,
  SenderUnusable,
  TooManyPending,
  InsufficientBalance,
  RateLimited,
  SendingFailed,
  type StoreUnavailable,
} from "../domain/errors/Errors.ts"
import type { IdempotencyKey } from "../domain/values/IdempotencyKey.ts"
import type { Limits } from "../domain/limits/Limits.ts"
import { isUnsent, reasonOf, type Unaccepted } from "../domain/messages/GatewayOutcome.ts"
import { type Message, isUnsentStatus } from "../domain/messages/Message.ts"
import { messageStatuses } from "../domain/messages/MessageStatus.ts"
import type { Verification } from "../domain/verifications/Verification.ts"
import type { SentVerification } from "../api/verifications.ts"
import type { RequestId } from "../domain/values/Ids.ts"
import type { PhoneNumber } from "../domain/values/PhoneNumber.ts"
import type { Store } from "../ports/Store.ts"

const MessageSent = Schema.Struct({
  _tag: Schema.Literal("MessageSent"),
  gatewayId: Schema.String,
  channel: Schema.Literals(channels),
  balance: Schema.Int,
  /** The status of the message at that time. */
  status: Schema.Literals(messageStatuses),
})
export type MessageSent = typeof MessageSent.Type

const CodeSent = Schema.Struct({
  _tag: Schema.Literal("CodeSent"),
  channel: Schema.Literals(channels),
  expiresAt: Schema.Int,
  expiresInSeconds: Schema.Int,
  resendsRemaining: Schema.Int,
  /** When the code can be sent again; `null` if it cannot. */
  resendAt: Schema.NullOr(Schema.Int),
})
export type CodeSent = typeof CodeSent.Type

export const isMessageSent = (answer: Answer): answer is MessageSent =>
  answer._tag === "MessageSent"
export const isCodeSent = (answer: Answer): answer is CodeSent => answer._tag === "CodeSent"

export type ResendLimits = Pick<Limits, "resendCooldownMillis" | "resends">

export const codeSent = (
  channel: Channel,
  expiresInSeconds: number,
  { expiresAt, resends, sentAt }: Pick<Verification, "expiresAt" | "resends" | "sentAt">,
  limits: ResendLimits,
): CodeSent => {
  const resendsRemaining = Math.max(0, limits.resends - resends)
  const resendAt = sentAt + limits.resendCooldownMillis
  return {
    _tag: "CodeSent",
    channel,
    expiresAt,
    expiresInSeconds,
    resendsRemaining,
    resendAt: resendsRemaining > 0 && resendAt < expiresAt ? resendAt : null,
  }
}

/** The answer to a caller. */
export const sentCode = (
  { channel, expiresAt, expiresInSeconds, resendAt, resendsRemaining }: CodeSent,
  requestId: RequestId,
  phoneNumber: PhoneNumber,
): SentVerification => ({
  requestId,
  phoneNumber,
  channel,
  status: "pending",
  expiresAt,
  expiresInSeconds,
  resendsRemaining,
  resendAt,
})

export type Sent = MessageSent | CodeSent
export type Failure = SendingFailed | InsufficientBalance | RateLimited
export type Answer = Sent | Failure

const Stored = Schema.fromJsonString(
  Schema.Union([MessageSent, CodeSent, SendingFailed, InsufficientBalance, RateLimited]),
)
export const encode = Schema.encodeSync(Stored)
export const decode = Schema.decodeSync(Stored)

/** Why a queued send is refused. */
const Refusal = Schema.Union([
  SendingFailed,
  InsufficientBalance,
  RateLimited,
  InvalidRequest,
  TooManyPending,
  NotOnWhatsApp,
  OptedOut,
  SenderUnusable,
])

export type Refusal = typeof Refusal.Type

export const isRefusal = Schema.is(Refusal)

const StoredRefusal = Schema.fromJsonString(Refusal)
export const encodeRefusal = Schema.encodeSync(StoredRefusal)
export const decodeRefusal = Schema.decodeSync(StoredRefusal)

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

const noVendor = { gateway: null, vendorCode: null, vendorMessage: null }

/** The text could not be made, so no gateway was asked. */
export const noText = new SendingFailed({ ...noVendor, status: "failed", reason: "no_text" })

/** The rows that have the outcome are gone. */
export const unknown = new SendingFailed({ ...noVendor, status: "unknown", reason: "unknown" })

/** Why a gateway has not accepted a message. */
export const sendingFailed = (outcome: Unaccepted): SendingFailed => {
  const { gateway, message, vendorCode } = outcome
  const vendor =
    gateway === undefined
      ? noVendor
      : { gateway, vendorCode: vendorCode ?? null, vendorMessage: message }
  const status = isUnsent(outcome) ? "failed" : "unknown"
  return new SendingFailed({ ...vendor, status, reason: reasonOf(outcome) })
}

/** The same, from the row of the message. */
const failedIn = ({ error, failureReason, gateway, status, vendorCode }: Message): SendingFailed =>
  new SendingFailed({
    status: isUnsentStatus(status) ? "failed" : "unknown",
    reason: failureReason ?? "unknown",
    gateway,
    vendorCode,
    vendorMessage: error,
  })

/** The answer to a message whose node stopped before it recorded the answer. */
export const ofMessage =
  (store: Store["Service"]) =>
  (
    message: Message,
    { organization }: Pick<IdempotencyKey, "organization">,
    now: number,
  ): Effect.Effect<MessageSent, SendingFailed | IdempotencyInFlight | StoreUnavailable> => {
    if (message.status === "pending") return Effect.fail(inFlight(message, now))
    if (isUnsentStatus(message.status) || message.status === "unknown") {
      return Effect.fail(failedIn(message))
    }
    return Effect.map(store.account(organization), (account): MessageSent => ({
      _tag: "MessageSent",
      gatewayId: message.gatewayId ?? message.id,
      channel: message.channel,
      balance: account?.balance ?? 0,
      status: message.status,
    }))
  }

/** As `ofMessage`, for a code. Another message may have carried it instead of one that was not sent. */
export const ofCode =
  (store: Store["Service"], limits: ResendLimits) =>
  (
    first: Message,
    { organization, requestId }: Pick<IdempotencyKey, "organization" | "requestId">,
    now: number,
  ) =>
    Effect.gen(function* () {
      const found =
        requestId === null ? undefined : yield* store.verification(organization, requestId)
      if (found === undefined) return yield* unknown
      const { earlierMessages, expiresAt, messageSequence } = found.verification
      let message = first
      for (const sequence of [...earlierMessages, messageSequence]) {
        if (sequence <= message.sequence || !isUnsentStatus(message.status)) continue
        message = (yield* store.message({ organization, sequence }))?.message ?? message
      }
      if (message.status === "pending") return yield* inFlight(message, now)
      if (isUnsentStatus(message.status)) {
        return yield* message.followAt === null ? failedIn(message) : inFlight(message, now)
      }
      const expiresInSeconds = Math.floor((expiresAt - first.createdAt) / 1_000)
      return codeSent(message.channel, expiresInSeconds, found.verification, limits)
    })
