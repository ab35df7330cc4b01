/**
 * The commands on one organization's state, and their results.
 */
import type { Booking, Entry, Insufficient, TooMuch } from "../domain/Account.ts"
import type { Channel, LogChannel } from "../domain/Channel.ts"
import { type GatewayOutcome, isUnsent, type ReportStatus } from "../domain/GatewayOutcome.ts"
import type { MessageId, OrganizationId, RequestId } from "../domain/Ids.ts"
import type { Message, Status } from "../domain/Message.ts"
import type { Money } from "../domain/Money.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"
import type { ReportSource } from "../domain/Report.ts"
import type { Limit } from "../domain/SlidingWindow.ts"
import type { Capped } from "../domain/Spending.ts"
import { prefixOf, type Rules } from "../domain/PrefixStats.ts"
import type { Verification } from "../domain/Verification.ts"

/** A message to be written to the log and charged before it is dispatched. */
export interface Draft {
  readonly id: MessageId
  readonly text: string
  readonly channel: Channel
  readonly logChannel: LogChannel
  readonly sender: string
  readonly charge: Money
  /** The gateway that will send the message. */
  readonly gateway: string
  /** How long a dispatch may take before another node may take it over, in milliseconds. */
  readonly leaseMillis: number
  /** How long the outcome may stay open before the hold is released, in milliseconds. */
  readonly settleMillis: number
}

/** A digest and the pepper that it was made with. */
export interface PepperedDigest {
  readonly pepper: string
  readonly digest: Uint8Array
}

interface Fields {
  /** Counts a verification request without sending one yet. */
  readonly AdmitVerification: {
    readonly version: number
    readonly phoneNumber: PhoneNumber
    readonly sendLimit: Limit | undefined
    readonly pendingLimit: number
  }
  /** Opens a verification request and charges its message. */
  readonly RequestVerification: {
    readonly version: number
    readonly id: RequestId
    readonly phoneNumber: PhoneNumber
    readonly code: PepperedDigest
    readonly expirySeconds: number
    readonly attempts: number
    readonly sendLimit: Limit | undefined
    readonly pendingLimit: number
    readonly spendPerDay: Money | undefined
    /** Fraud rules for the number's prefix; `undefined` when fraud detection is off. */
    readonly rules: Rules | undefined
    /** Whether `AdmitVerification` has already counted the request. */
    readonly counted: boolean
    readonly draft: Draft
  }
  /** Charges one more message with a request's code, because the previous one has not arrived. */
  readonly FollowVerification: {
    readonly version: number
    readonly id: RequestId
    /**
     * Sequence of the message that has not arrived. If another message already follows it, no further message
     * is needed.
     */
    readonly after: number
    /**
     * Whether that message was certainly not sent. In this case, the request fails if the next message cannot
     * be charged.
     */
    readonly unsent: boolean
    readonly spendPerDay: Money | undefined
    readonly rules: Rules | undefined
    readonly draft: Draft
  }
  /** Compares a code with the code of a request. */
  readonly CheckCode: {
    readonly version: number
    readonly id: RequestId
    /** The digests of the code under every pepper in use. */
    readonly candidates: ReadonlyArray<PepperedDigest>
    readonly limit: Limit | undefined
    readonly rules: Rules | undefined
  }
  /** Makes the time durable at which a request was found to be expired. */
  readonly ObserveVerification: { readonly id: RequestId }
  /** Counts a message without sending one yet. */
  readonly AdmitMessage: { readonly version: number; readonly limit: Limit | undefined }
  /** Writes a message to the log and charges it. */
  readonly HoldMessage: {
    readonly version: number
    readonly phoneNumber: PhoneNumber
    readonly limit: Limit | undefined
    readonly spendPerDay: Money | undefined
    /** Whether `AdmitMessage` has already counted the message. */
    readonly counted: boolean
    readonly draft: Draft
  }
  /** Records the outcome of a dispatch. */
  readonly RecordDispatch: {
    readonly messageSequence: number
    /** The dispatch with this outcome. The outcome of an older dispatch is ignored. */
    readonly attempt: number
    readonly outcome: GatewayOutcome
    readonly reports: boolean
    readonly verification: RequestId | null
    /** Whether another message carries the code if this one was not sent: the request then stays pending. */
    readonly followed?: boolean | undefined
    readonly rules: Rules | undefined
  }
  /** Applies a delivery report. */
  readonly ApplyReport: {
    readonly messageSequence: number
    /** The end of the message's token, if the report contains it. */
    readonly token?: string | undefined
    readonly status: ReportStatus
    readonly detail: string | null
    /** The source of the report. `undefined`: the report does not come from a gateway and is not kept. */
    readonly source: ReportSource | undefined
  }
  /** Takes over a dispatch whose node has died. */
  readonly ReclaimMessage: { readonly messageSequence: number; readonly leaseMillis: number }
  /**
   * Closes a message whose outcome is still open at its deadline, or makes the caller ask its gateway first.
   */
  readonly ExpireMessage: {
    readonly messageSequence: number
    /** The gateways that support lookups of their messages. */
    readonly askable: ReadonlyArray<string>
    /** How long a lookup may take, in milliseconds. */
    readonly askMillis: number
    /** Whether the gateway was asked and could not tell. */
    readonly asked: boolean
  }
  /** Adds money, unless the organization has an entry with this payment id. */
  readonly TopUp: Booking
  /** Adds a signed amount, unless the organization has an entry with this payment id. */
  readonly Adjust: Booking
}

export type Tag = keyof Fields

/** The command with one tag, or with any tag. */
export type Command<T extends Tag = Tag> = {
  readonly [K in T]: { readonly _tag: K; readonly organization: OrganizationId } & Fields[K]
}[T]

/** There is no such organization. */
export interface NoAccount {
  readonly _tag: "NoAccount"
}
/**
 * The caller's copy of the settings is older than the account's. The caller must reload and repeat the
 * command.
 */
export interface Stale {
  readonly _tag: "Stale"
}
export interface Limited {
  readonly _tag: "Limited"
  readonly retryAfterSeconds: number
}
/** Codes for numbers with this prefix are currently denied. */
export interface Suspected {
  readonly _tag: "Suspected"
  readonly retryAfterSeconds: number
}
export interface TooManyPending {
  readonly _tag: "TooManyPending"
  /** Whole seconds, at least 1, after which a single request finds a free place and is within the rate. */
  readonly retryAfterSeconds: number
}
export interface NotFound {
  readonly _tag: "NotFound"
}
/** The code has arrived, was used, or is carried by another message. */
export interface NotNeeded {
  readonly _tag: "NotNeeded"
}
/** Another node has already done it, or its time has not come. */
export interface NotDue {
  readonly _tag: "NotDue"
}

/** A booking that is in the ledger. */
export interface Posted {
  readonly _tag: "Posted"
  /** The entry of the booking; `undefined` for an amount of zero, which has no entry. */
  readonly entry: Entry | undefined
  /** Amount that can be spent now. Differs from the balance after `entry` if that entry is an older one. */
  readonly balance: Money
  /** Whether an earlier command has made the booking. This command has then changed nothing. */
  readonly isRepeat: boolean
}
/** The payment id belongs to a booking of another kind or amount. */
export interface PaymentMismatch {
  readonly _tag: "PaymentMismatch"
  readonly entry: Entry
}

interface Held {
  readonly messageSequence: number
  readonly balance: Money
}

interface ResultsByTag {
  readonly AdmitVerification: { readonly _tag: "Admitted" } | Limited | TooManyPending
  readonly RequestVerification:
    | ({ readonly _tag: "Requested" } & Held)
    | Limited
    | TooManyPending
    | Suspected
    | Capped
    | Insufficient
  readonly FollowVerification:
    | ({ readonly _tag: "Followed" } & Held)
    | NotNeeded
    | NotFound
    | Capped
    | Insufficient
  readonly CheckCode:
    | {
        readonly _tag: "Verified"
        readonly phoneNumber: PhoneNumber
        readonly verifiedAt: number
        readonly first: boolean
      }
    | { readonly _tag: "WrongCode"; readonly attemptsRemaining: number }
    | { readonly _tag: "Failed"; readonly first: boolean }
    | { readonly _tag: "Expired" }
    | Limited
    | NotFound
  readonly ObserveVerification:
    | {
        readonly _tag: "Observed"
        readonly verification: Verification
        /** The organization's time, in epoch milliseconds. */
        readonly now: number
      }
    | NotFound
  readonly AdmitMessage: { readonly _tag: "Admitted" } | Limited
  readonly HoldMessage: ({ readonly _tag: "Held" } & Held) | Limited | Capped | Insufficient
  readonly RecordDispatch:
    | { readonly _tag: "Settled"; readonly status: Status; readonly balance: Money }
    | { readonly _tag: "Fenced" }
    | NotFound
  readonly ApplyReport:
    | {
        readonly _tag: "Applied"
        readonly status: Status
        readonly channel: Channel
        readonly to: PhoneNumber
      }
    | NotFound
  readonly ReclaimMessage:
    | { readonly _tag: "Reclaimed"; readonly message: Message }
    | NotDue
    | NotFound
  readonly ExpireMessage:
    | { readonly _tag: "Closed" }
    /** The caller must ask the gateway. */
    | { readonly _tag: "Asking"; readonly message: Message }
    | NotDue
    | NotFound
  readonly TopUp: Posted | PaymentMismatch | TooMuch
  readonly Adjust: Posted | PaymentMismatch | Insufficient | TooMuch
}

/** The results of a command by its own rules. */
export type OwnResult<T extends Tag = Tag> = ResultsByTag[T]

/** All results of a command. */
export type CommandResult<T extends Tag = Tag> = OwnResult<T> | NoAccount | Stale

/** The rows that a command needs besides the account. */
export interface Needs {
  readonly recipient?: PhoneNumber
  /** Also loads the recipient of the verification. */
  readonly verification?: RequestId
  readonly messageSequence?: number
  /** The ledger entry with this payment id. */
  readonly payment?: string
  /** Whether to load the message that the verification points to. */
  readonly carrier?: boolean
  /** Loads the statistics of this prefix. */
  readonly prefix?: string
  /** Loads the statistics of the prefix of the verification's number, which has this number of digits. */
  readonly prefixDigits?: number
}

const nothingElse = (): Needs => ({})
const itsMessage = ({ messageSequence }: { readonly messageSequence: number }): Needs => ({
  messageSequence,
})
const itsRecipient = ({ phoneNumber }: { readonly phoneNumber: PhoneNumber }): Needs => ({
  recipient: phoneNumber,
})

const itsPayment = ({ paymentId = null }: Booking): Needs =>
  paymentId === null ? {} : { payment: paymentId }

const itsPrefix = (rules: Rules | undefined): Needs =>
  rules === undefined ? {} : { prefixDigits: rules.prefixDigits }

const needed: { readonly [K in Tag]: (command: Command<K>) => Needs } = {
  AdmitVerification: itsRecipient,
  RequestVerification: ({ phoneNumber, rules }) =>
    rules === undefined
      ? { recipient: phoneNumber }
      : { recipient: phoneNumber, prefix: prefixOf(phoneNumber, rules.prefixDigits) },
  FollowVerification: ({ after, id, rules, unsent }) => ({
    verification: id,
    messageSequence: after,
    carrier: true,
    ...itsPrefix(unsent ? rules : undefined),
  }),
  CheckCode: ({ id, rules }) => ({ verification: id, ...itsPrefix(rules) }),
  ObserveVerification: ({ id }) => ({ verification: id }),
  AdmitMessage: nothingElse,
  HoldMessage: nothingElse,
  RecordDispatch: ({ messageSequence, outcome, rules, verification }) =>
    verification === null
      ? { messageSequence }
      : // Only codes that were not sent are removed from the count.
        { messageSequence, verification, ...itsPrefix(isUnsent(outcome) ? rules : undefined) },
  ApplyReport: itsMessage,
  ReclaimMessage: itsMessage,
  ExpireMessage: itsMessage,
  TopUp: itsPayment,
  Adjust: itsPayment,
}

/** The rows that the view of this command must contain. */
export const needs = <T extends Tag>(command: Command<T>): Needs => {
  const of: (command: Command<T>) => Needs = needed[command._tag]
  return of(command)
}

const ending: ReadonlySet<Tag> = new Set<Tag>([
  "FollowVerification",
  "RecordDispatch",
  "ApplyReport",
  "ReclaimMessage",
  "ExpireMessage",
])

/**
 * Whether a command ends or continues work that was started and paid for. An overloaded store rejects none of
 * these commands: their number is bounded by the admitted work, and each has a waiting caller.
 */
export const isEnding = <T extends Tag>(command: Command<T>): boolean => ending.has(command._tag)
