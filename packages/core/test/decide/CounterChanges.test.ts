import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "vitest"
import * as CounterChanges from "../../src/decide/CounterChanges.ts"
import type { Attempt } from "../../src/domain/messages/GatewayOutcome.ts"
import type { Message } from "../../src/domain/messages/Message.ts"
import type { Counter } from "../../src/domain/money/Counter.ts"
import * as Increments from "../../src/decide/TotalChanges.ts"

const { message, now } = Samples

const shown = (counters: ReadonlyArray<Counter>): ReadonlyArray<string> =>
  counters.map(({ count, kind, lastSequence, name, subject }) =>
    [subject, kind, name, count, ...(lastSequence === 0 ? [] : [lastSequence])].join(" "),
  )

const pending = message({ status: "pending" })
const accepted = message({ status: "accepted" })
const failed = (more: Partial<Message>) =>
  message({ status: "undelivered", hold: "released", dueAt: null, ...more })

const changed = (
  before: Message | undefined,
  after: Message,
  command: Parameters<typeof CounterChanges.of>[0],
) => {
  const view = { message: before, verification: undefined }
  const writes = { message: after }
  return CounterChanges.of(command, view, writes, Increments.of(view, writes), now)
}

const dispatch = (attempts: ReadonlyArray<Attempt> | undefined) =>
  Samples.recordDispatch({ outcome: { _tag: "Unknown", message: "?", attempts } })

describe("the counters of a decision", () => {
  it("count each attempt, and each of its failures", () => {
    const attempts = [
      { gateway: "a", millis: 12_000, failure: "throttled" },
      { gateway: "b", millis: 80, failure: "recipient", vendorCode: "21211" },
      { gateway: "c", millis: 0 },
    ] as const
    assert.deepStrictEqual(shown(changed(pending, accepted, dispatch(attempts))), [
      "simulated messages accepted 1",
      "a answers 15000 1",
      "a errors throttled 1 1",
      "b answers 100 1",
      "b errors recipient:21211 1 1",
      "c answers 25 1",
    ])
  })

  it("count an attempt once, also if its commit is made again", () => {
    const attempts = [{ gateway: "simulated", millis: 80, failure: "recipient" }] as const
    const rejected = failed({ status: "rejected", failureReason: "recipient" })
    assert.deepStrictEqual(changed(rejected, rejected, dispatch(attempts)), [])
    const named = message({ status: "accepted", gatewayId: "g1" })
    const taken = [{ gateway: "simulated", millis: 80 }]
    const outcome = { _tag: "Accepted", gatewayId: "g1", attempts: taken } as const
    const command = Samples.recordDispatch({ outcome })
    assert.deepStrictEqual(changed(named, named, command), [])
    // A report may come before the outcome.
    const reported = message({ status: "delivered", gatewayId: null })
    const after = { ...reported, gatewayId: "g1" }
    assert.deepStrictEqual(shown(changed(reported, after, command)), ["simulated answers 100 1"])
  })

  const outcome = ["simulated messages accepted -1", "simulated messages undelivered 1"]
  it.each<readonly [string, Message, Message, ReadonlyArray<string>]>([
    [
      "of a report",
      accepted,
      failed({ failureReason: "recipient" }),
      [...outcome, "simulated errors recipient 1 1"],
    ],
    [
      "of a report with a code",
      accepted,
      failed({ failureReason: "content", vendorCode: "30007" }),
      [...outcome, "simulated errors content:30007 1 1"],
    ],
    [
      "that is not new",
      failed({ failureReason: "recipient" }),
      failed({ failureReason: "recipient", anomalies: 1 }),
      [],
    ],
    ["of no failure", pending, accepted, ["simulated messages accepted 1"]],
  ])("count an error %s", (_, before, after, expected) => {
    assert.deepStrictEqual(shown(changed(before, after, Samples.applyReport())), expected)
  })

  it("count the error of an outcome without attempts, such as one that was looked up", () => {
    const after = { ...accepted, status: "unknown", failureReason: "unknown" } as const
    assert.deepStrictEqual(shown(changed(pending, after, dispatch(undefined))), [
      "simulated messages unknown 1",
      "simulated errors unknown 1 1",
    ])
  })

  it("count nothing of a message that is charged", () => {
    assert.deepStrictEqual(shown(changed(undefined, pending, Samples.holdMessage())), [])
  })

  it("cut a code that is longer than a row may contain", () => {
    const code = CounterChanges.errorCode("content", "x".repeat(100))
    assert.strictEqual(code, `content:${"x".repeat(40)}`)
  })
})
