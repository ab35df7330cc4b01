import * as Aead from "effect/crypto/Aead"
import * as Digest from "effect/crypto/Digest"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Crypto from "node:crypto"

const names: Readonly<Record<Digest.Algorithm["name"], string>> = {
  MD5: "md5",
  "SHA-1": "sha1",
  "SHA-256": "sha256",
  "SHA-384": "sha384",
  "SHA-512": "sha512",
}

/** Like Effect's own layer, but with one call, because creating a hash object costs more than hashing a key. */
export const layerDigest: Layer.Layer<Digest.Digest> = Layer.succeed(Digest.Digest, {
  digest: ({ name }, data) =>
    Effect.sync(() => new Uint8Array(Crypto.hash(names[name], data, "buffer"))),
  digestHex: ({ name }, data) => Effect.sync(() => Crypto.hash(names[name], data, "hex")),
})

const blockSize = 4_096

/**
 * Like Effect's own layer and from the same generator, but one block at a time, because each call costs more
 * than its bytes. Bytes that were returned are overwritten, so that the block reveals no codes and ids in use.
 */
const makeRandomBytes = (): ((size: number) => Uint8Array) => {
  const block = new Uint8Array(blockSize)
  let used = blockSize
  return (size) => {
    if (size > blockSize) return Crypto.randomFillSync(new Uint8Array(size))
    if (used + size > blockSize) {
      Crypto.randomFillSync(block)
      used = 0
    }
    const bytes = block.slice(used, used + size)
    block.fill(0, used, used + size)
    used += size
    return bytes
  }
}

export const layerSecureRandom: Layer.Layer<SecureRandom.SecureRandom> = Layer.sync(
  SecureRandom.SecureRandom,
  () => SecureRandom.make(makeRandomBytes()),
)

const prepared = new WeakMap<Uint8Array, Crypto.KeyObject>()

const keyOf = (bytes: Uint8Array): Crypto.KeyObject => {
  const known = prepared.get(bytes)
  if (known !== undefined) return known
  const key = Crypto.createSecretKey(bytes)
  prepared.set(bytes, key)
  return key
}

/** Prepares each key once, which takes five times as long as the HMAC of a code. */
export const layerMac: Layer.Layer<Mac.Mac> = Mac.layerWebCryptoWith({
  hmac: (name, key, data) =>
    new Uint8Array(Crypto.createHmac(names[name], keyOf(key)).update(data).digest()),
}).pipe(Layer.provide(layerSecureRandom))

const tagLength = 16

/** AES-256-GCM with the tag after the text, in one synchronous step. */
const aes256Gcm: Aead.Implementation = {
  encrypt: (key, nonce, plaintext, aad) => {
    const cipher = Crypto.createCipheriv("aes-256-gcm", keyOf(key), nonce).setAAD(aad)
    return Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
  },
  decrypt: (key, nonce, data, aad) => {
    const end = data.length - tagLength
    const decipher = Crypto.createDecipheriv("aes-256-gcm", keyOf(key), nonce, {
      authTagLength: tagLength,
    })
    decipher.setAAD(aad).setAuthTag(data.subarray(end))
    try {
      return Buffer.concat([decipher.update(data.subarray(0, end)), decipher.final()])
    } catch {
      return undefined
    }
  },
}

/** Without the thread pool of Web Crypto, whose round trip takes longer than sealing a code. */
export const layerAead: Layer.Layer<Aead.Aead> = Aead.layerWebCryptoWith({
  implementations: { aes256Gcm },
}).pipe(Layer.provide(layerSecureRandom))
