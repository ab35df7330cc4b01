/** The types that all calls share. The types of each call are in `types.ts`. */

/** The result of a call. It is data, so that the caller has to handle every outcome. */
export type Result<A, E> =
  | { readonly ok: true; readonly data: A }
  | { readonly ok: false; readonly error: E }

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call: the request, the reading of its response, and the wait before a retry. */
  readonly signal?: AbortSignal | undefined
}

/** Options of a call that has its effect once, however often it is repeated. */
export interface KeyedCall extends CallOptions {
  /**
   * Your own key of the call: 1 to 255 printable ASCII characters, unique for each call of the organization and the
   * method. Pass the same key to repeat a call in another process, within 24 hours. @defaultValue a new key
   */
  readonly idempotencyKey?: string | undefined
}

/** Selects a request. */
export interface OfRequest extends CallOptions {
  /** From the result of `verifications.send`. */
  readonly requestId: string
}

/** The channel of a message. */
export type Channel = "sms" | "whatsapp"

/** A JSON object of yours. */
export type Metadata = Readonly<Record<string, unknown>>
