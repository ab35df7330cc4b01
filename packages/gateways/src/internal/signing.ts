/**
 * Signatures of vendors, checked in constant time.
 */
import * as Mac from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { EncodingError } from "effect/encoding/EncodingError"

const bytesOf = new TextEncoder()

/** Text as UTF-8. */
export const utf8 = (text: string): Uint8Array => bytesOf.encode(text)

/** Tells whether a tag is the HMAC of some bytes. */
export type Verify = (
  tag: Result.Result<Uint8Array, EncodingError>,
  data: Uint8Array,
) => Effect.Effect<boolean>

/** A verifier under a secret; an empty secret is a defect, because it would let everybody in. */
export const verifier = (
  algorithm: Mac.Algorithm,
  secret: Redacted.Redacted<string>,
): Effect.Effect<Verify, never, Mac.Mac> =>
  Effect.gen(function* () {
    const mac = yield* Mac.Mac
    const key = yield* Effect.orDie(Mac.key(algorithm, utf8(Redacted.value(secret))))
    return (tag, data) =>
      Result.isFailure(tag)
        ? Effect.succeed(false)
        : Effect.orDie(mac.verify(key, tag.success, data))
  })

/** Compares two texts in a time that tells no more than their lengths. */
export const sameText = (one: string, other: string): boolean =>
  Mac.timingSafeEqual(utf8(one), utf8(other))
