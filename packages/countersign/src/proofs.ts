/**
 * Verifies proofs of consumed verifications in a service that does not run the engine. A service that needs
 * nothing else installs `@countersign/proofs`, which contains the same functions.
 */
export * from "@countersign/proofs/ProofVerifier"
