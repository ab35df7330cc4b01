/**
 * The rows that each command needs, which a store reads before it decides the command, and the commands that no store
 * refuses.
 */
import { callOf, claimedOf, type Command, type Tag } from "./Command.ts"
import { isUnsent } from "../domain/messages/GatewayOutcome.ts"
import type { RequestId, WebhookId } from "../domain/values/Ids.ts"
import type { Digests } from "../domain/verifications/KnownClient.ts"
import type { PhoneNumber } from "../domain/values/PhoneNumber.ts"
import { prefixOf } from "../domain/fraud/PrefixStats.ts"
import type { WindowLimit } from "../domain/limits/SlidingWindow.ts"

/** The rows that a command needs besides the account. */
export interface Needs {
  /** The recipient with this number. */
  readonly phoneNumber?: PhoneNumber
  /** The activity of the client with one of these digests. */
  readonly client?: Digests | undefined
  /** The limits that the erasure of a number with one of these digests has left. */
  readonly erased?: Digests | undefined
  /** The rows of the list of opt-outs with these digests. */
  readonly optOuts?: ReadonlyArray<string> | undefined
  /** The verification, and its recipient. */
  readonly requestId?: RequestId
  readonly messageSequence?: number
  /** The idempotency key with this id. */
  readonly idempotencyId?: string
  /** The ledger entry with this payment id. */
  readonly paymentId?: string
  /** The progress of the webhook with this id. */
  readonly webhookId?: WebhookId
  /** The queued send with this id. */
  readonly queuedId?: string
  /** The queued sends with these ids. */
  readonly queuedIds?: ReadonlyArray<string>
  /** The batch with this id. */
  readonly batchId?: string
  /** Whether to load the alerts of the organization. */
  readonly alerts?: boolean
  /** Whether to load the message that the verification points to. */
  readonly carrier?: boolean
  /** The statistics of this prefix. */
  readonly prefix?: string
  /** Whether to load the statistics that count the verification's code. */
  readonly prefixOfRequest?: boolean
}

const nothingElse = (): Needs => ({})
/** A client's activity is only read if it is limited. */
const limitedClient = (
  client: Digests | undefined,
  limit: WindowLimit | undefined,
): Needs | undefined => (client === undefined || limit === undefined ? undefined : { client })

const promotion = ({ optOut }: { readonly optOut?: Digests | undefined }): Needs =>
  optOut === undefined ? {} : { optOuts: optOut }

const itsMessage = ({ messageSequence }: { readonly messageSequence: number }): Needs => ({
  messageSequence,
})

const itsBatch = ({ batchId }: { readonly batchId: string }): Needs => ({ batchId })

const itsWebhook = ({ id }: { readonly id: WebhookId }): Needs => ({ webhookId: id })

const comparison = (command: Command<"CheckCode" | "VerifyCode">): Needs => ({
  requestId: command.requestId,
  prefixOfRequest: command.rules !== undefined,
  ...limitedClient(command.client, command.limits.checksPerClient),
})

const needed: { readonly [K in Tag]: (command: Command<K>) => Needs } = {
  AdmitVerification: ({ client, erased, limits, phoneNumber }) => ({
    phoneNumber,
    ...(erased && { erased }),
    ...limitedClient(client, limits.sendsPerClient),
  }),
  RequestVerification: ({ client, erased, limits, mayBeTaken, phoneNumber, requestId, rules }) => {
    const prefix = prefixOf(phoneNumber, rules)
    return {
      phoneNumber,
      ...(mayBeTaken === true && { requestId }),
      ...(erased && { erased }),
      ...(prefix === null ? {} : { prefix }),
      ...limitedClient(client, limits.sendsPerClient),
    }
  },
  FollowVerification: ({ messageSequence, requestId, rules }) => ({
    requestId,
    messageSequence,
    carrier: true,
    prefixOfRequest: rules !== undefined,
  }),
  EndFollow: ({ messageSequence, requestId, rules }) => ({
    requestId,
    messageSequence,
    prefixOfRequest: rules !== undefined,
  }),
  AdmitResend: ({ client, limits, requestId }) => ({
    requestId,
    ...limitedClient(client, limits.sendsPerClient),
  }),
  ResendVerification: ({ client, limits, requestId, rules }) => ({
    requestId,
    carrier: true,
    prefixOfRequest: rules !== undefined,
    ...limitedClient(client, limits.sendsPerClient),
  }),
  CancelVerification: ({ requestId }) => ({ requestId }),
  ConsumeVerification: ({ requestId }) => ({ requestId }),
  CheckCode: comparison,
  VerifyCode: comparison,
  ResetGuesses: ({ erased, phoneNumber }) => ({ phoneNumber, ...(erased && { erased }) }),
  ObserveVerification: ({ requestId }) => ({ requestId }),
  AdmitMessage: promotion,
  HoldMessage: (command) => ({
    ...promotion(command),
    ...(command.draft.batch !== null && { batchId: command.draft.batch }),
  }),
  RecordDispatch: ({ messageSequence, outcome, requestId, rules, verification }) =>
    requestId === null || (verification !== undefined && !isUnsent(outcome))
      ? { messageSequence }
      : // Only codes that were not sent are removed from the count.
        { messageSequence, requestId, prefixOfRequest: rules !== undefined && isUnsent(outcome) },
  ApplyReport: itsMessage,
  ReclaimMessage: itsMessage,
  BeginLookup: itsMessage,
  CloseMessage: itsMessage,
  FindCall: nothingElse,
  RecordAnswer: ({ idempotencyId }) => ({ idempotencyId }),
  RecordAudit: nothingElse,
  ChangeOptOuts: ({ numbers }) => ({ optOuts: numbers.flat() }),
  Book: ({ paymentId }) => (paymentId === null ? {} : { paymentId }),
  ClaimWebhook: itsWebhook,
  RecordDeliveries: itsWebhook,
  RecordResent: itsWebhook,
  ReplayWebhook: itsWebhook,
  RecordErasure: nothingElse,
  RecordRefusals: nothingElse,
  EndQueued: nothingElse,
  MoveQueued: nothingElse,
  ReleaseOrder: ({ queuedId }) => ({ queuedId }),
  OpenBatch: itsBatch,
  AddToBatch: ({ batchId, sends }) => ({ batchId, queuedIds: sends.map(({ send }) => send.id) }),
  ChangeBatch: itsBatch,
  PaceBatch: itsBatch,
  DropQueued: ({ batchId, ids }) => ({ batchId, queuedIds: ids }),
  CheckAlerts: () => ({ alerts: true }),
}

/** The rows that the view of this command must contain. */
export const needs = <T extends Tag>(command: Command<T>): Needs => {
  const of: (command: Command<T>) => Needs = needed[command._tag]
  const own = of(command)
  const call = callOf(command)
  const claimed = claimedOf(command)
  if (call === undefined && claimed === undefined) return own
  return {
    ...own,
    ...(call && { idempotencyId: call.id }),
    ...(claimed && { queuedId: claimed.id }),
  }
}

const ending: ReadonlySet<Tag> = new Set<Tag>([
  "FollowVerification",
  "EndFollow",
  "RecordDispatch",
  "ApplyReport",
  "ReclaimMessage",
  "BeginLookup",
  "CloseMessage",
  "RecordAnswer",
  "EndQueued",
  "MoveQueued",
  "ReleaseOrder",
  "ChangeBatch",
  "DropQueued",
])

/** Whether a command continues paid work, whose amount is bounded. An overloaded store rejects none of it. */
export const isEnding = <T extends Tag>(command: Command<T>): boolean => ending.has(command._tag)
