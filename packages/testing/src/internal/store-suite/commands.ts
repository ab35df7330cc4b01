import type { Command } from "@countersign/core/decide/Command"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import { dayOf } from "@countersign/core/domain/money/Spending"
import * as Money from "@countersign/core/domain/values/Money"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import { type StoreService, type Test, open, present, run, times, transcript } from "./support.ts"

const { money, organizationId, requestId } = Samples

interface Story {
  readonly tells: string
  readonly balance?: Money.Money
  readonly commands: ReadonlyArray<readonly [Command, outcome: string]>
}

const wrong = Samples.checkCode({ candidates: [Samples.codeOf("wrong")] })

const ofRequest = { requestId: requestId() }

/** Sequences of commands, each with its expected outcome. */
const stories: ReadonlyArray<Story> = [
  {
    tells: "a code is sent, mistyped, and verified; what follows changes nothing",
    commands: [
      [Samples.requestVerification(), "Requested"],
      [Samples.recordDispatch(ofRequest), "Recorded"],
      [wrong, "WrongCode"],
      [wrong, "WrongCode"],
      [Samples.checkCode(), "Verified"],
      [wrong, "Verified"],
      [Samples.applyReport(), "Applied"],
      [Samples.applyReport({ status: "failed" }), "Applied"],
    ],
  },
  {
    tells: "what is asked of messages and requests that are not there is not found",
    commands: [
      [Samples.checkCode(), "NotFound"],
      [Samples.recordDispatch(), "NotFound"],
      [Samples.applyReport(), "NotFound"],
      [Samples.reclaimMessage(), "NotFound"],
      [Samples.beginLookup(), "NotFound"],
      [Samples.closeMessage(), "NotFound"],
      [Samples.applyReport({ messageSequence: 0 }), "NotFound"],
      [Samples.applyReport({ messageSequence: 2_000_000_000 }), "NotFound"],
    ],
  },
]

const everyCommand: ReadonlyArray<Command> = [
  Samples.admitVerification(),
  Samples.requestVerification(),
  Samples.checkCode(),
  Samples.admitMessage(),
  Samples.holdMessage(),
  Samples.recordDispatch(),
  Samples.applyReport(),
  Samples.reclaimMessage(),
  Samples.beginLookup(),
  Samples.closeMessage(),
  Samples.topUp(),
  Samples.adjust(),
]

const stateOf = Effect.fnUntraced(function* (store: StoreService, id: OrganizationId) {
  return {
    account: yield* store.account(id),
    entries: yield* store.entries(id, 0, 1_000),
    messages: yield* store.messages(id, { from: undefined, to: undefined, skip: 0, limit: 1_000 }),
    verification: (yield* store.verification(id, requestId()))?.verification,
  }
})

export const commandsSection = (test: Test): void => {
  for (const { balance = money("10"), commands, tells } of stories) {
    test(tells, function* (store) {
      yield* open(store, balance)
      const results = yield* transcript(
        store,
        commands.map(([command]) => command),
      )
      assert.deepStrictEqual(
        results,
        commands.map(([, outcome]) => outcome),
      )
    })
  }

  test("a dispatch is taken over after its lease, by one node, and closed at its deadline", function* (store) {
    yield* open(store)
    yield* run(store, Samples.holdMessage())
    yield* TestClock.adjust(69_999)
    assert.strictEqual((yield* run(store, Samples.reclaimMessage()))._tag, "NotDue")
    yield* TestClock.adjust(1)
    const taken = yield* run(store, Samples.reclaimMessage())
    assert.deepStrictEqual(taken, {
      _tag: "Reclaimed",
      message: Samples.message({ attempt: 2, dueAt: Samples.now + 140_000 }),
    })
    const results = yield* transcript(store, [
      Samples.reclaimMessage(),
      Samples.recordDispatch({ attempt: 1 }),
      Samples.closeMessage(),
      Samples.recordDispatch({ attempt: 2, outcome: { _tag: "Unknown", message: "gone" } }),
    ])
    assert.deepStrictEqual(results, ["NotDue", "Fenced", "NotDue", "Recorded"])
    yield* TestClock.setTime(Samples.now + 86_400_000 - 1)
    assert.strictEqual((yield* run(store, Samples.closeMessage()))._tag, "NotDue")
    yield* TestClock.adjust(1)
    const lookup = Samples.beginLookup({ lookupMillis: 5_000 })
    const begun = yield* run(store, lookup)
    assert.strictEqual(
      begun._tag === "LookupBegun" && begun.message.dueAt,
      Samples.now + 86_405_000,
    )
    assert.deepStrictEqual(yield* store.due(1), [])
    assert.strictEqual((yield* run(store, lookup))._tag, "NotDue")
    yield* TestClock.adjust(5_000)
    assert.strictEqual((yield* store.due(1)).length, 1)
    assert.strictEqual((yield* run(store, Samples.closeMessage()))._tag, "Closed")
    assert.deepInclude(yield* store.account(organizationId), {
      balance: money("10"),
      held: Money.zero,
    })
  })

  test("every command requires an account, and has no effect without one", function* (store) {
    const results = yield* transcript(store, everyCommand)
    assert.deepStrictEqual(
      results,
      times(everyCommand.length, () => "NoAccount"),
    )
    assert.isUndefined(yield* store.account(organizationId))
  })

  test("a command with outdated settings changes nothing", function* (store) {
    yield* open(store)
    yield* run(store, Samples.requestVerification())
    yield* store.changeOrganization(organizationId, (same) => same)
    const before = yield* stateOf(store, organizationId)
    const versioned = everyCommand.filter((command) => "version" in command)
    const results = yield* transcript(store, versioned)
    assert.deepStrictEqual(
      results,
      times(5, () => "Stale"),
    )
    assert.deepStrictEqual(yield* stateOf(store, organizationId), before)
    const newer = versioned.map((command) => ({ ...command, version: 3 }))
    assert.deepStrictEqual(
      yield* transcript(store, newer),
      times(5, () => "Stale"),
    )
    assert.deepStrictEqual(yield* stateOf(store, organizationId), before)
    assert.strictEqual((yield* run(store, Samples.checkCode({ version: 2 })))._tag, "Verified")
  })

  test("every decision is written as it was made", function* (store) {
    yield* open(store)
    yield* run(store, Samples.requestVerification())
    assert.deepStrictEqual(yield* stateOf(store, organizationId), {
      account: Samples.account({
        balance: money("9.5"),
        held: money("0.5"),
        entries: 2,
        lastMessage: 1,
        lastEvent: 1,
        lastAudit: 4,
        spentOn: dayOf(Samples.now),
        spent: money("0.5"),
      }),
      entries: [
        Samples.entry(),
        {
          organization: organizationId,
          sequence: 2,
          kind: "hold",
          amount: money("0.5"),
          balance: money("9.5"),
          held: money("0.5"),
          messageSequence: 1,
          note: null,
          paymentId: null,
          actor: null,
          at: Samples.now,
        },
      ],
      messages: {
        version: 1,
        total: 1,
        messages: [
          Samples.message({
            text: "•••••• is your verification code.",
            requestId: requestId(),
          }),
        ],
      },
      verification: Samples.verification(),
    })
  })

  test("the events of a decision are returned with its outcome, once", function* (store) {
    yield* open(store)
    yield* store.execute(Samples.requestVerification())
    const settled = yield* store.execute(Samples.recordDispatch(ofRequest))
    assert.deepStrictEqual(
      settled.events.map(({ _tag }) => _tag),
      ["VerificationSent"],
    )
    const first = yield* store.execute(Samples.checkCode())
    assert.deepStrictEqual(first.events, [
      {
        _tag: "Verified",
        sequence: 3,
        organization: organizationId,
        at: Samples.now,
        requestId: requestId(),
        phoneNumber: Samples.phoneNumber(),
        purpose: null,
        metadata: null,
      },
    ])
    assert.deepStrictEqual((yield* store.execute(Samples.checkCode())).events, [])
  })

  test("organizations share nothing: no requests, numbers, windows, money or logs", function* (store) {
    const other = Samples.otherOrganizationId
    yield* open(store)
    yield* open(store, money("3"), other)
    yield* Effect.forEach(
      times(5, (index) => index),
      (index) =>
        store.execute(
          Samples.requestVerification({
            requestId: requestId(index + 1),
            draft: { id: Samples.messageId(index + 1) },
          }),
        ),
    )
    const before = yield* stateOf(store, organizationId)
    const results = yield* transcript(store, [
      { ...Samples.checkCode(), organization: other },
      { ...Samples.recordDispatch(), organization: other },
      { ...Samples.applyReport(), organization: other },
      { ...Samples.admitVerification(), organization: other },
      // Another organization can use the same ids.
      { ...Samples.requestVerification({ code: Samples.codeOf("theirs") }), organization: other },
      { ...Samples.checkCode({ candidates: [Samples.codeOf("theirs")] }), organization: other },
    ])
    const unknown = ["NotFound", "NotFound", "NotFound"]
    assert.deepStrictEqual(results, [...unknown, "Admitted", "Requested", "Verified"])
    assert.deepStrictEqual(yield* stateOf(store, organizationId), before)
    const theirs = yield* stateOf(store, other)
    assert.strictEqual(theirs.messages?.total, 1)
    assert.strictEqual(present(theirs.verification).status, "verified")
    assert.isUndefined(yield* store.verification(other, requestId(2)))
  })
}
