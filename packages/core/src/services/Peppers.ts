/**
 * The secrets that codes are hashed and sealed with. A copy of the database alone reveals no code.
 */
import * as Context from "effect/Context"
import * as Aead from "effect/crypto/Aead"
import * as Kdf from "effect/crypto/Kdf"
import * as Mac from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

export interface PepperConfig {
  /** Stored with every digest, so that old digests find their pepper after a rotation. 1 to 32 characters. */
  readonly id: string
  /** At least 32 characters of high entropy. */
  readonly secret: Redacted.Redacted<string>
}

export interface Pepper {
  readonly id: string
  readonly key: Mac.Key<Mac.Algorithm>
  /** Derived from the secret with HKDF. Codes that can be sent again are encrypted with it. */
  readonly sealKey: Aead.Key
}

/** Minimum number of characters of a pepper's secret. */
export const minSecretLength = 32

/**
 * The peppers in use. New codes are hashed with `current`, checks accept all. A pepper can be removed once
 * the last request that was made under it has expired.
 */
export class Peppers extends Context.Service<
  Peppers,
  { readonly current: Pepper; readonly all: ReadonlyArray<Pepper> }
>()("@countersign/core/services/Peppers") {}

/** The first pepper is the current one. Dies if an id or a secret is invalid, or two ids are equal. */
export const layer = (
  current: PepperConfig,
  ...retiring: ReadonlyArray<PepperConfig>
): Layer.Layer<Peppers> =>
  Layer.effect(
    Peppers,
    Effect.gen(function* () {
      const configs = [current, ...retiring]
      if (new Set(configs.map(({ id }) => id)).size !== configs.length) {
        return yield* Effect.die(new TypeError("Two peppers have the same id"))
      }
      const first = yield* makePepper(current)
      const others = yield* Effect.forEach(retiring, makePepper)
      return { current: first, all: [first, ...others] }
    }).pipe(Effect.provide(Kdf.layerWebCrypto), Effect.orDie),
  )

const makePepper = Effect.fnUntraced(function* ({ id, secret }: PepperConfig) {
  const text = Redacted.value(secret)
  if (id.length < 1 || id.length > 32) {
    return yield* Effect.die(new TypeError("A pepper's id has 1 to 32 characters"))
  }
  if (text.length < minSecretLength) {
    return yield* Effect.die(
      new TypeError(`The pepper "${id}" needs a secret of at least ${minSecretLength} characters`),
    )
  }
  const bytes = encoder.encode(text)
  const key = yield* Mac.key(Mac.hmacSha256, bytes)
  const kdf = yield* Kdf.Kdf
  const derived = yield* kdf.derive(Kdf.hkdfSha256, bytes, {
    salt: new Uint8Array(),
    info: encoder.encode("countersign seal"),
    length: Aead.aes256Gcm.keyLength,
  })
  const sealKey = yield* Aead.key(Aead.aes256Gcm, derived)
  return { id, key, sealKey }
})

const encoder = new TextEncoder()
