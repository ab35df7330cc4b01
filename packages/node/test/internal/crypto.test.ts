import { assert, describe } from "@effect/vitest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import { layerSecureRandom } from "../../src/internal/crypto.ts"
import { test } from "../../../../test/support/testsOver.ts"

const draw = (sizes: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const random = yield* SecureRandom.SecureRandom
    return yield* Effect.forEach(sizes, (size) => random.randomBytes(size))
  }).pipe(Effect.provide(layerSecureRandom))

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

describe("random bytes, drawn a block at a time", () => {
  test.effect("have the requested size, across block boundaries and beyond a block", function* () {
    const sizes = [0, 1, 4_095, 2, 4_096, 7, 5_000, 100_000]
    assert.deepStrictEqual(
      (yield* draw(sizes)).map((bytes) => bytes.length),
      sizes,
    )
  })

  test.effect("are never returned twice", function* () {
    const drawn = yield* draw(Array.from({ length: 20_000 }, () => 16))
    assert.strictEqual(new Set(drawn.map(hex)).size, drawn.length)
  })

  test.effect("are a copy that only its caller sees", function* () {
    const [first, second] = yield* draw([32, 32])
    const before = hex(second ?? new Uint8Array())
    first?.fill(0)
    assert.strictEqual(hex(second ?? new Uint8Array()), before)
    assert.strictEqual(first?.buffer.byteLength, 32)
  })

  test.effect("have all values, about equally often", function* () {
    const counts = Array.from({ length: 256 }, () => 0)
    for (const bytes of yield* draw(Array.from({ length: 4_096 }, () => 250))) {
      for (const byte of bytes) counts[byte] = (counts[byte] ?? 0) + 1
    }
    const expected = (4_096 * 250) / 256
    const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
    // 255 degrees of freedom: beyond 380 once in ten million runs.
    assert.isBelow(chiSquare, 380)
  })
})
