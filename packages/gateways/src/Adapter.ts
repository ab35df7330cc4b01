/**
 * What an adapter to a vendor is: the engine's gateway, and a reader of the reports that the vendor sends.
 */
import type { DeliveryReport } from "@countersign/core/domain/DeliveryReport"
import type { Gateway } from "@countersign/core/ports/Gateway"
import type * as Effect from "effect/Effect"

/** A request that a vendor, or somebody who says to be one, has made to the host. */
export interface CallbackRequest {
  readonly method: string
  /**
   * The address under which the vendor knows the host, with its path and query: made of what is
   * configured, never of the request's own `Host`.
   */
  readonly url: URL
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** As it came over the wire: signatures are over these bytes. */
  readonly body: Uint8Array
}

/** What the host answers, and what it has learned. */
export type CallbackOutcome =
  | {
      readonly _tag: "Reports"
      /** In the order in which they were sent. May be none: vendors report on more than deliveries. */
      readonly reports: ReadonlyArray<DeliveryReport>
      /**
       * The request's own name, where it is signed with one and the vendor never uses it again. `Callbacks`
       * takes in one request of a name. Left out where the vendor repeats requests as they are: reports
       * may come twice without harm.
       */
      readonly once?: string | undefined
      /** What the vendor wants to read; an empty 200 when left out. */
      readonly answer?: { readonly contentType: string; readonly text: string } | undefined
    }
  /** The signature is missing or wrong, or the request was seen before. Nothing was learned. */
  | { readonly _tag: "Refused"; readonly reason: string }
  /** Signed by the vendor, and yet nothing that can be read. */
  | { readonly _tag: "Malformed"; readonly reason: string }

/** Reads what a vendor sends. Never fails, whatever that is. */
export type Callback = (request: CallbackRequest) => Effect.Effect<CallbackOutcome>

/** A gateway, and the reader of its reports; `undefined` where the vendor sends none. */
export interface Adapter {
  readonly gateway: Gateway["Service"]
  readonly callback: Callback | undefined
}
