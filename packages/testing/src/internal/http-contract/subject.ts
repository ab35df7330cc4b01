/**
 * What the contract is tested on: a service that answers over HTTP, and the
 * host's side of it, which no HTTP request can reach.
 */
import type { Kind, Status } from "@countersign/core/domain/Brand"
import type { ReportStatus } from "@countersign/core/domain/GatewayOutcome"
import type { Settings } from "@countersign/core/domain/Organization"
import type { JournalEntry } from "@countersign/core/adapters/SimulatedGateway"
import * as Context from "effect/Context"

/** How the interface is mounted. */
export interface MountOptions {
  /** Addresses and CIDR blocks of proxies whose `X-Forwarded-For` is believed; nobody's by default. */
  readonly trustedProxies?: ReadonlyArray<string>
  /** Lets the allow list of addresses guard every endpoint. */
  readonly guardAllEndpoints?: boolean
}

/** A sender; approved, and not the default, when nothing else is said. */
export interface Sender {
  readonly id?: string
  readonly kind: Kind
  readonly sender: string
  readonly status?: Status
  readonly isDefault?: boolean
}

/** An organization to begin with. */
export interface OrganizationOptions {
  /** What can be spent, as a decimal; `"100"` when left out. */
  readonly balance?: string
  /** Beside the default number and the default profile, which every organization has. */
  readonly senders?: ReadonlyArray<Sender>
  readonly settings?: Partial<Settings>
  /** What a WhatsApp message costs, as a decimal; nothing when left out. */
  readonly whatsAppPrice?: string
}

/** The host's side of one organization. */
export interface Host {
  /** Makes a key and gives its text. */
  readonly createKey: () => Promise<string>
  /** Revokes a key that `createKey` has made. */
  readonly revokeKey: (key: string) => Promise<void>
  readonly topUp: (amount: string) => Promise<void>
  readonly configure: (settings: Partial<Settings>) => Promise<void>
  /** Adds a sender and gives its brand id. */
  readonly saveSender: (sender: Sender) => Promise<string>
  /** The names of the events that were raised for one verification request. */
  readonly eventsOf: (requestId: string) => ReadonlyArray<string>
}

/** The service under test. Every promise may reject for a reason that fails the test. */
export class Subject extends Context.Service<
  Subject,
  {
    /** Serves the interface on loopback until the end of all tests; gives the base URL. */
    readonly serve: (options: MountOptions) => Promise<string>
    /** The same over an engine of its own on the same store, as another node of the host would. */
    readonly serveFromAnotherNode: () => Promise<string>
    /** Makes an organization that nothing else knows of. */
    readonly organization: (options: OrganizationOptions) => Promise<Host>
    /** What the gateway was handed for one number, newest first. */
    readonly journal: (number: string) => Promise<ReadonlyArray<JournalEntry>>
    /** Has the gateway report on a message, which is named as in the log. */
    readonly report: (messageId: string, status: ReportStatus) => Promise<void>
    /** Runs one round of settlement. */
    readonly settle: () => Promise<void>
    /** The engine's time, epoch milliseconds. */
    readonly now: () => number
    /** Moves the engine's time on, which stands still otherwise. */
    readonly advance: (millis: number) => void
  }
>()("@countersign/testing/HttpContract/Subject") {}
