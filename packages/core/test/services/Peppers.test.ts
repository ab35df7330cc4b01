import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Peppers from "../../src/services/Peppers.ts"

const pepper = (
  id: string,
  secret = "x".repeat(Peppers.minSecretLength),
): Peppers.PepperConfig => ({
  id,
  secret: Redacted.make(secret),
})

type Configs = readonly [Peppers.PepperConfig, ...ReadonlyArray<Peppers.PepperConfig>]

const refused: ReadonlyArray<readonly [string, Configs]> = [
  ["an id twice", [pepper("k1"), pepper("k2"), pepper("k1")]],
  ["a secret that is too short", [pepper("k1", "x".repeat(Peppers.minSecretLength - 1))]],
  ["a retiring secret that is too short", [pepper("k1"), pepper("k0", "abbreviated")]],
  ["no id", [pepper("")]],
  ["an id that is too long", [pepper("k".repeat(33))]],
]

const ids = (...configs: Configs) =>
  Peppers.Peppers.use(({ all, current }) =>
    Effect.succeed([current.id, all.map(({ id }) => id)] as const),
  ).pipe(Effect.provide(Peppers.layer(...configs)))

describe("Peppers", () => {
  it.effect("hashes with the first and checks with all", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* ids(pepper("k1")), ["k1", ["k1"]])
      assert.deepStrictEqual(yield* ids(pepper("k2"), pepper("k1")), ["k2", ["k2", "k1"]])
      const longest = "k".repeat(32)
      assert.deepStrictEqual(yield* ids(pepper("k"), pepper(longest)), ["k", ["k", longest]])
    }),
  )

  it.effect.each(refused)(
    "prevents the start with %s, and does not show the secret",
    ([, configs]) =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(ids(...configs))
        const cause = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "it started"
        assert.match(cause, /TypeError/)
        assert.notMatch(cause, /xxxx|abbreviated/)
      }),
  )
})
