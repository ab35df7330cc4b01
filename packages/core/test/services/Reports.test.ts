import type { DeliveryReport } from "../../src/domain/messages/DeliveryReport.ts"
import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import type { Gateway } from "../../src/ports/Gateway.ts"
import type { ReportStatus } from "../../src/domain/messages/GatewayOutcome.ts"
import { OrganizationId } from "../../src/domain/values/Ids.ts"
import type { Report } from "../../src/domain/messages/MessageReport.ts"
import { keepMillis, Reports } from "../../src/services/Reports.ts"
import { Settlement } from "../../src/jobs/Settlement.ts"
import { Store } from "../../src/ports/Store.ts"
import { engineOver, gatewayLayer } from "../support/engineOver.ts"
import { logOf, moneyOf } from "../support/log.ts"
import { untyped } from "../support/untyped.ts"

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

const receive = (of: DeliveryReport["of"], status: ReportStatus = "delivered") =>
  Reports.use((_) => _.receive({ of, status, detail: null }))

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
  it.effect("applies a report on a message, by its own id or the gateway's", () =>
    Effect.gen(function* () {
      yield* held
      yield* settled
      assert.strictEqual(yield* receive(ofGatewayId(), "accepted"), "applied")
      assert.strictEqual(yield* receive(ofMessage()), "applied")
      assert.deepStrictEqual(yield* logOf(organization), ["delivered, captured, 1"])
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("marks a number as unreachable on the channel of its message", () =>
    Effect.gen(function* () {
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
    }),
  )

  it.effect("moves money once for repeated reports", () =>
    Effect.gen(function* () {
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
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect(
    "applies a report with the token of its message, and not with another installation's",
    () =>
      Effect.gen(function* () {
        yield* held
        const theirs = ofMessage(1, organization, Samples.messageId(2).slice(-12))
        assert.strictEqual(yield* receive(theirs), "unknown message")
        assert.strictEqual(yield* kept, 0)
        assert.deepStrictEqual(yield* logOf(organization), ["pending, open, 1"])
        const ours = ofMessage(1, organization, Samples.holdMessage().draft.id.slice(-12))
        assert.strictEqual(yield* receive(ours), "applied")
      }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect.each([ofMessage(2), ofMessage(1, OrganizationId("unknown"))])(
    "does not know the message of %j, and keeps nothing of it",
    (of) =>
      Effect.gen(function* () {
        yield* held
        assert.strictEqual(yield* receive(of), "unknown message")
        assert.strictEqual(yield* kept, 0)
      }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect.each([
    undefined,
    "delivered",
    { of: ofMessage(), status: "sent", detail: null },
    { of: ofMessage(), status: "failed", detail: { code: 7 } },
    { of: ofMessage(), status: "failed", detail: 7 },
    { of: ofMessage(0), status: "failed", detail: null },
    { of: { _tag: "GatewayId", gateway: "simulated", gatewayId: 1 }, status: "failed" },
  ])("ignores an unreadable report: %j", (report) =>
    Effect.gen(function* () {
      yield* held
      yield* settled
      const received = yield* Reports.use((_) => _.receive(untyped(report)))
      assert.strictEqual(received, "unreadable")
      assert.strictEqual(yield* kept, 0)
      assert.deepStrictEqual(yield* logOf(organization), ["accepted, open, 1"])
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("applies a report without a detail", () =>
    Effect.gen(function* () {
      yield* held
      const report = untyped<DeliveryReport>({ of: ofMessage(), status: "failed" })
      assert.strictEqual(yield* Reports.use((_) => _.receive(report)), "applied")
      assert.deepStrictEqual(yield* logOf(organization), ["failed, released, 1"])
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("keeps a report on a message that is not known yet, once", () =>
    Effect.gen(function* () {
      yield* held
      assert.strictEqual(yield* receive(ofGatewayId()), "kept")
      assert.strictEqual(yield* receive(ofGatewayId()), "kept")
      assert.strictEqual(yield* receive(ofGatewayId(), "accepted"), "kept")
      assert.strictEqual(yield* kept, 2)
      assert.deepStrictEqual(yield* logOf(organization), ["pending, open, 1"])
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("finds a message by the gateway's id in any of its spellings", () =>
    Effect.gen(function* () {
      yield* held
      const gatewayId = `gw\u0000${"x".repeat(500)}`
      const store = yield* Store
      yield* store.execute(Samples.recordDispatch({ outcome: { _tag: "Accepted", gatewayId } }))
      assert.strictEqual(yield* receive(ofGatewayId(gatewayId)), "applied")
    }).pipe(Effect.provide(TestEngine.layer())),
  )
})

const evidence = {
  MessageSid: "SM00000000000000000000000000000001",
  MessageStatus: "delivered",
  To: "+8801712345678",
  Body: "Your code is 482913",
}
const keptEvidence =
  '{"MessageSid":"SM00000000000000000000000000000001","MessageStatus":"delivered"}'

const receiveWithEvidence = (of: DeliveryReport["of"]) =>
  Reports.use((_) => _.receive({ of, status: "delivered", detail: "to +8801712345678", evidence }))

const onMessage = Reports.use((_) => _.forMessage({ organization, sequence: 1 }))

describe("Reports.forMessage", () => {
  const report: Report = {
    organization,
    messageSequence: 1,
    position: 1,
    receivedAt: Samples.now + 5,
    gateway: "simulated",
    gatewayId: "gw-1",
    status: "delivered",
    detail: "to +8801*****678",
    evidence: keptEvidence,
  }

  it.effect("returns the fields that the adapter listed, without numbers and texts", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Samples.now)
      yield* held
      yield* settled
      yield* TestClock.adjust(5)
      yield* receiveWithEvidence(ofGatewayId())
      yield* TestClock.adjust(1)
      yield* receiveWithEvidence(ofMessage())
      const second = { ...report, position: 2, receivedAt: Samples.now + 6 }
      assert.deepStrictEqual<ReadonlyArray<Report>>(yield* onMessage, [report, second])
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("returns reports that came before the message was known, with their times", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Samples.now)
      yield* held
      yield* TestClock.adjust(5)
      assert.strictEqual(yield* receiveWithEvidence(ofGatewayId()), "kept")
      const waiting = yield* Store.use((store) => store.keptReports(undefined, 100))
      assert.deepStrictEqual(
        waiting.reports.map(({ evidence }) => evidence),
        [keptEvidence],
      )
      yield* TestClock.adjust(60_000)
      yield* settled
      assert.deepStrictEqual(yield* onMessage, [])
      yield* adopt
      assert.deepStrictEqual<ReadonlyArray<Report>>(yield* onMessage, [report])
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("names the reporting gateway if it is not the one that accepted the message", () =>
    Effect.gen(function* () {
      yield* held
      yield* Reports.use((_) =>
        _.receive({ of: ofMessage(), status: "accepted", detail: null, gateway: "other" }),
      )
      yield* receive(ofMessage())
      assert.deepStrictEqual(
        (yield* onMessage).map(({ evidence, gateway, gatewayId }) => ({
          evidence,
          gateway,
          gatewayId,
        })),
        [
          { gateway: "other", gatewayId: null, evidence: null },
          { gateway: "simulated", gatewayId: null, evidence: null },
        ],
      )
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("returns nothing for an unknown message", () =>
    Effect.gen(function* () {
      yield* held
      yield* receiveWithEvidence(ofMessage(2))
      assert.deepStrictEqual(yield* onMessage, [])
      const unknown = { organization: OrganizationId("unknown"), sequence: 1 }
      assert.deepStrictEqual(yield* Reports.use((_) => _.forMessage(unknown)), [])
    }).pipe(Effect.provide(TestEngine.layer())),
  )
})

describe("Reports.adopt", () => {
  it.effect("applies kept reports once their message is known, and deletes them", () =>
    Effect.gen(function* () {
      yield* held
      yield* receive(ofGatewayId())
      yield* receive(ofGatewayId("gw-2"))
      assert.strictEqual(yield* adopt, 0)
      yield* settled
      assert.strictEqual(yield* adopt, 1)
      assert.deepStrictEqual(yield* logOf(organization), ["delivered, captured, 1"])
      assert.strictEqual(yield* kept, 1)
      assert.strictEqual(yield* adopt, 0)
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("reaches every kept report in turn, even if many match no message", () =>
    Effect.gen(function* () {
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
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("applies a report on a reused id to the newer message", () =>
    Effect.gen(function* () {
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
        Samples.holdMessage({ draft: Samples.draft({ id: Samples.messageId(2) }) }),
      )
      // Before the gateway's answer, when only the first message has this id.
      assert.strictEqual(yield* receive(ofGatewayId()), "kept")
      yield* accept(2)
      assert.strictEqual(yield* adopt, 1)
      assert.deepStrictEqual(yield* logOf(organization), [
        "undelivered, released, 1",
        "delivered, captured, 1",
      ])
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("trusts the first of two contradicting reports", () =>
    Effect.gen(function* () {
      yield* held
      yield* receive(ofGatewayId(), "undelivered")
      yield* TestClock.adjust(1)
      yield* receive(ofGatewayId(), "delivered")
      yield* settled
      assert.strictEqual(yield* adopt, 2)
      assert.deepStrictEqual(yield* logOf(organization), ["undelivered, released, 1"])
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("is part of every settlement round", () =>
    Effect.gen(function* () {
      yield* held
      yield* receive(ofGatewayId(), "undelivered")
      yield* settled
      yield* Settlement.use((_) => _.round)
      assert.deepStrictEqual(yield* logOf(organization), ["undelivered, released, 1"])
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("moves money once when two nodes adopt at once", () =>
    Effect.gen(function* () {
      yield* held
      yield* receive(ofGatewayId(), "undelivered")
      yield* settled
      yield* Effect.all([adopt, adopt], { concurrency: "unbounded" })
      assert.strictEqual(yield* moneyOf(organization), "10.00 + 0.00 held, 3 entries")
    }).pipe(Effect.provide(TestEngine.layer())),
  )

  it.effect("deletes a report after a week without a known message", () =>
    Effect.gen(function* () {
      assert.strictEqual(keepMillis, 604_800_000)
      yield* TestClock.setTime(Samples.now)
      yield* receive(ofGatewayId())
      yield* TestClock.adjust(keepMillis)
      yield* adopt
      assert.strictEqual(yield* kept, 1)
      yield* TestClock.adjust(1)
      yield* adopt
      assert.strictEqual(yield* kept, 0)
    }).pipe(Effect.provide(TestEngine.layer())),
  )
})
