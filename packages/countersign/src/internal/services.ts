/**
 * What a running engine can be asked. Every promise rejects with a `CountersignError`, and with nothing else.
 */
import type { GatewayHealth } from "./gatewayTypes.ts"
import type * as Types from "./types.ts"

/** Sends and checks one-time codes. */
export interface Verifications {
  /** Sends a code. Resolves when the gateway has taken it, or may have taken it. */
  readonly send: (input: Types.SendVerification) => Promise<Types.SentVerification>
  /**
   * Checks a code; rejects with `WrongCodeError` for a wrong one, which costs an attempt. Once a request is
   * verified it stays so, and is no longer compared with anything: look at `isFirst`.
   */
  readonly check: (input: Types.CheckVerification) => Promise<Types.CheckedVerification>
  /** Looks at a request without touching it. */
  readonly status: (
    input: Types.OfOrganization & { readonly requestId: string },
  ) => Promise<Types.VerificationStatus>
}

/** Sends messages and reads the log. */
export interface Messages {
  /** Sends a message. Resolves when the gateway has taken it. */
  readonly send: (input: Types.SendMessage) => Promise<Types.SentMessage>
  /** What `send` would charge for a text, and how many segments it takes. Sends and counts nothing. */
  readonly preview: (input: Types.PreviewMessage) => Promise<Types.MessagePreview>
  /** A page of the log, newest first; verification messages included. */
  readonly list: (input?: Types.ListMessages) => Promise<Types.MessagePage>
  /** One entry of the log; rejects with `MessageNotFoundError` where there is none. */
  readonly get: (input: Types.GetMessage) => Promise<Types.LogEntry>
}

/** Reads and changes the balance of an organization. */
export interface Account {
  /** What can be spent, and what is held. */
  readonly balance: (input?: Types.OfOrganization) => Promise<Types.Balance>
  /** Adds a positive amount, once for each `paymentId`; gives the balance. */
  readonly topUp: (input: Types.Booking) => Promise<string>
  /** Adds a signed amount, once for each `paymentId`, never taking more than there is; gives the balance. */
  readonly adjust: (input: Types.Booking) => Promise<string>
  /** Ledger entries numbered above `after`, in order; at most 1,000 at a time. */
  readonly entries: (input?: Types.ListEntries) => Promise<ReadonlyArray<Types.LedgerEntry>>
}

/** Manages the keys of the HTTP interface. */
export interface ApiKeys {
  /** Makes a key for the HTTP interface. Its text is here and nowhere else. */
  readonly create: (input: Types.CreateApiKey) => Promise<Types.CreatedApiKey>
  /** The keys of an organization. */
  readonly list: (input?: Types.OfOrganization) => Promise<ReadonlyArray<Types.ApiKey>>
  /**
   * Makes a key useless from the next request on, on every node. Revoking twice is not an error and keeps the
   * time of the first revocation. Rejects with `ApiKeyNotFoundError` for an unknown id.
   */
  readonly revoke: (input: Types.OfOrganization & { readonly id: string }) => Promise<void>
}

/** Manages the senders of an organization. */
export interface Brands {
  /** Makes a sender, or changes one. */
  readonly save: (input: Types.SaveBrand) => Promise<Types.Brand>
  /** The senders of an organization. */
  readonly list: (input?: Types.OfOrganization) => Promise<ReadonlyArray<Types.Brand>>
}

/** Manages organizations and their settings. */
export interface Organizations {
  /** Creates an organization. Rejects with `OrganizationExistsError` if the id is taken. */
  readonly create: (input: Types.CreateOrganization) => Promise<Types.Organization>
  /** Rejects with `OrganizationNotFoundError` if there is no organization with this id. */
  readonly get: (id: string) => Promise<Types.Organization>
  /** A page of summaries, ordered by id. */
  readonly list: (
    input?: Types.ListOrganizations,
  ) => Promise<ReadonlyArray<Types.OrganizationSummary>>
  /** Changes the name of an organization. */
  readonly rename: (id: string, name: string) => Promise<Types.Organization>
  /**
   * Refuses all keys of an organization from the next request on, on every node, as if they were revoked.
   * Calls of this API for the organization are served as before; so are settlement, refunds, reports and
   * retention. Suspending twice is not an error.
   */
  readonly suspend: (id: string) => Promise<Types.Organization>
  /** Ends a suspension: keys that are not revoked work again from the next request on, on every node. */
  readonly resume: (id: string) => Promise<Types.Organization>
  /** Changes the settings that are named, from the next request on. */
  readonly configure: (
    id: string,
    settings: Types.OrganizationSettings,
  ) => Promise<Types.Organization>
  /**
   * Repairs an organization that has seen a time far ahead because a clock was wrong: brings its time, its
   * open messages and its log back to the database's clock. Correct the clock first. Safe to repeat.
   * Resolves with the number of messages that were rewritten.
   */
  readonly repairTime: (id: string) => Promise<{ readonly messages: number }>
}

/** Receives and reads delivery reports. */
export interface Reports {
  /** Takes in what a gateway tells of a message, as often and in whatever order it does. */
  readonly receive: (
    report: Types.DeliveryReport,
  ) => Promise<"applied" | "kept" | "unknown message">
  /** What has come in on a message, the first 20 reports in their order; for disputes about its price. */
  readonly forMessage: (message: Types.OfMessage) => Promise<ReadonlyArray<Types.MessageReport>>
}

/** Reads the findings of fraud detection. */
export interface Fraud {
  /** What was found in an organization, newest first. */
  readonly findings: (input?: Types.ListFindings) => Promise<ReadonlyArray<Types.FraudFinding>>
}

/** The gateways of this process, as it sees them. */
export interface GatewayStates {
  /** How each fares, in the order in which they were given. */
  readonly health: () => Promise<ReadonlyArray<GatewayHealth>>
  /** Hears of each that comes to fare otherwise; gives what ends that. */
  readonly subscribe: (listener: (health: GatewayHealth) => void) => () => void
}

/** The services of an engine. */
export interface Services {
  readonly verifications: Verifications
  readonly messages: Messages
  readonly account: Account
  readonly apiKeys: ApiKeys
  readonly brands: Brands
  readonly organizations: Organizations
  readonly reports: Reports
  readonly fraud: Fraud
}
