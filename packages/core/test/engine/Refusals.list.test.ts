/** Lists of refused calls, and what an erasure does to them. */
import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { OrganizationId } from "../../src/domain/values/Ids.ts"
import * as PhoneNumber from "../../src/domain/values/PhoneNumber.ts"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { Store } from "../../src/ports/Store.ts"
import { Privacy } from "../../src/services/Privacy.ts"
import * as Refusals from "../../src/engine/Refusals.ts"
import { lines, list } from "../support/refusing.ts"
import { phoneNumber, send } from "../support/verifying.ts"

const flush = Refusals.Refusals.use((_) => _.flush())

describe("a list of refused calls", () => {
  it.effect("has pages, and names its invalid fields", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open({ balance: Samples.money("0") })
      for (const _ of [1, 2, 3]) yield* Effect.flip(send(organization))
      const first = yield* list(organization, { limit: 2 })
      assert.deepStrictEqual(
        first.refusals.map(({ sequence }) => sequence),
        [3, 2],
      )
      const rest = yield* list(organization, { limit: 2, cursor: first.next })
      assert.deepStrictEqual(
        rest.refusals.map(({ sequence }) => sequence),
        [1],
      )
      assert.isUndefined(rest.next)
      for (const [field, query] of [
        ["phoneNumber", { phoneNumber: "017" }],
        ["cursor", { cursor: "?" }],
        ["from", { from: 2, to: 1 }],
        ["to", { to: NaN }],
      ] as const) {
        const error = yield* Effect.flip(list(organization, query))
        assert.isTrue("details" in error && field in error.details, field)
      }
      const unknown = yield* Effect.flip(list(OrganizationId("unknown")))
      assert.strictEqual(unknown._tag, "OrganizationNotFound")
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("finds a number under the digest of a retiring secret", () => {
    const store = Layer.succeed(Store, MemoryStore.make())
    const newer = Redacted.make("another secret that is long enough, too")
    return Effect.gen(function* () {
      const { organization } = yield* TestEngine.open({ balance: Samples.money("0") }).pipe(
        Effect.tap(({ organization: id }) => Effect.flip(send(id))),
        Effect.tap(flush),
        Effect.provide(TestEngine.layer({ store })),
      )
      assert.lengthOf(
        yield* lines(organization, { phoneNumber }).pipe(
          Effect.provide(TestEngine.layer({ store, codeSecrets: [newer, TestEngine.codeSecret] })),
        ),
        1,
      )
    })
  })
})

describe("the data of a person", () => {
  it.effect("has their refusals, which an erasure makes anonymous", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open({ balance: Samples.money("0") })
      yield* Effect.flip(send(organization))
      yield* Effect.flip(send(organization, { phoneNumber: "+8801812345678" }))
      const about = { organization, phoneNumber: PhoneNumber.fromE164("+8801812345678") }
      const place = { kind: "refusals" as const, next: undefined }
      const { records } = yield* Privacy.use((_) => _.exportPage(about, place))
      assert.deepStrictEqual(
        records.map((record) => record._tag === "Refusal" && record.refusal.code),
        ["insufficient_balance"],
      )
      assert.notInclude(JSON.stringify(records), "digest")
      const { refusals } = yield* Privacy.use((_) => _.erase(about))
      assert.strictEqual(refusals, 1)
      assert.deepStrictEqual(yield* lines(organization), [
        "verify sms BD - insufficient_balance",
        "verify sms BD +8801*****678 insufficient_balance",
      ])
    }).pipe(Effect.provide(TestEngine.layer())),
  )
})
