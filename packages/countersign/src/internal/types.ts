/**
 * The shapes that go in and come out. Nothing of Effect is in them.
 */
import type { Limits } from "./limitTypes.ts"

export type * from "./limitTypes.ts"

/** The channel of a message. */
export type Channel = "sms" | "whatsapp"

/** Whose balance, log and limits are meant. Hosts with one organization leave it out everywhere. */
export interface OfOrganization {
  readonly organization?: string | undefined
}

export interface SendVerification extends OfOrganization {
  /** E.164 with its plus. */
  readonly phoneNumber: string
  /** `sms` when left out. */
  readonly channel?: Channel | undefined
  /** Digits; 4 to 10, 6 when left out. */
  readonly codeLength?: number | undefined
  /** 60 to 3,600; 300 when left out. */
  readonly expirySeconds?: number | undefined
  /** `en-us` or `bn-bd`; the first when left out. */
  readonly locale?: string | undefined
  /** A brand's id, an approved masking name, or a registered number. */
  readonly brand?: string | undefined
}

/** A code that was sent. */
export interface SentVerification {
  /** Checks the code later. */
  readonly requestId: string
  /** E.164 with its plus. */
  readonly phoneNumber: string
  readonly channel: Channel
  /** Until then the code can be checked, in seconds from now. */
  readonly expiresInSeconds: number
}

export interface CheckVerification extends OfOrganization {
  readonly requestId: string
  /** What the user has typed; 1 to 32 characters. White space and hyphens do not count. */
  readonly code: string
}

/** A verified request. */
export interface CheckedVerification {
  readonly requestId: string
  /** The number that is verified, E.164 with its plus. */
  readonly phoneNumber: string
  /** The same however often the request is checked again. */
  readonly verifiedAt: Date
  /**
   * Whether it was this check that verified it. A request that is verified answers every later check in the
   * same way, whatever its code: begin a session for the first only.
   */
  readonly isFirst: boolean
}

/** The state of a verification request. */
export interface VerificationStatus {
  readonly requestId: string
  readonly phoneNumber: string
  readonly channel: Channel
  readonly status: "pending" | "verified" | "failed" | "expired"
  readonly attemptsRemaining: number
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly verifiedAt: Date | null
}

export interface SendMessage extends OfOrganization {
  /** E.164, with or without its plus. */
  readonly to: string
  /** 1 to 1,600 characters. */
  readonly text: string
  /** `sms` when left out. */
  readonly channel?: Channel | undefined
  readonly brand?: string | undefined
}

/** A message that the gateway accepted. */
export interface SentMessage {
  /** The gateway's own id of the message. */
  readonly gatewayId: string
  readonly to: string
  readonly channel: Channel
  /** What can still be spent: a decimal. */
  readonly balance: string
}

export interface PreviewMessage extends OfOrganization {
  readonly text: string
  /** `sms` when left out. */
  readonly channel?: Channel | undefined
}

/** What a text takes and costs. */
export interface MessagePreview {
  /** `null` on WhatsApp, which knows no segments. */
  readonly segments: {
    /** GSM-7 where its alphabet can spell the text, else 16 bits a letter. */
    readonly encoding: "gsm7" | "ucs2"
    /** Septets or 16-bit units. */
    readonly units: number
    /** SMS that it takes. */
    readonly segments: number
    /** Units that are free in the last one. */
    readonly remaining: number
  } | null
  /** A decimal. */
  readonly price: string
  /** ISO 4217. */
  readonly currency: string
}

export interface ListMessages extends OfOrganization {
  /** 1 to 200; 50 when left out. */
  readonly limit?: number | undefined
  /** From 1. */
  readonly page?: number | undefined
  /** Both ends are included. One alone does not filter. */
  readonly from?: Date | undefined
  readonly to?: Date | undefined
}

export interface GetMessage extends OfOrganization {
  /** `id` of a log entry. */
  readonly id: string
}

/** One message of the log. */
export interface LogEntry {
  /** Finds the entry again with `messages.get`. */
  readonly id: string
  /** Its place in the log, from 1 on: what events and the ledger call it by. */
  readonly sequence: number
  /** E.164 with its plus. */
  readonly to: string
  /** A verification's code is masked. */
  readonly text: string
  readonly channel: Channel
  readonly sender: string
  /** The request whose code it carries. */
  readonly requestId: string | null
  readonly status:
    | "pending"
    | "accepted"
    | "delivered"
    | "undelivered"
    | "rejected"
    | "failed"
    | "unknown"
  /** What it has cost: a decimal; `"0.00"` for one that was refunded. */
  readonly price: string
  /** Who took it, or was to. */
  readonly gateway: string
  readonly gatewayId: string | null
  readonly error: string | null
  readonly createdAt: Date
}

/** One page of the log. */
export interface MessagePage {
  /** Newest first. */
  readonly messages: ReadonlyArray<LogEntry>
  readonly page: number
  readonly limit: number
  /** Exact. */
  readonly total: number
  readonly totalPages: number
}

/** Decimals, as in `"0.50"`. */
export interface Balance {
  /** What can still be spent. */
  readonly balance: string
  /** Held for messages whose outcome is open. */
  readonly held: string
  /** ISO 4217. */
  readonly currency: string
}

export interface Booking extends OfOrganization {
  /** A decimal, as in `"100"` or `"0.50"`. */
  readonly amount: string
  /** Why, in your own words; at most 200 characters. */
  readonly note?: string | undefined
  /**
   * The payment that is booked, by your own id of it: 1 to 200 printable characters that do not begin with
   * `countersign_`. An organization books a payment id once, on whatever node and however often the call is
   * repeated. A repeat changes nothing and gives the current balance. The same id for another amount, or for an
   * adjustment in place of a top-up, rejects with `InvalidRequestError`.
   *
   * Without one, each call is a booking. Only a call that was rejected with `UnavailableError` is recognized
   * when it is repeated with the same amount and note: within ten minutes, by the same process.
   */
  readonly paymentId?: string | undefined
}

/** One line of the ledger. */
export interface LedgerEntry {
  /** 1 for the first, without gaps from there. */
  readonly sequence: number
  readonly kind: "top-up" | "adjustment" | "hold" | "capture" | "release"
  readonly amount: string
  /** After this entry. */
  readonly balance: string
  readonly held: string
  /** The message that is paid for, by its number in the log. */
  readonly messageSequence: number | null
  readonly note: string | null
  /** The one that the booking was made with; `null` where it had none. */
  readonly paymentId: string | null
  readonly at: Date
}

/** Which part of the ledger. */
export interface ListEntries extends OfOrganization {
  readonly after?: number | undefined
  /** 1 to 1,000. */
  readonly limit?: number | undefined
}

export interface CreateApiKey extends OfOrganization {
  /** For people; 1 to 100 characters. */
  readonly name: string
  /** `live` when left out; only the key's text tells them apart. */
  readonly environment?: "live" | "test" | undefined
}

/** A key of the HTTP interface, without its text. */
export interface ApiKey {
  readonly id: string
  readonly name: string
  readonly environment: "live" | "test"
  readonly createdAt: Date
  readonly revokedAt: Date | null
}

/** A key, and its text, which cannot be had again. */
export interface CreatedApiKey extends ApiKey {
  readonly key: string
}

/** A sender of messages. */
export interface Brand {
  readonly id: string
  /** `masking`: a name in place of a number. `non-masking`: a number. `whatsapp`: a business profile. */
  readonly kind: "masking" | "non-masking" | "whatsapp"
  /** The name, the number, or the profile's id. */
  readonly sender: string
  readonly status: "pending" | "approved" | "rejected"
  /** Used where a request names no sender. */
  readonly isDefault: boolean
}

export interface SaveBrand extends OfOrganization {
  /** Replaces the brand with this id; a new one is made when left out. */
  readonly id?: string | undefined
  readonly kind: Brand["kind"]
  readonly sender: string
  /** `approved` when left out. */
  readonly status?: Brand["status"] | undefined
  readonly isDefault?: boolean | undefined
}

/** An organization with its settings. */
export interface Organization {
  readonly id: string
  readonly name: string
  /** Addresses and CIDR blocks that may call over HTTP; empty allows every address. */
  readonly allowList: ReadonlyArray<string>
  /** Its own limits, where they differ from the host's. */
  readonly limits: Limits
  /** Whether all of its keys are refused. */
  readonly isSuspended: boolean
}

/** An organization in a list. */
export interface OrganizationSummary {
  readonly id: string
  readonly name: string
  readonly isSuspended: boolean
  /** Decimals, as in `"0.50"`: what can be spent, and what is held. */
  readonly balance: string
  readonly held: string
  /** Number of API keys that are not revoked. */
  readonly activeApiKeys: number
}

/** Settings of an organization. `undefined` keeps the current value. */
export interface OrganizationSettings {
  readonly allowList?: ReadonlyArray<string> | undefined
  readonly limits?: Limits | undefined
}

/** A new organization. */
export interface CreateOrganization extends OrganizationSettings {
  /** 1 to 64 characters of `A-Z a-z 0-9 _ -`. */
  readonly id: string
  /** The id when left out. */
  readonly name?: string | undefined
}

/** Selects a page of organizations. */
export interface ListOrganizations {
  /** The last id of the page before; `undefined` for the first page. */
  readonly after?: string | undefined
  /** Organizations in the page, 1 to 1,000. @defaultValue 100 */
  readonly limit?: number | undefined
}

/** What a report is about: the gateway's own name for a message, or its place in the log. */
export type ReportedMessage =
  | {
      /** As the gateway has given it to the engine. */
      readonly gatewayId: string
      /** The gateway's name; where left out, the only one that you have written yourself. */
      readonly gateway?: string | undefined
    }
  | (OfOrganization & {
      /** `sequence` of the message that the gateway was handed, together with its `organization`. */
      readonly messageSequence: number
    })

/** What a gateway tells of a message later. */
export type DeliveryReport = ReportedMessage & {
  readonly status: "accepted" | "delivered" | "undelivered" | "failed" | "rejected"
  /** The vendor's words. */
  readonly detail?: string | undefined
  /** The vendor's documented word for a recipient who is not on the channel. */
  readonly unreachable?: boolean | undefined
  /** What came, as text: the query and the body of the vendor's request. It is masked before it is kept. */
  readonly raw?: string | undefined
}

export interface OfMessage extends OfOrganization {
  /** Its place in the log. */
  readonly sequence: number
}

/** What has come in on a message. */
export interface MessageReport {
  /** Among the reports on the message, from 1 on. */
  readonly position: number
  readonly receivedAt: Date
  /** Who has reported. */
  readonly gateway: string
  readonly gatewayId: string | null
  readonly status: DeliveryReport["status"]
  readonly detail: string | null
  /** All that came, at most 2,000 characters, without numbers, codes and credentials. */
  readonly raw: string | null
}

export interface ListFindings extends OfOrganization {
  /** 1 to 1,000; 100 when left out. */
  readonly limit?: number | undefined
}

/** Codes for one prefix that have become suspicious. */
export interface FraudFinding {
  readonly organization: string
  /** The first digits of the numbers, without a plus. */
  readonly prefix: string
  /** More codes than `maxSent`, or too few of them verified. */
  readonly reason: "velocity" | "conversion"
  /** What was done about it. */
  readonly action: "record" | "deny"
  readonly at: Date
  /** Counted in the running window and the one before it. */
  readonly sent: number
  readonly verified: number
}
