import { host } from "@countersign/core/domain/values/Actor"
import type { IdempotencyKey, IdempotentCall } from "@countersign/core/domain/values/IdempotencyKey"
import type { Command, Tag } from "@countersign/core/decide/Command"
import * as Limits from "@countersign/core/domain/limits/Limits"
import type { NewMessage } from "@countersign/core/domain/messages/Message"
import type { ReportSource } from "@countersign/core/domain/messages/MessageReport"
import {
  newMessage,
  messageId,
  money,
  now,
  organizationId as organization,
  codeOf,
  phoneNumber,
  requestId,
  digest,
} from "./rows.ts"

/** The fields of a command, of its limits and of its message that a test sets. */
export type Overrides<C> = Partial<Omit<C, "_tag" | "limits" | "draft">> & {
  readonly limits?: Partial<Limits.Limits>
  readonly draft?: Partial<NewMessage>
}

type Sample<T extends Tag> = (overrides?: Overrides<Command<T>>) => Command<T>

const sample =
  <T extends Tag>(command: Command<T>): Sample<T> =>
  (overrides = {}) => ({
    ...command,
    ...overrides,
    ...("limits" in command && { limits: { ...command.limits, ...overrides.limits } }),
    ...("draft" in command && { draft: { ...command.draft, ...overrides.draft } }),
  })

/** A call with a key. Calls with different fingerprints are different calls. */
export const idempotentCall = (id = "key", fingerprint = "call"): IdempotentCall => ({
  id,
  fingerprint: digest(fingerprint),
})

/** The row of a call that has charged message 1 and has no answer yet. */
export const idempotencyKey = (overrides: Partial<IdempotencyKey> = {}): IdempotencyKey => ({
  organization,
  ...idempotentCall(),
  messageSequence: 1,
  requestId: null,
  answer: null,
  expiresAt: now + 86_400_000,
  ...overrides,
})

/** The source of a report on a known message. */
export const reportSource = (overrides: Partial<ReportSource> = {}): ReportSource => ({
  gateway: undefined,
  gatewayId: null,
  evidence: null,
  receivedAt: undefined,
  ...overrides,
})

/** Commands of `acme` at version 1, under the standard limits. */
const ofAcme = { organization, version: 1, limits: Limits.defaults } as const
const ofRequest = { ...ofAcme, requestId: requestId() } as const
const ofMessage = { organization, messageSequence: 1 } as const
const code = newMessage({ text: "•••••• is your verification code." })

export const admitVerification = sample<"AdmitVerification">({
  _tag: "AdmitVerification",
  ...ofAcme,
  phoneNumber: phoneNumber(),
})

export const requestVerification = sample<"RequestVerification">({
  _tag: "RequestVerification",
  ...ofRequest,
  phoneNumber: phoneNumber(),
  code: codeOf(),
  sealed: digest("seal"),
  purpose: null,
  metadata: null,
  expirySeconds: 300,
  rules: undefined,
  isCounted: false,
  draft: code,
})

/** A second message for the pending request, by SMS, after the gateway rejected the first. */
export const followVerification = sample<"FollowVerification">({
  _tag: "FollowVerification",
  ...ofRequest,
  messageSequence: 1,
  rules: undefined,
  draft: { ...code, id: messageId(2) },
})

/** Gives up the message that was to follow message 1. */
export const endFollow = sample<"EndFollow">({
  _tag: "EndFollow",
  ...ofMessage,
  requestId: requestId(),
  rules: undefined,
})

export const admitResend = sample<"AdmitResend">({ _tag: "AdmitResend", ...ofRequest })

export const resendVerification = sample<"ResendVerification">({
  _tag: "ResendVerification",
  ...ofRequest,
  rules: undefined,
  isCounted: false,
  draft: { ...code, id: messageId(2) },
})

export const cancelVerification = sample<"CancelVerification">({
  _tag: "CancelVerification",
  organization,
  version: 1,
  requestId: requestId(),
})

export const consumeVerification = sample<"ConsumeVerification">({
  _tag: "ConsumeVerification",
  organization,
  version: 1,
  requestId: requestId(),
  purpose: undefined,
  profile: "standard",
})

const comparison = {
  ...ofRequest,
  candidates: [codeOf()],
  purpose: undefined,
  rules: undefined,
  testNumbers: new Set<string>(),
}

export const checkCode = sample<"CheckCode">({ _tag: "CheckCode", ...comparison })

export const verifyCode = sample<"VerifyCode">({ _tag: "VerifyCode", ...comparison })

export const resetGuesses = sample<"ResetGuesses">({
  _tag: "ResetGuesses",
  actor: host,
  organization,
  version: 1,
  phoneNumber: phoneNumber(),
})

export const admitMessage = sample<"AdmitMessage">({ _tag: "AdmitMessage", ...ofAcme })

export const holdMessage = sample<"HoldMessage">({
  _tag: "HoldMessage",
  ...ofAcme,
  phoneNumber: phoneNumber(),
  isCounted: false,
  draft: newMessage(),
})

/** Ends the queued message 1 as cancelled. */
export const endQueued = sample<"EndQueued">({
  _tag: "EndQueued",
  organization,
  queued: { id: messageId() },
  end: "cancelled",
})

/** The id of the batch with this number. */
export const batchId = (index = 1): string => `bat_${String(index).padStart(44, "0")}`

export const openBatch = sample<"OpenBatch">({
  _tag: "OpenBatch",
  organization,
  batchId: batchId(),
  terms: {
    text: 'Hello {name}, it\'s "quoted" যাচাই',
    class: "promotional",
    channel: "sms",
    sender: null,
    sendAt: null,
    expiresAt: now + 60_000,
    pace: null,
  },
  fingerprint: Uint8Array.of(1, 2),
  salt: Uint8Array.of(3),
})

/** Starts the batch 1. */
export const changeBatch = sample<"ChangeBatch">({
  _tag: "ChangeBatch",
  organization,
  batchId: batchId(),
  change: "start",
})

export const moveQueued = sample<"MoveQueued">({
  _tag: "MoveQueued",
  organization,
  queued: { id: messageId() },
  dueAt: now + 1_000,
  isPostponed: false,
})

/** The gateway accepted message 1 and will report on it. */
export const recordDispatch = sample<"RecordDispatch">({
  _tag: "RecordDispatch",
  ...ofMessage,
  dispatchNumber: 1,
  outcome: { _tag: "Accepted", gatewayId: "gw-1" },
  hasReports: true,
  requestId: null,
  rules: undefined,
})

export const applyReport = sample<"ApplyReport">({
  _tag: "ApplyReport",
  ...ofMessage,
  status: "delivered",
  detail: null,
  source: undefined,
})

export const reclaimMessage = sample<"ReclaimMessage">({
  _tag: "ReclaimMessage",
  ...ofMessage,
  leaseMillis: 70_000,
})

export const beginLookup = sample<"BeginLookup">({
  _tag: "BeginLookup",
  ...ofMessage,
  gateways: ["simulated"],
  lookupMillis: 600_000,
})

export const closeMessage = sample<"CloseMessage">({
  _tag: "CloseMessage",
  ...ofMessage,
  isLookedUp: false,
})

export const recordAnswer = sample<"RecordAnswer">({
  _tag: "RecordAnswer",
  organization,
  idempotencyId: "key",
  answer: "first",
})

export const topUp = sample<"Book">({
  _tag: "Book",
  actor: host,
  organization,
  kind: "top-up",
  amount: money("10"),
  note: "paid",
  paymentId: null,
})

export const adjust: Sample<"Book"> = (overrides) =>
  topUp({ kind: "adjustment", amount: money("-1"), note: "correction", ...overrides })
