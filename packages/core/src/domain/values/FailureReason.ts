/** Why a message was not sent or not delivered, or why its outcome is not known. */

export const rejectionReasons = ["recipient", "content", "sender", "account"] as const

/** The cause of a rejection. It decides what else may be tried. */
export type RejectionReason = (typeof rejectionReasons)[number]

export const failureReasons = [
  ...rejectionReasons,
  "throttled",
  "not_sent",
  "no_gateway",
  "no_text",
  "no_report",
  "unknown",
] as const

/**
 * - `recipient`, `content`, `sender`, `account`: the gateway rejected the message for this cause.
 * - `throttled`: the gateway accepts no more messages now.
 * - `not_sent`: the message did not reach the gateway.
 * - `no_gateway`: no gateway carries such a message, for example none for WhatsApp.
 * - `no_text`: no text could be made, or the code can no longer be read.
 * - `no_report`: no report came before the settlement deadline.
 * - `unknown`: the gateway gave no clear answer, or named no cause.
 */
export type FailureReason = (typeof failureReasons)[number]
