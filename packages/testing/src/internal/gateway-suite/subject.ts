/**
 * The suite's options: an adapter and its vendor.
 */
import type { DeliveryReport } from "@countersign/core/domain/messages/DeliveryReport"
import type { Gateway, GatewayMessage } from "@countersign/core/ports/Gateway"
import type {
  GatewayOutcome,
  RejectionReason,
  ReportStatus,
} from "@countersign/core/domain/messages/GatewayOutcome"
import type * as Aead from "effect/crypto/Aead"
import type * as Digest from "effect/crypto/Digest"
import type * as Mac from "effect/crypto/Mac"
import type * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Redacted from "effect/Redacted"
import * as Samples from "../../Samples.ts"

/** A request as the vendor received it. */
export interface ReceivedRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  /** Keys are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

/** An answer of the vendor. */
export interface VendorAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body: string
}

/** Meanings of an answer other than acceptance: a rejection reason, throttled, or unknown. */
export type AnswerClass = NonNullable<Expected["reason"]> | "throttled" | "unknown"

/** The checked fields of an outcome. The vendor's text is not checked. */
export interface Expected {
  readonly _tag: GatewayOutcome["_tag"]
  readonly gatewayId?: string | undefined
  readonly segments?: number | undefined
  readonly reason?: RejectionReason | undefined
  readonly retryAfterMillis?: number | undefined
}

/** An answer and its meaning. */
export interface Row {
  /** Title part after "takes" and before "as": `a number that opted out`. */
  readonly title: string
  readonly answer: VendorAnswer
  readonly expected: Expected
  /** Overrides for the sample message. */
  readonly message?: Partial<GatewayMessage> | undefined
}

/** A request that a vendor makes: see `@countersign/gateways/Adapter`. */
export interface CallbackRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

/** The adapter's result for a vendor's request: see `@countersign/gateways/Adapter`. */
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

/** Services that an adapter may require. */
export type Platform =
  | HttpClient.HttpClient
  | Aead.Aead
  | Mac.Mac
  | Digest.Digest
  | SecureRandom.SecureRandom

/** The subject of a report. */
export interface About {
  readonly status: Extract<ReportStatus, "accepted" | "delivered" | "undelivered" | "failed">
  /** The vendor's id of the message. */
  readonly gatewayId: string
  /** The request with which the vendor received it. */
  readonly received: ReceivedRequest
  /** Unique per report of a message. */
  readonly sequence: number
}

export interface Callbacks {
  /** Statuses that the vendor can report. */
  readonly statuses: ReadonlyArray<About["status"]>
  /** Makes the vendor's signed request. */
  readonly report: (
    about: About,
  ) => CallbackRequest | Promise<CallbackRequest> | Effect.Effect<CallbackRequest, never, Platform>
  /** Name of the header with the signature, in lower case. */
  readonly signatureHeader: string
  /** Whether the signature covers the URL. */
  readonly signsAddress: boolean
  /** Further invalid requests, derived from a valid one. */
  readonly forged?:
    | ReadonlyArray<{
        readonly title: string
        readonly forge: (request: CallbackRequest) => ReturnType<Callbacks["report"]>
      }>
    | undefined
}

export interface Options {
  /** Makes the adapter to a vendor at this base URL. */
  readonly make: (
    baseUrl: string,
  ) => Adapter | Promise<Adapter> | Effect.Effect<Adapter, never, Platform>
  /** The vendor's answer when it accepts a message. */
  readonly accepted: Row
  /** Every other answer that the adapter recognizes. */
  readonly answers: ReadonlyArray<Row>
  /** Classes without a documented answer. Each of the others needs an answer. */
  readonly undocumented?: ReadonlyArray<AnswerClass> | undefined
  /** A documented rejection with the given text, to check whether adapters repeat it. */
  readonly refusal: (words: string) => VendorAnswer
  /** Overrides for every sample message. */
  readonly message?: Partial<GatewayMessage> | undefined
  /** The keys and tokens of `make`, in clear text. */
  readonly secrets: ReadonlyArray<string>
  /** Documented statuses from 500 on. Others prove nothing. */
  readonly documentedFailures?: ReadonlyArray<number> | undefined
  /** `undefined` if the vendor sends no reports. */
  readonly callbacks?: Callbacks | undefined
}

/** Makes the adapter to a vendor at this base URL. */
export const adapterTo = ({ make }: Options, baseUrl: string) => {
  const made = make(baseUrl)
  return Effect.isEffect(made) ? made : Effect.promise(async () => made)
}

/** A request that the options have made. */
export const requestMade = (made: ReturnType<Callbacks["report"]>) =>
  Effect.isEffect(made) ? made : Effect.promise(async () => made)

/** The code of the sample message. */
export const code = "739184"

/** Text with the code and unique words. */
export const text = `${code} is your verification code, quokka.`

/** A message whose text, code and phone number must not be repeated. */
export const message = (overrides: Partial<GatewayMessage> = {}): GatewayMessage => ({
  token: Samples.messageId(),
  ref: { organization: Samples.organizationId, sequence: 1 },
  purpose: "verification",
  class: "transactional",
  channel: "sms",
  phoneNumber: Samples.phoneNumber(45_678),
  sender: "8809600000000",
  text: Redacted.make(text),
  code: Redacted.make(code),
  locale: "en-us",
  ...overrides,
})
