/** The payload of a proof. Times are in seconds, as in every JWT. */
export interface Payload {
  readonly iss: string
  readonly aud: string
  /** The phone number. */
  readonly sub: string
  readonly org: string
  readonly request_id: string
  readonly purpose: string | null
  /** Absent if the request has none. */
  readonly metadata?: Metadata
  readonly verified_at: number
  readonly iat: number
  readonly exp: number
  /** The request id: a verification is consumed once. */
  readonly jti: string
}

/** A JSON object. */
export type Metadata = Readonly<Record<string, unknown>>

/** The value of `typ` in the header. It tells a proof from the other tokens that a key may sign (RFC 8725, 3.11). */
export const typ = "verification-proof+jwt"

/** Signatures name the first. RFC 9864 renames it to the second, so other signers may use that. */
export const algorithms = ["EdDSA", "Ed25519"] as const

/** The facts that a verified proof states. */
export interface Proof {
  /** E.164 with its plus. */
  readonly phoneNumber: string
  readonly organization: string
  /** Identifies the verification. Each is consumed once, so this is also the id of the proof. */
  readonly requestId: string
  /** The purpose that the code was sent for; `null` if the request named none. */
  readonly purpose: string | null
  /** The JSON object that was given with the send; `null` if the request has none. */
  readonly metadata: Metadata | null
  readonly verifiedAt: Date
}

const isMetadata = (value: unknown): value is Metadata | null =>
  typeof value === "object" && !Array.isArray(value)

/** Reads the own claims of a proof; `undefined` if one is missing or has another type. */
export const parse = (claims: { readonly [K in keyof Payload]?: unknown }): Proof | undefined => {
  const { metadata = null, org: organization, purpose, request_id: requestId } = claims
  const { sub: phoneNumber, verified_at: at } = claims
  return typeof phoneNumber === "string" &&
    typeof organization === "string" &&
    typeof requestId === "string" &&
    (purpose === null || typeof purpose === "string") &&
    isMetadata(metadata) &&
    typeof at === "number"
    ? { phoneNumber, organization, requestId, purpose, metadata, verifiedAt: new Date(at * 1_000) }
    : undefined
}
