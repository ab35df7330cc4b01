/**
 * Vonage's error codes. They are the title of an error or the end of its type.
 */
import type { RejectionReason } from "@countersign/core/domain/GatewayOutcome"
import { byCode } from "../httpVendor.ts"

/**
 * Rejection reasons by code. A missing code proves nothing. Missing are 1030, 1100 and 1330 (errors inside or
 * behind Vonage) and 1180 (the subscriber is temporarily absent). Codes from 1160 on are not confirmed; the
 * host can override them.
 */
export const reasons = byCode<RejectionReason>([
  ["recipient", [1050, 1170, 1190, 1240, 1260]],
  ["sender", [1120, 1420]],
  ["account", [1060, 1070, 1080, 1160]],
  ["content", [1010, 1020, 1021, 1022, 1040, 1090, 1130, 1340, 1370, 1430]],
])

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
