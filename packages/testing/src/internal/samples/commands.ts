import { host } from "@countersign/core/domain/values/Actor"
import type { IdempotencyKey, IdempotentCall } from "@countersign/core/domain/values/IdempotencyKey"
import type { Command } from "@countersign/core/decide/Command"
import * as Limits from "@countersign/core/domain/limits/Limits"
import type { ReportSource } from "@countersign/core/domain/messages/MessageReport"
import {
  newMessage,
  messageId,
  money,
  now,
  organizationId,
  codeOf,
  phoneNumber,
  requestId,
  digest,
} from "./rows.ts"

/** The fields of a command that a test sets, and the limits. */
export type Overrides<C> = Partial<Omit<C, "_tag" | "limits">> & {
  readonly limits?: Partial<Limits.Limits>
}

/** A call with a key. Calls with different fingerprints are different calls. */
export const idempotentCall = (id = "key", fingerprint = "call"): IdempotentCall => ({
  id,
  fingerprint: digest(fingerprint),
})

/** The row of a call that has charged message 1 and has no answer yet. */
export const idempotencyKey = (overrides: Partial<IdempotencyKey> = {}): IdempotencyKey => ({
  organization: organizationId,
  ...idempotentCall(),
  messageSequence: 1,
  requestId: null,
  answer: null,
  expiresAt: now + 86_400_000,
  ...overrides,
})

/** A command with the default limits, except those that are given. */
const limited = ({ limits = {} }: { readonly limits?: Partial<Limits.Limits> }) => ({
  limits: { ...Limits.defaults, ...limits },
})

/** Commands of `acme` at version 1, under the standard limits. */
export const admitVerification = (
  overrides: Overrides<Command<"AdmitVerification">> = {},
): Command<"AdmitVerification"> => ({
  _tag: "AdmitVerification",
  organization: organizationId,
  version: 1,
  phoneNumber: phoneNumber(),
  ...overrides,
  ...limited(overrides),
})

export const requestVerification = (
  overrides: Overrides<Command<"RequestVerification">> = {},
): Command<"RequestVerification"> => ({
  _tag: "RequestVerification",
  organization: organizationId,
  version: 1,
  requestId: requestId(),
  phoneNumber: phoneNumber(),
  code: codeOf(),
  sealed: digest("seal"),
  purpose: null,
  metadata: null,
  expirySeconds: 300,
  rules: undefined,
  isCounted: false,
  draft: newMessage({ text: "•••••• is your verification code." }),
  ...overrides,
  ...limited(overrides),
})

/** A second message for the pending request, by SMS, after the gateway rejected the first. */
export const followVerification = (
  overrides: Overrides<Command<"FollowVerification">> = {},
): Command<"FollowVerification"> => ({
  _tag: "FollowVerification",
  organization: organizationId,
  version: 1,
  requestId: requestId(),
  messageSequence: 1,
  rules: undefined,
  draft: newMessage({ id: messageId(2), text: "•••••• is your verification code." }),
  ...overrides,
  ...limited(overrides),
})

/** Gives up the message that was to follow message 1. */
export const endFollow = (
  overrides: Overrides<Command<"EndFollow">> = {},
): Command<"EndFollow"> => ({
  _tag: "EndFollow",
  organization: organizationId,
  requestId: requestId(),
  messageSequence: 1,
  rules: undefined,
  ...overrides,
})

export const admitResend = (
  overrides: Overrides<Command<"AdmitResend">> = {},
): Command<"AdmitResend"> => ({
  _tag: "AdmitResend",
  organization: organizationId,
  version: 1,
  requestId: requestId(),
  ...overrides,
  ...limited(overrides),
})

export const resendVerification = (
  overrides: Overrides<Command<"ResendVerification">> = {},
): Command<"ResendVerification"> => ({
  _tag: "ResendVerification",
  organization: organizationId,
  version: 1,
  requestId: requestId(),
  rules: undefined,
  isCounted: false,
  draft: newMessage({ id: messageId(2), text: "•••••• is your verification code." }),
  ...overrides,
  ...limited(overrides),
})

export const cancelVerification = (
  overrides: Overrides<Command<"CancelVerification">> = {},
): Command<"CancelVerification"> => ({
  _tag: "CancelVerification",
  organization: organizationId,
  version: 1,
  requestId: requestId(),
  ...overrides,
})

export const consumeVerification = (
  overrides: Overrides<Command<"ConsumeVerification">> = {},
): Command<"ConsumeVerification"> => ({
  _tag: "ConsumeVerification",
  organization: organizationId,
  version: 1,
  requestId: requestId(),
  purpose: undefined,
  profile: "standard",
  ...overrides,
})

const noTestNumbers: ReadonlySet<string> = new Set()

export const checkCode = (
  overrides: Overrides<Command<"CheckCode">> = {},
): Command<"CheckCode"> => ({
  _tag: "CheckCode",
  organization: organizationId,
  version: 1,
  requestId: requestId(),
  candidates: [codeOf()],
  purpose: undefined,
  rules: undefined,
  testNumbers: noTestNumbers,
  ...overrides,
  ...limited(overrides),
})

/** As `checkCode`. */
export const verifyCode = (
  overrides: Overrides<Command<"VerifyCode">> = {},
): Command<"VerifyCode"> => {
  const { idempotency, ...comparison } = overrides
  return { ...checkCode(comparison), _tag: "VerifyCode", idempotency }
}

export const admitMessage = (
  overrides: Overrides<Command<"AdmitMessage">> = {},
): Command<"AdmitMessage"> => ({
  _tag: "AdmitMessage",
  organization: organizationId,
  version: 1,
  ...overrides,
  ...limited(overrides),
})

export const holdMessage = (
  overrides: Overrides<Command<"HoldMessage">> = {},
): Command<"HoldMessage"> => ({
  _tag: "HoldMessage",
  organization: organizationId,
  version: 1,
  phoneNumber: phoneNumber(),
  isCounted: false,
  draft: newMessage(),
  ...overrides,
  ...limited(overrides),
})

/** The gateway accepted message 1 and will report on it. */
export const recordDispatch = (
  overrides: Overrides<Command<"RecordDispatch">> = {},
): Command<"RecordDispatch"> => ({
  _tag: "RecordDispatch",
  organization: organizationId,
  messageSequence: 1,
  attempt: 1,
  outcome: { _tag: "Accepted", gatewayId: "gw-1" },
  hasReports: true,
  requestId: null,
  rules: undefined,
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

export const applyReport = (
  overrides: Overrides<Command<"ApplyReport">> = {},
): Command<"ApplyReport"> => ({
  _tag: "ApplyReport",
  organization: organizationId,
  messageSequence: 1,
  status: "delivered",
  detail: null,
  source: undefined,
  ...overrides,
})

export const reclaimMessage = (
  overrides: Overrides<Command<"ReclaimMessage">> = {},
): Command<"ReclaimMessage"> => ({
  _tag: "ReclaimMessage",
  organization: organizationId,
  messageSequence: 1,
  leaseMillis: 70_000,
  ...overrides,
})

export const beginLookup = (
  overrides: Overrides<Command<"BeginLookup">> = {},
): Command<"BeginLookup"> => ({
  _tag: "BeginLookup",
  organization: organizationId,
  messageSequence: 1,
  gateways: ["simulated"],
  lookupMillis: 600_000,
  ...overrides,
})

export const closeMessage = (
  overrides: Overrides<Command<"CloseMessage">> = {},
): Command<"CloseMessage"> => ({
  _tag: "CloseMessage",
  organization: organizationId,
  messageSequence: 1,
  isLookedUp: false,
  ...overrides,
})

export const recordAnswer = (
  overrides: Overrides<Command<"RecordAnswer">> = {},
): Command<"RecordAnswer"> => ({
  _tag: "RecordAnswer",
  organization: organizationId,
  idempotencyId: "key",
  answer: "first",
  ...overrides,
})

export const topUp = (overrides: Overrides<Command<"Book">> = {}): Command<"Book"> => ({
  _tag: "Book",
  actor: host,
  organization: organizationId,
  kind: "top-up",
  amount: money("10"),
  note: "paid",
  paymentId: null,
  ...overrides,
})

export const adjust = (overrides: Overrides<Command<"Book">> = {}): Command<"Book"> =>
  topUp({ kind: "adjustment", amount: money("-1"), note: "correction", ...overrides })
