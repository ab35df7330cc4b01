import { assert, describe, it } from "vitest"
import {
  type Draft,
  draftOf,
  type LimitKind,
  type Limits,
  notNumber,
  valueOf,
} from "../app/pages/settings/limitDraft.ts"

type Value = Limits[keyof Limits]

const limits: ReadonlyArray<readonly [LimitKind, Value]> = [
  ["window", { max: 10, per: "1 minute" }],
  [
    "window",
    [
      { max: 10, per: "90 seconds" },
      { max: 50, per: "2 days" },
    ],
  ],
  ["count", 5],
  ["money", "99.50"],
  ["duration", "30 seconds"],
  ["range", { min: 4, max: 10, default: 6 }],
  ["durationRange", { min: "1 minute", max: "1 hour", default: "5 minutes" }],
  ["cap", { max: 200, default: 50 }],
]

describe("a limit that is edited", () => {
  it.each(limits)("means the same as before: %s %o", (kind, value) => {
    assert.deepStrictEqual(valueOf(kind, draftOf(kind, value)), value)
  })

  it.each(limits)("may be none: %s", (kind, value) => {
    assert.isNull(valueOf(kind, { ...draftOf(kind, value), isNone: true }))
    assert.isTrue(draftOf(kind, null).isNone)
  })

  const window: Draft = draftOf("window", { max: 10, per: "1 minute" })

  it("is read in the digits of either language", () => {
    const per = { count: "৫", unit: "minute" } as const
    assert.deepStrictEqual(valueOf("window", { ...window, windows: [{ max: "১০", per }] }), {
      max: 10,
      per: "5 minutes",
    })
    const amount = { ...window, numbers: { value: "১২.৫০" } }
    assert.strictEqual(valueOf("money", amount), "12.50")
  })

  it.each([
    ["window", { ...window, windows: [{ max: "many", per: { count: "1", unit: "day" } }] }],
    ["window", { ...window, windows: [{ max: "1", per: { count: "", unit: "day" } }] }],
    ["count", { ...window, numbers: { value: "" } }],
    ["duration", { ...window, lengths: { value: { count: "soon", unit: "day" } } }],
    ["range", { ...window, numbers: { min: "1", max: "x", default: "1" } }],
    ["durationRange", { ...window, lengths: { min: { count: "x", unit: "day" } } }],
  ] as const)("of the kind %s is not sent with a field that is no number", (kind, draft) => {
    assert.strictEqual(valueOf(kind, draft), notNumber)
  })
})
