/**
 * The outcomes of a dispatch, and what several vendors word alike.
 */
import type { GatewayOutcome, RejectionReason } from "@countersign/core/domain/GatewayOutcome"

export const rejected = (reason: RejectionReason, message: string): GatewayOutcome => ({
  _tag: "Rejected",
  reason,
  message,
})

/**
 * What cannot be handed over here, as a sender that cannot be used: others may carry it, this gateway is
 * well, and another try would end alike.
 */
export const leftToOthers = (message: string): GatewayOutcome & { readonly _tag: "Rejected" } => ({
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

/** An answer that is none of those that the vendor documents. */
export const unreadable = (status: number): GatewayOutcome =>
  unknown(`The gateway's answer could not be read (HTTP ${status})`)

/** Longest wait that a vendor is believed. */
const maxRetryAfterSeconds = 86_400

/** `Retry-After` in seconds; a date is not read, because the vendor's clock is not ours. */
export const retryAfterMillis = (
  headers: Readonly<Record<string, string | undefined>>,
): number | undefined => {
  const text = headers["retry-after"]?.trim() ?? ""
  return /^\d{1,9}$/.test(text) ? Math.min(Number(text), maxRetryAfterSeconds) * 1_000 : undefined
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300
