import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Verification from "../../../src/domain/verifications/Verification.ts"

const { now } = Samples

const states = {
  pending: Samples.verification(),
  "pending, 1 attempt left": Samples.verification({ attemptsRemaining: 1 }),
  verified: Samples.verification({ status: "verified", verifiedAt: now + 1_000 }),
  failed: Samples.verification({ status: "failed", attemptsRemaining: 0 }),
}

type State = keyof typeof states

/** Milliseconds from the expiry; the request was made five minutes before it. `ends`: the result, and the request. */
type Row = readonly [state: State, code: "right" | "wrong", at: number, ends: string]

const table: ReadonlyArray<Row> = [
  ["pending", "right", -300_000, "Verified for the first time → verified, 3 left"],
  ["pending", "right", -1, "Verified for the first time → verified, 3 left"],
  ["pending", "right", 0, "Expired → pending, 3 left"],
  ["pending", "right", 1, "Expired → pending, 3 left"],
  ["pending", "wrong", -300_000, "WrongCode → pending, 2 left"],
  ["pending", "wrong", -1, "WrongCode → pending, 2 left"],
  ["pending", "wrong", 0, "Expired → pending, 3 left"],
  ["pending", "wrong", 1, "Expired → pending, 3 left"],
  ["pending, 1 attempt left", "right", -1, "Verified for the first time → verified, 1 left"],
  ["pending, 1 attempt left", "wrong", -1, "Failed for the first time → failed, 0 left"],
  ["pending, 1 attempt left", "wrong", 0, "Expired → pending, 1 left"],
  ["verified", "right", -1, "Verified again → verified, 3 left"],
  ["verified", "wrong", -1, "Verified again → verified, 3 left"],
  ["verified", "right", 1, "Verified again → verified, 3 left"],
  ["verified", "wrong", 1, "Verified again → verified, 3 left"],
  ["failed", "right", -1, "Failed again → failed, 0 left"],
  ["failed", "wrong", -1, "Failed again → failed, 0 left"],
  ["failed", "right", 1, "Failed again → failed, 0 left"],
  ["failed", "wrong", 1, "Failed again → failed, 0 left"],
]

const summaryOf = (
  before: Verification.Verification,
  after: Verification.Verification,
  at: number,
) => {
  const state = Verification.stateAt(after, at)
  const result =
    state === "pending" ? "WrongCode" : `${state.charAt(0).toUpperCase()}${state.slice(1)}`
  const which = ["verified", "failed"].includes(state)
    ? after === before
      ? " again"
      : " for the first time"
    : ""
  return `${result}${which} → ${after.status}, ${after.attemptsRemaining} left`
}

describe("Verification.check", () => {
  it.each(table)("%s, %s code, %s ms from expiry: %s", (state, code, at, ends) => {
    const before = states[state]
    const checkedAt = before.expiresAt + at
    const after = Verification.check(before, code, checkedAt)
    assert.strictEqual(summaryOf(before, after, checkedAt), ends)
  })

  it("has a row for every state and every code", () => {
    const stateOf = ([state, , at]: Row) =>
      Verification.stateAt(states[state], states[state].expiresAt + at)
    const pairs = new Set(table.map((row) => `${stateOf(row)} ${row[1]}`))
    for (const state of ["pending", "verified", "failed", "expired"]) {
      assert.isTrue(pairs.has(`${state} right`) && pairs.has(`${state} wrong`), state)
    }
  })

  it("changes nothing but status, attempts and the time of verification, and erases the sealed code", () => {
    for (const [state, code, at] of table) {
      const before = states[state]
      const after = Verification.check(before, code, before.expiresAt + at)
      const { attemptsRemaining, sealed, status, verifiedAt } = before
      const changed = { attemptsRemaining, sealed, status, verifiedAt }
      assert.deepStrictEqual<unknown>({ ...after, ...changed }, before)
      assert.strictEqual(after.sealed === null, after.status !== "pending")
    }
  })

  it("keeps the time of the first right code in every repeat", () => {
    const first = Verification.check(states.pending, "right", now + 5)
    assert.deepInclude(first, { status: "verified", verifiedAt: now + 5 })
    assert.strictEqual(Verification.check(first, "wrong", now + 900_000), first)
  })

  it("never leaves verified or failed, and fails at the third wrong code at the latest", () => {
    const code = fc.constantFrom("right" as const, "wrong" as const)
    const checks = fc.array(fc.record({ code, after: fc.nat({ max: 400_000 }) }))
    fc.assert(
      fc.property(checks, (history) => {
        let verification = Samples.verification()
        let wrong = 0
        for (const { after, code } of history) {
          const before = verification
          verification = Verification.check(before, code, now + after)
          if (verification.attemptsRemaining < before.attemptsRemaining) wrong += 1
          assert.isAtMost(wrong, 3)
          assert.strictEqual(verification.status === "failed", wrong === 3)
          if (before.status !== "pending") assert.strictEqual(verification, before)
        }
      }),
    )
  })
})

describe("Verification.fail", () => {
  it("ends a pending request and keeps its attempts", () => {
    const { expiresAt } = states.pending
    assert.deepStrictEqual<unknown>(Verification.fail(states.pending, expiresAt - 1), {
      ...states.pending,
      status: "failed",
      sealed: null,
    })
  })

  it.each(["verified", "failed"] as const)("does not change a %s request", (state) => {
    assert.strictEqual(Verification.fail(states[state], states[state].createdAt), states[state])
  })

  it("does not change an expired request: expired is final", () => {
    assert.strictEqual(Verification.fail(states.pending, states.pending.expiresAt), states.pending)
  })
})

describe("an expiry must be stored before it is shown", () => {
  const { expiresAt } = Samples.verification()
  it.each([
    ["if the request was pending at the last decision", {}, expiresAt - 1, expiresAt, true],
    ["but not if the organization has seen it", {}, expiresAt, expiresAt, false],
    ["but not while it is pending", {}, expiresAt - 2, expiresAt - 1, false],
    ["but not if it failed", { status: "failed" as const }, expiresAt - 1, expiresAt, false],
  ])("%s", (_, change, lastAt, at, expected) => {
    const one = Samples.verification(change)
    assert.strictEqual(Verification.mustRemember(one, lastAt, at), expected)
  })
})

describe("a check that uses a request up", () => {
  const verified = { status: "verified", verifiedAt: now } as const
  it.each([
    ["a pending request", {}, 0, true],
    ["a verified request", verified, 0, true],
    ["a request that is used up", { ...verified, consumedAt: now }, 0, false],
    ["a failed request", { status: "failed" as const, consumedAt: null }, 0, false],
    ["a verified request without attempts", { ...verified, attemptsRemaining: 0 }, 0, false],
    ["a request at its expiry", {}, 300_000, false],
  ])("compares the code of %s, or not", (_, change, after, expected) => {
    const one = Samples.verification(change)
    assert.strictEqual(Verification.isOpen(one, one.expiresAt - 300_000 + after), expected)
  })
})

describe("a failed request has failed", () => {
  it.each([
    ["attempts", 0, false, "failed"],
    ["sending", 3, false, "failed"],
    ["sending", 3, false, "rejected"],
    ["cancelled", 3, true, "failed"],
    ["cancelled", 3, false, "delivered"],
    ["cancelled", 3, false, null],
  ] as const)("by %s: %s attempts left, may have arrived: %s, message %s", (...row) => {
    const [failure, attemptsRemaining, mayHaveArrived, delivery] = row
    const self = { attemptsRemaining, mayHaveArrived }
    assert.strictEqual(Verification.failureOf(self, delivery), failure)
  })
})
