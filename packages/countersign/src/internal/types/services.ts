import type * as Operations from "./operations.ts"
import type { PagePromise } from "@countersign/core/api/Page"
import type { EventPage, FollowEvents, ListEvents } from "@countersign/core/api/PlainTypes"
import type { GatewayHealth } from "./gateways.ts"

/** Reads the event log of an organization. */
export interface Events {
  /** Lists the events after `after`, in order. A page shows how far the log reaches. */
  readonly list: (input?: ListEvents) => PagePromise<Operations.LoggedEvent, EventPage>
  /**
   * Yields the events after `after`, and then the events of all nodes as they come. Ends when the loop does. Rejects
   * with a `CountersignError`, such as `UnavailableError`; follow again after the last event that you have processed.
   */
  readonly follow: (input?: FollowEvents) => AsyncIterable<Operations.LoggedEvent>
}

/** Exports and erases what is stored of a phone number. */
export interface Privacy {
  /**
   * Erases a phone number in one organization. Cancels its pending requests, and removes the number, texts and your
   * own words from every row. The ledger and the totals stay as they are. Safe to repeat.
   */
  readonly erase: (input: Operations.OfPhoneNumber) => Promise<Operations.ErasedNumber>
  /** Yields every stored record of a phone number, read a page at a time. Rejects with a `CountersignError`. */
  readonly export: (input: Operations.OfPhoneNumber) => AsyncIterable<Operations.PersonalRecord>
}

/** The health of this process's gateways, as seen by this process. */
export interface GatewayStates {
  /** Returns the health of each gateway, in the order of the configuration. */
  readonly health: () => Promise<ReadonlyArray<GatewayHealth>>
  /** Returns the health, the abilities and the rates of each gateway, in the order of the configuration. */
  readonly list: () => Promise<ReadonlyArray<Operations.GatewayState>>
  /** Calls `listener` when the health of a gateway changes. Returns a function that unsubscribes. */
  readonly subscribe: (listener: (health: GatewayHealth) => void) => () => void
}

/** The services of an organization. Their promises reject with a `CountersignError` only. */
export interface OrganizationServices {
  /** Sends and checks one-time codes. */
  readonly verifications: Operations.Verifications
  /** Sends messages and reads the log. */
  readonly messages: Operations.Messages
  /** Reads and controls batches of messages. */
  readonly batches: Operations.Batches
  /** Reads and changes the prepaid balance. */
  readonly account: Operations.Account
  /** Manages the keys of the HTTP interface. */
  readonly apiKeys: Operations.ApiKeys
  /** Manages the senders of messages. */
  readonly senders: Operations.Senders
  /** Manages the numbers that get no promotional messages. */
  readonly optOuts: Operations.OptOuts
  /** Manages the addresses that receive events. */
  readonly webhooks: Operations.Webhooks
  /** Reads the event log. */
  readonly events: Events
  /** Reads the findings of fraud detection, and tries its rules. */
  readonly fraud: Operations.Fraud
  /** Reads which alerts are open, and their bounds. */
  readonly alerts: Operations.Alerts
  /** Reads totals for charts and reports. */
  readonly totals: Operations.Totals
  /** Exports and erases what is stored of a phone number. */
  readonly privacy: Privacy
  /** Reads who has changed what, and records actions. */
  readonly audit: Operations.Audit
  /** Reads the calls that were refused. */
  readonly refusals: Operations.Refusals
}

/** The services of an engine, and the services of its default organization. */
export interface Services extends OrganizationServices {
  /**
   * Returns the services of an organization. Reads nothing: if the organization does not exist, each call rejects with
   * `OrganizationNotFoundError`. Throws `InvalidRequestError` for an id that is missing, empty or no text.
   */
  readonly organization: (id: string) => OrganizationServices
  /** Manages organizations and their settings. */
  readonly organizations: Operations.Organizations
  /** Receives delivery reports. */
  readonly reports: Operations.Reports
}
