import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import type { OrganizationId } from "../../../src/domain/values/Ids.ts"
import { Organizations } from "../../../src/services/Organizations.ts"
import * as TestNumbers from "../../../src/engine/TestNumbers.ts"
import { Verifications } from "../../../src/services/verifications/Verifications.ts"
import { check, phoneNumber, send, wrong } from "../../support/verifying.ts"

const code = Effect.suspend(() => TestEngine.latestCode(phoneNumber))

/** Spends all attempts of a new request on wrong codes. */
const spendAttempts = Effect.fnUntraced(function* (organization: OrganizationId) {
  const { requestId } = yield* send(organization)
  const typed = wrong(yield* code)
  for (const _ of [1, 2, 3]) yield* Effect.flip(check(organization, requestId, typed))
})

const reset = (organization: OrganizationId, phone: string = phoneNumber) =>
  Verifications.use((_) => _.resetGuesses({ organization, phoneNumber: phone }))

/** An organization without a limit on checks, such as the one of a host that has no other. */
const opened = Effect.gen(function* () {
  const { organization } = yield* TestEngine.open()
  const limits = { checksPerOrganization: null }
  yield* Organizations.use((_) => _.update({ id: organization, limits }))
  return organization
})

const refused = { _tag: "RateLimited", reason: "guesses" } as const

describe("the wrong codes for a phone number", () => {
  it.effect("are 30 in a day, over all requests; then sends and checks wait", () =>
    Effect.gen(function* () {
      const organization = yield* opened
      for (let request = 0; request < 9; request++) yield* spendAttempts(organization)
      yield* TestClock.adjust(60_000)
      yield* spendAttempts(organization)
      yield* TestClock.adjust(60_000)
      const retryAfterSeconds = 86_400 - 120
      assert.deepInclude(yield* Effect.flip(send(organization)), { ...refused, retryAfterSeconds })
      yield* TestClock.adjust(retryAfterSeconds * 1_000 - 1)
      assert.deepInclude(yield* Effect.flip(send(organization)), {
        ...refused,
        retryAfterSeconds: 1,
      })
      yield* TestClock.adjust(1)
      const { requestId } = yield* send(organization)
      assert.isTrue((yield* check(organization, requestId, yield* code)).isFirst)
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("block the number after a series, until the host resets them", () =>
    Effect.gen(function* () {
      const organization = yield* opened
      const limits = { guessesPerNumber: null, guessesSinceSuccess: 3 }
      yield* Organizations.use((_) => _.update({ id: organization, limits }))
      yield* spendAttempts(organization)
      const blocked = { ...refused, retryAfterSeconds: 86_400 } as const
      assert.deepInclude(yield* Effect.flip(send(organization)), blocked)
      yield* TestClock.adjust("400 days")
      assert.deepInclude(yield* Effect.flip(send(organization)), blocked)
      yield* reset(organization, "+8801712345679")
      assert.deepInclude(yield* Effect.flip(send(organization)), blocked)
      yield* reset(organization)
      const { requestId } = yield* send(organization)
      yield* check(organization, requestId, yield* code)
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("are not reset for a text that is no phone number", () =>
    Effect.gen(function* () {
      const organization = yield* opened
      const error = yield* Effect.flip(reset(organization, "8801"))
      assert.deepNestedInclude(error, { _tag: "InvalidRequest", "details.phoneNumber.length": 1 })
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("do not count for a test number", () =>
    Effect.gen(function* () {
      const organization = yield* opened
      for (let request = 0; request < 12; request++) {
        yield* TestClock.adjust(60_000)
        const { requestId } = yield* send(organization)
        for (const _ of [1, 2, 3]) yield* Effect.flip(check(organization, requestId, "000000"))
      }
      const { requestId } = yield* send(organization)
      yield* check(organization, requestId, "730164")
    }).pipe(
      Effect.provide(
        Layer.provide(
          TestEngine.layer(),
          TestNumbers.layer({
            numbers: [{ phoneNumber, code: Redacted.make("730164"), outcome: "delivered" }],
            production: false,
          }),
        ),
      ),
    ),
  )
})
