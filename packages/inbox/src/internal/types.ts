/** Has no type of Effect, for hosts without it. */
import type { Duration } from "@countersign/core/domain/values/DurationText"
import type { Channel } from "@countersign/core/domain/values/Channel"
import type { ReportStatus } from "@countersign/core/domain/messages/ReportStatus"
import type { Behaviour, ReportResult } from "@countersign/core/adapters/Simulation"
import type { RequestContext } from "@countersign/http/mount/MountOptions"
import type { IncomingMessage, ServerResponse } from "node:http"

export type { Behaviour, ReportResult, ReportStatus }

/** A message as the inbox shows it. */
export interface InboxMessage {
  readonly id: string
  readonly channel: Channel
  readonly sender: string
  readonly text: string
  /** The last report of the gateway. `unknown`: it gave no answer. */
  readonly outcome: ReportStatus | "unknown"
  /** The phone number with its plus. */
  readonly to: string
  /** The code in the text; `null` for a text without a code. */
  readonly code: string | null
  /** ISO 8601. */
  readonly at: string
  /** How the text is encoded; `null` on WhatsApp, which has no segments. */
  readonly segments: { readonly encoding: "GSM-7" | "UCS-2"; readonly count: number } | null
  /** The price, a decimal. It is refunded if the message does not arrive. `null` if the inbox knows no prices. */
  readonly price: string | null
  /** ISO 4217; `null` if the inbox knows no prices. */
  readonly currency: string | null
  /** Whether a report can still change the outcome. */
  readonly open: boolean
}

/** The newest code of a number. */
export interface LatestCode {
  readonly code: string
  /** The id of the message. */
  readonly id: string
  /** The phone number with its plus. */
  readonly to: string
  /** ISO 8601. */
  readonly at: string
}

/** When messages arrive: at once, when a user presses a button, or after a time of whole seconds, up to 1 hour. */
export type Delivery = "at-once" | "by-hand" | Duration

/** A number that does not accept every message. */
export interface SpecialNumber {
  /** E.164 with its plus. */
  readonly number: string
  /** A line for readers. */
  readonly meaning: string
  /** The behaviour for an SMS. `undefined`: as for any other number. */
  readonly sms?: Behaviour | undefined
  /** The behaviour for a message over WhatsApp. `undefined`: as for any other number. */
  readonly whatsapp?: Behaviour | undefined
  /** @defaultValue `true` */
  readonly isOnWhatsApp?: boolean | undefined
}

/** The phones behind the gateway. */
export interface PhoneOptions {
  /** When messages arrive, until a user changes it on the page. @defaultValue `at-once` */
  readonly delivery?: Delivery | undefined
  /** The numbers that do not accept every message. @defaultValue `specialNumbers` */
  readonly numbers?: ReadonlyArray<SpecialNumber> | undefined
  /** Time after which a message without an answer has an unknown outcome. @defaultValue `"10 seconds"` */
  readonly timeout?: Duration | undefined
  /** Starts also if `NODE_ENV` is `production`, where every reader of the page can sign in as any user. @defaultValue `false` */
  readonly allowInProduction?: boolean | undefined
}

/** How the page and its data are served. */
export interface RouteOptions {
  /** The base path if the mount does not give one. @defaultValue `/inbox` */
  readonly basePath?: string | undefined
  /**
   * Names under which the inbox may be asked for: `devbox.lan`. Other names get 421, because their owner could
   * read the inbox through a visitor's browser. @defaultValue `localhost`, names that end in `.localhost`, and IP addresses
   */
  readonly hosts?: ReadonlyArray<string> | undefined
}

/** Options of `createInbox`. */
export interface InboxOptions extends PhoneOptions, RouteOptions {}

/** The messages to list. */
export interface ListMessages {
  /** The phone number, with or without its plus, in ASCII or in Bangla digits. @defaultValue all */
  readonly phoneNumber?: string | undefined
  /** Maximum number of messages, 1 to 500. @defaultValue 500 */
  readonly limit?: number | undefined
}

/** The code to wait for. */
export interface WaitForCode {
  /** The phone number, with or without its plus, in ASCII or in Bangla digits. */
  readonly phoneNumber: string
  /** How long to wait for a code; `"0 seconds"` does not wait. @defaultValue `"10 seconds"` */
  readonly timeout?: Duration | undefined
  /** The id of a message: codes count only in messages after it. @defaultValue the newest code counts, however old */
  readonly after?: string | undefined
}

/** A report on a message that is open. */
export interface ReportMessage {
  readonly id: string
  /** `never` cancels the report that would come. */
  readonly status: ReportStatus | "never"
  /** Time until the report: whole seconds, up to 1 hour. @defaultValue `"0 seconds"` */
  readonly delay?: Duration | undefined
}

/** The actions of tests and people on an inbox, in its process or over HTTP. */
export interface InboxActions {
  /** Returns messages, newest first. */
  readonly messages: (options?: ListMessages) => Promise<ReadonlyArray<InboxMessage>>
  /** Returns the newest code to a number. Rejects with `NoCodeError` without one. */
  readonly latestCode: (phoneNumber: string) => Promise<string>
  /** Returns the newest code to a number, or the next one. Rejects with `NoCodeError` after the timeout. */
  readonly waitForCode: (options: WaitForCode) => Promise<string>
  /** Reports on an open message, or cancels its report. Returns `final` for a message that is no longer open. */
  readonly report: (options: ReportMessage) => Promise<ReportResult>
  /** Sets when messages arrive that are sent from now on. */
  readonly deliver: (when: Delivery) => Promise<void>
  /** Forgets all messages. */
  readonly clear: () => Promise<void>
}

/** The gateway of an inbox, for `createCountersign`. */
export interface InboxGateway {
  readonly name: string
  readonly capabilities: { readonly timeoutMillis: number }
}

/** An inbox in this process: the gateway for `createCountersign`, and what a mount takes. */
export interface Inbox extends InboxActions, AsyncDisposable {
  /** The gateways for `createCountersign`. One engine at a time can use them. */
  readonly gateways: { readonly sms: InboxGateway; readonly whatsapp: InboxGateway }
  /** Serves the page and its data for web `Request`s. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Like `fetch`, with a request context. */
  readonly handle: (request: Request, context: RequestContext) => Promise<Response>
  /** A listener for `node:http`, and for `app.use(path, listener)` of Express. */
  readonly listener: (
    request: IncomingMessage,
    response: ServerResponse,
    context?: RequestContext | ((error?: unknown) => void),
  ) => void
  /** Ends open pages and waits, for which a server waits before it has closed. `countersignFastify` calls it. */
  readonly endStreams: () => void
  /** Ends open pages and waits, then requests under way. Calling it more than once is safe. */
  readonly dispose: () => Promise<void>
}
