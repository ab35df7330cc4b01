/**
 * Outcomes of a dispatch, and texts that several vendors share.
 */
import type { GatewayOutcome, RejectionReason } from "@countersign/core/domain/GatewayOutcome"

export const rejected = (reason: RejectionReason, message: string): GatewayOutcome => ({
  _tag: "Rejected",
  reason,
  message,
})

/**
 * This gateway cannot send the message, as with an unusable sender. Other gateways may. The gateway is
 * healthy, and a retry would end the same way.
 */
export const unsupported = (message: string): GatewayOutcome & { readonly _tag: "Rejected" } => ({
  _tag: "Rejected",
  reason: "sender",
  message,
})

export const throttled = (message: string, retryAfterMillis?: number): GatewayOutcome => ({
  _tag: "Throttled",
  message,
  ...(retryAfterMillis === undefined ? undefined : { retryAfterMillis }),
})

export const notSent = (message: string): GatewayOutcome => ({ _tag: "NotSent", message })

export const unknown = (message: string): GatewayOutcome => ({ _tag: "Unknown", message })

/** The vendor does not document this answer. */
export const unreadable = (status: number): GatewayOutcome =>
  unknown(`The gateway's answer could not be read (HTTP ${status})`)

/** Longest `Retry-After` that is accepted, in seconds. */
const maxRetryAfterSeconds = 86_400

/** Reads `Retry-After` in seconds. Dates are ignored, because the vendor's clock may differ from ours. */
export const retryAfterMillis = (
  headers: Readonly<Record<string, string | undefined>>,
): number | undefined => {
  const text = headers["retry-after"]?.trim() ?? ""
  return /^\d{1,9}$/.test(text) ? Math.min(Number(text), maxRetryAfterSeconds) * 1_000 : undefined
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300
