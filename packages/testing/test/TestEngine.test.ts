import { Gateway } from "@countersign/core/ports/Gateway"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as TestEngine from "../src/TestEngine.ts"

const phoneNumber = "+8801712345678"

const work = Effect.gen(function* () {
  const { key, organization } = yield* TestEngine.open()
  const { requestId } = yield* Verifications.use((_) => _.send({ organization, phoneNumber }))
  return [Redacted.value(key), requestId, yield* TestEngine.latestCode(phoneNumber)]
})

const play = (seed: number) => Effect.provide(work, TestEngine.layer({ seed }))

describe("TestEngine", () => {
  it.effect("is deterministic, and differs with another seed", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* play(1), yield* play(1))
      assert.notDeepEqual(yield* play(1), yield* play(2))
    }),
  )

  it.effect("fails if no code has reached a number", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(TestEngine.latestCode(phoneNumber))
      assert.include(
        Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "",
        `No code has reached ${phoneNumber}`,
      )
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("does its work in one turn, so that a moved test clock misses nothing", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(work)
      yield* Effect.replicateEffect(Effect.yieldNow, 50)
      assert.isDefined(fiber.pollUnsafe())
      // Making the engine derives keys, which takes real time.
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("creates the configured gateway", () =>
    Effect.gen(function* () {
      const { capabilities, name } = yield* Gateway
      assert.strictEqual(name, "mine")
      assert.strictEqual(capabilities.tokenMillis, 5)
    }).pipe(
      Effect.provide(
        TestEngine.layer({ gateway: { name: "mine", capabilities: { tokenMillis: 5 } } }),
      ),
    ),
  )
})
