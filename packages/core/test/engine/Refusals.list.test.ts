/** Lists of refused calls, and what an erasure does to them. */
import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { OrganizationId } from "../../src/domain/values/Ids.ts"
import * as PhoneNumber from "../../src/domain/values/PhoneNumber.ts"
import { Privacy } from "../../src/services/Privacy.ts"
import { lines, list } from "../support/refusing.ts"
import { send } from "../support/verifying.ts"
import { engineTest } from "../support/engineTest.ts"

describe("a list of refused calls", () => {
  engineTest("has pages, and names its invalid fields", function* () {
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
    for (const [period, count] of [
      [{ from: 0 }, 3],
      [{ to: 1 }, 3],
      [{ from: 0, to: 1 }, 3],
      [{ from: 1, to: 1 }, 0],
    ] as const) {
      assert.lengthOf((yield* list(organization, period)).refusals, count)
    }
    for (const [field, query] of [
      ["phoneNumber", { phoneNumber: "017" }],
      ["cursor", { cursor: "?" }],
      ["from", { from: 2, to: 1 }],
      ["from", { from: NaN }],
      ["to", { to: NaN }],
    ] as const) {
      const error = yield* Effect.flip(list(organization, query))
      assert.isTrue("details" in error && field in error.details, field)
    }
    const unknown = yield* Effect.flip(list(OrganizationId("unknown")))
    assert.strictEqual(unknown._tag, "OrganizationNotFound")
  })
})

describe("the data of a person", () => {
  engineTest("has their refusals, which an erasure makes anonymous", function* () {
    const { organization } = yield* TestEngine.open({ balance: Samples.money("0") })
    yield* Effect.flip(send(organization))
    yield* Effect.flip(send(organization, { phoneNumber: "+8801812345678" }))
    const about = { organization, phoneNumber: PhoneNumber.fromE164("+8801812345678") }
    const place = { kind: "refusals" as const, next: undefined }
    const { records } = yield* Privacy.use((_) => _.exportPage(about, place))
    assert.deepStrictEqual(
      records.map((record) => record.type === "refusal" && record.code),
      ["insufficient_balance"],
    )
    assert.notInclude(JSON.stringify(records), "digest")
    const { refusals } = yield* Privacy.use((_) => _.erase(about))
    assert.strictEqual(refusals, 1)
    assert.deepStrictEqual(yield* lines(organization), [
      "verify sms BD - insufficient_balance",
      "verify sms BD +8801*****678 insufficient_balance",
    ])
  })
})
