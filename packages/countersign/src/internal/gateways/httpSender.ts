import type { Gateway, GatewayOutcome, OutgoingMessage } from "../types/gateways.ts"

/** A request to a vendor. */
export interface HttpRequest {
  /** @defaultValue `"POST"` */
  readonly method?: "GET" | "POST" | "PUT" | undefined
  readonly url: string | URL
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** A value that is sent as JSON, or a text. @defaultValue no body */
  readonly body?: { readonly json: unknown } | { readonly text: string; readonly type: string }
}

/** An answer of a vendor. */
export interface HttpAnswer {
  readonly status: number
  /** Keys are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
  /** The text parsed as JSON; `undefined` if it is not JSON. */
  readonly json: unknown
}

/** A vendor that accepts a message in one HTTP request. */
export interface HttpSenderOptions {
  /** The keys and passwords of the account. They are removed from the vendor's words. */
  readonly secrets: ReadonlyArray<string>
  /** The request that carries a message. */
  readonly request: (message: OutgoingMessage) => HttpRequest
  /**
   * The meaning of an answer with a status below 300, or from 400 to 499. Answer `unknown` unless the vendor documents
   * the answer.
   */
  readonly outcome: (answer: HttpAnswer, message: OutgoingMessage) => GatewayOutcome
  /** Statuses from 500 on whose answers also have a meaning. @defaultValue none */
  readonly documentedFailures?: ReadonlyArray<number> | undefined
}

/**
 * Makes the `send` of a gateway to a vendor that accepts a message in one HTTP request. It sends the request once,
 * follows no redirect, and reads a bounded answer. The outcome is `not_sent` only if no byte has left, and `unknown` if
 * the answer was lost, is not documented, or contradicts its status.
 */
export const httpSender = (options: HttpSenderOptions): Gateway["send"] => {
  let loading: Promise<Gateway["send"]> | undefined
  const load = async () => (await import("./httpSending.ts")).senderOf(options)
  return async (message, context) => (await (loading ??= load()))(message, context)
}
