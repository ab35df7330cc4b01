/** Adapters to vendors: a gateway for the engine, and a reader for the vendor's delivery reports. */
import type { DeliveryReport } from "@countersign/core/domain/messages/DeliveryReport"
import type { Gateway } from "@countersign/core/ports/Gateway"
import type * as Effect from "effect/Effect"

/** A request to the host's callback URL. The sender is unverified until the adapter checks the signature. */
export interface CallbackRequest {
  readonly method: string
  /**
   * The URL that the vendor calls, with its path and query. It is built from the configuration, never from the
   * request's own `Host` header.
   */
  readonly url: URL
  /** Keys are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The body, byte for byte as received. Signatures cover these bytes. */
  readonly body: Uint8Array
}

/** The host's answer to a callback, and the reports read from it. */
export type CallbackOutcome =
  | {
      readonly _tag: "Reports"
      /** In the order in which the vendor sent them. Empty if the request is not about deliveries. */
      readonly reports: ReadonlyArray<DeliveryReport>
      /**
       * Unique id of the request, if the vendor signs one and never uses it again. `Callbacks` accepts one
       * request per id. `undefined`: the vendor may repeat requests. Repeated reports do no harm.
       */
      readonly once?: string | undefined
      /** The response that the vendor expects. @defaultValue an empty 200 */
      readonly answer?: { readonly contentType: string; readonly text: string } | undefined
    }
  /** The signature is missing or wrong, or the request is a repeat. The host learned nothing. */
  | { readonly _tag: "Refused"; readonly reason: string }
  /** The signature is valid, but the adapter cannot read the body. */
  | { readonly _tag: "Malformed"; readonly reason: string }

/** Reads a vendor's request. Never fails. */
export type Callback = (request: CallbackRequest) => Effect.Effect<CallbackOutcome>

/** A gateway and the reader for its reports. `callback` is `undefined` if the vendor sends no reports. */
export interface Adapter {
  readonly gateway: Gateway["Service"]
  readonly callback: Callback | undefined
}
