/**
 * Twilio's error codes. Twilio splits and adds codes over time, so there is a default for each HTTP status.
 */
import type { RejectionReason } from "@countersign/core/domain/GatewayOutcome"
import { byCode } from "../httpVendor.ts"

/** Rejection reasons by code. Only 30006, 21635 and the codes of the test credentials are confirmed. */
export const reasons = byCode<RejectionReason>([
  // The recipient is unreachable or has opted out.
  ["recipient", [21211, 21214, 21610, 21614, 21635, 30005, 30006, 63003, 63024]],
  // The sender is not allowed, in general or for this destination.
  ["sender", [21212, 21408, 21606, 21608, 21612, 30034, 63007]],
  ["account", [10001, 20003, 20005, 30002]],
  ["content", [21617, 30007, 63013, 63016, 63049]],
])

const throttling: ReadonlySet<number> = new Set([20429, 21611, 30001, 63018])

/** Whether Twilio throttled the request. It accepted nothing then. */
export const throttles = (code: number): boolean => throttling.has(code)

const doubts: ReadonlySet<number> = new Set([30003, 30008, 63012])

/** Whether the error may be temporary. Twilio does not say whether the message was sent. */
export const isDoubt = (code: number): boolean => doubts.has(code)

/** Returns the reason for an HTTP status, for codes that are not in the table. */
export const reasonByStatus = (status: number): RejectionReason =>
  status === 401 || status === 403 || status === 404 ? "account" : "content"
