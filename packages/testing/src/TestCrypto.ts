/**
 * The engine's cryptography for tests: the same algorithms as in production, but with random numbers from a seed.
 * It is synchronous, because `TestClock` does not see a fiber that waits for Web Crypto.
 */
import * as Aead from "effect/crypto/Aead"
import * as Digest from "effect/crypto/Digest"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import { createCipheriv, createDecipheriv, createHash, createHmac } from "node:crypto"

/**
 * An endless stream of whole numbers below 2^32 from a seed (SplitMix32). Statistically sound but predictable:
 * use it only in tests.
 */
export const seededNumbers = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x9e3779b9) >>> 0
    let value = state
    value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
    value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
    return (value ^ (value >>> 16)) >>> 0
  }
}

/** As {@link seededNumbers}, in bytes. */
export const seededBytes = (seed: number): ((size: number) => Uint8Array) => {
  const next = seededNumbers(seed)
  return (size) => Uint8Array.from({ length: size }, () => next() & 0xff)
}

const unsupported = (name: string): Error => new Error(`The test cryptography has no ${name}`)

/** SHA-256 in one synchronous step. Dies for any other algorithm. */
export const layerDigest: Layer.Layer<Digest.Digest> = Layer.sync(Digest.Digest, () => {
  const digest = (algorithm: Digest.Algorithm, data: Uint8Array): Effect.Effect<Uint8Array> =>
    algorithm.name === "SHA-256"
      ? Effect.sync(() => new Uint8Array(createHash("sha256").update(data).digest()))
      : Effect.die(unsupported(algorithm.name))
  return Digest.Digest.of({
    digest,
    digestHex: (algorithm, data) => Effect.map(digest(algorithm, data), Hex.encode),
  })
})

/** HMAC-SHA-256 in one synchronous step. Dies for any other algorithm. */
export const layerMac: Layer.Layer<Mac.Mac, never, SecureRandom.SecureRandom> =
  Mac.layerWebCryptoWith({
    hmac: (hash, key, data) => {
      if (hash !== "SHA-256") throw unsupported(hash)
      return new Uint8Array(createHmac("sha256", key).update(data).digest())
    },
  })

const tagLength = 16

/** AES-256-GCM with the tag after the text, in one synchronous step. */
const aes256Gcm: Aead.Implementation = {
  encrypt: (key, nonce, plaintext, aad) => {
    const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(aad)
    return Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
  },
  decrypt: (key, nonce, data, aad) => {
    const end = data.length - tagLength
    const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagLength })
    decipher.setAAD(aad).setAuthTag(data.subarray(end))
    try {
      return Buffer.concat([decipher.update(data.subarray(0, end)), decipher.final()])
    } catch {
      return undefined
    }
  },
}

export const layerAead: Layer.Layer<Aead.Aead, never, SecureRandom.SecureRandom> =
  Aead.layerWebCryptoWith({ implementations: { aes256Gcm } })

/** Random numbers that are the same in every run with the same seed. */
export const layerSecureRandom = (seed: number): Layer.Layer<SecureRandom.SecureRandom> =>
  Layer.sync(SecureRandom.SecureRandom, () => SecureRandom.make(seededBytes(seed)))

/** All layers. */
export const layer = (
  seed = 1,
): Layer.Layer<Aead.Aead | Digest.Digest | Mac.Mac | SecureRandom.SecureRandom> =>
  Layer.mergeAll(layerAead, layerDigest, layerMac).pipe(Layer.provideMerge(layerSecureRandom(seed)))
