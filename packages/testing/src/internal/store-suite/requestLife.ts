/** Requests after their code was sent: sent again, cancelled, used up. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import {
  asked,
  open,
  present,
  run,
  tagsOf,
  tally,
  type Test,
  times,
  transcript,
} from "./support.ts"

const { messageId, now, organizationId, requestId } = Samples

const draft = (index: number) => Samples.newMessage({ id: messageId(index) })

export const requestLifeSection = (test: Test): void => {
  test("every field of a request is stored unchanged, and its code until it ends", function* (store) {
    yield* open(store)
    const sealed = Uint8Array.from({ length: 256 }, (_, at) => at)
    const metadata = `{"text":"ক্ষ🙂 \\"'\\\\ {}(),","n":[1,null]}`
    yield* run(
      store,
      Samples.requestVerification({ sealed, metadata, purpose: "log-in.2", rules: undefined }),
    )
    const row = Effect.map(
      store.verification(organizationId, requestId()),
      (found) => present(found).verification,
    )
    const opened = Samples.verification({ sealed, metadata, purpose: "log-in.2" })
    assert.deepStrictEqual(yield* row, opened)
    yield* TestClock.adjust(30_000)
    yield* run(store, Samples.admitResend())
    assert.deepStrictEqual(yield* row, { ...opened, sentAt: now + 30_000 })
    yield* TestClock.adjust(5)
    const whatsapp = Samples.newMessage({ id: messageId(2), channel: "whatsapp" })
    yield* run(store, Samples.resendVerification({ isCounted: true, draft: whatsapp }))
    yield* run(store, Samples.followVerification({ messageSequence: 2, draft: draft(3) }))
    const sent = {
      ...opened,
      channel: "sms",
      sentAt: now + 30_005,
      resends: 1,
      messageSequence: 3,
      earlierMessages: [1, 2],
      mayHaveArrived: true,
    } as const
    assert.deepStrictEqual(yield* row, sent)
    yield* run(store, Samples.checkCode())
    const verified = { ...sent, status: "verified", verifiedAt: now + 30_005, sealed: null }
    assert.deepStrictEqual<unknown>(yield* row, { ...verified, consumedAt: null })
    yield* TestClock.adjust(7)
    yield* run(store, Samples.consumeVerification())
    assert.deepStrictEqual<unknown>(yield* row, { ...verified, consumedAt: now + 30_012 })
  })

  test("the row of a number has its clients, their wrong codes and its pending requests", function* (store) {
    yield* open(store)
    const wrong = [Samples.codeOf("wrong")]
    yield* transcript(store, [
      asked(1, { phoneNumber: Samples.phoneNumber() }),
      Samples.checkCode({ client: ["owner"] }),
      asked(2, { phoneNumber: Samples.phoneNumber(), client: ["owner"] }),
      Samples.checkCode({ requestId: requestId(2), candidates: wrong, client: ["owner"] }),
      Samples.checkCode({ requestId: requestId(2), candidates: wrong }),
    ])
    const found = yield* store.recipient(organizationId, Samples.phoneNumber())
    assert.deepStrictEqual(present(found).recipient, {
      ...Samples.recipient(),
      sends: [now, now],
      pending: [{ requestId: requestId(2), until: now + 300_000, isKnown: true }],
      guesses: { window: [now], sinceSuccess: 1 },
      clients: [{ client: "owner", verifiedAt: now, window: [now], sinceSuccess: 1 }],
    })
  })

  test("the time at which an SMS has to follow is stored, and makes its message due", function* (store) {
    yield* open(store)
    yield* run(store, Samples.requestVerification())
    const ref = { organization: organizationId, sequence: 1 }
    const followAt = Effect.map(
      store.message(ref),
      (found) => present(present(found).message).followAt,
    )
    const due = store.due(10, [])
    assert.isNull(yield* followAt)
    yield* run(store, Samples.recordDispatch({ requestId: requestId(), followMillis: 30_000 }))
    assert.strictEqual(yield* followAt, now + 30_000)
    yield* TestClock.adjust(29_999)
    assert.deepStrictEqual(yield* due, [])
    assert.strictEqual((yield* run(store, Samples.closeMessage()))._tag, "NotDue")
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(yield* due, [ref])
    assert.deepInclude(yield* run(store, Samples.closeMessage()), {
      _tag: "FollowDue",
      requestId: requestId(),
    })
    yield* run(store, Samples.followVerification())
    assert.isNull(yield* followAt)
    // The message that followed is still to be dispatched.
    assert.deepStrictEqual(yield* due, [])
    yield* TestClock.adjust(70_000)
    assert.deepStrictEqual(yield* due, [{ ...ref, sequence: 2 }])
  })

  test("a final message stays due until its SMS is sent or given up", function* (store) {
    const refused = { _tag: "NotSent", message: "no route" } as const
    for (const [index, end] of [
      Samples.followVerification({ draft: draft(2) }),
      Samples.endFollow(),
    ].entries()) {
      const organization = [organizationId, Samples.otherOrganizationId][index] ?? organizationId
      const ref = { organization, sequence: 1 }
      yield* open(store, undefined, organization)
      yield* run(store, { ...Samples.requestVerification(), organization })
      const dispatch = { outcome: refused, requestId: requestId(), followMillis: 30_000 }
      yield* run(store, { ...Samples.recordDispatch(dispatch), organization })
      assert.deepStrictEqual(yield* store.due(10, []), [ref])
      const row = present((yield* store.message(ref))?.message)
      assert.deepInclude(row, { status: "failed", dueAt: null, followAt: row.createdAt })
      // It is not dropped from the log before.
      const all = { organization, kind: "messages", after: undefined, limit: 9 } as const
      assert.strictEqual((yield* store.prune({ ...all, keepMillis: -1 })).dropped, 0)
      yield* run(store, { ...end, organization })
      assert.deepStrictEqual(yield* store.due(10, []), [])
    }
  })

  test("sixteen right codes that use a request up: exactly one succeeds, with both events", function* (store) {
    yield* open(store)
    yield* run(store, Samples.requestVerification())
    const committed = yield* Effect.forEach(
      times(16, () => Samples.verifyCode()),
      (command) => store.execute(command),
      { concurrency: "unbounded" },
    )
    assert.deepStrictEqual(tally(tagsOf(committed.map(({ result }) => result))), {
      Consumed: 1,
      AlreadyConsumed: 15,
    })
    assert.deepStrictEqual(
      committed.flatMap(({ events }) => tagsOf(events)),
      ["Verified", "Consumed"],
    )
    const found = present(yield* store.verification(organizationId, requestId()))
    const used = { status: "verified", verifiedAt: now, consumedAt: now, sealed: null } as const
    assert.deepInclude(found.verification, used)
    const recipient = yield* store.recipient(organizationId, Samples.phoneNumber())
    assert.deepStrictEqual(present(recipient).recipient.pending, [])
  })
}
