/**
 * The options of a signer. `Key` is the type of private keys: `Redacted` for hosts with Effect, `PrivateKey`
 * for hosts without. The module imports no type of Effect.
 */
import type { Duration } from "@countersign/core/domain/values/DurationText"

/** An Ed25519 private key as a JSON Web Key. Other members are ignored. */
export interface PrivateJwk {
  /** `OKP` */
  readonly kty?: string | undefined
  /** `Ed25519` */
  readonly crv?: string | undefined
  /** The private key, in base64url. */
  readonly d?: string | undefined
  /** The public key, in base64url. */
  readonly x?: string | undefined
}

/** An Ed25519 private key: PKCS #8 in PEM, or a JWK as an object or as JSON. */
export type PrivateKey = string | PrivateJwk

/** Options of a signer. */
export interface ProofOptions<Key = PrivateKey> {
  /** 1 to 10 keys. The first signs, and the public keys of all are published. */
  readonly keys: ReadonlyArray<Key>
  /** The claim `iss`, 1 to 200 characters. @defaultValue `countersign` */
  readonly issuer?: string | undefined
  /** The claim `aud` of proofs whose consumer names no audience. @defaultValue the issuer */
  readonly audience?: string | undefined
  /** How long a proof is valid: 10 seconds to 1 hour. @defaultValue `"5 minutes"` */
  readonly lifetime?: Duration | undefined
}
