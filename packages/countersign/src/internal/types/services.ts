import type {
  Account,
  ApiKeys,
  Audit,
  ErasedNumber,
  Fraud,
  GatewayState,
  LoggedEvent,
  Messages,
  OfPhoneNumber,
  Organizations,
  PersonalRecord,
  Refusals,
  Reports,
  Senders,
  Totals,
  Verifications,
  Webhooks,
} from "./operations.ts"
import type { PagePromise } from "@countersign/core/api/Page"
import type { EventPage, FollowEvents, ListEvents } from "@countersign/core/api/PlainTypes"
import type { GatewayHealth } from "./gateways.ts"

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
  readonly erase: (input: OfPhoneNumber) => Promise<ErasedNumber>
  /** Everything that is stored of a phone number, read a page at a time. Rejects with a `CountersignError`. */
  readonly export: (input: OfPhoneNumber) => AsyncIterable<PersonalRecord>
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
