/**
 * The port to the signer of proofs. A proof is a short-lived JWT about a consumed verification, which other
 * services verify without asking the engine. `@countersign/proofs` signs with Ed25519 keys.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { OrganizationId, RequestId } from "../domain/values/Ids.ts"
import type { PhoneNumber } from "../domain/values/PhoneNumber.ts"

/** The facts that a proof states. */
export interface ProofClaims {
  readonly organization: OrganizationId
  readonly requestId: RequestId
  readonly phoneNumber: PhoneNumber
  /** The purpose that the request was made for; `null` if it has none. */
  readonly purpose: string | null
  /** The JSON object of the request as text; `null` if it has none. */
  readonly metadata: string | null
  /** The service that shall accept the proof. `undefined`: the default audience of the signer. */
  readonly audience: string | undefined
  /** Epoch milliseconds. */
  readonly verifiedAt: number
  /** Epoch milliseconds. The lifetime of the proof begins here. */
  readonly consumedAt: number
}

/** A public key as a JSON Web Key. It names no `alg`, so that verifiers may call it `EdDSA` or `Ed25519`. */
export interface PublicKey {
  readonly kty: "OKP"
  readonly crv: "Ed25519"
  readonly use: "sig"
  /** The RFC 7638 thumbprint of the key. */
  readonly kid: string
  readonly x: string
}

export interface Proofs {
  /** Signs a proof. The same claims and keys give the same token, so a repeated answer is identical. */
  readonly sign: (claims: ProofClaims) => Effect.Effect<Redacted.Redacted<string>>
  /** The public keys, as a JSON Web Key Set. Contains the keys that do not sign yet or any more. */
  readonly jwks: { readonly keys: ReadonlyArray<PublicKey> }
}

/** The signer in force. `undefined`, the default: a consumed verification gives no proof. */
export const Proofs = Context.Reference<Proofs | undefined>("@countersign/core/ports/Proofs", {
  defaultValue: () => undefined,
})
