import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "vitest"
import type { Command } from "../../src/decide/Command.ts"
import * as Decision from "../../src/decide/Decision.ts"
import * as AlertState from "../../src/domain/alerts/AlertState.ts"
import { checkMillis } from "../../src/domain/alerts/AlertTable.ts"
import { dayOf } from "../../src/domain/money/Account.ts"
import { defaults } from "../../src/domain/organizations/RecordOptions.ts"
import { noRows } from "../support/noRows.ts"

const { money, now, organizationId: organization } = Samples

const command: Command<"CheckAlerts"> = {
  _tag: "CheckAlerts",
  organization,
  version: 1,
  bounds: { delivered: 80, verified: null, spend: money("5"), webhooks: null },
  values: { delivered: 10, verified: null, webhooks: null },
}

const account = Samples.account({ spentOn: dayOf(now), spent: money("7"), lastEvent: 8 })

const decide = (alerts: AlertState.Alerts | undefined, own = account, given = command) => {
  const rows: Decision.Rows = { ...noRows, account: own, alerts: () => alerts }
  return Decision.decide(Decision.view(rows, given), given, now, defaults)
}

describe("CheckAlerts", () => {
  it("opens the alerts beyond their bounds, also of what the account says was spent today", () => {
    const { events, result, writes } = decide(undefined)
    const about = { _tag: "AlertRaised", organization, at: now }
    assert.deepStrictEqual<unknown>(events, [
      { ...about, alert: "delivered", value: "10", bound: "80", sequence: 9 },
      { ...about, alert: "spend", value: "7.00", bound: "5.00", sequence: 10 },
    ])
    const state = { isOpen: true, raisedAt: now }
    const alerts = {
      organization,
      checkedAt: now,
      isOpen: true,
      states: [
        { alert: "delivered", ...state },
        { alert: "spend", ...state },
      ],
    }
    assert.deepStrictEqual<unknown>(result, { _tag: "AlertsChecked", alerts })
    assert.deepStrictEqual<unknown>(writes.alerts, alerts)
  })

  it("does not count what was spent on another day", () => {
    const { events } = decide(undefined, { ...account, spentOn: dayOf(now) - 1 })
    assert.deepStrictEqual(
      events.map((event) => event._tag === "AlertRaised" && event.alert),
      ["delivered"],
    )
  })

  it("writes nothing within a minute, for any node", () => {
    const known = { ...AlertState.initial(organization), checkedAt: now - checkMillis + 1 }
    const { events, result, writes } = decide(known)
    assert.deepStrictEqual<unknown>([result, events, writes], [{ _tag: "NotDue" }, [], {}])
  })

  it("is stale if the bounds may have changed", () => {
    const { result } = decide(undefined, { ...account, version: 2 })
    assert.deepStrictEqual<unknown>(result, { _tag: "Stale" })
  })
})
