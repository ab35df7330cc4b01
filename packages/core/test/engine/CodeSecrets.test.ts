import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { assert, describe } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as RegisteredCodeSecret from "../../src/domain/access/RegisteredCodeSecret.ts"
import { Store } from "../../src/ports/Store.ts"
import * as CodeSecrets from "../../src/engine/CodeSecrets.ts"
import { effectTest, testOn } from "../support/engineTest.ts"

const secretOf = (name: string): Redacted.Redacted => Redacted.make(name.padEnd(32, "x"))

type Secrets = readonly [Redacted.Redacted, ...ReadonlyArray<Redacted.Redacted>]

const refused: ReadonlyArray<readonly [string, Secrets]> = [
  ["a secret twice", [secretOf("k1"), secretOf("k2"), secretOf("k1")]],
  ["a secret that is too short", [Redacted.make("x".repeat(CodeSecrets.minSecretLength - 1))]],
  ["a retiring secret that is too short", [secretOf("k1"), Redacted.make("abbreviated")]],
]

const ids = (...secrets: Secrets) =>
  CodeSecrets.CodeSecrets.use(({ all, current }) =>
    Effect.succeed([current.id, all.map(({ id }) => id)] as const),
  ).pipe(Effect.provide(CodeSecrets.layer(...secrets)))

describe("CodeSecrets", () => {
  effectTest("have ids that follow from their secrets, and hash with the first", function* () {
    const [k1] = yield* ids(secretOf("k1"))
    const [k2] = yield* ids(secretOf("k2"))
    assert.match(k1, /^[\w-]{12}$/)
    assert.notStrictEqual(k1, k2)
    assert.deepStrictEqual(yield* ids(secretOf("k1")), [k1, [k1]])
    assert.deepStrictEqual(yield* ids(secretOf("k2"), secretOf("k1")), [k2, [k2, k1]])
  })

  effectTest.each(refused)(
    "prevents the start with %s, and does not show the secret",
    function* ([, secrets]) {
      const exit = yield* Effect.exit(ids(...secrets))
      const cause = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "it started"
      assert.match(cause, /TypeError/)
      assert.notMatch(cause, /xxxx|abbreviated/)
    },
  )
})

const now = 86_400_000

describe("a process fits a database", () => {
  testOn(Layer.merge(MemoryStore.layer, CodeSecrets.layer(secretOf("any"))))(
    "in memory with any secret",
    function* () {
      yield* CodeSecrets.check(false)
    },
  )

  effectTest(
    "if it is still the first when it registers, and otherwise it is judged again",
    function* () {
      const [other] = yield* ids(secretOf("other"))
      const memory = MemoryStore.make()
      const registered: Array<RegisteredCodeSecret.RegisteredCodeSecret> = []
      const store = Store.of({
        ...memory,
        codeSecrets: Effect.sync(() => ({ now, registered: [...registered] })),
        // Another process is faster.
        addFirstCodeSecret: () =>
          Effect.sync(() => {
            registered.push({ id: other, usedAt: now })
            return false
          }),
        useCodeSecrets: () => Effect.die("It does not fit"),
      })
      const start = CodeSecrets.check(false).pipe(
        Effect.provide(CodeSecrets.layer(secretOf("mine"))),
        Effect.provideService(Store, store),
      )
      const error = yield* Effect.flip(start)
      assert.strictEqual(error._tag, "CodeSecretMismatch")
      assert.include(error.message, `used with the secret ${other}`)
      assert.include(error.message, "countersign secret forget")
    },
  )
})
