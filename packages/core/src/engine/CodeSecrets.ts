/** The secrets that codes are hashed and sealed with. A copy of the database alone reveals no code. */
import * as Context from "effect/Context"
import * as Aead from "effect/crypto/Aead"
import * as Kdf from "effect/crypto/Kdf"
import * as Mac from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { StoreUnavailable } from "../domain/errors/Errors.ts"
import * as RegisteredCodeSecret from "../domain/access/RegisteredCodeSecret.ts"
import { Store } from "../ports/Store.ts"

export interface CodeSecret {
  /** Follows from the secret and does not reveal it. Each digest is stored with the id of its secret. */
  readonly id: string
  readonly key: Mac.Key<Mac.Algorithm>
  /** Derived from the secret with HKDF. Codes that can be sent again are encrypted with it. */
  readonly sealKey: Aead.Key
  /** Derived likewise. Signs what browsers keep. */
  readonly tokenKey: Mac.Key<Mac.Algorithm>
}

/** Minimum number of characters of a secret. */
export const minSecretLength = 32

/**
 * The secrets in use. New codes are hashed with `current`, checks accept all. A secret can be removed once
 * the last request that was made under it has expired.
 */
export class CodeSecrets extends Context.Service<
  CodeSecrets,
  { readonly current: CodeSecret; readonly all: ReadonlyArray<CodeSecret> }
>()("@countersign/core/engine/CodeSecrets") {}

/**
 * The secrets, each at least 32 characters of high entropy. The first is the current one. Dies if a secret is too short,
 * or two are equal.
 */
export const layer = (
  current: Redacted.Redacted,
  ...retiring: ReadonlyArray<Redacted.Redacted>
): Layer.Layer<CodeSecrets> =>
  Layer.effect(
    CodeSecrets,
    Effect.gen(function* () {
      const first = yield* makeCodeSecret(current)
      const others = yield* Effect.forEach(retiring, makeCodeSecret)
      const all = [first, ...others]
      if (new Set(all.map(({ id }) => id)).size !== all.length) {
        return yield* Effect.die(new TypeError("Two secrets are equal"))
      }
      return { current: first, all }
    }).pipe(Effect.provide(Kdf.layerWebCrypto), Effect.orDie),
  )

/** The length of an id in bytes. Two secrets have the same id once in 2^72. */
const idLength = 9

const tokenKeyLength = 32

const makeCodeSecret = Effect.fnUntraced(function* (secret: Redacted.Redacted) {
  const text = Redacted.value(secret)
  if (text.length < minSecretLength) {
    return yield* Effect.die(new TypeError(`A secret needs at least ${minSecretLength} characters`))
  }
  const bytes = encoder.encode(text)
  const key = yield* Mac.key(Mac.hmacSha256, bytes)
  const kdf = yield* Kdf.Kdf
  const derive = (purpose: string, length: number) =>
    kdf.derive(Kdf.hkdfSha256, bytes, {
      salt: new Uint8Array(),
      info: encoder.encode(`countersign ${purpose}`),
      length,
    })
  const sealKey = yield* Aead.key(Aead.aes256Gcm, yield* derive("seal", Aead.aes256Gcm.keyLength))
  const tokenKey = yield* Mac.key(Mac.hmacSha256, yield* derive("browser token", tokenKeyLength))
  return { id: Base64Url.encode(yield* derive("id", idLength)), key, sealKey, tokenKey }
})

const encoder = new TextEncoder()

/** The database is used with secrets, and this process has none of them. */
export class CodeSecretMismatch extends Schema.TaggedError<CodeSecretMismatch>()(
  "CodeSecretMismatch",
  {
    /** The ids of the secrets of this process. */
    own: Schema.Array(Schema.String),
    /** The ids of the secrets that are in use. */
    inUse: Schema.Array(Schema.String),
  },
) {
  override get message(): string {
    const [own, inUse] = [this.own.join(", "), this.inUse.join(", ")]
    return (
      `secret: this database is used with the secret ${inUse}, and this process has only ${own}. ` +
      "Set the secret that the other processes have. " +
      "To change the secret, give both, the new one first, and remove the old one when no code of it is pending. " +
      `If the old one is lost, or the database is a copy, run "countersign secret forget": its pending codes cannot be checked any more`
    )
  }
}

/**
 * Fails if the store is used with secrets, and this process has none of them. Otherwise records the secrets of this
 * process, unless `isReadOnly`.
 */
export const check = Effect.fnUntraced(function* (
  isReadOnly: boolean,
): Effect.fn.Return<void, CodeSecretMismatch | StoreUnavailable, CodeSecrets | Store> {
  const { all, current } = yield* CodeSecrets
  const store = yield* Store
  const own = all.map(({ id }) => id)
  for (;;) {
    const { now, registered } = yield* store.codeSecrets
    if (!RegisteredCodeSecret.fits(own, registered, now)) {
      const inUse = RegisteredCodeSecret.inUse(registered, now).map(({ id }) => id)
      return yield* new CodeSecretMismatch({ own, inUse })
    }
    if (isReadOnly) return
    // Another process may have been the first in the meantime, with another secret.
    if (registered.length > 0 || (yield* store.addFirstCodeSecret(current.id))) {
      return yield* store.useCodeSecrets(own)
    }
  }
})

/** Checks and registers the secrets before the layers that it is provided to. */
export const layerRegistered: Layer.Layer<
  never,
  CodeSecretMismatch | StoreUnavailable,
  CodeSecrets | Store
> = Layer.effectDiscard(check(false))

/** A row is under a secret that another process has and this one does not, as during a rotation. */
export const unknownCodeSecret = new StoreUnavailable({ reason: "secret", retryAfterSeconds: 5 })
