import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  type GatewayOutcome,
  type ReportStatus,
} from "../../../src/domain/messages/GatewayOutcome.ts"
import * as Message from "../../../src/domain/messages/Message.ts"
import * as Money from "../../../src/domain/values/Money.ts"

const { now } = Samples
const settleBy = Samples.message().settleBy

const open = { dueAt: settleBy, hold: "open" } as const
const paid = { dueAt: null, hold: "captured" } as const
const refunded = { dueAt: null, hold: "released" } as const
const states = {
  pending: Samples.message(),
  accepted: Samples.message({ ...open, status: "accepted", gatewayId: "gw-0" }),
  unknown: Samples.message({ ...open, status: "unknown", error: "no answer" }),
  delivered: Samples.message({ ...paid, status: "delivered" }),
  undelivered: Samples.message({ ...refunded, status: "undelivered", error: "switched off" }),
  failed: Samples.message({ ...refunded, status: "failed", error: "no route" }),
  rejected: Samples.message({ ...refunded, status: "rejected", error: "barred" }),
  "unknown for good": Samples.message({ ...refunded, status: "unknown", error: "no report" }),
}

type State = keyof typeof states

const outcomes = {
  Accepted: { _tag: "Accepted", gatewayId: "gw-1" },
  Delivered: { _tag: "Delivered", gatewayId: "gw-1" },
  Rejected: { _tag: "Rejected", reason: "recipient", message: "barred" },
  Throttled: { _tag: "Throttled", message: "too fast" },
  NotSent: { _tag: "NotSent", message: "no route" },
  Unknown: { _tag: "Unknown", message: "no answer" },
} satisfies Record<GatewayOutcome["_tag"], GatewayOutcome>

/** As in `accepted, open, due at the deadline, gw-1 | keep`; an anomaly follows the id. */
const summaryOf = ({ message, money }: Message.Change): string => {
  const due =
    message.dueAt === null
      ? "closed"
      : message.dueAt === settleBy
        ? "due at the deadline"
        : "due at the lease"
  const anomaly = message.anomaly === null ? "" : `, "${message.anomaly}"`
  return `${message.status}, ${message.hold}, ${due}, ${message.gatewayId ?? "no id"}${anomaly} | ${money}`
}

const settled: ReadonlyArray<readonly [State, GatewayOutcome["_tag"], ends: string]> = [
  ["pending", "Accepted", "accepted, open, due at the deadline, gw-1 | keep"],
  ["pending", "Delivered", "delivered, captured, closed, gw-1 | capture"],
  ["pending", "Rejected", "rejected, released, closed, no id | release"],
  ["pending", "Throttled", "failed, released, closed, no id | release"],
  ["pending", "NotSent", "failed, released, closed, no id | release"],
  ["pending", "Unknown", "unknown, open, due at the deadline, no id | keep"],
  ["accepted", "Accepted", "accepted, open, due at the deadline, gw-1 | keep"],
  ["accepted", "Delivered", "delivered, captured, closed, gw-1 | capture"],
  ["accepted", "Rejected", "rejected, released, closed, gw-0 | release"],
  ["accepted", "Throttled", "failed, released, closed, gw-0 | release"],
  ["accepted", "NotSent", "failed, released, closed, gw-0 | release"],
  ["accepted", "Unknown", "accepted, open, due at the deadline, gw-0 | keep"],
  ["unknown", "Accepted", "accepted, open, due at the deadline, gw-1 | keep"],
  ["unknown", "Delivered", "delivered, captured, closed, gw-1 | capture"],
  ["unknown", "Rejected", "rejected, released, closed, no id | release"],
  ["unknown", "Throttled", "failed, released, closed, no id | release"],
  ["unknown", "NotSent", "failed, released, closed, no id | release"],
  ["unknown", "Unknown", "unknown, open, due at the deadline, no id | keep"],
  ["delivered", "Accepted", "delivered, captured, closed, gw-1 | keep"],
  ["delivered", "Delivered", "delivered, captured, closed, gw-1 | keep"],
  ["delivered", "Rejected", 'delivered, captured, closed, no id, "dispatch: Rejected" | keep'],
  ["delivered", "Throttled", 'delivered, captured, closed, no id, "dispatch: Throttled" | keep'],
  ["delivered", "NotSent", 'delivered, captured, closed, no id, "dispatch: NotSent" | keep'],
  ["delivered", "Unknown", "delivered, captured, closed, no id | keep"],
  ...(["undelivered", "failed", "rejected", "unknown for good"] as const).flatMap((state) => {
    const ended = `${states[state].status}, released, closed`
    return [
      [state, "Accepted", `${ended}, gw-1 | keep`],
      [state, "Delivered", `${ended}, gw-1, "dispatch: Delivered" | keep`],
      [state, "Rejected", `${ended}, no id | keep`],
      [state, "Throttled", `${ended}, no id | keep`],
      [state, "NotSent", `${ended}, no id | keep`],
      [state, "Unknown", `${ended}, no id | keep`],
    ] as const
  }),
]

describe("Message.settle", () => {
  it("has a row for every state and every outcome", () => {
    const pairs = new Set(settled.map(([state, outcome]) => `${state} ${outcome}`))
    assert.strictEqual(pairs.size, Object.keys(states).length * Object.keys(outcomes).length)
  })

  it.each(settled)("%s, %s → %s", (state, outcome, ends) => {
    assert.strictEqual(summaryOf(Message.settle(states[state], outcomes[outcome], true)), ends)
  })

  it("moves no money for a message that costs nothing", () => {
    const free = Samples.message({ charge: Money.zero, hold: "none" })
    for (const outcome of Object.values(outcomes)) {
      const { message, money } = Message.settle(free, outcome, true)
      assert.deepStrictEqual([message.hold, money], ["none", "keep"])
    }
  })

  it("drops an error that was superseded, and keeps a final one", () => {
    assert.isNull(Message.settle(states.unknown, outcomes.Delivered, true).message.error)
    assert.isNull(Message.settle(states.unknown, outcomes.Accepted, true).message.error)
    assert.strictEqual(
      Message.settle(states.unknown, outcomes.Rejected, true).message.error,
      "barred",
    )
    assert.strictEqual(
      Message.settle(states.failed, outcomes.Accepted, true).message.error,
      "no route",
    )
  })
})

const reported: ReadonlyArray<readonly [State, ReportStatus, ends: string]> = [
  ["pending", "accepted", "pending, open, due at the lease, no id | keep"],
  ["pending", "delivered", "delivered, captured, closed, no id | capture"],
  ["pending", "undelivered", "undelivered, released, closed, no id | release"],
  ["pending", "failed", "failed, released, closed, no id | release"],
  ["pending", "rejected", "rejected, released, closed, no id | release"],
  ["accepted", "accepted", "accepted, open, due at the deadline, gw-0 | keep"],
  ["accepted", "delivered", "delivered, captured, closed, gw-0 | capture"],
  ["accepted", "undelivered", "undelivered, released, closed, gw-0 | release"],
  ["accepted", "failed", "failed, released, closed, gw-0 | release"],
  ["accepted", "rejected", "rejected, released, closed, gw-0 | release"],
  ["unknown", "accepted", "accepted, open, due at the deadline, no id | keep"],
  ["unknown", "delivered", "delivered, captured, closed, no id | capture"],
  ["unknown", "undelivered", "undelivered, released, closed, no id | release"],
  ["unknown", "failed", "failed, released, closed, no id | release"],
  ["unknown", "rejected", "rejected, released, closed, no id | release"],
  ["delivered", "accepted", "delivered, captured, closed, no id | keep"],
  ["delivered", "delivered", "delivered, captured, closed, no id | keep"],
  ["delivered", "undelivered", 'delivered, captured, closed, no id, "report: undelivered" | keep'],
  ["delivered", "failed", 'delivered, captured, closed, no id, "report: failed" | keep'],
  ["delivered", "rejected", 'delivered, captured, closed, no id, "report: rejected" | keep'],
  ...(["undelivered", "failed", "rejected", "unknown for good"] as const).flatMap((state) =>
    (["accepted", "delivered", "undelivered", "failed", "rejected"] as const).map((status) => {
      const agrees = status === "accepted" || status === state
      const anomaly = agrees ? "" : `, "report: ${status}"`
      return [
        state,
        status,
        `${states[state].status}, released, closed, no id${anomaly} | keep`,
      ] as const
    }),
  ),
]

describe("Message.report", () => {
  it("has a row for every state and every report", () => {
    const pairs = new Set(reported.map(([state, status]) => `${state} ${status}`))
    assert.strictEqual(pairs.size, Object.keys(states).length * 5)
  })

  it.each(reported)("%s, report %s → %s", (state, status, ends) => {
    assert.strictEqual(summaryOf(Message.report(states[state], status, "gone")), ends)
  })

  it("keeps the vendor's words, or the status without them", () => {
    assert.strictEqual(
      Message.report(states.accepted, "failed", "no\u0000route").message.error,
      "no route",
    )
    assert.strictEqual(Message.report(states.accepted, "failed", null).message.error, "failed")
    assert.strictEqual(
      Message.report(states.accepted, "failed", "x".repeat(999)).message.error?.length,
      300,
    )
  })

  it("counts contradictions and keeps the last one", () => {
    const first = Message.report(states.delivered, "failed", null).message
    const second = Message.report(first, "undelivered", null).message
    assert.deepStrictEqual([second.anomalies, second.anomaly], [2, "report: undelivered"])
  })

  it("counts an acceptance that stands for a delivery as a contradiction of a lost message", () => {
    const settled = (hasReports: boolean) =>
      Message.settle(states.undelivered, outcomes.Accepted, hasReports).message
    assert.deepInclude(settled(false), { anomalies: 1, anomaly: "dispatch: Accepted" })
    assert.deepInclude(settled(true), { anomalies: 0, anomaly: null })
  })

  it("ends the same for every order and number of agreeing reports, before or after the dispatch", () => {
    const word = fc.constantFrom("delivered", "undelivered", "failed", "rejected")
    const outcome = fc.constantFrom(outcomes.Accepted, outcomes.Unknown)
    const history = fc.record({ outcome, word }).chain(({ outcome, word }) =>
      fc.record({
        ended: fc.constant(word),
        steps: fc.shuffledSubarray(
          [outcome, word, word, "accepted", "accepted"] satisfies ReadonlyArray<
            GatewayOutcome | ReportStatus
          >,
          { minLength: 5 },
        ),
      }),
    )
    fc.assert(
      fc.property(history, ({ ended, steps }) => {
        let message = states.pending
        const moved: Array<string> = []
        for (const step of steps) {
          const change =
            typeof step === "string"
              ? Message.report(message, step, null)
              : Message.settle(message, step, true)
          message = change.message
          if (change.money !== "keep") moved.push(change.money)
        }
        assert.deepStrictEqual(moved, [ended === "delivered" ? "capture" : "release"])
        assert.deepInclude(message, { status: ended, dueAt: null, anomalies: 0 })
      }),
    )
  })
})

describe("Message.reclaim", () => {
  it.each(Object.entries(states).filter(([state]) => state !== "pending"))(
    "does not change a message that is %s",
    (_, message) => assert.isUndefined(Message.reclaim(message, 5_000, now + 900_000_000)),
  )
})

describe("Message.expire", () => {
  it.each(["accepted", "unknown"] as const)(
    "refunds a message that is still %s at its deadline",
    (state) => {
      assert.isUndefined(Message.expire(states[state], settleBy - 1))
      const change = Message.expire(states[state], settleBy)
      assert.deepInclude(change, { money: "release" })
      assert.deepInclude(change?.message, { status: "unknown", hold: "released", dueAt: null })
      assert.strictEqual(
        change?.message.error,
        state === "unknown" ? "no answer" : "No delivery report came in time",
      )
    },
  )

  it("does not change a dispatch in progress: a reclaim settles it", () => {
    assert.isUndefined(Message.expire(states.pending, settleBy + 1))
  })

  it.each(["delivered", "undelivered", "failed", "rejected", "unknown for good"] as const)(
    "does not change a message that is %s",
    (state) => assert.isUndefined(Message.expire(states[state], settleBy + 1)),
  )
})

describe("Message.price", () => {
  it.each(Object.entries(states))("is zero after a refund: %s", (_, message) => {
    const expected = message.hold === "released" ? "0.00" : "0.50"
    assert.strictEqual(Money.format(Message.price(message)), expected)
  })
})
