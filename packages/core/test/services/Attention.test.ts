import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as RetentionPolicy from "../../src/engine/RetentionPolicy.ts"
import { OrganizationId } from "../../src/domain/values/Ids.ts"
import * as Money from "../../src/domain/values/Money.ts"
import { Attention } from "../../src/services/Attention.ts"
import { Messages } from "../../src/services/Messages.ts"
import { Organizations } from "../../src/services/Organizations.ts"
import * as Duration from "effect/Duration"
import { engineTest, testOn } from "../support/engineTest.ts"

const organization = OrganizationId("acme")

const read = Attention.use((_) => _.read({ organization }))

const codes = Effect.map(read, ({ findings }) => findings.map(({ code }) => code))

const send = Messages.use((_) =>
  _.send({ organization, phoneNumber: "8801712345678", text: "hello" }),
)

describe("Attention.read", () => {
  engineTest("finds nothing wrong in an organization that can send", function* () {
    yield* TestEngine.open()
    assert.deepStrictEqual(yield* read, { findings: [], daysLeft: null })
  })

  engineTest("tells how long the balance lasts, and that it is low", function* () {
    yield* TestEngine.open({ balance: Money.make("10") })
    yield* Organizations.use((_) => _.update({ id: organization, balanceLowAt: Money.make("9.9") }))
    yield* send
    const { daysLeft, findings } = yield* read
    assert.strictEqual(daysLeft, 19)
    assert.deepStrictEqual(findings, [
      {
        code: "balance_low",
        isUrgent: false,
        since: null,
        target: { page: "balance", id: null },
        parameters: { balance: "9.50", lowAt: "9.90" },
      },
    ])
    for (let count = 0; count < 18; count++) yield* send
    assert.deepStrictEqual(yield* codes, ["balance_days"])
  })

  engineTest("names an organization without a sender", function* () {
    yield* Organizations.use((_) => _.create({ id: organization }))
    assert.deepStrictEqual(yield* codes, ["no_sender"])
  })

  engineTest("knows no organization that does not exist", function* () {
    const error = yield* Effect.flip(read)
    assert.strictEqual(error._tag, "OrganizationNotFound")
  })

  const kept = { ...RetentionPolicy.defaults, messages: Duration.days(1) }
  testOn(
    TestEngine.layer().pipe(Layer.provide(Layer.succeed(RetentionPolicy.RetentionPolicy, kept))),
  )("names messages that should have been dropped", function* () {
    yield* TestEngine.open()
    yield* send
    yield* TestClock.adjust("2 days")
    assert.deepStrictEqual(yield* codes, [])
    yield* TestClock.adjust("1 day")
    assert.deepStrictEqual(yield* codes, ["retention_behind"])
  })
})
