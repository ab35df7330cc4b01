/**
 * What the suite is told about an adapter and its vendor.
 */
import type { DeliveryReport } from "@countersign/core/domain/DeliveryReport"
import type { Gateway, GatewayMessage } from "@countersign/core/ports/Gateway"
import type {
  GatewayOutcome,
  RejectionReason,
  ReportStatus,
} from "@countersign/core/domain/GatewayOutcome"
import type * as Digest from "effect/crypto/Digest"
import type * as Mac from "effect/crypto/Mac"
import type * as SecureRandom from "effect/crypto/SecureRandom"
import type * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Redacted from "effect/Redacted"
import * as Samples from "../../Samples.ts"

/** A request as the vendor has received it. */
export interface ReceivedRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

/** What a vendor answers. */
export interface VendorAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body: string
}

/** What an answer can mean other than that the message was taken: whose fault a refusal is, or none. */
export type AnswerClass = NonNullable<Expected["reason"]> | "throttled" | "unknown"

/** The parts of an outcome that have to be as they are here. Its words are the vendor's, and left open. */
export interface Expected {
  readonly _tag: GatewayOutcome["_tag"]
  readonly gatewayId?: string | undefined
  readonly segments?: number | undefined
  readonly reason?: RejectionReason | undefined
  readonly retryAfterMillis?: number | undefined
}

/** An answer, and what it means. */
export interface Row {
  /** Goes on after "takes" and before "as": `a number that opted out`. */
  readonly title: string
  readonly answer: VendorAnswer
  readonly expected: Expected
  /** What is different about the message. */
  readonly message?: Partial<GatewayMessage> | undefined
}

/** A request that a vendor makes: see `@countersign/gateways/Adapter`. */
export interface CallbackRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

/** What an adapter makes of a vendor's request: see `@countersign/gateways/Adapter`. */
export type CallbackOutcome =
  | {
      readonly _tag: "Reports"
      readonly reports: ReadonlyArray<DeliveryReport>
      readonly once?: string | undefined
    }
  | { readonly _tag: "Refused"; readonly reason: string }
  | { readonly _tag: "Malformed"; readonly reason: string }

/** An adapter: see `@countersign/gateways/Adapter`. */
export interface Adapter {
  readonly gateway: Gateway["Service"]
  readonly callback: ((request: CallbackRequest) => Effect.Effect<CallbackOutcome>) | undefined
}

/** What an adapter may ask of its platform. */
export type Platform = HttpClient.HttpClient | Mac.Mac | Digest.Digest | SecureRandom.SecureRandom

/** What a report is about. */
export interface About {
  readonly status: Extract<ReportStatus, "accepted" | "delivered" | "undelivered" | "failed">
  /** What the vendor has called the message in its answer. */
  readonly gatewayId: string
  /** The request by which the vendor has taken it. */
  readonly received: ReceivedRequest
  /** Different for every report of a message. */
  readonly sequence: number
}

export interface Callbacks {
  /** What the vendor can say of a message. */
  readonly statuses: ReadonlyArray<About["status"]>
  /** The request that the vendor makes and signs. */
  readonly report: (about: About) => Effect.Effect<CallbackRequest, never, Platform>
  /** The header that carries the signature, in lower case. */
  readonly signatureHeader: string
  /** Whether the signature covers the address. */
  readonly signsAddress: boolean
  /** What else has to be refused, made of a request that is right. */
  readonly forged?:
    | ReadonlyArray<{
        readonly title: string
        readonly forge: (
          request: CallbackRequest,
        ) => CallbackRequest | Effect.Effect<CallbackRequest, never, Platform>
      }>
    | undefined
}

export interface Options {
  /** Makes the adapter to a vendor at this address. */
  readonly make: (baseUrl: string) => Effect.Effect<Adapter, never, Platform>
  /** What the vendor answers when it takes a message. */
  readonly accepted: Row
  /** Every other answer that the adapter knows. */
  readonly answers: ReadonlyArray<Row>
  /** What none of the vendor's documented answers means. Everything else has to have an answer. */
  readonly undocumented?: ReadonlyArray<AnswerClass> | undefined
  /** A documented refusal in words of one's own, to see whether they are repeated. */
  readonly refusal: (words: string) => VendorAnswer
  /** What is different about every message. */
  readonly message?: Partial<GatewayMessage> | undefined
  /** The keys and tokens that `make` uses, in clear. */
  readonly secrets: ReadonlyArray<string>
  /** Statuses from 500 on that are documented; others prove nothing. */
  readonly documentedFailures?: ReadonlyArray<number> | undefined
  /** Left out where the vendor sends no reports. */
  readonly callbacks?: Callbacks | undefined
}

/** The code of the sample message. */
export const code = "739184"

/** Text that holds the code and words that occur nowhere else. */
export const text = `${code} is your verification code, quokka.`

/** A message with everything about it that must not be repeated. */
export const message = (overrides: Partial<GatewayMessage> = {}): GatewayMessage => ({
  token: Samples.messageId(),
  ref: { organization: Samples.organizationId, sequence: 1 },
  purpose: "verification",
  channel: "sms",
  to: Samples.phoneNumber(45_678),
  sender: "8809600000000",
  text: Redacted.make(text),
  code: Redacted.make(code),
  locale: "en-us",
  ...overrides,
})
