/**
 * Signs proofs with Ed25519 keys. Provide `layer` to an engine, and each consumed verification gives a proof,
 * which other services verify with `ProofVerifier` or with any library for JWTs.
 *
 * The first key signs, and the public keys of all are published. To rotate, add the next key at the end, and later
 * move it to the front. Remove the old key after its last proof has expired.
 */
import * as Duration from "@countersign/core/domain/values/Duration"
import { type ProofClaims, Proofs, type PublicKey } from "@countersign/core/ports/Proofs"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Jose from "jose"
import { algorithms, type Payload, typ } from "./internal/payload.ts"
import type { PrivateKey, ProofOptions, PrivateJwk } from "./ProofOptions.ts"

/** Options of the signer. */
export type Options = ProofOptions<Redacted.Redacted<PrivateKey>>

/** Maximum number of keys. */
export const maxKeys = 10

/** Maximum number of characters of an issuer and of an audience. */
export const maxNameLength = 200

/** Bounds of `Options.lifetime`, in milliseconds. */
export const lifetimeBounds = { min: 10_000, max: 3_600_000 }

/** A key or another option cannot be used. The message quotes no key. */
export class InvalidProofOptions extends Schema.TaggedError<InvalidProofOptions>()(
  "InvalidProofOptions",
  { problem: Schema.String },
) {
  override get message(): string {
    return this.problem
  }
}

/** Makes the signer. Fails if an option is invalid, or if two keys are equal. */
export const make = Effect.fnUntraced(function* (
  options: Options,
): Effect.fn.Return<Proofs, InvalidProofOptions> {
  const { audience, issuer = "countersign", keys, lifetime = "5 minutes" } = options
  const defaultAudience = audience ?? issuer
  for (const [name, value] of Object.entries({ issuer, audience: defaultAudience })) {
    if (value.length < 1 || value.length > maxNameLength) {
      return yield* invalid(`${name} must have 1 to ${maxNameLength} characters`)
    }
  }
  const lifetimeMillis = yield* Effect.mapError(
    Effect.fromResult(Duration.within(lifetime, lifetimeBounds)),
    ({ message }) => new InvalidProofOptions({ problem: `lifetime ${message}` }),
  )
  if (lifetimeMillis % 1_000 !== 0) return yield* invalid("lifetime must be whole seconds")
  if (keys.length > maxKeys) return yield* invalid(`there are more than ${maxKeys} keys`)
  const imported = yield* Effect.forEach(keys, (key, index) =>
    Effect.flatMap(
      Effect.promise(() => importKey(Redacted.value(key))),
      (one) => (one === undefined ? invalid(noKey(index)) : Effect.succeed(one)),
    ),
  )
  const [first] = imported
  if (first === undefined) return yield* invalid("there is no key")
  const ids = imported.map(({ publicKey }) => publicKey.kid)
  for (const [index, id] of ids.entries()) {
    const equal = ids.indexOf(id)
    if (equal < index) return yield* invalid(`key ${index + 1} is the same as key ${equal + 1}`)
  }
  return {
    sign: (claims) =>
      Effect.map(
        Effect.promise(() =>
          new Jose.SignJWT({
            iss: issuer,
            aud: claims.audience ?? defaultAudience,
            ...payloadOf(claims, lifetimeMillis / 1_000),
          } satisfies Payload)
            .setProtectedHeader({ alg: algorithms[0], typ, kid: first.publicKey.kid })
            .sign(first.privateKey),
        ),
        (token) => Redacted.make(token, { label: "proof" }),
      ),
    jwks: { keys: imported.map(({ publicKey }) => publicKey) },
  }
})

/** Signs proofs in every engine that is built over this layer. */
export const layer = (options: Options): Layer.Layer<never, InvalidProofOptions> =>
  Layer.effect(Proofs, make(options))

const invalid = (problem: string) => Effect.fail(new InvalidProofOptions({ problem }))

const noKey = (index: number): string =>
  `key ${index + 1} is not an Ed25519 private key, in PEM (PKCS #8) or as a JWK`

const seconds = (millis: number): number => Math.floor(millis / 1_000)

const payloadOf = (claims: ProofClaims, lifetime: number): Omit<Payload, "iss" | "aud"> => {
  const iat = seconds(claims.consumedAt)
  return {
    sub: claims.phoneNumber,
    org: claims.organization,
    request_id: claims.requestId,
    purpose: claims.purpose,
    ...(claims.metadata === null ? undefined : { metadata: JSON.parse(claims.metadata) }),
    verified_at: seconds(claims.verifiedAt),
    iat,
    exp: iat + lifetime,
    jti: claims.requestId,
  }
}

interface SigningKey {
  readonly privateKey: Jose.CryptoKey
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

const importPrivate = async (key: PrivateKey): Promise<Jose.CryptoKey | Uint8Array> => {
  const options = { extractable: true }
  const jwk = jwkOf(key)
  if (jwk === undefined) return Jose.importPKCS8(pemOf(String(key)), algorithm, options)
  const { crv = "", d = "", kty = "", x = "" } = jwk
  return Jose.importJWK({ kty, crv, d, x }, algorithm, options)
}

/**
 * Imports a private key: PKCS #8 in PEM, or a JWK as an object or as JSON. `undefined` for anything else. The
 * errors of the platform are dropped, because they may quote the key.
 */
const importKey = async (key: PrivateKey): Promise<SigningKey | undefined> => {
  try {
    const privateKey = await importPrivate(key)
    if (privateKey instanceof Uint8Array || privateKey.type !== "private") return undefined
    // The platform derives the public key. A JWK may state another one.
    const { x = "" } = await Jose.exportJWK(privateKey)
    const bare = { kty: "OKP", crv: "Ed25519", x } as const
    const publicKey = { ...bare, use: "sig", kid: await Jose.calculateJwkThumbprint(bare) } as const
    return { privateKey, publicKey }
  } catch {
    return undefined
  }
}
