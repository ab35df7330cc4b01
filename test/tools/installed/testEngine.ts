/**
 * An engine for tests, without `@effect/vitest`: any version of vitest, and every other test runner.
 */
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import * as Arbitraries from "@countersign/testing/Arbitraries"
import * as TestEngine from "@countersign/testing/TestEngine"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import { expect, test } from "vitest"

const phoneNumber = "+8801712345678"

const check = (seed: number, typed: (code: string) => string) =>
  Effect.gen(function* () {
    const { organization } = yield* TestEngine.open()
    const verifications = yield* Verifications
    const { requestId } = yield* verifications.send({ organization, phoneNumber })
    const code = Redacted.make(typed(yield* TestEngine.latestCode(phoneNumber)))
    return yield* verifications.check({ organization, requestId, code })
  }).pipe(
    Effect.match({ onSuccess: ({ status }) => status, onFailure: ({ _tag }) => _tag }),
    Effect.provide(TestEngine.layer({ seed })),
    Effect.runPromise,
  )

test("the right code verifies", async () => {
  expect(await check(1, (code) => code)).toBe("verified")
})

test("every other code is wrong", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.gen(), async (seed, draw) => {
      const answer = await check(seed, (code) => draw(Arbitraries.wrongCode, code))
      return answer === "WrongCode"
    }),
    { numRuns: 5 },
  )
})
