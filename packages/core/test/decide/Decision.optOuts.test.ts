import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import type { OptOut } from "../../src/domain/messages/OptOut.ts"
import { host } from "../../src/domain/values/Actor.ts"
import type { Digests } from "../../src/domain/verifications/KnownClient.ts"
import { decide } from "../support/transcript.ts"

const { now, organizationId: organization } = Samples

/** The digests of a number under the current secret, and under the one before. */
const number: Digests = ["new", "old"]
const other: Digests = ["other new", "other old"]

const row = (digest: string, changes: Partial<OptOut> = {}): OptOut => ({
  organization,
  digest,
  addedAt: now - 5,
  removedAt: null,
  ...changes,
})

const over = { removedAt: now - 1 }

const given = (rows: ReadonlyArray<OptOut>) => ({
  account: Samples.account({ balance: Samples.money("10") }),
  optOuts: new Map(rows.map((one) => [one.digest, one] as const)),
})

const changing = (
  change: "add" | "remove",
  rows: ReadonlyArray<OptOut>,
  numbers: ReadonlyArray<Digests>,
) => decide(given(rows), { _tag: "ChangeOptOuts", organization, actor: host, change, numbers }, now)

describe("a change of the opt-outs", () => {
  it.each<
    readonly [
      why: string,
      change: "add" | "remove",
      rows: ReadonlyArray<OptOut>,
      numbers: ReadonlyArray<Digests>,
      changed: number,
      written: ReadonlyArray<OptOut>,
    ]
  >([
    ["of a new number", "add", [], [number], 1, [row("new", { addedAt: now })]],
    [
      "of two numbers, one of them twice",
      "add",
      [],
      [number, other, number],
      2,
      [row("new", { addedAt: now }), row("other new", { addedAt: now })],
    ],
    ["of a number that is on it", "add", [row("new")], [number], 0, []],
    ["of one under the secret before", "add", [row("old")], [number], 0, [row("new")]],
    [
      "of one that was removed",
      "add",
      [row("new", over)],
      [number],
      1,
      [row("new", { addedAt: now })],
    ],
    [
      "that takes a number off",
      "remove",
      [row("new")],
      [number, number],
      1,
      [row("new", { removedAt: now })],
    ],
    [
      "that takes one off under both secrets",
      "remove",
      [row("new"), row("old"), row("other new")],
      [number],
      1,
      [row("new", { removedAt: now }), row("old", { removedAt: now })],
    ],
    ["that takes off what is not on it", "remove", [row("new", over)], [number, other], 0, []],
  ])("%s: %s", (_, change, rows, numbers, changed, written) => {
    const { audited, events, result, writes } = changing(change, rows, numbers)
    assert.deepStrictEqual(result, { _tag: "OptOutsChanged", changed })
    assert.deepStrictEqual(writes.optOuts ?? [], written)
    assert.deepStrictEqual(events, [])
    const action = change === "add" ? "opt_outs.added" : "opt_outs.removed"
    assert.deepStrictEqual(
      (audited ?? []).map((one) => [one.action, one.target, one.before, one.after]),
      changed === 0 ? [] : [[action, null, null, { numbers: changed }]],
    )
    // Otherwise rows would be written without the stamp that nodes compare.
    assert.strictEqual(writes.account === undefined, written.length === 0)
  })
})

describe("a promotional message", () => {
  const hold = (rows: ReadonlyArray<OptOut>, optOut: Digests | undefined) =>
    decide(given(rows), Samples.holdMessage({ optOut }), now)

  it.each<
    readonly [
      why: string,
      rows: ReadonlyArray<OptOut>,
      optOut: Digests | undefined,
      tag: string,
      written: ReadonlyArray<OptOut>,
    ]
  >([
    ["a number that is not on the list", [row("other new")], number, "Held", []],
    ["a number that was removed", [row("new", over), row("old", over)], number, "Held", []],
    ["a number on the list", [row("new")], number, "OptedOut", []],
    [
      "one under the secret before",
      [row("old"), row("new", over)],
      number,
      "OptedOut",
      [row("new")],
    ],
    ["one under both", [row("old"), row("new")], number, "OptedOut", []],
    ["a transactional message", [row("new")], undefined, "Held", []],
  ])("to %s", (_, rows, optOut, tag, written) => {
    const { result, writes } = hold(rows, optOut)
    assert.strictEqual(result._tag, tag)
    assert.deepStrictEqual(writes.optOuts ?? [], written)
    assert.deepStrictEqual(writes.entries?.length, tag === "Held" ? 1 : undefined)
  })

  it("is refused before it is counted, and before its number is looked up", () => {
    const sends = { max: 1, windowMillis: 1_000 }
    const limits = { messagesPerOrganization: sends }
    const rows = { ...given([row("new")]), account: Samples.account({ sends: [now] }) }
    const admit = Samples.admitMessage({ limits, optOut: number })
    const { result, writes } = decide(rows, admit, now)
    assert.deepStrictEqual(result, { _tag: "OptedOut" })
    assert.deepStrictEqual(writes, {})
    const held = decide(rows, Samples.holdMessage({ limits, optOut: number }), now)
    assert.deepStrictEqual(held.result, { _tag: "OptedOut" })
  })
})
