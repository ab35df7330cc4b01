import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { SimulatedGateway } from "../../src/adapters/SimulatedGateway.ts"
import { OrganizationId } from "../../src/domain/values/Ids.ts"
import { fromE164 } from "../../src/domain/values/PhoneNumber.ts"
import { Refusals } from "../../src/engine/Refusals.ts"
import { Audit } from "../../src/services/Audit.ts"
import { Messages, type SendMessage } from "../../src/services/Messages.ts"
import { OptOuts } from "../../src/services/OptOuts.ts"
import { Privacy } from "../../src/services/Privacy.ts"
import { engineTest } from "../support/engineTest.ts"
import { invalidFields } from "../support/invalidFields.ts"

const organization = OrganizationId("acme")
const phoneNumber = fromE164("+8801712345678")
const neighbour = fromE164("+8801812345678")

const add = (...phoneNumbers: ReadonlyArray<string>) =>
  OptOuts.use((_) => _.add({ organization, phoneNumbers }))
const remove = (...phoneNumbers: ReadonlyArray<string>) =>
  OptOuts.use((_) => _.remove({ organization, phoneNumbers }))
const check = (number: string, owner = organization) =>
  OptOuts.use((_) => _.check({ organization: owner, phoneNumber: number }))

const send = (input: Partial<SendMessage> = {}) =>
  Messages.use((_) =>
    _.send({ organization, phoneNumber, text: "Half price", class: "promotional", ...input }),
  )

const sentTo = (number: typeof phoneNumber) =>
  SimulatedGateway.use((_) => Effect.map(_.journal(number), (all) => all.length))

describe("OptOuts", () => {
  engineTest("refuse promotional messages to a number, until it is removed", function* () {
    yield* TestEngine.open()
    yield* send()
    assert.deepStrictEqual(yield* add("8801712345678"), { changed: 1 })
    for (const channel of ["sms", "whatsapp"] as const) {
      const error = yield* Effect.flip(send({ channel }))
      assert.deepInclude<object>(error, { _tag: "OptedOut", code: "opted_out" })
    }
    assert.strictEqual(yield* sentTo(phoneNumber), 1)
    yield* send({ class: "transactional" })
    yield* send({ class: undefined })
    yield* send({ phoneNumber: neighbour })
    assert.deepStrictEqual(yield* remove(phoneNumber, neighbour), { changed: 1 })
    yield* send()
    assert.strictEqual(yield* sentTo(phoneNumber), 4)
  })

  engineTest("are counted as refused calls", function* () {
    yield* TestEngine.open()
    yield* add(phoneNumber)
    yield* Effect.flip(send())
    const { refusals } = yield* Refusals.use((_) => _.list({ organization }))
    assert.deepStrictEqual(
      refusals.map(({ code, operation, reason }) => ({ code, operation, reason })),
      [{ code: "opted_out", operation: "message", reason: null }],
    )
  })

  engineTest("are of one organization, and tell since when", function* () {
    yield* TestEngine.open()
    const other = OrganizationId("other")
    yield* TestEngine.open({ id: other })
    const { since } = yield* check(phoneNumber)
    assert.isNull(since)
    yield* add(phoneNumber)
    const first = yield* check(phoneNumber)
    assert.isTrue(first.isOptedOut)
    yield* TestClock.adjust("1 hour")
    yield* add(phoneNumber)
    assert.deepStrictEqual(yield* check("8801712345678"), first)
    assert.deepStrictEqual(yield* check(phoneNumber, other), { isOptedOut: false, since: null })
    yield* send({ organization: other })
  })

  engineTest("survive the erasure of the number", function* () {
    yield* TestEngine.open()
    yield* send()
    yield* add(phoneNumber)
    yield* Privacy.use((_) => _.erase({ organization, phoneNumber }))
    assert.isTrue((yield* check(phoneNumber)).isOptedOut)
    assert.strictEqual((yield* Effect.flip(send()))._tag, "OptedOut")
  })

  engineTest("are audited without their numbers", function* () {
    yield* TestEngine.open()
    yield* add(phoneNumber, neighbour)
    yield* add(phoneNumber)
    yield* remove(phoneNumber)
    const { entries } = yield* Audit.use((_) => _.list({ organization, action: "opt_outs" }))
    assert.deepStrictEqual(
      entries.map(({ action, after, target }) => ({ action, after, target })),
      [
        { action: "opt_outs.removed", after: { numbers: 1 }, target: null },
        { action: "opt_outs.added", after: { numbers: 2 }, target: null },
      ],
    )
    assert.notInclude(JSON.stringify(entries), "17123")
  })

  engineTest("name the entry that is no number, and change nothing", function* () {
    yield* TestEngine.open()
    const mixed = add(phoneNumber, "01712", neighbour, "")
    assert.deepStrictEqual(yield* invalidFields(mixed), ["phoneNumbers.1", "phoneNumbers.3"])
    assert.isFalse((yield* check(phoneNumber)).isOptedOut)
    assert.deepStrictEqual(yield* invalidFields(add()), ["phoneNumbers"])
    const many = Array.from({ length: 1_001 }, () => phoneNumber)
    assert.deepStrictEqual(yield* invalidFields(add(...many)), ["phoneNumbers"])
    assert.deepStrictEqual(yield* add(...many.slice(1)), { changed: 1 })
    assert.deepStrictEqual(yield* invalidFields(check("x")), ["phoneNumber"])
  })

  engineTest("are of organizations that exist", function* () {
    assert.strictEqual((yield* Effect.flip(add(phoneNumber)))._tag, "OrganizationNotFound")
    assert.strictEqual((yield* Effect.flip(check(phoneNumber)))._tag, "OrganizationNotFound")
  })
})
