/** The causes of a rejection. */

export const rejectionReasons = ["recipient", "content", "sender", "account"] as const

/** The cause of a rejection. It decides what else may be tried. */
export type RejectionReason = (typeof rejectionReasons)[number]
