import { assert, describe, it } from "@effect/vitest"
import * as Digest from "effect/crypto/Digest"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fc from "fast-check"
import * as Node from "../src/Node.ts"
import { test, testsOver } from "../../../test/support/testsOver.ts"

const bytes = fc.uint8Array({ maxLength: 200 })
const keys = fc.uint8Array({ minLength: 1, maxLength: 200 })

const web = Layer.merge(Mac.layerWebCrypto, Digest.layerWebCrypto).pipe(
  Layer.provideMerge(SecureRandom.layerWebCrypto),
)

const algorithms = fc.constantFrom(Mac.hmacSha1, Mac.hmacSha256, Mac.hmacSha384, Mac.hmacSha512)

describe("layerCrypto", () => {
  it.live("signs like Web Crypto, also with a cached key", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(algorithms, keys, bytes, bytes, (algorithm, secret, one, other) =>
          Effect.gen(function* () {
            const key = yield* Mac.key(algorithm, secret)
            const sign = (data: Uint8Array) => Mac.Mac.use((mac) => mac.sign(key, data))
            for (const data of [one, other, one]) {
              const [mine, theirs] = yield* Effect.all([
                Effect.provide(sign(data), Node.layerCrypto),
                Effect.provide(sign(data), web),
              ])
              assert.deepStrictEqual(mine, theirs)
            }
          }).pipe(Effect.runPromise),
        ),
        { numRuns: 50 },
      ),
    ),
  )

  testsOver(Node.layerCrypto).live(
    "separates keys with the same bytes by their algorithms",
    function* () {
      const mac = yield* Mac.Mac
      const secret = new Uint8Array(32).fill(7)
      const data = new Uint8Array(8)
      const lengths = yield* Effect.forEach([Mac.hmacSha256, Mac.hmacSha512], (algorithm) =>
        Effect.gen(function* () {
          const key = yield* Mac.key(algorithm, secret)
          const tag = yield* mac.sign(key, data)
          assert.isTrue(yield* mac.verify(key, tag, data))
          return tag.length
        }),
      )
      assert.deepStrictEqual(lengths, [32, 64])
    },
  )

  test.live("digests like Web Crypto", function* () {
    const data = new TextEncoder().encode("countersign")
    const digest = Digest.Digest.use((digest) => digest.digest(Digest.sha256, data))
    assert.deepStrictEqual(
      yield* Effect.provide(digest, Node.layerCrypto),
      yield* Effect.provide(digest, web),
    )
  })
})
