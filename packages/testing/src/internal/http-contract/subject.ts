/**
 * The subject of the contract: a service with an HTTP API, and the host's functions that no HTTP request can
 * reach.
 */
import type { Kind, Status } from "@countersign/core/domain/messages/Sender"
import type { CreateApiKey } from "@countersign/core/services/ApiKeys"
import type { ReportStatus } from "@countersign/core/domain/messages/GatewayOutcome"
import type { Settings } from "@countersign/core/domain/organizations/Organization"
import type { JournalEntry } from "@countersign/core/adapters/SimulatedGateway"
import * as Context from "effect/Context"

/** Options of a mount. */
export interface MountOptions {
  /** IP addresses and CIDR blocks of proxies whose `X-Forwarded-For` is trusted. @defaultValue none */
  readonly trustedProxies?: ReadonlyArray<string>
  /** The endpoints that the IP allow list guards. @defaultValue `"all"` */
  readonly allowListScope?: "all" | "messages"
  /** The token with which `/metrics` is served. @defaultValue it is not */
  readonly metrics?: { readonly token: string }
}

/** A sender. By default it is approved and is not the default sender. */
export interface Sender {
  readonly id?: string
  readonly kind: Kind
  readonly sender: string
  readonly status?: Exclude<Status, "withdrawn">
  readonly isDefault?: boolean
}

/** Setup of an organization. */
export interface OrganizationOptions {
  /** The balance, as a decimal. @defaultValue `"100"` */
  readonly balance?: string
  /** Senders in addition to the default number and the default profile, which every organization has. */
  readonly senders?: ReadonlyArray<Sender>
  readonly settings?: Partial<Settings>
  /** Price of a WhatsApp message, as a decimal. @defaultValue free */
  readonly whatsAppPrice?: string
}

/** The host's functions for one organization. */
export interface Host {
  /** Makes a key and returns its text. */
  readonly createKey: (options?: Pick<CreateApiKey, "expiresAt" | "scopes">) => Promise<string>
  /** Revokes a key of `createKey`. */
  readonly revokeKey: (key: string) => Promise<void>
  readonly topUp: (amount: string) => Promise<void>
  readonly configure: (settings: Partial<Omit<Settings, "isSuspended">>) => Promise<void>
  readonly setSuspended: (isSuspended: boolean) => Promise<void>
  /** Adds a sender and returns its brand id. */
  readonly saveSender: (sender: Sender) => Promise<string>
  /** Withdraws a sender, by its brand id. */
  readonly withdrawSender: (id: string) => Promise<void>
  /** The names of the events of one verification request. */
  readonly eventsOf: (requestId: string) => ReadonlyArray<string>
}

/** The service under test. A rejected promise fails the test. */
export class Subject extends Context.Service<
  Subject,
  {
    /** Serves the HTTP API on loopback until all tests end. Returns the base URL. */
    readonly serve: (options: MountOptions) => Promise<string>
    /** Like `serve`, over a second engine on the same store, as a second node of the host would. */
    readonly serveFromAnotherNode: () => Promise<string>
    /** Makes an isolated organization. */
    readonly organization: (options: OrganizationOptions) => Promise<Host>
    /** The messages that the gateway received for one phone number, newest first. */
    readonly journal: (number: string) => Promise<ReadonlyArray<JournalEntry>>
    /** Makes the gateway report on a message, by its id in the log. */
    readonly report: (messageId: string, status: ReportStatus) => Promise<void>
    /** The engine's time, in epoch milliseconds. */
    readonly now: () => number
    /** Advances the engine's time, which otherwise stands still. */
    readonly advance: (millis: number) => void
  }
>()("@countersign/testing/HttpContract/Subject") {}
