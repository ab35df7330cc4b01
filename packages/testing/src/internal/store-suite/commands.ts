import type { Command } from "@countersign/core/decide/Command"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import { dayOf } from "@countersign/core/domain/money/Account"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Samples from "../../Samples.ts"
import {
  held,
  logOf,
  open,
  present,
  run,
  type StoreService,
  type Test,
  times,
  transcript,
} from "./support.ts"

const { money, organizationId, requestId } = Samples

const ofMissingRows: ReadonlyArray<Command> = [
  Samples.checkCode(),
  Samples.recordDispatch(),
  Samples.reclaimMessage(),
  Samples.beginLookup(),
  Samples.closeMessage(),
  ...[0, 1, 2_000_000_000].map((messageSequence) => Samples.applyReport({ messageSequence })),
]

const everyCommand: ReadonlyArray<Command> = [
  Samples.admitVerification(),
  Samples.requestVerification(),
  Samples.admitMessage(),
  Samples.holdMessage(),
  Samples.topUp(),
  Samples.adjust(),
  ...ofMissingRows,
]

const all = (commands: ReadonlyArray<Command>, tag: string) => times(commands.length, () => tag)

const stateOf = Effect.fnUntraced(function* (store: StoreService, id: OrganizationId) {
  return {
    account: yield* store.account(id),
    entries: yield* store.entries(id, 0, 1_000),
    messages: yield* logOf(store, {}, id),
    verification: (yield* store.verification(id, requestId()))?.verification,
  }
})

export const commandsSection = (test: Test): void => {
  test("what is asked of messages and requests that are not there is not found", function* (store) {
    yield* open(store)
    assert.deepStrictEqual(yield* transcript(store, ofMissingRows), all(ofMissingRows, "NotFound"))
  })

  test("every command requires an account, and has no effect without one", function* (store) {
    assert.deepStrictEqual(yield* transcript(store, everyCommand), all(everyCommand, "NoAccount"))
    assert.isUndefined(yield* store.account(organizationId))
  })

  test("a command with outdated settings changes nothing", function* (store) {
    yield* open(store)
    yield* run(store, Samples.requestVerification())
    yield* store.changeOrganization(organizationId, (same) => same)
    const before = yield* stateOf(store, organizationId)
    const versioned = everyCommand.filter((command) => "version" in command)
    assert.deepStrictEqual(yield* transcript(store, versioned), all(versioned, "Stale"))
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
        Samples.entry({
          sequence: 2,
          kind: "hold",
          amount: money("0.5"),
          balance: money("9.5"),
          held: money("0.5"),
          messageSequence: 1,
          note: null,
          actor: null,
        }),
      ],
      messages: {
        version: 1,
        total: 1,
        messages: [
          Samples.message({ text: "•••••• is your verification code.", requestId: requestId() }),
        ],
      },
      verification: Samples.verification(),
    })
  })

  test("organizations share nothing: no requests, numbers, windows, money or logs", function* (store) {
    const other = Samples.otherOrganizationId
    yield* open(store)
    yield* open(store, money("3"), other)
    for (const index of [1, 2, 3, 4, 5]) {
      const draft = { id: Samples.messageId(index) }
      yield* run(store, Samples.requestVerification({ requestId: requestId(index), draft }))
    }
    const before = yield* stateOf(store, organizationId)
    // Another organization can use the same ids.
    const theirs = Samples.codeOf("theirs")
    const results = yield* transcript(
      store,
      [
        Samples.checkCode(),
        Samples.recordDispatch(),
        Samples.applyReport(),
        Samples.admitVerification(),
        Samples.requestVerification({ code: theirs }),
        Samples.checkCode({ candidates: [theirs] }),
      ].map((command) => ({ ...command, organization: other })),
    )
    const unknown = ["NotFound", "NotFound", "NotFound"]
    assert.deepStrictEqual(results, [...unknown, "Admitted", "Requested", "Verified"])
    assert.deepStrictEqual(yield* stateOf(store, organizationId), before)
    const { messages, verification } = yield* stateOf(store, other)
    assert.strictEqual(messages.total, 1)
    assert.strictEqual(present(verification).status, "verified")
    assert.isUndefined(yield* store.verification(other, requestId(2)))
    assert.strictEqual((yield* run(store, held(9, { organization: other })))._tag, "Held")
  })
}
