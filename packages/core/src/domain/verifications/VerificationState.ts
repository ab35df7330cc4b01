/** The states of a verification request that a caller sees. The module imports no type of Effect. */

export const verificationStates = ["pending", "verified", "expired", "failed"] as const

export type VerificationState = (typeof verificationStates)[number]
