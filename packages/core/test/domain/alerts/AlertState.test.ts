import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "vitest"
import type * as AlertOverrides from "../../../src/domain/alerts/AlertOverrides.ts"
import * as AlertState from "../../../src/domain/alerts/AlertState.ts"
import { pauseMillis } from "../../../src/domain/alerts/AlertTable.ts"
import * as Money from "../../../src/domain/values/Money.ts"
import type { Total } from "../../../src/domain/money/Total.ts"

const { organizationId: organization } = Samples
const start = Date.UTC(2026, 0, 1, 12)
const minute = 60_000
const hour = 60 * minute

const off: AlertOverrides.AlertBounds = {
  delivered: null,
  verified: null,
  spend: null,
  webhooks: null,
}
const nothing: AlertState.Values = off

/** Examines at each minute, and tells what was raised then. */
const play = (
  steps: ReadonlyArray<readonly [minutes: number, bound: number | null, value: number | null]>,
  name: keyof AlertOverrides.AlertBounds,
) => {
  let alerts = AlertState.initial(organization)
  return steps.map(([minutes, bound, value]) => {
    const judged = AlertState.judge(
      alerts,
      { ...off, [name]: bound },
      { ...nothing, [name]: value },
      start + minutes * minute,
    )
    alerts = judged.alerts
    const told = judged.events.map((event) => {
      if (event._tag === "AlertRaised") return `${event.alert} ${event.value}, bound ${event.bound}`
      return event._tag === "AlertOver" ? `over ${event.value}` : event._tag
    })
    return [...told, alerts.isOpen ? "open" : "closed"].join("; ")
  })
}

describe("an alert", () => {
  it("opens when its value passes the bound, and is raised once until it is over", () => {
    assert.deepStrictEqual(
      play(
        [
          [0, 80, 80],
          [1, 80, 79],
          [2, 80, 20],
          [3, 80, 80],
          [4, 80, 90],
        ],
        "delivered",
      ),
      ["closed", "delivered 79, bound 80; open", "open", "over 80; closed", "closed"],
    )
  })

  it("stays silent for an hour after it was raised", () => {
    assert.deepStrictEqual(
      play(
        [
          [0, 15, 16],
          [1, 15, 0],
          [2, 15, 20],
          [59, 15, 70],
          [60, 15, 71],
        ],
        "webhooks",
      ),
      [
        "webhooks 16, bound 15; open",
        "over 0; closed",
        "closed",
        "closed",
        "webhooks 71, bound 15; open",
      ],
    )
  })

  it.each([
    ["there is too little to compare", 50, null, "over null; closed"],
    ["it is switched off", null, 10, "over 10; closed"],
    ["its bound is changed", 10, 10, "over 10; closed"],
  ])("is over when %s", (_, bound, value, expected) => {
    const steps = [
      [0, 50, 10],
      [1, bound, value],
    ] as const
    assert.strictEqual(play(steps, "verified")[1], expected)
  })

  it("shows amounts as decimals", () => {
    const [raised] = play([[0, Money.make("20"), Money.make("20.5")]], "spend")
    assert.strictEqual(raised, "spend 20.50, bound 20.00; open")
  })

  it("is raised again although its last time is in the future, because a clock was wrong", () => {
    const known = {
      ...AlertState.initial(organization),
      states: [{ alert: "delivered", isOpen: false, raisedAt: start + 100 * pauseMillis } as const],
    }
    const bounds = { ...off, delivered: 80 }
    const { events } = AlertState.judge(known, bounds, { ...nothing, delivered: 1 }, start)
    assert.lengthOf(events, 1)
  })

  it("of another name does not change with it", () => {
    const bounds = { ...off, delivered: 80, webhooks: 15 }
    const values = { ...nothing, delivered: 1, webhooks: 60 }
    const { alerts } = AlertState.judge(AlertState.initial(organization), bounds, values, start)
    const next = AlertState.judge(alerts, bounds, { ...values, delivered: 99 }, start + minute)
    assert.deepStrictEqual(
      next.alerts.states.map(({ alert, isOpen }) => [alert, isOpen]),
      [
        ["delivered", false],
        ["webhooks", true],
      ],
    )
    assert.isTrue(next.alerts.isOpen)
  })
})

describe("an organization is due", () => {
  it.each([
    ["a minute after its last examination", start - minute, true],
    ["but not before", start - minute + 1, false],
    ["if its last examination is in the future", start + 1, true],
  ])("%s", (_, checkedAt, expected) => {
    assert.strictEqual(AlertState.isDue({ checkedAt }, start), expected)
  })
})

const total = (kind: Total["kind"], hours: number, outcome: string, count: number): Total => ({
  organization,
  kind,
  at: start + hours * hour,
  outcome,
  count,
  channel: "sms",
  gateway: "",
  country: "BD",
  network: "",
  reason: "",
  amount: Money.zero,
  refunded: Money.zero,
})

describe("the share of delivered messages", () => {
  it.each([
    [
      "covers this hour and the one before",
      [total("messages", -1, "delivered", 10), total("messages", 0, "failed", 10)],
      50,
    ],
    [
      "has no older hours",
      [total("messages", -2, "delivered", 99), total("messages", 0, "failed", 20)],
      0,
    ],
    [
      "has no open messages",
      [total("messages", 0, "delivered", 20), total("messages", 0, "accepted", 99)],
      100,
    ],
    ["cannot be told of few messages", [total("messages", 0, "failed", 19)], null],
    [
      "is rounded down",
      [total("messages", 0, "delivered", 799), total("messages", 0, "undelivered", 201)],
      79,
    ],
  ])("%s", (_, totals, expected) => {
    assert.strictEqual(AlertState.sharesOf(totals, start).delivered, expected)
  })
})

describe("the share of verified codes", () => {
  const opened = [-3, -2, -1, 0].map((hours) => total("requests", hours, "opened", 20))
  it.each([
    ["covers two full hours", 10, -1, 5, 12],
    ["does not have the running hour", 59, 0, 20, 0],
    ["does not have an hour that has ended less than ten minutes ago", 9, -1, 20, 0],
    ["has the hours before instead", 9, -2, 20, 50],
  ])("%s", (_, minutes, hours, verified, expected) => {
    const totals = [...opened, total("requests", hours, "verified", verified)]
    const { verified: share } = AlertState.sharesOf(totals, start + minutes * minute)
    assert.strictEqual(share, expected)
  })

  it("cannot be told of few codes", () => {
    const totals = [total("requests", -1, "opened", 19), total("requests", -1, "verified", 1)]
    assert.isNull(AlertState.sharesOf(totals, start + 30 * minute).verified)
  })
})

describe("the hours of an examination", () => {
  it.each([
    [0, -3, 1],
    [9, -3, 1],
    [10, -2, 1],
    [59, -2, 1],
  ])("at minute %d are those from %d to %d", (minutes, from, to) => {
    const hours = AlertState.hoursOf(start + minutes * minute)
    assert.deepStrictEqual(hours, { from: start + from * hour, to: start + to * hour })
  })
})

describe("the trouble of webhooks", () => {
  it.each([
    ["is unknown without webhooks", [], null],
    ["is zero while all take events", [null, null], 0],
    ["is that of the longest, in whole minutes", [start - 90_000, null, start - 10 * minute], 10],
    ["is zero if it begins in the future", [start + minute], 0],
  ])("%s", (_, times, expected) => {
    const webhooks = times.map((troubledSince) => ({ troubledSince }))
    assert.strictEqual(AlertState.troubleOf(webhooks, start), expected)
  })
})
