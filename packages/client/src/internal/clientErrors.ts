/** The fields that all errors have, and the errors without an answer of the service. */

/** `code` distinguishes all errors. If the service responded, `message` is its sentence and `status` its status. */
export interface Failed<Code extends string, Status extends number | undefined> {
  /** The service's code, the same as in an error of `countersign`, or a code of this client. */
  readonly code: Code
  readonly message: string
  readonly status: Status
}

/** Errors after which the call may or may not have taken effect. */
export interface Doubt {
  /**
   * Whether the call may have taken effect: a code or a message may have been sent or may still be sent. An attempt
   * may be used up, or the request may be cancelled or consumed. Always `false` for a call that only reads.
   */
  readonly mayHaveTakenEffect: boolean
}

/** The response does not come from the service, such as a proxy's page, or its body is incomplete. */
export interface UnexpectedResponse extends Failed<"unexpected_response", number>, Doubt {
  /** The response's `Countersign-Error` header, such as `body_too_large`; `undefined` if it has none. */
  readonly reason: string | undefined
  /** The beginning of the body: at most 200 characters. */
  readonly text: string
}

interface NoAnswer<Code extends string> extends Failed<Code, undefined>, Doubt {}

/** No response arrived within `timeoutMillis`. */
export interface Timeout extends NoAnswer<"timeout"> {}

/** The service could not be reached, or the connection broke before the response was complete. */
export interface Network extends NoAnswer<"network"> {
  /** The runtime's code, such as `ECONNREFUSED`; `undefined` if it has none. */
  readonly reason: string | undefined
}

/** The caller's `signal` aborted the call. */
export interface Aborted extends NoAnswer<"aborted"> {}
