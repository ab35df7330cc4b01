import type {
  EventPage,
  FollowEvents,
  ListEvents,
  LoggedEvent,
} from "@countersign/core/codec/EventData"
import type { MessageHistory, VerificationHistory } from "@countersign/core/codec/HistoryData"
import type { GatewayState, UnmatchedReport } from "@countersign/core/codec/HostData"
import type { PageInput, PagePromise } from "@countersign/core/api/Page"
import type { GatewayHealth } from "./gateways.ts"
import type {
  ErasedNumber,
  PersonalData,
  PersonalRecord,
} from "@countersign/core/codec/PrivacyData"
import type { Account } from "@countersign/core/api/types/account"
import type { Audit } from "@countersign/core/api/types/audit"
import type { Refusals } from "@countersign/core/api/types/refusals"
import type { Webhooks } from "@countersign/core/api/types/webhooks"
import type { Fraud } from "@countersign/core/api/types/fraud"
import type { Totals } from "@countersign/core/api/types/totals"
import type { ApiKeys } from "@countersign/core/api/types/apiKeys"
import type { Senders } from "@countersign/core/api/types/senders"
import type { Organizations } from "@countersign/core/api/types/organizations"
import type * as Types from "@countersign/core/codec/Data"
import type * as Codes from "@countersign/core/codec/VerificationData"

/** Sends and checks one-time codes. */
export interface Verifications {
  /** Sends a code. Resolves when the gateway has taken the message or may have taken it. */
  readonly send: (input: Codes.SendVerification) => Promise<Codes.SentVerification>
  /**
   * Checks the code and uses it up, in one commit. Sign in the `phoneNumber` that it resolves with. It resolves once,
   * except to a repeat with its `idempotencyKey`, which must not come from a browser. Rejects with `WrongCodeError` for
   * a wrong code, which costs an attempt, and with `AlreadyConsumedError` once the code is used up.
   */
  readonly verify: (input: Codes.VerifyCode) => Promise<Codes.VerifiedNumber>
  /**
   * Checks a code and does not use it up, for hosts that call `consume` later. Rejects with `WrongCodeError` for a wrong
   * code, which costs an attempt. A verified request stays verified, and later checks of it succeed without comparing
   * the code; see `isFirst`.
   */
  readonly check: (input: Codes.CheckCode) => Promise<Codes.CheckedVerification>
  /**
   * Sends the code of a pending request again, at most three times and 30 seconds after the last message by
   * default. The code expires as before.
   */
  readonly resend: (input: Codes.ResendVerification) => Promise<Codes.SentVerification>
  /** Ends a pending request, so that it no longer counts as pending. Safe to repeat. */
  readonly cancel: (input: Codes.OfRequest) => Promise<Codes.FailedVerification>
  /** Uses a verified request up. Of all calls, exactly one resolves; others reject with `AlreadyConsumedError`. */
  readonly consume: (input: Codes.ConsumeVerification) => Promise<Codes.VerifiedNumber>
  /** Reads a request without changing it. */
  readonly get: (input: Codes.OfRequest) => Promise<Codes.Verification>
  /** Lists the requests that match, newest first, by their first message. */
  readonly list: (input?: Codes.ListVerifications) => PagePromise<Codes.ListedVerification>
  /** Tells why a person got no code: the request, its messages and its timeline. */
  readonly history: (input: Codes.OfRequest) => Promise<VerificationHistory>
  /** Returns an id for `send`, for hosts that store it first. Reads and writes nothing. */
  readonly newRequestId: () => string
  /**
   * Forgets the wrong codes for a phone number, whose checks are then allowed again. First make sure in another
   * way that its owner asks.
   */
  readonly resetGuesses: (input: Pick<Codes.SendVerification, "phoneNumber">) => Promise<void>
}

/** Sends messages and reads the log. */
export interface Messages {
  /** Sends a message. Resolves when the gateway has taken it. */
  readonly send: (input: Types.SendMessage) => Promise<Types.SentMessage>
  /** Returns the price that `send` would charge, and the segments. Sends nothing and counts against no limit. */
  readonly preview: (input: Types.PreviewMessage) => Promise<Types.MessagePreview>
  /** Lists the messages that match, newest first, including verification messages. */
  readonly list: (input?: Types.ListMessages) => PagePromise<Types.Message>
  /** Counts the messages of a period, exactly. */
  readonly count: (input?: Types.CountMessages) => Promise<number>
  /** Tells what has happened to a message. Rejects with `MessageNotFoundError` if it does not exist. */
  readonly history: (input: Types.MessageRef) => Promise<MessageHistory>
  /** Returns one entry of the log. Rejects with `MessageNotFoundError` if it does not exist. */
  readonly get: (input: Types.MessageRef) => Promise<Types.Message>
}

/** Receives and reads delivery reports. */
export interface Reports {
  /** Processes a gateway's report on a message. Repeated reports and reports in any order are accepted. */
  readonly receive: (
    report: Types.DeliveryReport,
  ) => Promise<"applied" | "kept" | "unknown message">
  /** Lists the reports on messages that are not known, of all organizations. Without phone numbers. */
  readonly unmatched: (input?: PageInput) => PagePromise<UnmatchedReport>
}

/** Reads the event log of an organization. */
export interface Events {
  /** Lists the events after `after`, in order. A page tells how far the log reaches. */
  readonly list: (input?: ListEvents) => PagePromise<LoggedEvent, EventPage>
  /**
   * Every event after `after`, and then those of all nodes as they come. Ends when the loop does. Rejects with a
   * `CountersignError`, such as `UnavailableError`; follow again after the last event that you have processed.
   */
  readonly follow: (input?: FollowEvents) => AsyncIterable<LoggedEvent>
}

/** Exports and erases what is stored of a phone number. */
export interface Privacy {
  /**
   * Erases a phone number in one organization: cancels its pending requests, and removes the number, texts and your
   * own words from every row. The ledger and the totals stay as they are. Safe to repeat.
   */
  readonly erase: (input: PersonalData) => Promise<ErasedNumber>
  /** Everything that is stored of a phone number, read a page at a time. Rejects with a `CountersignError`. */
  readonly export: (input: PersonalData) => AsyncIterable<PersonalRecord>
}

/** The health of this process's gateways, as seen by this process. */
export interface GatewayStates {
  /** Returns the health of each gateway, in the order of the configuration. */
  readonly health: () => Promise<ReadonlyArray<GatewayHealth>>
  /** Returns the health, the abilities and the rates of each gateway, in the order of the configuration. */
  readonly list: () => Promise<ReadonlyArray<GatewayState>>
  /** Calls `listener` when the health of a gateway changes. Returns a function that unsubscribes. */
  readonly subscribe: (listener: (health: GatewayHealth) => void) => () => void
}

/** The services of an organization. Their promises reject with a `CountersignError` only. */
export interface OrganizationServices {
  /** Sends and checks one-time codes. */
  readonly verifications: Verifications
  /** Sends messages and reads the log. */
  readonly messages: Messages
  /** Reads and changes the prepaid balance. */
  readonly account: Account
  /** Manages the keys of the HTTP interface. */
  readonly apiKeys: ApiKeys
  /** Manages the senders of messages. */
  readonly senders: Senders
  /** Manages the addresses that receive events. */
  readonly webhooks: Webhooks
  /** Reads the event log. */
  readonly events: Events
  /** Reads the findings of fraud detection, and tries its rules. */
  readonly fraud: Fraud
  /** Reads totals for charts and reports. */
  readonly totals: Totals
  /** Exports and erases what is stored of a phone number. */
  readonly privacy: Privacy
  /** Reads who has changed what, and records actions. */
  readonly audit: Audit
  /** Reads the calls that were refused. */
  readonly refusals: Refusals
}

/** The services of an engine, and those of its default organization. */
export interface Services extends OrganizationServices {
  /**
   * Returns the services of an organization. Reads nothing: if the organization does not exist, each call rejects with
   * `OrganizationNotFoundError`. Throws `InvalidRequestError` for an id that is missing, empty or no text.
   */
  readonly organization: (id: string) => OrganizationServices
  /** Manages organizations and their settings. */
  readonly organizations: Organizations
  /** Receives delivery reports. */
  readonly reports: Reports
}
