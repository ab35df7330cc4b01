/**
 * Verifies proofs in another service, with promises and without Effect. It needs the public keys, and asks the
 * service that signs for nothing else.
 */
import * as Jose from "jose"
import { algorithms, parse, type Proof, typ } from "./internal/payload.ts"

export type { Proof } from "./internal/payload.ts"

/** A public key as a JSON Web Key. */
export interface PublicJwk {
  readonly kty?: string | undefined
  readonly crv?: string | undefined
  readonly x?: string | undefined
  readonly kid?: string | undefined
  readonly use?: string | undefined
  readonly alg?: string | undefined
}

/** The public keys as a JSON Web Key Set, which need no network. */
export interface LocalKeys {
  readonly jwks: { readonly keys: ReadonlyArray<PublicJwk> }
  readonly jwksUrl?: undefined
}

/**
 * The URL of the public keys: `/api/v2/jwks.json` of the service that signs. They are fetched with the first
 * proof, and again after ten minutes or for a proof of an unknown key, at most every 30 seconds.
 */
export interface RemoteKeys {
  readonly jwksUrl: string | URL
  /** @defaultValue `fetch` of the runtime */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  readonly jwks?: undefined
}

/** Options of `createProofVerifier`: the public keys, and the claims that every proof must have. */
export type ProofVerifierOptions = (LocalKeys | RemoteKeys) & {
  /** The issuer of the signer. */
  readonly issuer: string
  /** The name of your service. Proofs for other services are rejected. */
  readonly audience: string
}

/** The conditions that a proof has to meet. */
export interface Expected {
  /** @defaultValue any purpose, or none */
  readonly purpose?: string | undefined
  /** @defaultValue any request */
  readonly requestId?: string | undefined
  /** The time at which the proof must be valid. @defaultValue the clock of the system */
  readonly now?: Date | undefined
}

/** The result of `createProofVerifier`. */
export interface ProofVerifier {
  /** Verifies a proof and resolves with its facts. Rejects with `ProofError`. */
  readonly verify: (token: string, expected?: Expected) => Promise<Proof>
}

const messages = {
  bad_signature: "The signature of the proof is wrong, or is not of Ed25519",
  expired: "The proof has expired",
  keys_unavailable: "The public keys could not be read",
  malformed: "This is not a proof",
  unknown_key: "The key of the proof is not among the public keys",
  wrong_audience: "The proof is for another service",
  wrong_issuer: "The proof is from another issuer",
  wrong_purpose: "The proof is for another purpose",
  wrong_request: "The proof is about another request",
} as const

/** The reason why a proof is not accepted. */
export type ProofErrorCode = keyof typeof messages

/** A proof that is not accepted. Only after `keys_unavailable` may the same proof be accepted later. */
export class ProofError extends Error {
  readonly code: ProofErrorCode

  constructor(code: ProofErrorCode, options?: ErrorOptions) {
    super(messages[code], options)
    this.code = code
  }

  override get name(): string {
    return "ProofError"
  }
}

/** Maximum number of characters of a token. Signers write fewer. */
const maxTokenLength = 8_192

/** Makes a verifier. Throws a `TypeError` if an option is invalid. */
export const createProofVerifier = (options: ProofVerifierOptions): ProofVerifier => {
  checkNames("createProofVerifier", options, ["issuer", "audience", "jwks", "jwksUrl", "fetch"])
  const { audience, issuer } = options
  checkName("issuer", issuer)
  checkName("audience", audience)
  const keys = reportingKeys(keysOf(options))
  return {
    verify: async (token, expected = {}) => {
      checkNames("verify", expected, ["purpose", "requestId", "now"])
      const { now, purpose, requestId } = expected
      if (now !== undefined && Number.isNaN(now.getTime())) {
        throw new TypeError("verify: now is not a valid date")
      }
      if (typeof token !== "string" || token.length > maxTokenLength) {
        throw new ProofError("malformed")
      }
      const { payload } = await Jose.jwtVerify(token, keys, {
        algorithms: [...algorithms],
        typ,
        issuer,
        audience,
        requiredClaims: ["exp"],
        ...(now === undefined ? undefined : { currentDate: now }),
      }).catch((error: unknown) => Promise.reject(proofErrorOf(error)))
      const proof = parse(payload)
      if (proof === undefined) throw new ProofError("malformed")
      if (purpose !== undefined && proof.purpose !== purpose) throw new ProofError("wrong_purpose")
      if (requestId !== undefined && proof.requestId !== requestId) {
        throw new ProofError("wrong_request")
      }
      return proof
    },
  }
}

const refuse = (option: string, reason: string): never => {
  // The message has no values, because a URL may contain a password.
  throw new TypeError(`createProofVerifier: ${option} ${reason}`)
}

/** Refuses other names: a misspelt `purpose` would accept proofs for any purpose. */
const checkNames = (name: string, options: object, known: ReadonlyArray<string>): void => {
  const [unknown] =
    Object.entries(options).find(
      ([option, value]) => value !== undefined && !known.includes(option),
    ) ?? []
  if (unknown === undefined) return
  throw new TypeError(`${name}: ${unknown} is not an option; the options are ${known.join(", ")}`)
}

const checkName = (name: string, value: unknown): void => {
  if (typeof value !== "string" || value === "") refuse(name, "has to be a text that is not empty")
}

const keysOf = ({ jwks, jwksUrl, ...others }: ProofVerifierOptions): Jose.JWTVerifyGetKey => {
  if ((jwks === undefined) === (jwksUrl === undefined)) {
    return refuse("jwks or jwksUrl", "has to be set, and not both")
  }
  if (jwksUrl === undefined) return localKeys(jwks)
  const url = URL.parse(jwksUrl)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return refuse("jwksUrl", "has to begin with https:// or http://")
  }
  const fetch = "fetch" in others ? others.fetch : undefined
  return Jose.createRemoteJWKSet(url, fetch === undefined ? {} : { [Jose.customFetch]: fetch })
}

const localKeys = (jwks: unknown): Jose.JWTVerifyGetKey => {
  try {
    // A copy without the members that are `undefined`. Its shape is checked here, not by the compiler.
    return Jose.createLocalJWKSet(JSON.parse(JSON.stringify(jwks)))
  } catch {
    return refuse("jwks", "has to be a JSON Web Key Set")
  }
}

/** Tells a proof of an unknown key from keys that could not be read. */
const reportingKeys =
  (keys: Jose.JWTVerifyGetKey): Jose.JWTVerifyGetKey =>
  async (header, token) => {
    try {
      return await keys(header, token)
    } catch (cause) {
      const isUnknown =
        cause instanceof Jose.errors.JWKSNoMatchingKey ||
        cause instanceof Jose.errors.JWKSMultipleMatchingKeys
      throw isUnknown
        ? new ProofError("unknown_key")
        : new ProofError("keys_unavailable", { cause })
    }
  }

/** The causes are dropped: those about claims carry the whole payload, phone number included. */
const proofErrorOf = (error: unknown): unknown => {
  if (error instanceof Jose.errors.JWTExpired) return new ProofError("expired")
  if (error instanceof Jose.errors.JWTClaimValidationFailed) {
    if (error.claim === "aud") return new ProofError("wrong_audience")
    return new ProofError(error.claim === "iss" ? "wrong_issuer" : "malformed")
  }
  if (
    error instanceof Jose.errors.JWSSignatureVerificationFailed ||
    error instanceof Jose.errors.JOSEAlgNotAllowed
  ) {
    return new ProofError("bad_signature")
  }
  return error instanceof Jose.errors.JOSEError ? new ProofError("malformed") : error
}
