import type { PublicKey } from "@countersign/core/ports/Proofs"
import { calculateJwkThumbprint, type CryptoKey, exportJWK, importJWK, importPKCS8 } from "jose"
import type { PrivateJwk, PrivateKey } from "../ProofOptions.ts"
import { algorithms } from "./payload.ts"

export interface SigningKey {
  readonly privateKey: CryptoKey
  readonly publicKey: PublicKey
}

const [algorithm] = algorithms

const isJwk = (value: unknown): value is PrivateJwk => typeof value === "object" && value !== null

/** Text of an environment variable often has `\n` instead of line breaks. */
const pemOf = (text: string): string => text.trim().replaceAll("\\n", "\n")

const jwkOf = (key: PrivateKey): PrivateJwk | undefined => {
  if (typeof key !== "string") return key
  if (!key.trimStart().startsWith("{")) return undefined
  const parsed: unknown = JSON.parse(key)
  return isJwk(parsed) ? parsed : undefined
}

const importPrivate = async (key: PrivateKey): Promise<CryptoKey | Uint8Array> => {
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
export const importKey = async (key: PrivateKey): Promise<SigningKey | undefined> => {
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
