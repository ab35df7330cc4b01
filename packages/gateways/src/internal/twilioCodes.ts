/**
 * Twilio's error codes. They are split and added to over time, so there is a default for each HTTP status.
 */
import type { RejectionReason } from "@countersign/core/domain/GatewayOutcome"

/** Whose fault a code is. Only 30006 and 21635 and those of the test credentials are confirmed. */
export const reasons: Readonly<Record<number, RejectionReason>> = {
  // Cannot be reached, or does not want to be.
  21211: "recipient",
  21214: "recipient",
  21610: "recipient",
  21614: "recipient",
  21635: "recipient",
  30005: "recipient",
  30006: "recipient",
  63003: "recipient",
  63024: "recipient",
  // Not this sender, or not this sender to there.
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

/** Too much at once: nothing was taken. */
export const throttles = (code: number): boolean => throttling.has(code)

const doubts: ReadonlySet<number> = new Set([30003, 30008, 63012])

/** It may do better later, and on which side of sending it went wrong is not said. */
export const isDoubt = (code: number): boolean => doubts.has(code)

/** What a refusal is by its HTTP status, where its code is not in the table. */
export const reasonByStatus = (status: number): RejectionReason =>
  status === 401 || status === 403 || status === 404 ? "account" : "content"
