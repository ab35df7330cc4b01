import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "vitest"
import * as Message from "../../../src/domain/messages/Message.ts"
import * as Report from "../../../src/domain/messages/MessageReport.ts"

const { now } = Samples

const message = Samples.message({
  status: "delivered",
  hold: "captured",
  dueAt: null,
  gatewayId: "gw-1",
  reports: 2,
})
const said = { status: "delivered", detail: "to +8801712300000" } as const
const source = Samples.reportSource({ evidence: '{"a":"1"}' })

const kept = Samples.report({
  position: 3,
  gatewayId: "gw-1",
  detail: "to +8801*****000",
  evidence: '{"a":"1"}',
})

describe("a report", () => {
  it("is kept at its place, with the message's gateway and without its number", () => {
    assert.deepStrictEqual(Report.keep(message, said, source, now), kept)
  })

  it("is kept with its own source", () => {
    const own = { ...source, gateway: "second", gatewayId: "gw-2", receivedAt: now - 5 }
    assert.deepStrictEqual(Report.keep(message, { ...said, detail: null }, own, now), {
      ...kept,
      gateway: "second",
      gatewayId: "gw-2",
      receivedAt: now - 5,
      detail: null,
    })
  })

  it("is kept of the first messages only", () => {
    const { maxKept } = Report
    assert.isDefined(Report.keep({ ...message, reports: maxKept - 1 }, said, source, now))
    assert.isUndefined(Report.keep({ ...message, reports: maxKept }, said, source, now))
  })

  it("on an erased message is kept without words and ids", () => {
    const erased = Message.erase(message) ?? message
    const empty = { ...kept, gatewayId: null, detail: null, evidence: null }
    assert.deepStrictEqual(Report.keep(erased, said, source, now), empty)
    assert.deepStrictEqual(Report.erase(kept), empty)
  })

  it("counts up to a bound", () => {
    assert.deepStrictEqual(Report.count(message), { ...message, reports: 3 })
    const most = { ...message, reports: Report.maxCounted }
    assert.strictEqual(Report.count(most), most)
  })
})
