/**
 * What differs between a developer's machine and production.
 */
import * as Config from "effect/Config"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Redacted from "effect/Redacted"

export const inProduction = Effect.map(
  Config.withDefault(Config.String("NODE_ENV"), "development"),
  (name) => name === "production",
)

const passing = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  return Redacted.make(Hex.encode(yield* random.randomBytes(32)))
})

/**
 * A secret of the environment. Outside production the default is `inDevelopment`, or a new one for each process.
 */
export const secret = Effect.fnUntraced(function* (name: string, inDevelopment?: string) {
  const given = Config.Redacted(name)
  if (yield* inProduction) return yield* given
  return yield* Config.option(given).pipe(
    Effect.flatMap((found) => {
      if (found._tag === "Some") return Effect.succeed(found.value)
      return inDevelopment === undefined ? passing : Effect.succeed(Redacted.make(inDevelopment))
    }),
  )
})
