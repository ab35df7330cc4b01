import { assert, it } from "vitest"
import { changesOf, textsOf } from "../app/pages/settings/limits.ts"

const own = {
  sendsPerNumber: [
    { max: 3, per: "1 minute" },
    { max: 20, per: "1 day" },
  ],
  attempts: 5,
  spendPerDay: "100.00",
  guessesSinceSuccess: null,
  resendCooldown: "1 minute",
} as const

const before = textsOf(own)

it("shows limits as people write them", () => {
  assert.deepInclude(before, {
    sendsPerNumber: "3 in 1 minute; 20 in 1 day",
    attempts: "5",
    spendPerDay: "100.00",
    guessesSinceSuccess: "none",
    resends: "",
    resendCooldown: "1 minute",
  })
})

it("changes nothing without an edit", () => {
  assert.deepStrictEqual(changesOf(before, before), { limits: {}, invalid: [], resetLimits: [] })
})

it("gives limits back to the host by emptying their fields", () => {
  const after = { ...before, attempts: "", sendsPerNumber: "  ", guessesSinceSuccess: "" }
  const { limits, resetLimits } = changesOf(before, after)
  assert.sameMembers(resetLimits, ["attempts", "sendsPerNumber", "guessesSinceSuccess"])
  assert.deepStrictEqual(limits, {})
  // Spaces in a field that was empty change nothing.
  assert.deepStrictEqual(changesOf(before, { ...before, resends: " " }).resetLimits, [])
})

it("sends the fields that were edited, each as its kind of limit", () => {
  const after = {
    ...before,
    attempts: "7",
    spendPerDay: "250.5",
    sendsPerNumber: "none",
    resendCooldown: "90  Seconds",
    checksPerClient: "10 in 5 minutes",
  }
  assert.deepStrictEqual(changesOf(before, after), {
    limits: {
      attempts: 7,
      spendPerDay: "250.5",
      sendsPerNumber: null,
      resendCooldown: "90 seconds",
      checksPerClient: [{ max: 10, per: "5 minutes" }],
    },
    invalid: [],
    resetLimits: [],
  })
})

it("tells what it cannot read, so that a slip removes no limit", () => {
  const after = { ...before, sendsPerClient: "often", guessesSinceSuccess: "1O0", resends: "-1" }
  assert.sameDeepMembers(changesOf(before, after).invalid, [
    ["sendsPerClient", "limit_not_window"],
    ["guessesSinceSuccess", "not_integer"],
    ["resends", "not_integer"],
  ])
})
