/** The errors that callers receive. No error contains a secret or a full phone number. */
export * from "./CallErrors.ts"
export * from "./OrganizationErrors.ts"
export * from "./SendingErrors.ts"
export * from "./VerificationErrors.ts"
