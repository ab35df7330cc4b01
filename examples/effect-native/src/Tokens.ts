/**
 * What a client shows once its user is signed in: the user's id and an end, signed.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Mac from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Environment from "./Environment.ts"

const Claims = Schema.fromJsonString(
  Schema.Struct({
    userId: Schema.String,
    /** Epoch milliseconds. */
    until: Schema.Int,
  }),
)

const lifetimeMillis = 12 * 60 * 60 * 1_000

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

export class Tokens extends Context.Service<
  Tokens,
  {
    readonly make: (userId: string) => Effect.Effect<string>
    /** The id of the user; `undefined` where the token is not one of ours, or is too old. */
    readonly read: (token: string) => Effect.Effect<string | undefined>
  }
>()("effect-native/Tokens") {
  static readonly layer = Layer.effect(
    Tokens,
    Effect.gen(function* () {
      const mac = yield* Mac.Mac
      const secret = yield* Environment.secret("TOKEN_SECRET")
      const key = yield* Mac.key(Mac.hmacSha256, bytesOf(Redacted.value(secret)))
      return Tokens.of({
        make: Effect.fn("Tokens.make")(function* (userId) {
          const until = (yield* Clock.currentTimeMillis) + lifetimeMillis
          const claims = Base64Url.encode(yield* Schema.encodeEffect(Claims)({ userId, until }))
          const tag = yield* mac.sign(key, bytesOf(claims))
          return `${claims}.${Base64Url.encode(tag)}`
        }, Effect.orDie),
        read: Effect.fn("Tokens.read")(function* (token) {
          const [claims = "", signature = ""] = token.split(".")
          const tag = Base64Url.decode(signature)
          if (Result.isFailure(tag)) return undefined
          // Checks the signature before it reads any claim.
          const isOurs = yield* Effect.orDie(mac.verify(key, tag.success, bytesOf(claims)))
          if (!isOurs) return undefined
          const { until, userId } = yield* Effect.orDie(
            Schema.decodeEffect(Claims)(Result.getOrElse(Base64Url.decodeString(claims), () => "")),
          )
          return until > (yield* Clock.currentTimeMillis) ? userId : undefined
        }),
      })
    }),
  )
}
