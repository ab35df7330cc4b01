import { assert, it } from "vitest"
import { pausesOf, suspensionsIn } from "../app/pages/overview/pauses.ts"

const at = (minute: number): string => new Date(minute * 60_000).toISOString()

const change = (minute: number, isSuspended: boolean) => ({
  at: at(minute),
  before: { isSuspended: !isSuspended },
  after: { isSuspended },
})

const period = { from: 0, to: 100 * 60_000 }

const minutes = (bands: ReadonlyArray<{ readonly from: number; readonly to: number }>) =>
  bands.map(({ from, to }) => [from / 60_000, to / 60_000])

it.each([
  ["none", [], false, []],
  ["all of the period", [], true, [[0, 100]]],
  ["one that goes on", [change(40, true)], true, [[40, 100]]],
  ["one that began before", [change(20, false)], false, [[0, 20]]],
  [
    "several",
    [change(90, true), change(50, false), change(40, true), change(20, false)],
    true,
    [
      [90, 100],
      [40, 50],
      [0, 20],
    ],
  ],
  [
    "none for other changes",
    [{ at: at(30), before: { isSuspended: false }, after: { isSuspended: false } }],
    false,
    [],
  ],
] as const)("suspensions: %s", (_, changes, isSuspended, expected) => {
  assert.deepEqual<unknown>(minutes(suspensionsIn(changes, isSuspended, period)), expected)
})

it("pauses are those of gateways that messages went to, and an open one lasts until now", () => {
  const pause = (from: number, to: number | null) => ({
    node: "n1",
    state: "failing" as const,
    from: at(from),
    to: to === null ? null : at(to),
    reason: null,
    moved: {},
  })
  const gateways = [
    { gateway: "twilio", pauses: [pause(50, null), pause(10, 20)] },
    { gateway: "other", pauses: [pause(30, 40)] },
  ]
  const bands = pausesOf(gateways, [{ gateway: "twilio" }, { gateway: "" }], 60 * 60_000)
  assert.deepStrictEqual(minutes(bands), [
    [50, 60],
    [10, 20],
  ])
  assert.deepStrictEqual([...new Set(bands.map(({ gateway }) => gateway))], ["twilio"])
})
