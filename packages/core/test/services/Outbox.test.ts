import * as TestEngine from "@countersign/testing/TestEngine"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe } from "@effect/vitest"
import type { Parsed } from "../../src/api/Caller.ts"
import type { SearchVerifications } from "../../src/api/verifications.ts"
import { RequestId } from "../../src/domain/values/Ids.ts"
import * as Money from "../../src/domain/values/Money.ts"
import { EventLog } from "../../src/services/EventLog.ts"
import { History } from "../../src/services/History.ts"
import { Outbox } from "../../src/services/Outbox.ts"
import { Messages } from "../../src/services/Messages.ts"
import { OptOuts } from "../../src/services/OptOuts.ts"
import { Organizations } from "../../src/services/Organizations.ts"
import { Verifications } from "../../src/services/verifications/Verifications.ts"
import { effectTest, engineTest } from "../support/engineTest.ts"
import { moneyOf } from "../support/log.ts"
import { twoNodes } from "../support/nodes.ts"
import {
  enqueued,
  organization,
  phoneNumber,
  prepareMessage,
  round,
  texts,
} from "../support/outbox.ts"

const prepareCode = Outbox.use((_) =>
  _.prepareCode({ organization, phoneNumber, purpose: "sign-up", metadata: '{"plan":"pro"}' }),
)

const statusOf = (requestId: string) =>
  Verifications.use((_) => _.status({ organization, requestId }))

const eventTags = Effect.map(
  EventLog.use((_) => _.list({ organization })),
  ({ events }) => events.map(({ _tag }) => _tag),
)

describe("a queued code", () => {
  engineTest("waits until a node sends it, with its id as the request's", function* () {
    yield* TestEngine.open()
    const { id } = yield* enqueued(prepareCode)
    const queued = yield* statusOf(id)
    assert.deepInclude(queued, { status: "queued", purpose: "sign-up", phoneNumber })
    assert.deepStrictEqual(yield* texts, [])
    assert.strictEqual(yield* round, 1)
    assert.deepInclude(yield* statusOf(id), { status: "pending", metadata: '{"plan":"pro"}' })
    assert.strictEqual((yield* texts).length, 1)
    assert.strictEqual(yield* round, 0)
  })

  engineTest("is sent once if a caller dispatches it as well", function* () {
    yield* TestEngine.open()
    const { id } = yield* enqueued(prepareCode)
    const dispatch = Outbox.use((_) => _.dispatchCode({ organization, requestId: id }))
    const all = yield* Effect.all([dispatch, Effect.andThen(round, dispatch), dispatch], {
      concurrency: "unbounded",
    })
    assert.deepStrictEqual(
      all.map(({ requestId }) => requestId),
      [id, id, id],
    )
    assert.strictEqual((yield* texts).length, 1)
    assert.strictEqual(yield* moneyOf(organization), "99.50 + 0.00 held, 3 entries")
  })

  engineTest("that is refused fails for all who ask, with its reason", function* () {
    yield* TestEngine.open({ balance: Money.zero })
    const { id } = yield* enqueued(prepareCode)
    yield* round
    assert.deepInclude(yield* statusOf(id), { status: "failed", failure: "refused" })
    const again = yield* Effect.flip(
      Outbox.use((_) => _.dispatchCode({ organization, requestId: id })),
    )
    assert.strictEqual(again._tag, "InsufficientBalance")
    const { timeline } = yield* History.use((_) => _.verification({ organization, requestId: id }))
    assert.deepStrictEqual(
      timeline.map(({ kind }) => kind),
      ["queued", "failed"],
    )
    assert.deepInclude(timeline.at(-1), { reason: "refused", code: "insufficient_balance" })
    assert.include(yield* eventTags, "Failed")
    assert.deepStrictEqual(yield* texts, [])
  })

  engineTest("whose fields cannot be read is refused, like a message", function* () {
    yield* TestEngine.open()
    const unreadable = { call: '{"text":"Hel' }
    const code = yield* enqueued(Effect.map(prepareCode, (send) => ({ ...send, ...unreadable })))
    const message = yield* enqueued(
      Effect.map(prepareMessage(), (send) => ({ ...send, ...unreadable })),
    )
    yield* round
    assert.deepInclude(yield* statusOf(code.id), { status: "failed", failure: "refused" })
    const { id } = message
    const { reason, status } = yield* Outbox.use((_) => _.get({ organization, id }))
    assert.deepStrictEqual([status, reason], ["refused", "invalid_request"])
    assert.deepStrictEqual(yield* texts, [])
  })

  engineTest("is in the list of verifications until it is sent, and then once", function* () {
    yield* TestEngine.open()
    const found = (more: Partial<Parsed<SearchVerifications>> = {}) =>
      Effect.map(
        Verifications.use((_) => _.search({ organization, ...more })),
        ({ next, verifications }) => [
          verifications.map(({ requestId, status }) => `${requestId} ${status}`),
          next !== undefined,
        ],
      )
    const first = yield* enqueued(prepareCode)
    yield* round
    yield* enqueued(prepareMessage({ sendAt: 1_000_000 }))
    yield* TestClock.adjust(1)
    const second = yield* enqueued(prepareCode)
    const [sent, waits] = [`${first.id} pending`, `${second.id} queued`]
    assert.deepStrictEqual(yield* found(), [[waits, sent], false])
    assert.deepStrictEqual(yield* found({ phoneNumber }), [[waits, sent], false])
    assert.deepStrictEqual(yield* found({ phoneNumber: "+8801900000000" }), [[], false])
    assert.deepStrictEqual(yield* found({ statuses: ["queued"] }), [[waits], false])
    assert.deepStrictEqual(yield* found({ statuses: ["pending"] }), [[sent], false])
    assert.deepStrictEqual(yield* found({ to: second.createdAt - 1 }), [[sent], false])
    assert.deepStrictEqual(yield* found({ limit: 1 }), [[waits], true])
    const { next } = yield* Verifications.use((_) => _.search({ organization, limit: 1 }))
    assert.deepStrictEqual(yield* found({ limit: 1, cursor: next }), [[sent], false])
    yield* TestClock.adjust(1)
    const third = yield* enqueued(prepareCode)
    const newest = yield* Verifications.use((_) => _.search({ organization, limit: 1 }))
    assert.deepStrictEqual(newest.verifications[0]?.requestId, RequestId(third.id))
    assert.deepStrictEqual(yield* found({ limit: 1, cursor: newest.next }), [[waits], true])
    assert.deepStrictEqual(yield* found({ limit: 2, cursor: newest.next }), [[waits, sent], false])
    yield* Verifications.use((_) => _.cancel({ organization, requestId: third.id }))
    yield* round
    assert.deepStrictEqual(yield* found(), [[`${second.id} pending`, sent], false])
  })

  engineTest("that has ended without being sent is found by its number", function* () {
    yield* TestEngine.open({ balance: Money.zero })
    const { id } = yield* enqueued(prepareCode)
    yield* round
    const found = (more: Partial<Parsed<SearchVerifications>>) =>
      Effect.map(
        Verifications.use((_) => _.search({ organization, ...more })),
        ({ verifications }) => verifications,
      )
    const [refused, ...others] = yield* found({ phoneNumber, statuses: ["failed"] })
    assert.deepInclude(refused, { requestId: RequestId(id), failure: "refused", delivery: null })
    assert.notProperty(refused, "messages")
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(yield* found({ phoneNumber, statuses: ["queued"] }), [])
    assert.deepStrictEqual(yield* found({}), [])
  })

  engineTest("can be cancelled, and is not sent then", function* () {
    yield* TestEngine.open()
    const { id } = yield* enqueued(prepareCode)
    yield* Verifications.use((_) => _.cancel({ organization, requestId: id }))
    assert.strictEqual(yield* round, 0)
    assert.deepInclude(yield* statusOf(id), { status: "failed", failure: "cancelled" })
    assert.deepStrictEqual(yield* texts, [])
  })

  engineTest("is dropped when it would not be valid any more", function* () {
    yield* TestEngine.open()
    const { id } = yield* enqueued(prepareCode)
    yield* TestClock.adjust("5 minutes")
    yield* round
    assert.deepInclude(yield* statusOf(id), { status: "failed", failure: "sending" })
    assert.deepStrictEqual(yield* texts, [])
  })

  engineTest("is not found if it was never committed", function* () {
    yield* TestEngine.open()
    const { id } = yield* prepareCode
    const error = yield* Effect.flip(
      Outbox.use((_) => _.dispatchCode({ organization, requestId: id })),
    )
    assert.strictEqual(error._tag, "RequestNotFound")
  })
})

describe("a queued message", () => {
  engineTest("is sent at its time, and not before", function* () {
    yield* TestEngine.open()
    const sendAt = 3_600_000
    const { id } = yield* enqueued(prepareMessage({ sendAt }))
    yield* TestClock.setTime(sendAt - 1)
    assert.strictEqual(yield* round, 0)
    yield* TestClock.adjust(1)
    assert.strictEqual(yield* round, 1)
    assert.deepStrictEqual(yield* texts, ["Hello"])
    const sent = yield* Outbox.use((_) => _.get({ organization, id }))
    assert.deepInclude(sent, { status: "sent", sequence: 1, text: "" })
  })

  engineTest("can be moved and cancelled until it is sent", function* () {
    yield* TestEngine.open()
    const { id } = yield* enqueued(prepareMessage({ sendAt: 1_000 }))
    const moved = yield* Outbox.use((_) => _.reschedule({ organization, id, sendAt: 2_000 }))
    assert.strictEqual(moved.sendAt, 2_000)
    yield* TestClock.setTime(1_000)
    assert.strictEqual(yield* round, 0)
    yield* Outbox.use((_) => _.cancel({ organization, id }))
    yield* TestClock.setTime(2_000)
    assert.strictEqual(yield* round, 0)
    const error = yield* Effect.flip(
      Outbox.use((_) => _.reschedule({ organization, id, sendAt: 3_000 })),
    )
    assert.deepInclude(error, { _tag: "NotQueued", end: "cancelled" })
    assert.include(yield* eventTags, "MessageDropped")
  })

  engineTest("with an id of the host is queued once and sent once", function* () {
    yield* TestEngine.open()
    const id = `msg_${"0123456789a".repeat(4)}`
    yield* enqueued(prepareMessage({ id }))
    yield* enqueued(prepareMessage({ id, text: "Again" }))
    const dispatch = Outbox.use((_) => _.dispatchMessage({ organization, id }))
    const first = yield* dispatch
    yield* enqueued(prepareMessage({ id }))
    assert.strictEqual(yield* round, 0)
    assert.strictEqual((yield* dispatch).sequence, first.sequence)
    assert.deepStrictEqual(yield* texts, ["Hello"])
  })

  for (const id of ["", "msg_1", `msg_${"0".repeat(45)}`, `vrf_${"0".repeat(44)}`]) {
    engineTest(`is refused with the id ${JSON.stringify(id)}`, function* () {
      const error = yield* Effect.flip(prepareMessage({ id }))
      assert.deepStrictEqual(
        error.details["id"]?.map(({ code }) => code),
        ["not_message_id"],
      )
    })
  }

  engineTest("of a class with quiet hours waits until they end for its recipient", function* () {
    yield* TestEngine.open()
    const promotional = { from: "22:00", to: "08:00" }
    yield* Organizations.use((_) => _.update({ id: organization, quietHours: { promotional } }))
    // 05:00 in Dhaka.
    yield* TestClock.setTime(23 * 3_600_000)
    const refused = yield* Effect.flip(
      Messages.use((_) =>
        _.send({ organization, phoneNumber, text: "Sale", class: "promotional" }),
      ),
    )
    const seconds = 3 * 3_600
    assert.deepInclude(refused, { reason: "quiet_hours", retryAfterSeconds: seconds })
    yield* enqueued(prepareMessage({ text: "Sale", class: "promotional" }))
    yield* enqueued(prepareMessage({ text: "Receipt" }))
    yield* round
    assert.deepStrictEqual(yield* texts, ["Receipt"])
    yield* TestClock.adjust(seconds * 1_000 - 1)
    assert.strictEqual(yield* round, 0)
    yield* TestClock.adjust(1)
    yield* round
    assert.deepStrictEqual(yield* texts, ["Sale", "Receipt"])
  })

  engineTest("waits for the limits of its organization for a day, and no longer", function* () {
    yield* TestEngine.open()
    const messagesPerOrganization = { max: 1, windowMillis: 3_600_000 }
    yield* Organizations.use((_) =>
      _.update({ id: organization, limits: { messagesPerOrganization } }),
    )
    const direct = Messages.use((_) => _.send({ organization, phoneNumber, text: "now" }))
    yield* direct
    const { id } = yield* enqueued(prepareMessage())
    for (let hour = 0; hour < 24; hour++) {
      assert.strictEqual(yield* round, 1)
      assert.deepInclude(yield* Outbox.use((_) => _.get({ organization, id })), {
        status: "queued",
        sendAt: null,
      })
      yield* TestClock.adjust("1 hour")
      yield* direct
    }
    assert.strictEqual(yield* round, 1)
    assert.deepInclude(yield* Outbox.use((_) => _.get({ organization, id })), {
      status: "refused",
      reason: "rate_limited",
    })
  })

  engineTest("to a number that has opted out is refused when it is due", function* () {
    yield* TestEngine.open()
    const { id } = yield* enqueued(prepareMessage({ class: "promotional", sendAt: 1_000 }))
    yield* OptOuts.use((_) => _.add({ organization, phoneNumbers: [phoneNumber] }))
    yield* TestClock.setTime(1_000)
    yield* round
    const dropped = yield* Outbox.use((_) => _.get({ organization, id }))
    assert.deepInclude(dropped, { status: "refused", reason: "opted_out" })
    const again = yield* Effect.flip(Outbox.use((_) => _.dispatchMessage({ organization, id })))
    assert.strictEqual(again._tag, "OptedOut")
    assert.deepStrictEqual(yield* texts, [])
  })

  effectTest("whose node died is sent by another, once", function* () {
    const { here, there, store } = yield* twoNodes()
    yield* here(TestEngine.open())
    const send = yield* here(prepareMessage())
    yield* here(Outbox.use((_) => _.enqueue([send, send])))
    const shares = [{ organization, queue: "", limit: 9 }]
    const [taken] = yield* store.takeQueued(shares, 30_000)
    assert.strictEqual(yield* there(round), 0)
    yield* TestClock.adjust("30 seconds")
    assert.strictEqual(yield* there(round), 1)
    // The first node was only slow.
    if (taken !== undefined) yield* here(Outbox.use((_) => _.handle(taken, 0)))
    assert.deepStrictEqual(yield* there(texts), ["Hello"])
    assert.deepStrictEqual(yield* here(texts), [])
  })

  engineTest("is not sent once it has expired, by a node or by a caller", function* () {
    yield* TestEngine.open()
    const ids: Array<string> = []
    for (const text of ["1", "2", "3"]) {
      const { id } = yield* enqueued(prepareMessage({ text, expiresAt: 60_000 }))
      ids.push(id)
    }
    const [first = "", second = "", third = ""] = ids
    yield* TestClock.setTime(60_000)
    const late = { _tag: "NotQueued", end: "expired" } as const
    const dispatched = Outbox.use((_) => _.dispatchMessage({ organization, id: first }))
    assert.deepInclude(yield* Effect.flip(dispatched), late)
    const moved = Outbox.use((_) => _.reschedule({ organization, id: second, sendAt: 90_000 }))
    assert.deepInclude(yield* Effect.flip(moved), late)
    yield* round
    for (const id of [first, second, third]) {
      assert.strictEqual((yield* Outbox.use((_) => _.get({ organization, id }))).status, "expired")
    }
    assert.deepStrictEqual(yield* texts, [])
  })
})
