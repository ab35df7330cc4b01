import * as CodeText from "@countersign/core/domain/verifications/CodeText"
import type * as Decision from "@countersign/core/decide/Decision"
import * as MemoryStore from "@countersign/core/adapters/MemoryStore"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import * as Arbitraries from "../src/Arbitraries.ts"
import * as Samples from "../src/Samples.ts"

const check = <A>(arbitrary: fc.Arbitrary<A>, holds: (value: A) => void) =>
  fc.assert(fc.property(arbitrary, holds), { numRuns: 300 })

describe("Arbitraries", () => {
  it("draws numbers that the engine accepts", () => {
    check(Arbitraries.phoneNumber, (number) => {
      assert.deepStrictEqual(PhoneNumber.parse(number, "required"), Result.succeed(number))
    })
  })

  it("draws texts that the engine rejects, with or without the plus", () => {
    check(Arbitraries.notAPhoneNumber, (text) => {
      assert.isTrue(Result.isFailure(PhoneNumber.parse(text, "required")), text)
      assert.isTrue(Result.isFailure(PhoneNumber.parse(text, "optional")), text)
    })
  })

  it("draws codes of the configured length, and wrong ones", () => {
    check(fc.integer({ min: 4, max: 10 }).chain(Arbitraries.code), (code) =>
      assert.match(code, /^\d{4,10}$/),
    )
    check(Arbitraries.wrongCode("012345"), (code) => {
      assert.notStrictEqual(CodeText.normalize(code), "012345")
      assert.isTrue(code.length >= 1 && code.length <= 32)
    })
  })

  it("draws texts that every store can hold", () => {
    check(Arbitraries.messageText, (text) => {
      assert.isTrue(text.isWellFormed() && text.length > 0 && !text.includes("\u0000"))
    })
  })

  it("draws histories that reach every command's main outcome", async () => {
    const met = new Map<string, number>()
    const property = fc.asyncProperty(Arbitraries.history(), (history) =>
      Effect.gen(function* () {
        const store = MemoryStore.make()
        yield* store.createOrganization(Samples.organization())
        yield* store.execute(Samples.topUp())
        for (const { afterMillis, command } of history) {
          yield* TestClock.adjust(afterMillis)
          const { result } = yield* store.execute(command)
          met.set(result._tag, (met.get(result._tag) ?? 0) + 1)
        }
      }).pipe(Effect.provide(TestClock.layer()), Effect.scoped, Effect.runPromise),
    )
    await fc.assert(property, { numRuns: 3_000, seed: 1 })
    assert.deepStrictEqual(
      outcomes.filter((tag) => !met.has(tag)),
      [],
    )
  })
})

const outcomes: ReadonlyArray<ReturnType<typeof Decision.decide>["result"]["_tag"]> = [
  "Admitted",
  "AlreadyConsumed",
  "AlreadyFailed",
  "AlreadyVerified",
  "Applied",
  "Cancelled",
  "Closed",
  "Consumed",
  "Cooldown",
  "Ended",
  "Expired",
  "Failed",
  "Fenced",
  "FollowDue",
  "Followed",
  "Held",
  "Insufficient",
  "Limited",
  "LookupBegun",
  "NotDue",
  "NotFound",
  "NotNeeded",
  "NotVerified",
  "PaymentMismatch",
  "Posted",
  "Reclaimed",
  "Recorded",
  "Requested",
  "Resent",
  "ResendsExhausted",
  "TooManyPending",
  "Verified",
  "WrongCode",
]
