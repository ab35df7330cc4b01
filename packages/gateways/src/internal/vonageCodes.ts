/**
 * Vonage's error codes. They are the title of an error or the end of its type.
 */
import type { RejectionReason } from "@countersign/core/domain/GatewayOutcome"

/**
 * Rejection reasons by code. A missing code proves nothing. Missing are 1030, 1100 and 1330 (errors inside or
 * behind Vonage) and 1180 (the subscriber is temporarily absent). Codes from 1160 on are not confirmed; the
 * host can override them.
 */
export const reasons: Readonly<Record<number, RejectionReason>> = {
  1010: "content",
  1020: "content",
  1021: "content",
  1022: "content",
  1040: "content",
  1050: "recipient",
  1060: "account",
  1070: "account",
  1080: "account",
  1090: "content",
  1120: "sender",
  1130: "content",
  1160: "account",
  1170: "recipient",
  1190: "recipient",
  1240: "recipient",
  1260: "recipient",
  1340: "content",
  1370: "content",
  1420: "sender",
  1430: "content",
}

/** Throttled: Vonage accepted nothing. */
export const throttling = 1000

/** Reads the code from `1120` or `https://developer.vonage.com/api-errors/messages#1120`. */
export const codeOf = (title: string, type: string | undefined): number | undefined => {
  const [, digits] = /^(\d{4})$/.exec(title) ?? /#(\d{4})$/.exec(type ?? "") ?? []
  return digits === undefined ? undefined : Number(digits)
}

/** Returns the reason for an HTTP status, for codes that are not in the table. */
export const reasonByStatus = (
  status: number,
  code: number | undefined,
): RejectionReason | undefined => {
  if (status === 401 || status === 402 || status === 403) return "account"
  // An unknown code may stand for another cause than the content.
  return status === 422 && code === undefined ? "content" : undefined
}
