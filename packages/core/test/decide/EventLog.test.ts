import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import * as Decision from "../../src/decide/Decision.ts"
import * as OrganizationChange from "../../src/decide/OrganizationChange.ts"
import { host } from "../../src/domain/values/Actor.ts"
import { withSettings } from "../../src/domain/organizations/Organization.ts"
import { defaults } from "../../src/domain/organizations/RecordOptions.ts"
import { noRows } from "../support/noRows.ts"

const { now, organizationId: organization } = Samples

const rows: Decision.Rows = {
  ...noRows,
  account: Samples.account({ balance: Samples.money("10"), lastEvent: 41 }),
  verification: () => Samples.verification(),
  message: () => Samples.message({ requestId: Samples.requestId() }),
}

const rejected = Samples.recordDispatch({
  requestId: Samples.requestId(),
  outcome: { _tag: "NotSent", message: "no route" },
})

const withoutLog = { ...defaults, events: false }
const context = { actor: host, now, records: defaults }

describe("the events of a decision", () => {
  it("take the next places in the event log, and the account counts them", () => {
    const view = Decision.view(rows, rejected)
    const { events, writes } = Decision.decide(view, rejected, now, defaults)
    assert.deepStrictEqual(
      events.map(({ _tag, sequence }) => `${sequence} ${_tag}`),
      ["42 MessageSettled", "43 Refunded", "44 Failed"],
    )
    assert.strictEqual(writes.account?.lastEvent, 44)
    assert.strictEqual(writes.account?.balance, Samples.money("10.5"))
    const logged = writes.events?.map((event) =>
      event._tag === "Failed" ? `${event.sequence} ${event.phoneNumber}` : event.sequence,
    )
    assert.deepStrictEqual(logged, [42, 43, "44 +8801*****000"])
    assert.propertyVal(events[2], "phoneNumber", Samples.phoneNumber())
  })

  it("take no places if the log is off", () => {
    const view = Decision.view(rows, rejected)
    const { events, writes } = Decision.decide(view, rejected, now, withoutLog)
    assert.deepStrictEqual(
      events.map((event) => "sequence" in event),
      [false, false, false],
    )
    assert.strictEqual(writes.account?.lastEvent, 41)
    assert.notProperty(writes, "events")
  })
})

describe("the events of a change of an organization", () => {
  const before = {
    account: Samples.account({ version: 3, lastEvent: 41 }),
    organization: { ...Samples.organization(), version: 3 },
  }
  const suspend: OrganizationChange.Change = (one) => withSettings(one, { isSuspended: true })

  it("take the next places in the event log", () => {
    const changed = OrganizationChange.decide(before, suspend, context)
    const event = { _tag: "SettingsChanged", organization, at: now, settings: ["isSuspended"] }
    assert.deepStrictEqual<unknown>(changed.events, [{ ...event, sequence: 42 }])
    assert.deepStrictEqual<unknown>(changed.writes.events, changed.events)
    assert.deepInclude(changed.writes.account, { lastEvent: 42, version: 4, lastAt: now })
    assert.strictEqual(changed.organization.version, 4)
  })

  it("take no places if the log is off", () => {
    const changed = OrganizationChange.decide(before, suspend, {
      ...context,
      records: withoutLog,
    })
    assert.lengthOf(changed.events, 1)
    assert.notProperty(changed.writes, "events")
    assert.deepInclude(changed.writes.account, { lastEvent: 41, version: 4 })
  })

  it("do not exist if nothing has changed", () => {
    const changed = OrganizationChange.decide(before, (same) => same, context)
    assert.deepStrictEqual([changed.events, changed.writes.account.version], [[], 4])
  })
})
