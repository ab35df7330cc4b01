import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { OrganizationId } from "../../src/domain/values/Ids.ts"
import * as Money from "../../src/domain/values/Money.ts"
import { OutboxDelivery } from "../../src/jobs/OutboxDelivery.ts"
import { Accounts } from "../../src/services/Accounts.ts"
import { Batches } from "../../src/services/Batches.ts"
import { Messages } from "../../src/services/Messages.ts"
import { Organizations } from "../../src/services/Organizations.ts"
import { engineTest, testOn } from "../support/engineTest.ts"

const organization = OrganizationId("acme")

const hour = 3_600_000
const day = 24 * hour

const send = Messages.use((_) =>
  _.send({ organization, phoneNumber: "8801712345678", text: "hello" }),
)

const page = (query: object = {}) => Accounts.use((_) => _.movements({ organization, ...query }))

const shown = (query: object = {}) =>
  Effect.map(page(query), ({ movements, next }) => [
    ...movements.map(({ balance, change, kind, phoneNumber, sequence, state }) =>
      [sequence, kind, Money.format(change), Money.format(balance), state, phoneNumber]
        .filter((one) => one !== null)
        .join(" "),
    ),
    ...(next === undefined ? [] : [`next ${next}`]),
  ])

describe("transactions", () => {
  engineTest("are bookings, and messages with all that was booked for them", function* () {
    yield* TestEngine.open({ balance: Money.make("10") })
    yield* send
    yield* Accounts.use((_) =>
      _.adjust({ organization, amount: Money.make("-1"), note: "fee", paymentId: "fee-1" }),
    )
    yield* send
    assert.deepStrictEqual(yield* shown(), [
      "5 message -0.50 8.00 charged +8801*****678",
      "4 adjustment -1.00 8.50",
      "2 message -0.50 9.50 charged +8801*****678",
      "1 top-up 10.00 10.00",
    ])
    const { movements } = yield* page()
    assert.match(movements[0]?.messageId ?? "", /^msg_[0-9a-f]+_\d+$/)
    assert.deepInclude(movements[1], { paymentId: "fee-1", note: "fee", messageId: null })
    assert.deepStrictEqual(yield* shown({ kinds: ["adjustment"] }), ["4 adjustment -1.00 8.50"])
    assert.deepStrictEqual(yield* shown({ limit: 2 }), [
      "5 message -0.50 8.00 charged +8801*****678",
      "4 adjustment -1.00 8.50",
      "next 4",
    ])
    assert.deepStrictEqual(yield* shown({ before: 4, kinds: ["message"] }), [
      "2 message -0.50 9.50 charged +8801*****678",
    ])
  })

  engineTest("of a batch are one row of a page, and rows of their own by its id", function* () {
    yield* TestEngine.open({ balance: Money.make("10") })
    yield* send
    const recipients = ["8801712345601", "8801712345602", "8801712345603"]
    const { batchId } = yield* Batches.use((_) =>
      _.sendMany({ organization, recipients, text: "Sale" }),
    )
    yield* Effect.scoped(OutboxDelivery.use((_) => _.round))
    yield* send
    const [other, batch, ...rest] = (yield* page()).movements
    assert.deepInclude(other, { batchId: null, messages: 1 })
    assert.deepInclude(batch, { batchId, messages: 3, messageId: null, phoneNumber: null })
    assert.strictEqual(rest.length, 2)
    const rows = yield* shown()
    assert.match(rows[1] ?? "", /^\d+ message -1\.50 8\.00 charged$/)
    assert.match(rows[2] ?? "", /^2 message -0\.50 9\.50 charged/)
    // The messages of the batch take no room of the rows below them.
    assert.deepStrictEqual(yield* shown({ limit: 3 }), [...rows.slice(0, 3), "next 2"])
    const single = yield* shown({ batchId })
    assert.deepStrictEqual(
      single.map((row) => row.replace(/^\d+ /, "")),
      ["603 8.00", "602 8.50", "601 9.00"].map((one) => {
        const [end = "", balance = ""] = one.split(" ")
        return `message -0.50 ${balance} charged +8801*****${end}`
      }),
    )
    const [newest, next] = yield* shown({ batchId, limit: 1 })
    assert.strictEqual(newest, single[0])
    const before = Number(/^next (\d+)$/.exec(next ?? "")?.[1])
    assert.deepStrictEqual((yield* shown({ batchId, limit: 1, before }))[0], single[1])
  })

  testOn(TestEngine.layer({ gateway: { behave: () => ({ _tag: "NeverReport" }) } }))(
    "of a message whose outcome is open are held",
    function* () {
      yield* TestEngine.open({ balance: Money.make("10") })
      yield* send
      assert.deepStrictEqual(yield* shown({ kinds: ["message"] }), [
        "2 message -0.50 9.50 held +8801*****678",
      ])
    },
  )

  testOn(
    TestEngine.layer({
      gateway: { behave: () => ({ _tag: "Reject", reason: "recipient", message: "none" }) },
    }),
  )("of a message that was refunded have changed nothing", function* () {
    yield* TestEngine.open({ balance: Money.make("10") })
    yield* Effect.exit(send)
    assert.deepStrictEqual(yield* shown({ kinds: ["message"] }), [
      "2 message 0.00 9.50 refunded +8801*****678",
    ])
  })

  engineTest("are written as CSV, in order", function* () {
    yield* TestEngine.open({ balance: Money.make("10") })
    yield* send
    const parts = yield* Accounts.use((_) =>
      _.movementsCsv({ organization, from: 0, to: Number.MAX_SAFE_INTEGER }),
    )
    const text = (yield* Stream.runCollect(parts)).join("")
    const [header, first, second, ...rest] = text.split("\r\n")
    assert.strictEqual(
      header,
      "sequence,at,currency,kind,change,balance,state,messageSequence,messageId,phoneNumber,paymentId,note,actor",
    )
    assert.match(first ?? "", /^1,1970-01-01T00:00:00\.000Z,BDT,top-up,10\.00,10\.00,,,,/)
    assert.match(
      second ?? "",
      /^2,1970-01-01T00:00:00\.000Z,BDT,message,-0\.50,9\.50,charged,1,msg_\w+,"'\+8801\*{5}678",/,
    )
    assert.deepStrictEqual(rest, [""])
  })
})

describe("the balances of days", () => {
  engineTest("are those at the end of each day of the organization's zone", function* () {
    const start = Date.UTC(2026, 0, 1)
    yield* TestClock.setTime(start)
    yield* TestEngine.open({ balance: Money.make("10") })
    for (let count = 0; count < 30; count++) {
      yield* TestClock.adjust(hour)
      yield* Accounts.use((_) => _.topUp({ organization, amount: Money.make("1") }))
    }
    const read = Effect.fnUntraced(function* (query: object = {}) {
      const found = yield* Accounts.use((_) =>
        _.balances({ organization, from: start, to: start + 2 * day, ...query }),
      )
      return found.map(({ at, balance }) => [(at - start) / hour, Money.format(balance)])
    })
    assert.deepStrictEqual(yield* read(), [
      [0, "33.00"],
      [24, "40.00"],
    ])
    yield* Organizations.use((_) => _.update({ id: organization, zone: "Asia/Kolkata" }))
    assert.deepStrictEqual(yield* read(), [
      [-5.5, "28.00"],
      [18.5, "40.00"],
      [42.5, "40.00"],
    ])
    const tooMany = yield* Effect.flip(read({ to: start + 401 * day }))
    assert.nestedPropertyVal(tooMany, "details.to[0].code", "too_many_slots")
    const unknown = yield* Effect.flip(read({ zone: "Nowhere" }))
    assert.nestedPropertyVal(unknown, "details.zone[0].code", "unknown_zone")
  })
})
