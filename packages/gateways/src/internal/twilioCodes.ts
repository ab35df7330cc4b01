/**
 * Twilio's error codes. Twilio splits and adds codes over time, so there is a default for each HTTP status.
 */
import type { RejectionReason } from "@countersign/core/domain/GatewayOutcome"

/** Rejection reasons by code. Only 30006, 21635 and the codes of the test credentials are confirmed. */
export const reasons: Readonly<Record<number, RejectionReason>> = {
  // The recipient is unreachable or has opted out.
  21211: "recipient",
  21214: "recipient",
  21610: "recipient",
  21614: "recipient",
  21635: "recipient",
  30005: "recipient",
  30006: "recipient",
  63003: "recipient",
  63024: "recipient",
  // The sender is not allowed, in general or for this destination.
  21212: "sender",
  21408: "sender",
  21606: "sender",
  21608: "sender",
  21612: "sender",
  30034: "sender",
  63007: "sender",
  10001: "account",
  20003: "account",
  20005: "account",
  30002: "account",
  21617: "content",
  30007: "content",
  63013: "content",
  63016: "content",
  63049: "content",
}

const throttling: ReadonlySet<number> = new Set([20429, 21611, 30001, 63018])

/** Whether Twilio throttled the request. It accepted nothing then. */
export const throttles = (code: number): boolean => throttling.has(code)

const doubts: ReadonlySet<number> = new Set([30003, 30008, 63012])

/** Whether the error may be temporary. Twilio does not say whether the message was sent. */
export const isDoubt = (code: number): boolean => doubts.has(code)

/** Returns the reason for an HTTP status, for codes that are not in the table. */
export const reasonByStatus = (status: number): RejectionReason =>
  status === 401 || status === 403 || status === 404 ? "account" : "content"
