/** The commands on one organization's state, and their results. */
import type { ErasedCounts } from "../domain/Event.ts"
import type { Booking, Entry, Insufficient, TooMuch } from "../domain/Account.ts"
import type { Draft as AuditDraft } from "../domain/AuditEntry.ts"
import type { Channel } from "../domain/Channel.ts"
import type { GatewayOutcome, ReportStatus } from "../domain/GatewayOutcome.ts"
import type { IdempotencyKey, IdempotentCall } from "../domain/IdempotencyKey.ts"
import type { OrganizationId, RequestId } from "../domain/Ids.ts"
import type { Digests } from "../domain/KnownClient.ts"
import type { Limits, Profile } from "../domain/Limits.ts"
import type { Draft, Message, Status } from "../domain/Message.ts"
import type { RejectionReason } from "../domain/RejectionReason.ts"
import type { Money } from "../domain/Money.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"
import type { Rules } from "../domain/PrefixStats.ts"
import type { ReportSource } from "../domain/Report.ts"
import type { Capped } from "../domain/Spending.ts"
import type { Verification } from "../domain/Verification.ts"
import type { RefusalFields, RefusalResults } from "./internal/refusalCommands.ts"
import type { WebhookFields, WebhookResults } from "./internal/webhookCommands.ts"

export interface PepperedDigest {
  readonly pepper: string
  readonly digest: Uint8Array
}

/** The key of the call; `undefined` if it has none. A repeat of the call has no effect. */
interface Repeatable {
  readonly idempotency?: IdempotentCall | undefined
}

/** A change by the host, which the audit records. */
type Administrative = Pick<AuditDraft, "actor">

/** A message with a code that may be counted for a client, which the host has named. */
interface Send extends Repeatable {
  readonly client?: Digests | undefined
}

/** The message that a command changes. */
export interface OfMessage {
  readonly messageSequence: number
  /** The end of its token, if known: one of another installation, or of a restored database, may have the sequence. */
  readonly token?: string | undefined
}

interface ToNumber {
  readonly version: number
  readonly phoneNumber: PhoneNumber
  /** Digests of the number under all peppers, if the organization has recently erased numbers. */
  readonly erased?: Digests | undefined
}

interface Fields extends WebhookFields, RefusalFields {
  /** Counts a verification request without sending one yet. */
  readonly AdmitVerification: Send & ToNumber & { readonly limits: Limits }
  /** Opens a verification request and charges its message. */
  readonly RequestVerification: Send &
    ToNumber & {
      readonly requestId: RequestId
      readonly code: PepperedDigest
      /** The code, encrypted; `Verification.sealed`. */
      readonly sealed: Uint8Array
      readonly purpose: string | null
      readonly metadata: string | null
      readonly expirySeconds: number
      readonly limits: Limits
      /** Fraud rules for the number's prefix; `undefined` when fraud detection is off. */
      readonly rules: Rules | undefined
      /** Whether `AdmitVerification` has already counted the request. */
      readonly isCounted: boolean
      readonly draft: Draft
    }
  /** Charges one more message with a request's code, because the previous one has not arrived. */
  readonly FollowVerification: {
    readonly version: number
    readonly requestId: RequestId
    /** The message that has not arrived. If another message already follows it, no more is needed. */
    readonly messageSequence: number
    readonly limits: Limits
    readonly rules: Rules | undefined
    readonly draft: Draft
  }
  /** Gives up the message that was to follow. A request whose code was never sent fails. */
  readonly EndFollow: {
    readonly requestId: RequestId
    readonly messageSequence: number
    readonly rules: Rules | undefined
  }
  /** Counts that a code is sent again, without sending it yet. */
  readonly AdmitResend: Send & {
    readonly version: number
    readonly requestId: RequestId
    readonly limits: Limits
  }
  /** Charges one more message with a request's code, because a caller wants it again. */
  readonly ResendVerification: Send & {
    readonly version: number
    readonly requestId: RequestId
    readonly limits: Limits
    readonly rules: Rules | undefined
    /** Whether `AdmitResend` has already counted it. */
    readonly isCounted: boolean
    readonly draft: Draft
  }
  /** Ends a pending request without success. */
  readonly CancelVerification: { readonly version: number; readonly requestId: RequestId }
  /** Uses a verified request up. */
  readonly ConsumeVerification: Repeatable & {
    readonly version: number
    readonly requestId: RequestId
    /** A request with another purpose is not found. `undefined`: any purpose. */
    readonly purpose: string | undefined
    /** Under `nist`, a verification cannot be used after the expiry of its code. */
    readonly profile: Profile
  }
  /** Compares a code with the code of a request. */
  readonly CheckCode: {
    readonly client?: Digests | undefined
    readonly version: number
    readonly requestId: RequestId
    /** The digests of the code under every pepper in use. */
    readonly candidates: ReadonlyArray<PepperedDigest>
    /** A request with another purpose is not found. `undefined`: any purpose. */
    readonly purpose: string | undefined
    readonly limits: Limits
    readonly rules: Rules | undefined
    /** Phone numbers whose checks use up no budget and reset none. */
    readonly testNumbers: ReadonlySet<string>
  }
  /** Forgets the wrong codes for a phone number. */
  readonly ResetGuesses: Administrative & ToNumber
  /** Makes the time durable at which a request was found to be expired. */
  readonly ObserveVerification: { readonly requestId: RequestId }
  /** Counts a message without sending one yet. */
  readonly AdmitMessage: Repeatable & { readonly version: number; readonly limits: Limits }
  /** Writes a message to the log and charges it. */
  readonly HoldMessage: Repeatable & {
    readonly version: number
    readonly phoneNumber: PhoneNumber
    readonly limits: Limits
    /** Whether `AdmitMessage` has already counted the message. */
    readonly isCounted: boolean
    readonly draft: Draft
  }
  /** Records the outcome of a dispatch. */
  readonly RecordDispatch: OfMessage & {
    /** The dispatch with this outcome. The outcome of an older dispatch is ignored. */
    readonly attempt: number
    readonly outcome: GatewayOutcome
    readonly hasReports: boolean
    readonly requestId: RequestId | null
    /** The request's part of the event. If the caller knows it, only an unsent outcome reads the request's row. */
    readonly request?: Pick<Verification, "metadata" | "purpose"> | undefined
    /** Milliseconds until another message carries the code of a pending request. `undefined`: none follows. */
    readonly followMillis?: number | undefined
    readonly rules: Rules | undefined
  }
  /** Applies a delivery report. */
  readonly ApplyReport: OfMessage & {
    readonly status: ReportStatus
    readonly detail: string | null
    /** Why the message did not arrive, if the vendor documents it. */
    readonly reason?: RejectionReason | undefined
    /** The source of the report. `undefined`: the report does not come from a gateway and is not kept. */
    readonly source: ReportSource | undefined
  }
  /** Takes over a dispatch whose node has died. */
  readonly ReclaimMessage: { readonly messageSequence: number; readonly leaseMillis: number }
  /** Postpones the end of a message at its deadline, so that the caller can look it up at its gateway. */
  readonly BeginLookup: {
    readonly messageSequence: number
    /** The gateways that support lookups of their messages. */
    readonly gateways: ReadonlyArray<string>
    /** How long the lookup may take, in milliseconds. */
    readonly lookupMillis: number
  }
  /** Closes a message whose outcome is still open at its deadline. */
  readonly CloseMessage: OfMessage & {
    /** Whether a lookup has ended without an outcome. Otherwise, a message under a lookup stays open. */
    readonly isLookedUp: boolean
  }
  /** Asks whether a call is a repeat. Changes nothing. */
  readonly FindCall: Required<Repeatable>
  /** Records the first answer of a call with a key, unless it has one. */
  readonly RecordAnswer: {
    readonly idempotencyId: string
    readonly answer: string
  }
  /** Books a top-up or an adjustment, unless the organization has an entry with its payment id. */
  readonly Book: Administrative & Booking
  /** Records an action of the host that changes nothing here, such as a login. */
  readonly RecordAudit: Administrative & Pick<AuditDraft, "action" | "target" | "reason">
  /** Records that a phone number was erased. The steps of `Store.erase` have erased it. */
  readonly RecordErasure: Administrative & { readonly erased: ErasedCounts }
}

export type Tag = keyof Fields

export type Command<T extends Tag = Tag> = {
  readonly [K in T]: { readonly _tag: K; readonly organization: OrganizationId } & Fields[K]
}[T]

interface Tagged<T extends string> {
  readonly _tag: T
}

/** Rejected for now. `retryAfterSeconds` is a whole number, at least 1. */
interface Wait<T extends string> extends Tagged<T> {
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
/** The key belongs to another call. */
export type IdempotencyMismatch = Tagged<"IdempotencyMismatch">
export type Limited = Wait<"Limited">
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
   * The stranger's request that may be cancelled for this one, which a client makes that has verified the number;
   * `undefined` if there is no such request. Nothing else then refuses a `RequestVerification`.
   */
  readonly displaces?: RequestId
}
type NotFound = Tagged<"NotFound">
/** The code has arrived, was used, or is carried by another message. */
type NotNeeded = Tagged<"NotNeeded">
/** Another node has already done it, or its time has not come. */
type NotDue = Tagged<"NotDue">
type AlreadyFailed = Tagged<"AlreadyFailed">
type Expired = Tagged<"Expired">

/** Why the code of a request is not sent again. `Cooldown`: it was sent a moment ago. */
type NotResent =
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

interface Results extends WebhookResults, RefusalResults {
  readonly AdmitVerification: Tagged<"Admitted"> | OverLimit | TooManyPending
  readonly RequestVerification:
    | (Tagged<"Requested"> & Charge & { readonly expiresAt: number })
    | OverLimit
    | TooManyPending
    | Suspected
    | Capped
    | Insufficient
  readonly FollowVerification:
    /** `after`: the status of the message that has not arrived. */
    | (Tagged<"Followed"> & Charge & { readonly after: Status })
    | NotNeeded
    | NotFound
    | Capped
    | Insufficient
  readonly EndFollow: Tagged<"Ended"> | NotFound
  readonly AdmitResend: Tagged<"Admitted"> | NotResent
  readonly ResendVerification:
    | (Tagged<"Resent"> & Charge & { readonly expiresAt: number; readonly resends: number })
    | NotResent
    | Suspected
    | Capped
    | Insufficient
  readonly CancelVerification:
    | { readonly _tag: "Cancelled"; readonly phoneNumber: PhoneNumber }
    | Tagged<"AlreadyVerified">
    | Expired
    | NotFound
  readonly ConsumeVerification:
    | {
        readonly _tag: "Consumed"
        readonly verification: Verification
        readonly verifiedAt: number
        readonly consumedAt: number
      }
    | Tagged<"AlreadyConsumed">
    | Tagged<"NotVerified">
    | AlreadyFailed
    | Expired
    | NotFound
  readonly CheckCode:
    /** Under the profile `nist`, a verification is used once. */
    | Tagged<"AlreadyConsumed">
    | {
        readonly _tag: "Verified"
        readonly phoneNumber: PhoneNumber
        readonly verifiedAt: number
        readonly isFirst: boolean
      }
    | { readonly _tag: "WrongCode"; readonly attemptsRemaining: number }
    | Tagged<"UnknownPepper">
    | { readonly _tag: "Failed"; readonly isFirst: boolean }
    | Expired
    | OverLimit
    | NotFound
  readonly ResetGuesses: Tagged<"GuessesReset">
  readonly ObserveVerification:
    | {
        readonly _tag: "Observed"
        readonly verification: Verification
        /** The organization's time, in epoch milliseconds. */
        readonly now: number
      }
    | NotFound
  readonly AdmitMessage: Tagged<"Admitted"> | Limited
  readonly HoldMessage: (Tagged<"Held"> & Charge) | Limited | Capped | Insufficient
  readonly RecordDispatch:
    | { readonly _tag: "Recorded"; readonly status: Status; readonly balance: Money }
    | Tagged<"Fenced">
    | NotFound
  readonly ApplyReport:
    | {
        readonly _tag: "Applied"
        readonly status: Status
        readonly channel: Channel
        readonly phoneNumber: PhoneNumber
        /** The request whose code another message has to carry now; `null` if none has to. */
        readonly followDue: RequestId | null
      }
    | NotFound
  readonly ReclaimMessage:
    | { readonly _tag: "Reclaimed"; readonly message: Message }
    | NotDue
    | NotFound
  readonly BeginLookup:
    | { readonly _tag: "LookupBegun"; readonly message: Message }
    | NotDue
    | NotFound
  readonly CloseMessage:
    | Tagged<"Closed">
    /** The message stays open, and another one has to carry its code. */
    | { readonly _tag: "FollowDue"; readonly requestId: RequestId }
    | NotDue
    | NotFound
  readonly FindCall: NotFound
  /** `answer`: the recorded one. */
  readonly RecordAnswer: { readonly _tag: "Answered"; readonly answer: string } | NotFound
  readonly RecordAudit: Tagged<"Audited">
  readonly Book: Posted | PaymentMismatch | Insufficient | TooMuch
  readonly RecordErasure: Tagged<"ErasureRecorded">
}

/** The results of a command by its own rules. */
export type OwnResult<T extends Tag = Tag> = Results[T]

/** All results of a command. */
export type CommandResult<T extends Tag = Tag> =
  | OwnResult<T>
  | NoAccount
  | Stale
  | Repeated
  | IdempotencyMismatch

/** The call that a command is part of, if it has a key. */
export const callOf = <T extends Tag>(command: Command<T>): IdempotentCall | undefined =>
  "idempotency" in command ? command.idempotency : undefined
