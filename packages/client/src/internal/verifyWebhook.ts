import { type Duration, instead, millisOf } from "./durations.ts"
import { checkNames } from "./options.ts"
import { instant, isObject, isText, type JsonObject, objectOf, parse } from "./json.ts"
import type { WebhookEvent } from "./webhookEvents.ts"

/** Why a request is not a delivery. */
export type WebhookProblem =
  /** A header is missing, or is not in the format of Standard Webhooks. */
  | "headers"
  /** The request is too old, or from the future. */
  | "timestamp"
  /** None of the signatures is made with one of the secrets. */
  | "signature"
  /** The body is not an event. */
  | "body"

/** The request is not a delivery of the service. Answer it with 400. */
export class WebhookVerificationError extends Error {
  readonly problem: WebhookProblem

  constructor(problem: WebhookProblem) {
    super(sentences[problem])
    this.name = "WebhookVerificationError"
    this.problem = problem
  }
}

const sentences: Readonly<Record<WebhookProblem, string>> = {
  headers: "The headers of the webhook are missing or malformed",
  timestamp: "The webhook is too old, or from the future",
  signature: "No signature of the webhook is right",
  body: "The body of the webhook is not an event",
}

/** A web `Request` whose body was not read, or the parts of a request. */
export type WebhookRequest =
  | Request
  | {
      /** Web `Headers`, or the headers of a request of Node, whose names are in lower case. */
      readonly headers: Headers | Readonly<Record<string, unknown>>
      /** The body as it was received. A body that was parsed and written again has another signature. */
      readonly body: string | Uint8Array
    }

/** How exact the time of a delivery has to be. */
export interface VerifyWebhookOptions {
  /** By how much the clocks may differ, and a delivery may be late. @defaultValue `"5 minutes"` */
  readonly tolerance?: Duration | undefined
  /** The current time in milliseconds since the epoch. @defaultValue the clock of the system */
  readonly now?: (() => number) | undefined
}

const names: ReadonlyArray<keyof VerifyWebhookOptions> = ["tolerance", "now"]

// oxlint-disable-next-line eslint/no-restricted-properties -- the package has no Clock, and tests pass a time
const systemNow = (): number => Date.now()

const secretPrefix = "whsec_"

/** Returns `undefined` if the text is not base64. */
const fromBase64 = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

const keyOf = (secret: string): Promise<CryptoKey> => {
  const bytes = secret.startsWith(secretPrefix)
    ? fromBase64(secret.slice(secretPrefix.length))
    : undefined
  if (bytes === undefined || bytes.length === 0) {
    throw new TypeError("The secret of a webhook begins with whsec_")
  }
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"])
}

const isParts = (request: WebhookRequest): request is Exclude<WebhookRequest, Request> =>
  isText(request.body) || request.body instanceof Uint8Array

const bytesOf = async (request: WebhookRequest): Promise<Uint8Array<ArrayBuffer>> => {
  if (!isParts(request)) return new Uint8Array(await request.arrayBuffer())
  return isText(request.body)
    ? new TextEncoder().encode(request.body)
    : Uint8Array.from(request.body)
}

const headerOf = ({ headers }: WebhookRequest, name: string): string => {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  if (!isText(value) || value === "") throw new WebhookVerificationError("headers")
  return value
}

/** The bytes of the signatures of version `v1`. */
const signaturesIn = (header: string): ReadonlyArray<Uint8Array<ArrayBuffer>> =>
  header.split(" ").flatMap((one) => {
    const bytes = one.startsWith("v1,") ? fromBase64(one.slice(3)) : undefined
    return bytes === undefined ? [] : [bytes]
  })

/** The signature proves that the service has written the fields of the type. */
const isEvent = (value: JsonObject): value is JsonObject & WebhookEvent => isObject(value["data"])

const eventOf = (id: string, body: Uint8Array): WebhookEvent => {
  const value = objectOf(parse(new TextDecoder().decode(body)))
  const { data, type } = value
  const timestamp = instant(value["timestamp"])
  const event = { id, type, timestamp, data }
  if (isText(type) && timestamp !== undefined && isEvent(event)) return event
  throw new WebhookVerificationError("body")
}

/**
 * Verifies that a request is a delivery of the service, and returns its event. Rejects with a
 * `WebhookVerificationError` if it is not. Give both secrets during a rotation. The comparison takes as long for
 * every wrong signature.
 */
export const verifyWebhook = async (
  request: WebhookRequest,
  secret: string | ReadonlyArray<string>,
  options: VerifyWebhookOptions = {},
): Promise<WebhookEvent> => {
  checkNames("verifyWebhook", options, names)
  const { now = systemNow, tolerance = "5 minutes" } = options
  const toleranceMillis = millisOf(tolerance)
  if (Number.isNaN(toleranceMillis)) {
    throw new TypeError(`verifyWebhook: tolerance ${instead(tolerance)}`)
  }
  const keys = await Promise.all((isText(secret) ? [secret] : secret).map(keyOf))
  const id = headerOf(request, "webhook-id")
  const timestamp = headerOf(request, "webhook-timestamp")
  const signatures = signaturesIn(headerOf(request, "webhook-signature"))
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError("headers")
  if (!(Math.abs(now() - Number(timestamp) * 1_000) <= toleranceMillis)) {
    throw new WebhookVerificationError("timestamp")
  }
  const body = await bytesOf(request)
  const head = new TextEncoder().encode(`${id}.${timestamp}.`)
  const signed = new Uint8Array(head.length + body.length)
  signed.set(head)
  signed.set(body, head.length)
  const tries = keys.flatMap((key) =>
    // In constant time, as the specification of Web Crypto demands.
    signatures.map((signature) => crypto.subtle.verify("HMAC", key, signature, signed)),
  )
  if (!(await Promise.all(tries)).includes(true)) throw new WebhookVerificationError("signature")
  return eventOf(id, body)
}
