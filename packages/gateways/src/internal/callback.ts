/** Common parts of callbacks: answers, and the verification of signatures in constant time. */
import * as Mac from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { EncodingError } from "effect/encoding/EncodingError"
import type { CallbackOutcome } from "../Adapter.ts"

export const refused = (reason: string): CallbackOutcome => ({ _tag: "Refused", reason })

export const malformed = (reason: string): CallbackOutcome => ({ _tag: "Malformed", reason })

const bytesOf = new TextEncoder()

/** Encodes text as UTF-8. */
export const utf8 = (text: string): Uint8Array => bytesOf.encode(text)

/** Returns whether a tag is the HMAC of the bytes. */
export type Verify = (
  tag: Result.Result<Uint8Array, EncodingError>,
  data: Uint8Array,
) => Effect.Effect<boolean>

/** Makes a verifier for a secret. Dies if the secret is empty, because any caller could then sign. */
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

/** Compares two texts in a time that reveals only their lengths. */
export const sameText = (one: string, other: string) => Mac.timingSafeEqual(utf8(one), utf8(other))
