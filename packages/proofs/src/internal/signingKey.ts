import type { PublicKey } from "@countersign/core/ports/Proofs"
import { calculateJwkThumbprint, type CryptoKey, exportJWK, importJWK, importPKCS8 } from "jose"
import { algorithms } from "./payload.ts"

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

export interface SigningKey {
  readonly privateKey: CryptoKey
  readonly publicKey: PublicKey
}

const [algorithm] = algorithms

const isJwk = (value: unknown): value is PrivateJwk => typeof value === "object" && value !== null

/** Text of an environment variable often has `\n` instead of line breaks. */
const pemOf = (text: string): string => text.trim().replaceAll("\\n", "\n")

const jwkOf = (key: string | PrivateJwk): PrivateJwk | undefined => {
  if (typeof key !== "string") return key
  if (!key.trimStart().startsWith("{")) return undefined
  const parsed: unknown = JSON.parse(key)
  return isJwk(parsed) ? parsed : undefined
}

const importPrivate = async (key: string | PrivateJwk): Promise<CryptoKey | Uint8Array> => {
  const options = { extractable: true }
  const jwk = jwkOf(key)
  if (jwk === undefined) return importPKCS8(pemOf(String(key)), algorithm, options)
  const { crv = "", d = "", kty = "", x = "" } = jwk
  return importJWK({ kty, crv, d, x }, algorithm, options)
}

/**
 * Imports a private key: PKCS #8 in PEM, or a JWK as an object or as JSON. `undefined` for anything else. The
 * errors of the platform are dropped, because they may quote the key.
 */
export const importKey = async (key: string | PrivateJwk): Promise<SigningKey | undefined> => {
  try {
    const privateKey = await importPrivate(key)
    if (privateKey instanceof Uint8Array || privateKey.type !== "private") return undefined
    // The platform derives the public key. A JWK may state another one.
    const { x = "" } = await exportJWK(privateKey)
    const bare = { kty: "OKP", crv: "Ed25519", x } as const
    const publicKey = { ...bare, use: "sig", kid: await calculateJwkThumbprint(bare) } as const
    return { privateKey, publicKey }
  } catch {
    return undefined
  }
}
