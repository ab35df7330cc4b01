import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as RegisteredPepper from "../../src/domain/access/RegisteredPepper.ts"
import { Store } from "../../src/ports/Store.ts"
import * as Peppers from "../../src/engine/Peppers.ts"

const pepper = (name: string): Redacted.Redacted => Redacted.make(name.padEnd(32, "x"))

type Secrets = readonly [Redacted.Redacted, ...ReadonlyArray<Redacted.Redacted>]

const refused: ReadonlyArray<readonly [string, Secrets]> = [
  ["a secret twice", [pepper("k1"), pepper("k2"), pepper("k1")]],
  ["a secret that is too short", [Redacted.make("x".repeat(Peppers.minSecretLength - 1))]],
  ["a retiring secret that is too short", [pepper("k1"), Redacted.make("abbreviated")]],
]

const ids = (...secrets: Secrets) =>
  Peppers.Peppers.use(({ all, current }) =>
    Effect.succeed([current.id, all.map(({ id }) => id)] as const),
  ).pipe(Effect.provide(Peppers.layer(...secrets)))

describe("Peppers", () => {
  it.effect("have ids that follow from their secrets, and hash with the first", () =>
    Effect.gen(function* () {
      const [k1] = yield* ids(pepper("k1"))
      const [k2] = yield* ids(pepper("k2"))
      assert.match(k1, /^[\w-]{12}$/)
      assert.notStrictEqual(k1, k2)
      assert.deepStrictEqual(yield* ids(pepper("k1")), [k1, [k1]])
      assert.deepStrictEqual(yield* ids(pepper("k2"), pepper("k1")), [k2, [k2, k1]])
    }),
  )

  it.effect.each(refused)(
    "prevents the start with %s, and does not show the secret",
    ([, secrets]) =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(ids(...secrets))
        const cause = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "it started"
        assert.match(cause, /TypeError/)
        assert.notMatch(cause, /xxxx|abbreviated/)
      }),
  )
})

const day = 86_400_000
const now = 1_000 * day
const used = (id: string, daysAgo: number): RegisteredPepper.RegisteredPepper => ({
  id,
  usedAt: now - daysAgo * day,
})

describe("a process fits a database", () => {
  it.each([
    ["that no process has used", ["a"], [], true],
    ["with its pepper", ["a"], [used("a", 400)], true],
    ["with another pepper", ["b"], [used("a", 400)], false],
    ["with a new pepper first", ["b", "a"], [used("a", 400)], true],
    ["with a new pepper second", ["a", "b"], [used("a", 0)], true],
    ["with the old one while the new one is rolled out", ["a"], [used("b", 0), used("a", 0)], true],
    ["with the old one after a rollback", ["a"], [used("b", 3), used("a", 3)], true],
    ["with the new one alone", ["b"], [used("b", 3), used("a", 3)], true],
    ["with an old one that is long retired", ["a"], [used("b", 0), used("a", 32)], false],
    ["with two unknown ones", ["c", "d"], [used("b", 0), used("a", 1)], false],
  ] as const)("%s: %j, %j is %s", (_, own, registered, expected) => {
    assert.strictEqual(RegisteredPepper.fits(own, registered, now), expected)
  })

  it.effect("in memory with any pepper", () =>
    Effect.gen(function* () {
      yield* Peppers.check(false)
    }).pipe(Effect.provide(Layer.merge(MemoryStore.layer, Peppers.layer(pepper("any"))))),
  )

  it.effect("if it is still the first when it registers, and otherwise it is judged again", () =>
    Effect.gen(function* () {
      const [other] = yield* ids(pepper("other"))
      const memory = MemoryStore.make()
      const registered: Array<RegisteredPepper.RegisteredPepper> = []
      const store = Store.of({
        ...memory,
        peppers: Effect.sync(() => ({ now, registered: [...registered] })),
        // Another process is faster.
        addFirstPepper: () =>
          Effect.sync(() => {
            registered.push({ id: other, usedAt: now })
            return false
          }),
        usePeppers: () => Effect.die("It does not fit"),
      })
      const start = Peppers.check(false).pipe(
        Effect.provide(Peppers.layer(pepper("mine"))),
        Effect.provideService(Store, store),
      )
      const error = yield* Effect.flip(start)
      assert.strictEqual(error._tag, "PepperMismatch")
      assert.include(error.message, `used with the pepper ${other}`)
      assert.include(error.message, "countersign pepper forget")
    }),
  )
})
