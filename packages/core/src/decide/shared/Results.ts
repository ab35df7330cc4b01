/** Fields and results that commands of several families share. */
import type { Entry } from "../../domain/money/Account.ts"
import type { NewAuditRecord } from "../../domain/access/AuditRecord.ts"
import type { IdempotencyKey, IdempotentCall } from "../../domain/values/IdempotencyKey.ts"
import type { OrganizationId, RequestId } from "../../domain/values/Ids.ts"
import type { Digests } from "../../domain/verifications/KnownClient.ts"
import type { Claimed } from "../../domain/outbox/QueuedSend.ts"
import type { QuietHours } from "../../domain/messages/QuietHours.ts"
import type { Money } from "../../domain/values/Money.ts"
import type { PhoneNumber } from "../../domain/values/PhoneNumber.ts"

/** The commands of a family, given their fields by tag. */
export type Of<Fields, T extends keyof Fields> = {
  readonly [K in T]: { readonly _tag: K; readonly organization: OrganizationId } & Fields[K]
}[T]

export interface CodeDigest {
  readonly pepper: string
  readonly digest: Uint8Array
}

/** The key of the call; `undefined` if it has none. A repeat of the call has no effect. */
export interface Idempotent {
  readonly idempotency?: IdempotentCall | undefined
}

/** The queued send that the command sends; `undefined` if none was queued. */
export interface OfQueued {
  readonly queued?: Claimed | undefined
}

/** The hours in which the message waits, if its organization has some. */
export interface OfQuietHours {
  readonly quiet?: { readonly hours: QuietHours; readonly phoneNumber: PhoneNumber } | undefined
}

/** A change by the host, which the audit records. */
export type Administrative = Pick<NewAuditRecord, "actor">

/** Digests of the number under all secrets, if the message is promotional. */
export interface MayBeOptedOut {
  readonly optOut?: Digests | undefined
}

/** A command that may be counted for a client, which the host has named. */
export interface OfClient {
  readonly client?: Digests | undefined
}

/** A message with a code. */
export interface Send extends Idempotent, OfClient {}

/** The message that a command changes. */
export interface OfMessage {
  readonly messageSequence: number
  /** The end of its token, if known: one of another installation, or of a restored database, may have the sequence. */
  readonly token?: string | undefined
}

export interface ToNumber {
  readonly version: number
  readonly phoneNumber: PhoneNumber
  /** Digests of the number under all secrets, if the organization has recently erased numbers. */
  readonly erased?: Digests | undefined
}

export interface Tagged<T extends string> {
  readonly _tag: T
}

/** Rejected for now. `retryAfterSeconds` is a whole number, at least 1. */
export interface Wait<T extends string> extends Tagged<T> {
  readonly retryAfterSeconds: number
}

/** There is no such organization. */
export type NoAccount = Tagged<"NoAccount">
/** The caller's copy of the settings is older than the account's. The caller must reload and repeat. */
export type Stale = Tagged<"Stale">
/** The call with this key has had its effect. */
export interface Repeated extends Tagged<"Repeated"> {
  readonly key: IdempotencyKey
  /** The organization's time, in epoch milliseconds. */
  readonly now: number
}
/** The queued send has ended, or another node has it. */
export type NotQueued = Tagged<"NotQueued">
/** The key belongs to another call. */
export type IdempotencyMismatch = Tagged<"IdempotencyMismatch">
export type Limited = Wait<"Limited">
/** The organization sends no messages of this class at this time of day. */
export type Quiet = Wait<"Quiet">
/** The number's budget of wrong codes is used up. */
export type GuessesLimited = Wait<"GuessesLimited">
/** The client has made too many requests or checks. */
export type ClientLimited = Wait<"ClientLimited">
/** Why no code is sent or checked now. */
export type OverLimit = Limited | GuessesLimited | ClientLimited
/** Codes for numbers with this prefix are currently denied. */
export type Suspected = Wait<"Suspected">
/** After the time, a single request finds a free place and is within the rate. */
export type TooManyPending = Wait<"TooManyPending"> & {
  /**
   * The stranger's request that may be cancelled for this one, because the client of this one has verified the number.
   * `undefined` if there is no such request. Nothing else then refuses a `RequestVerification`.
   */
  readonly displaces?: RequestId
}
/** The message is promotional, and the number gets none. */
export type OptedOut = Tagged<"OptedOut">
export type NotFound = Tagged<"NotFound">
/** The code has arrived, was used, or is carried by another message. */
export type NotNeeded = Tagged<"NotNeeded">
/** Another node has already done it, or its time has not come. */
export type NotDue = Tagged<"NotDue">
export type AlreadyFailed = Tagged<"AlreadyFailed">
export type Expired = Tagged<"Expired">

/** Why the code of a request is not sent again. `Cooldown`: it was sent a moment ago. */
export type NotResent =
  | OverLimit
  | Wait<"Cooldown">
  | Tagged<"ResendsExhausted">
  | Tagged<"AlreadyVerified">
  | AlreadyFailed
  | Expired
  | NotFound

/** A booking that is in the ledger. */
export interface Posted {
  readonly _tag: "Posted"
  /** The entry of the booking; `undefined` for an amount of zero, which has no entry. */
  readonly entry: Entry | undefined
  /** Amount that can be spent now. Differs from the balance after `entry` if that entry is an older one. */
  readonly balance: Money
  /** Amount of the open holds now. */
  readonly held: Money
  /** Whether an earlier command has made the booking. This command has then changed nothing. */
  readonly isRepeat: boolean
}
/** The payment id belongs to a booking of another kind or amount. */
export interface PaymentMismatch {
  readonly _tag: "PaymentMismatch"
  readonly entry: Entry
}

/** A message that is charged. */
export interface Charge {
  readonly messageSequence: number
  readonly balance: Money
}
