import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Verification from "../../src/domain/Verification.ts"

const { now } = Samples

const states = {
  pending: Samples.verification(),
  "pending, 1 attempt left": Samples.verification({ attemptsRemaining: 1 }),
  verified: Samples.verification({ status: "verified", verifiedAt: now + 1_000 }),
  failed: Samples.verification({ status: "failed", attemptsRemaining: 0 }),
}

type State = keyof typeof states

interface Row {
  readonly state: State
  readonly code: "right" | "wrong"
  /** Milliseconds from the expiry; the request was made five minutes before it. */
  readonly at: number
  /** What the check comes to, and the request after it. */
  readonly ends: string
}

const table: ReadonlyArray<Row> = [
  {
    state: "pending",
    code: "right",
    at: -300_000,
    ends: "Verified for the first time → verified, 3 left",
  },
  {
    state: "pending",
    code: "right",
    at: -1,
    ends: "Verified for the first time → verified, 3 left",
  },
  { state: "pending", code: "right", at: 0, ends: "Expired → pending, 3 left" },
  { state: "pending", code: "right", at: 1, ends: "Expired → pending, 3 left" },
  { state: "pending", code: "wrong", at: -300_000, ends: "WrongCode → pending, 2 left" },
  { state: "pending", code: "wrong", at: -1, ends: "WrongCode → pending, 2 left" },
  { state: "pending", code: "wrong", at: 0, ends: "Expired → pending, 3 left" },
  { state: "pending", code: "wrong", at: 1, ends: "Expired → pending, 3 left" },
  {
    state: "pending, 1 attempt left",
    code: "right",
    at: -1,
    ends: "Verified for the first time → verified, 1 left",
  },
  {
    state: "pending, 1 attempt left",
    code: "wrong",
    at: -1,
    ends: "Failed for the first time → failed, 0 left",
  },
  { state: "pending, 1 attempt left", code: "wrong", at: 0, ends: "Expired → pending, 1 left" },
  { state: "verified", code: "right", at: -1, ends: "Verified again → verified, 3 left" },
  { state: "verified", code: "wrong", at: -1, ends: "Verified again → verified, 3 left" },
  { state: "verified", code: "right", at: 1, ends: "Verified again → verified, 3 left" },
  { state: "verified", code: "wrong", at: 1, ends: "Verified again → verified, 3 left" },
  { state: "failed", code: "right", at: -1, ends: "Failed again → failed, 0 left" },
  { state: "failed", code: "wrong", at: -1, ends: "Failed again → failed, 0 left" },
  { state: "failed", code: "right", at: 1, ends: "Failed again → failed, 0 left" },
  { state: "failed", code: "wrong", at: 1, ends: "Failed again → failed, 0 left" },
]

const told = (checked: Verification.Checked): string => {
  const which = "first" in checked ? (checked.first ? " for the first time" : " again") : ""
  const { attemptsRemaining, status } = checked.verification
  return `${checked._tag}${which} → ${status}, ${attemptsRemaining} left`
}

describe("Verification.check", () => {
  it.each(table)("$state, $code code, $at ms from expiry: $ends", ({ at, code, ends, state }) => {
    const before = states[state]
    const checked = Verification.check(before, code === "right", before.expiresAt + at)
    assert.strictEqual(told(checked), ends)
  })

  it("changes nothing but status, attempts and the time of verification", () => {
    for (const { at, code, state } of table) {
      const before = states[state]
      const after = Verification.check(before, code === "right", before.expiresAt + at).verification
      const { attemptsRemaining, status, verifiedAt } = before
      assert.deepStrictEqual({ ...after, attemptsRemaining, status, verifiedAt }, before)
    }
  })

  it("names the moment of the first right code, however often it is asked again", () => {
    const first = Verification.check(states.pending, true, now + 5)
    assert.strictEqual(first.verification.verifiedAt, now + 5)
    const again = Verification.check(first.verification, false, now + 900_000)
    assert.deepInclude(again, { _tag: "Verified", verifiedAt: now + 5, first: false })
  })

  it("never leaves verified or failed, and fails at the third wrong code at the latest", () => {
    const checks = fc.array(fc.record({ matches: fc.boolean(), after: fc.nat({ max: 400_000 }) }))
    fc.assert(
      fc.property(checks, (history) => {
        let verification = Samples.verification()
        let wrong = 0
        for (const { after, matches } of history) {
          const before = verification
          const checked = Verification.check(before, matches, now + after)
          verification = checked.verification
          if (checked._tag === "WrongCode" || (checked._tag === "Failed" && checked.first))
            wrong += 1
          assert.isAtMost(wrong, 3)
          if (before.status !== "pending") assert.strictEqual(verification, before)
        }
      }),
    )
  })
})

describe("Verification.stateAt", () => {
  const rows: ReadonlyArray<readonly [State, number, Verification.State]> = [
    ["pending", -1, "pending"],
    ["pending", 0, "expired"],
    ["pending", 1, "expired"],
    ["verified", 1, "verified"],
    ["failed", 1, "failed"],
  ]
  it.each(rows)("a %s request is at %d ms from its expiry %s", (state, at, expected) => {
    assert.strictEqual(Verification.stateAt(states[state], states[state].expiresAt + at), expected)
  })
})

describe("Verification.fail", () => {
  it("ends a pending request and keeps its attempts", () => {
    const { expiresAt } = states.pending
    assert.deepStrictEqual(Verification.fail(states.pending, expiresAt - 1), {
      ...states.pending,
      status: "failed",
    })
  })

  it.each(["verified", "failed"] as const)("leaves a %s request alone", (state) => {
    assert.strictEqual(Verification.fail(states[state], states[state].createdAt), states[state])
  })

  it("leaves an expired request alone: expired is final", () => {
    assert.strictEqual(Verification.fail(states.pending, states.pending.expiresAt), states.pending)
  })
})
