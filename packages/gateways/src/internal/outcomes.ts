/** Outcomes of a dispatch that is not accepted. */
import { withoutSecret } from "@countersign/core/domain/messages/Redaction"
import type {
  GatewayOutcome,
  RejectionReason,
} from "@countersign/core/domain/messages/GatewayOutcome"
import * as Redacted from "effect/Redacted"
import type { RefusalClass } from "../VendorOptions.ts"

export type Refusal = Exclude<GatewayOutcome, { readonly _tag: "Accepted" | "Delivered" }>

export const rejected = (reason: RejectionReason, message: string): Refusal => ({
  _tag: "Rejected",
  reason,
  message,
})

/**
 * This gateway cannot send the message, as with an unusable sender. Other gateways may. The gateway is
 * healthy, and a retry would end the same way.
 */
export const unsupported = (message: string): Refusal => rejected("sender", message)

export const throttled = (message: string, retryAfterMillis?: number): Refusal => ({
  _tag: "Throttled",
  message,
  ...(retryAfterMillis === undefined ? undefined : { retryAfterMillis }),
})

export const notSent = (message: string): Refusal => ({ _tag: "NotSent", message })

export const unknown = (message: string): Refusal => ({ _tag: "Unknown", message })

/** The outcome of a dispatch that the vendor refuses with a code of this class. */
export const refusal = (kind: RefusalClass, message: string, retryAfterMillis?: number) => {
  if (kind === "throttled") return throttled(message, retryAfterMillis)
  return kind === "unknown" ? unknown(message) : rejected(kind, message)
}

/** The outcome with the vendor's code of the error; unchanged without a code. */
export const withCode = (refused: Refusal, code: string | number | null | undefined): Refusal =>
  code === undefined || code === null || code === ""
    ? refused
    : { ...refused, vendorCode: String(code) }

/** The reason in a class; `undefined` if its codes do not prove a rejection. */
export const reasonIn = (kind: RefusalClass | undefined): RejectionReason | undefined =>
  kind === "throttled" || kind === "unknown" ? undefined : kind

/** The vendor's number of segments; nothing if it is not a positive integer. */
export const segmentsIn = (text: string | null | undefined) => {
  const segments = Number(text)
  return Number.isSafeInteger(segments) && segments > 0 ? { segments } : undefined
}

/** The vendor does not document this answer. */
export const unreadable = (status: number): Refusal =>
  unknown(`The gateway's answer could not be read (HTTP ${status})`)

/** Keys are in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | undefined>>

/** Reads `Retry-After` in seconds, at most a day. Dates are ignored, because the vendor's clock may differ from ours. */
export const retryAfterMillis = (headers: AnswerHeaders): number | undefined => {
  const text = headers["retry-after"]?.trim() ?? ""
  return /^\d{1,9}$/.test(text) ? Math.min(Number(text), 86_400) * 1_000 : undefined
}

/** The outcome of an error without a readable body. */
export const unexplained = (status: number, headers: AnswerHeaders): Refusal =>
  status === 429 ? throttled("Too many requests", retryAfterMillis(headers)) : unreadable(status)

export const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** Removes the secrets of the account from a vendor's text. The engine removes the secrets of the message. */
export const withoutSecrets = (
  text: string,
  secrets: ReadonlyArray<Redacted.Redacted | undefined>,
): string =>
  secrets.reduce(
    (rest, secret) =>
      secret === undefined ? rest : withoutSecret(rest, Redacted.value(secret), "[secret]"),
    text,
  )
