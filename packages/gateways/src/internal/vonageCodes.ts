/**
 * Vonage's error codes, which are the titles of errors or the ends of their types.
 */
import type { RejectionReason } from "@countersign/core/domain/GatewayOutcome"

/**
 * Whose fault a code is. What is not in here proves nothing: among it 1030, 1100 and 1330, by which
 * something went wrong inside or behind Vonage, and 1180, a subscriber who is away for now. Those from
 * 1160 on are not confirmed, and can be replaced by the host.
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

/** Too much at once: nothing was taken. */
export const throttling = 1000

/** `1120` or `https://developer.vonage.com/api-errors/messages#1120`. */
export const codeOf = (title: string, type: string | undefined): number | undefined => {
  const [, digits] = /^(\d{4})$/.exec(title) ?? /#(\d{4})$/.exec(type ?? "") ?? []
  return digits === undefined ? undefined : Number(digits)
}

/** What an error is by its HTTP status, where its code is not in the table. */
export const reasonByStatus = (
  status: number,
  code: number | undefined,
): RejectionReason | undefined => {
  if (status === 401 || status === 402 || status === 403) return "account"
  // A code that nobody has written about says more than that the request was wrong.
  return status === 422 && code === undefined ? "content" : undefined
}
