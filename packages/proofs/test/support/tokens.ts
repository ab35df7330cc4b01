/**
 * Keys, and tokens that are made and read with `node:crypto` alone.
 */
import type { PublicKey } from "@countersign/core/ports/Proofs"
import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto"
import { assert } from "vitest"

/** The key of RFC 8037, appendix A.1. Its thumbprint is in appendix A.3. */
export const published = {
  jwk: {
    kty: "OKP",
    crv: "Ed25519",
    d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
    x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
  },
  kid: "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
} as const

export interface Pair {
  readonly privateKey: KeyObject
  readonly pem: string
  readonly publicJwk: PublicKey
}

/** A new key. Its thumbprint is computed as RFC 7638 describes. */
export const newPair = (): Pair => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519")
  const { x = "" } = publicKey.export({ format: "jwk" })
  const kid = createHash("sha256")
    .update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`)
    .digest("base64url")
  return {
    privateKey,
    pem: String(privateKey.export({ format: "pem", type: "pkcs8" })),
    publicJwk: { kty: "OKP", crv: "Ed25519", use: "sig", kid, x },
  }
}

export const segment = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString("base64url")

/** A token of any header and payload. */
export const tokenOf = (header: object, payload: object, key: KeyObject): string => {
  const signed = `${segment(header)}.${segment(payload)}`
  return `${signed}.${sign(null, Buffer.from(signed), key).toString("base64url")}`
}

export const headerOf = ({ publicJwk: { kid } }: Pair) => ({
  alg: "EdDSA",
  typ: "verification-proof+jwt",
  kid,
})

/** The claims of a proof for the service `payments`. */
export const payloadOf = (rest: {
  readonly iss: string
  readonly exp: number
  readonly [name: string]: unknown
}) => ({
  aud: "payments",
  sub: "+8801712345678",
  org: "acme",
  request_id: "req_1",
  purpose: "sign-in",
  verified_at: 1_700_000_000,
  ...rest,
})

const objectIn = (text = ""): object => {
  const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString())
  assert(typeof value === "object" && value !== null)
  return value
}

/** Reads a token, whose signature has to be of the key. */
export const read = (token: string, { kty, crv, x }: PublicKey) => {
  const [header = "", payload = "", signature = ""] = token.split(".")
  const key = createPublicKey({ format: "jwk", key: { kty, crv, x } })
  const signed = Buffer.from(`${header}.${payload}`)
  assert.isTrue(verify(null, signed, key, Buffer.from(signature, "base64url")))
  return { header: objectIn(header), payload: objectIn(payload) }
}
