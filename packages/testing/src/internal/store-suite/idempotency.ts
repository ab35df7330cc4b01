import type { Command } from "@countersign/core/decide/Command"
import * as IdempotencyKey from "@countersign/core/domain/values/IdempotencyKey"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import {
  atOnce,
  open,
  run,
  type StoreService,
  tagsOf,
  tally,
  type Test,
  times,
  transcript,
} from "./support.ts"

const { idempotentCall, money, now, organizationId, otherOrganizationId } = Samples

/** Holds a message of its own, under the key. */
const holdWith = (
  index: number,
  idempotency: IdempotencyKey.IdempotentCall,
  organization = organizationId,
): Command<"HoldMessage"> => {
  const draft = Samples.newMessage({ id: Samples.messageId(index) })
  return Samples.holdMessage({ organization, idempotency, draft })
}

const left = (store: StoreService) =>
  Effect.map(store.account(organizationId), (account) => account?.balance)

/** Every command that may have a key, and commands that make it possible. */
const keyed: ReadonlyArray<{
  readonly before: ReadonlyArray<Command>
  readonly command: (idempotency: IdempotencyKey.IdempotentCall) => Command
  readonly effect: Pick<IdempotencyKey.IdempotencyKey, "messageSequence" | "requestId">
}> = [
  {
    before: [],
    command: (idempotency) => Samples.holdMessage({ idempotency }),
    effect: { messageSequence: 1, requestId: null },
  },
  {
    before: [],
    command: (idempotency) => Samples.requestVerification({ idempotency }),
    effect: { messageSequence: 1, requestId: Samples.requestId() },
  },
  {
    before: [Samples.requestVerification()],
    command: (idempotency) =>
      Samples.resendVerification({ idempotency, limits: { resendCooldownMillis: 0 } }),
    effect: { messageSequence: 2, requestId: Samples.requestId() },
  },
  {
    before: [Samples.requestVerification(), Samples.checkCode()],
    command: (idempotency) => Samples.consumeVerification({ idempotency }),
    effect: { messageSequence: null, requestId: Samples.requestId() },
  },
  {
    before: [Samples.requestVerification()],
    command: (idempotency) => Samples.verifyCode({ idempotency }),
    effect: { messageSequence: null, requestId: Samples.requestId() },
  },
]

export const idempotencySection = (test: Test): void => {
  for (const { before, command, effect } of keyed) {
    const { _tag } = command(idempotentCall())
    test(`a repeated ${_tag} has no effect and finds the effect of the first`, function* (store) {
      yield* open(store)
      yield* transcript(store, before)
      yield* run(store, command(idempotentCall()))
      const after = yield* store.account(organizationId)
      yield* TestClock.adjust(1)
      const repeated = yield* store.execute(command(idempotentCall()))
      const expiresAt = now + IdempotencyKey.keptMillis
      assert.deepStrictEqual(repeated, {
        result: {
          _tag: "Repeated",
          key: Samples.idempotencyKey({ ...effect, expiresAt }),
          now: now + 1,
        },
        events: [],
      })
      const found = yield* run(store, {
        _tag: "FindCall",
        organization: organizationId,
        idempotency: idempotentCall(),
      })
      assert.deepStrictEqual(found, repeated.result)
      const other = yield* run(store, command(idempotentCall("key", "another call")))
      assert.strictEqual(other._tag, "IdempotencyMismatch")
      assert.deepStrictEqual(yield* store.account(organizationId), after)
    })
  }

  test("of twelve calls with one key at once, one has its effect", function* (store) {
    yield* open(store)
    const commands = times(12, (index) => holdWith(index + 1, idempotentCall()))
    const outcomes = yield* atOnce(store, commands)
    assert.deepStrictEqual(tally(tagsOf(outcomes)), { Held: 1, Repeated: 11 })
    assert.strictEqual(yield* left(store), money("9.5"))
  })

  test("a key belongs to its organization", function* (store) {
    yield* open(store)
    yield* open(store, money("10"), otherOrganizationId)
    assert.deepStrictEqual(
      yield* transcript(store, [
        holdWith(1, idempotentCall()),
        holdWith(2, idempotentCall("key", "another call"), otherOrganizationId),
        holdWith(3, idempotentCall("another key")),
      ]),
      ["Held", "Held", "Held"],
    )
  })

  test("only the first answer is recorded", function* (store) {
    yield* open(store)
    yield* run(store, holdWith(1, idempotentCall()))
    const first = { _tag: "Answered", answer: 'first ☎ "1"' } as const
    const answers = yield* atOnce(store, [
      Samples.recordAnswer({ answer: first.answer }),
      Samples.recordAnswer({ answer: "second" }),
    ])
    assert.deepStrictEqual(answers, [first, first])
    const repeated = yield* run(store, holdWith(2, idempotentCall()))
    assert.strictEqual(repeated._tag === "Repeated" && repeated.key.answer, first.answer)
  })

  test("a key is free after 24 hours, and not before", function* (store) {
    yield* open(store)
    const call = idempotentCall("key", "another call")
    yield* run(store, holdWith(1, idempotentCall()))
    yield* run(store, Samples.recordAnswer())
    yield* TestClock.adjust(IdempotencyKey.keptMillis - 1)
    assert.strictEqual((yield* run(store, holdWith(2, call)))._tag, "IdempotencyMismatch")
    yield* TestClock.adjust(1)
    assert.strictEqual((yield* run(store, holdWith(3, call)))._tag, "Held")
    const repeated = yield* run(store, holdWith(4, call))
    assert.deepStrictEqual(repeated._tag === "Repeated" && repeated.key, {
      ...Samples.idempotencyKey({ ...call, messageSequence: 2 }),
      expiresAt: now + 2 * IdempotencyKey.keptMillis,
    })
  })
}
