/** The states of a verification request that a caller sees. The module imports no type of Effect. */

/** `queued`: its code waits in the outbox. */
export const verificationStates = ["queued", "pending", "verified", "expired", "failed"] as const

export type VerificationState = (typeof verificationStates)[number]

/**
 * Why a request has failed. `attempts`: wrong codes have used its attempts up. `sending`: no message with the code was
 * sent. `cancelled`: a caller has ended it. `refused`: it was refused after its call had been answered.
 */
export const verificationFailures = ["attempts", "sending", "cancelled", "refused"] as const

export type VerificationFailure = (typeof verificationFailures)[number]
