import type { DeliveryReport } from "../../src/domain/messages/DeliveryReport.ts"
import * as Samples from "@countersign/testing/Samples"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import type { Gateway } from "../../src/ports/Gateway.ts"
import type { ReportStatus } from "../../src/domain/messages/GatewayOutcome.ts"
import { OrganizationId } from "../../src/domain/values/Ids.ts"
import { keepMillis, Reports, maxUnmatched } from "../../src/services/Reports.ts"
import { Store } from "../../src/ports/Store.ts"
import { engineOver, gatewayLayer } from "../support/engineOver.ts"
import { logOf, moneyOf } from "../support/log.ts"
import { invalidFields } from "../support/invalidFields.ts"
import { untyped } from "../support/untyped.ts"
import { effectTest, engineTest } from "../support/engineTest.ts"
import { Cursor, FieldProblem } from "../../src/index.ts"

const organization = Samples.organizationId

const ofMessage = (
  number = 1,
  of = organization,
  token: string | undefined = undefined,
): DeliveryReport["of"] => ({ _tag: "Message", organization: of, sequence: number, token })

const ofGatewayId = (gatewayId = "gw-1"): DeliveryReport["of"] => ({
  _tag: "GatewayId",
  gateway: "simulated",
  gatewayId,
})

const receive = (
  of: DeliveryReport["of"],
  status: ReportStatus = "delivered",
  detail: string | null = null,
) => Reports.use((_) => _.receive({ of, status, detail }))

const adopt = Reports.use((_) => _.adopt(100))
const kept = Effect.map(
  Store.use((store) => store.keptReports(undefined, 100)),
  ({ reports }) => reports.length,
)

const held = Effect.gen(function* () {
  const store = yield* Store
  yield* store.createOrganization(Samples.organization())
  yield* store.execute(Samples.topUp())
  yield* store.execute(Samples.holdMessage())
})

const settled = Store.use((store) => store.execute(Samples.recordDispatch()))

describe("Reports.receive", () => {
  engineTest("applies a report on a message, by its own id or the gateway's", function* () {
    yield* held
    yield* settled
    assert.strictEqual(yield* receive(ofGatewayId(), "accepted"), "applied")
    assert.strictEqual(yield* receive(ofMessage()), "applied")
    assert.deepStrictEqual(yield* logOf(organization), ["delivered, captured, 1"])
  })

  effectTest("marks a number as unreachable on the channel of its message", function* () {
    const learned: Array<string> = []
    const learn: Gateway["Service"]["markUnreachable"] = (channel, to) =>
      Effect.sync(() => void learned.push(`${to} by ${channel}`))
    const reported = (unreachable: boolean) =>
      Reports.use((_) =>
        _.receive({ of: ofMessage(), status: "rejected", detail: null, unreachable }),
      )
    yield* Effect.gen(function* () {
      yield* held
      yield* reported(false)
      assert.deepStrictEqual(learned, [])
      yield* reported(true)
      assert.deepStrictEqual(learned, [`${Samples.phoneNumber()} by sms`])
    }).pipe(Effect.provide(engineOver(gatewayLayer({ markUnreachable: learn }))))
  })

  engineTest("moves money once for repeated reports", function* () {
    yield* held
    yield* settled
    const reports = Array.from({ length: 100 }, (_, index) => index)
    const received = yield* Effect.forEach(
      reports,
      (index) => receive(index % 2 === 0 ? ofGatewayId() : ofMessage(), "undelivered"),
      { concurrency: "unbounded" },
    )
    assert.deepStrictEqual([...new Set(received)], ["applied"])
    assert.strictEqual(yield* moneyOf(organization), "10.00 + 0.00 held, 3 entries")
  })

  engineTest.each([
    ofMessage(2),
    ofMessage(1, OrganizationId("unknown")),
    // The token of another installation's message.
    ofMessage(1, organization, Samples.messageId(2).slice(-12)),
  ])("does not know the message of %j, and keeps nothing of it", function* (of) {
    yield* held
    assert.strictEqual(yield* receive(of), "unknown message")
    assert.strictEqual(yield* kept, 0)
    assert.deepStrictEqual(yield* logOf(organization), ["pending, open, 1"])
  })

  engineTest.each([undefined, { of: ofMessage(), status: "failed", detail: { code: 7 } }])(
    "ignores an unreadable report: %j",
    function* (report) {
      yield* held
      yield* settled
      const received = yield* Reports.use((_) => _.receive(untyped(report)))
      assert.strictEqual(received, "unreadable")
      assert.strictEqual(yield* kept, 0)
      assert.deepStrictEqual(yield* logOf(organization), ["accepted, open, 1"])
    },
  )
})

const onMessage = Reports.use((_) => _.forMessage({ organization, sequence: 1 }))

describe("Reports.forMessage", () => {
  engineTest(
    "names the reporting gateway if it is not the one that accepted the message",
    function* () {
      yield* held
      yield* Reports.use((_) =>
        _.receive({ of: ofMessage(), status: "accepted", detail: null, gateway: "other" }),
      )
      yield* receive(ofMessage())
      assert.deepStrictEqual(
        (yield* onMessage).map(({ gateway }) => gateway),
        ["other", "simulated"],
      )
    },
  )

  engineTest("returns nothing for an unknown message", function* () {
    yield* held
    yield* receive(ofMessage(2))
    assert.deepStrictEqual(yield* onMessage, [])
    const unknown = { organization: OrganizationId("unknown"), sequence: 1 }
    assert.deepStrictEqual(yield* Reports.use((_) => _.forMessage(unknown)), [])
  })
})

describe("Reports.adopt", () => {
  engineTest("applies kept reports once their message is known, and deletes them", function* () {
    yield* held
    yield* receive(ofGatewayId())
    yield* receive(ofGatewayId("gw-2"))
    assert.strictEqual(yield* adopt, 0)
    yield* settled
    assert.strictEqual(yield* adopt, 1)
    assert.deepStrictEqual(yield* logOf(organization), ["delivered, captured, 1"])
    assert.strictEqual(yield* kept, 1)
    assert.strictEqual(yield* adopt, 0)
  })

  engineTest("reaches every kept report in turn, even if many match no message", function* () {
    yield* held
    for (let index = 0; index < 5; index++) yield* receive(ofGatewayId(`unknown ${index}`))
    yield* TestClock.adjust(1_000)
    yield* receive(ofGatewayId())
    yield* settled
    const looks = []
    for (let look = 0; look < 8; look++) looks.push(yield* Reports.use((_) => _.adopt(2)))
    assert.deepStrictEqual(looks.toSorted(), [0, 0, 0, 0, 0, 0, 0, 1])
    assert.deepStrictEqual(yield* logOf(organization), ["delivered, captured, 1"])
    // And starts again at the end.
    yield* TestClock.adjust(keepMillis)
    for (let look = 0; look < 4; look++) yield* Reports.use((_) => _.adopt(2))
    assert.strictEqual(yield* kept, 0)
  })

  engineTest("applies a report on a reused id to the newer message", function* () {
    yield* TestClock.setTime(Samples.now)
    yield* held
    const store = yield* Store
    const accept = (message: number) =>
      store.execute(
        Samples.recordDispatch({
          messageSequence: message,
          outcome: { _tag: "Accepted", gatewayId: "gw-1", idMillis: 60_000 },
        }),
      )
    yield* accept(1)
    yield* receive(ofGatewayId(), "undelivered")
    yield* TestClock.adjust(60_000)
    yield* store.execute(
      Samples.holdMessage({ draft: Samples.newMessage({ id: Samples.messageId(2) }) }),
    )
    // Before the gateway's answer, when only the first message has this id.
    assert.strictEqual(yield* receive(ofGatewayId()), "kept")
    yield* accept(2)
    assert.strictEqual(yield* adopt, 1)
    assert.deepStrictEqual(yield* logOf(organization), [
      "undelivered, released, 1",
      "delivered, captured, 1",
    ])
  })

  engineTest("moves money once when two nodes adopt at once", function* () {
    yield* held
    yield* receive(ofGatewayId(), "undelivered")
    yield* settled
    yield* Effect.all([adopt, adopt], { concurrency: "unbounded" })
    assert.strictEqual(yield* moneyOf(organization), "10.00 + 0.00 held, 3 entries")
  })

  engineTest("deletes a report after a week without a known message", function* () {
    assert.strictEqual(keepMillis, 604_800_000)
    yield* TestClock.setTime(Samples.now)
    yield* receive(ofGatewayId())
    yield* TestClock.adjust(keepMillis)
    yield* adopt
    assert.strictEqual(yield* kept, 1)
    yield* TestClock.adjust(1)
    yield* adopt
    assert.strictEqual(yield* kept, 0)
  })
})

const unmatched = (query: object = {}) => Reports.use((_) => _.unmatched(query))

describe("Reports.unmatched", () => {
  engineTest("reads kept reports page by page, each of them once", function* () {
    assert.deepStrictEqual(yield* unmatched(), { reports: [], next: undefined })
    const ids = ["a1", "b2", "c3", "d4", "e5"]
    for (const id of ids) {
      yield* receive(ofGatewayId(id))
      yield* TestClock.adjust(1)
    }
    const found: Array<string> = []
    let cursor: string | undefined
    do {
      const page = yield* unmatched({ limit: 2, cursor })
      found.push(...page.reports.map(({ gatewayId }) => gatewayId))
      cursor = page.next
    } while (cursor !== undefined)
    assert.deepStrictEqual(found, ids)
    const all = yield* unmatched({ limit: 5 })
    assert.isUndefined(all.next)
    assert.deepStrictEqual<unknown>(all.reports[1], {
      gateway: "simulated",
      gatewayId: "b2",
      status: "delivered",
      detail: null,
      receivedAt: 1,
    })
  })

  engineTest("contains no phone number and no code", function* () {
    const words = "+880 1712-345678 was busy, code 123456"
    yield* receive(ofGatewayId("8801712345678-77"), "delivered", words)
    yield* receive(ofGatewayId("6f9619ff-8b86-d011-b42d-00c04fc964ff"))
    yield* receive(ofGatewayId("wamid.HBgNODgwMTcxMjM0NTY3OBUCABEYEjk="))
    const { reports } = yield* unmatched()
    const text = JSON.stringify(reports)
    for (const secret of ["1712345678", "345678", "123456"]) assert.notInclude(text, secret)
    assert.notInclude(text, "NODgwMTcxMjM0NTY3O")
    assert.include(text, "wamid.HBgN*****")
    assert.include(text, "6f9619ff-8b86-d011-b42d-00c04fc964ff")
  })

  engineTest("ends after 10,000 reports", function* () {
    const store = yield* Store
    for (let index = 0; index <= maxUnmatched; index++) {
      const report = { gateway: "simulated", status: "delivered", detail: null } as const
      const gatewayId = `id ${String(index).padStart(5, "0")}`
      yield* store.keepReport({ ...report, gatewayId, evidence: null })
    }
    const last = yield* unmatched({ cursor: Cursor.make(maxUnmatched - 2), limit: 100 })
    assert.deepStrictEqual(
      [last.reports.map(({ gatewayId }) => gatewayId), last.next],
      [["id 09998", "id 09999"], undefined],
    )
  })

  engineTest.each([
    [{ limit: 0 }, "limit"],
    [{ limit: 1_001 }, "limit"],
    [{ cursor: "x" }, "cursor"],
    [{ cursor: FieldProblem.make("not_string", {}) }, "cursor"],
  ] as const)("refuses %j", function* ([query, field]) {
    assert.deepStrictEqual(yield* invalidFields(unmatched(query)), [field])
  })
})
