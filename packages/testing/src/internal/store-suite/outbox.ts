import type { Claimed, NewQueuedSend, QueueRef } from "@countersign/core/domain/outbox/QueuedSend"
import * as QueuedSend from "@countersign/core/domain/outbox/QueuedSend"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import type { Share } from "@countersign/core/ports/OutboxRows"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import { erase, other, person, personal } from "./personal.ts"
import { prune, sound } from "./prune.ts"
import { open, present, run, type StoreService, type Test, times, transcript } from "./support.ts"

const { messageId, now, organizationId, otherOrganizationId, queuedSend } = Samples

const lease = 30_000
const noQueue: QueueRef = { organization: organizationId, queue: "" }
const share = (limit = 10, of: QueueRef = noQueue): Share => ({ ...of, limit })

const take = (store: StoreService, ...shares: ReadonlyArray<Share>) =>
  store.takeQueued(shares.length === 0 ? [share()] : shares, lease)

const idsOf = (sends: ReadonlyArray<{ readonly id: string }>): ReadonlyArray<number> =>
  sends.map(({ id }) => [1, 2, 3, 4, 5, 6].find((index) => messageId(index) === id) ?? 0)

const sendsOf = (
  count: number,
  make: (index: number) => Partial<NewQueuedSend> = () => ({}),
): ReadonlyArray<NewQueuedSend> =>
  times(count, (index) => queuedSend({ id: messageId(index + 1), ...make(index + 1) }))

const hold = (
  queued: Claimed,
  overrides: Samples.Overrides<ReturnType<typeof Samples.holdMessage>> = {},
) => Samples.holdMessage({ queued, draft: { id: messageId(1) }, ...overrides })

const one = (store: StoreService, index = 1) =>
  Effect.map(store.queued(organizationId, messageId(index)), present)

const balance = (store: StoreService) =>
  Effect.map(store.account(organizationId), (account) => {
    const { balance, held } = present(account)
    return balance + held
  })

export const outboxSection = (test: Test): void => {
  test("a send is stored as it is, once", function* (store) {
    yield* open(store)
    const full = queuedSend({
      id: messageId(2),
      call: `{"text":"it's \\"quoted\\" \\\\ $1 যাচাই"}`,
      orderKey: "user 7",
      queue: "batch",
      dueAt: now + 5,
      expiresAt: now + 10,
    })
    yield* store.enqueue([queuedSend(), full])
    yield* store.enqueue([{ ...full, call: "{}", phoneNumber: other }])
    yield* store.enqueue([])
    assert.deepStrictEqual(yield* one(store), QueuedSend.make(queuedSend()))
    assert.deepStrictEqual(yield* one(store, 2), QueuedSend.make(full))
    assert.isUndefined(yield* store.queued(organizationId, messageId(3)))
    assert.isUndefined(yield* store.queued(otherOrganizationId, messageId(1)))
  })

  test("a page has the sends of a queue in the order in which they were added", function* (store) {
    yield* open(store)
    yield* store.enqueue(sendsOf(3, () => ({ queue: "batch" })))
    yield* store.enqueue([
      queuedSend({ id: messageId(4) }),
      queuedSend({ id: messageId(5), queue: "batch" }),
    ])
    const batch = { organization: organizationId, queue: "batch" }
    const pages: Array<ReadonlyArray<number>> = []
    let after: number | undefined
    do {
      const page = yield* store.queuedPage(batch, after, 2)
      pages.push(idsOf(page.found))
      after = page.next
    } while (after !== undefined)
    assert.deepStrictEqual(pages, [
      [1, 2],
      [3, 5],
    ])
    const unknown = { organization: otherOrganizationId, queue: "batch" }
    assert.deepStrictEqual(yield* store.queuedPage(unknown, undefined, 2), {
      found: [],
      next: undefined,
    })
  })

  test("each send is taken by one node, and again when its lease is over", function* (store) {
    yield* open(store)
    yield* store.enqueue(sendsOf(4))
    const both = yield* Effect.all([take(store, share(2)), take(store, share(2))], {
      concurrency: 2,
    })
    assert.deepStrictEqual(idsOf(both.flat()).toSorted(), [1, 2, 3, 4])
    for (const send of both.flat()) {
      assert.deepInclude(send, { claim: 1, dueAt: now + lease })
      assert.deepStrictEqual(yield* store.queued(organizationId, send.id), send)
    }
    assert.deepStrictEqual(yield* take(store), [])
    yield* TestClock.adjust(lease - 1)
    assert.deepStrictEqual(yield* take(store), [])
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(
      (yield* take(store)).map(({ claim, dueAt }) => [claim, dueAt]),
      times(4, () => [2, now + 2 * lease]),
    )
  })

  test("the longest due is taken first, and none before its time", function* (store) {
    yield* open(store)
    const due = [now, now - 2, now + 1, 0, now - 2]
    yield* store.enqueue(sendsOf(5, (index) => ({ dueAt: due[index - 1] ?? 0 })))
    assert.deepStrictEqual(idsOf(yield* take(store, share(3))), [4, 2, 5])
    assert.deepStrictEqual(idsOf(yield* take(store)), [1])
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(idsOf(yield* take(store)), [3])
  })

  test("a node takes a share of each queue", function* (store) {
    yield* open(store)
    yield* open(store, undefined, otherOrganizationId)
    const organization = otherOrganizationId
    yield* store.enqueue(sendsOf(3))
    yield* store.enqueue(sendsOf(2, (index) => ({ id: messageId(index + 3), queue: "batch" })))
    yield* store.enqueue([queuedSend({ id: messageId(6), organization })])
    const taken = yield* take(
      store,
      share(5, { organization, queue: "" }),
      share(2),
      share(1, { organization: organizationId, queue: "batch" }),
      share(9, { organization, queue: "unknown" }),
    )
    assert.deepStrictEqual(idsOf(taken), [6, 1, 2, 4])
  })

  test("sends with the same order key go one after another", function* (store) {
    yield* open(store)
    const keys = ["a", "a", "b", "a", null]
    // The second is due for longer, and still waits for the first.
    yield* store.enqueue(
      sendsOf(5, (index) => ({
        orderKey: keys[index - 1] ?? null,
        dueAt: index === 2 ? 0 : index,
      })),
    )
    yield* open(store, undefined, otherOrganizationId)
    const organization = otherOrganizationId
    yield* store.enqueue([queuedSend({ organization, id: messageId(6), orderKey: "a" })])
    assert.deepStrictEqual(idsOf(yield* take(store)), [1, 3, 5])
    assert.deepStrictEqual(idsOf(yield* take(store, share(1, { organization, queue: "" }))), [6])
    assert.deepStrictEqual(yield* take(store), [])
    const queued = { id: messageId(1), claim: 1 }
    assert.deepStrictEqual(yield* run(store, Samples.endQueued({ queued })), { _tag: "Ended" })
    assert.deepStrictEqual(idsOf(yield* take(store)), [2])
    yield* TestClock.adjust(lease)
    assert.deepStrictEqual(idsOf(yield* take(store)), [2, 3, 5])
  })

  test("queues with sends that are due are found in pages", function* (store) {
    yield* open(store)
    yield* open(store, undefined, otherOrganizationId)
    const unknown = OrganizationId("m")
    yield* store.enqueue([
      ...sendsOf(3),
      queuedSend({ id: messageId(4), queue: "b2" }),
      queuedSend({ id: messageId(5), queue: "b1" }),
      queuedSend({ id: messageId(6), queue: "later", dueAt: now + 1 }),
      // Its organization does not exist.
      queuedSend({ organization: unknown }),
      queuedSend({ organization: otherOrganizationId }),
    ])
    const all = [
      noQueue,
      { organization: organizationId, queue: "b1" },
      { organization: organizationId, queue: "b2" },
      { organization: otherOrganizationId, queue: "" },
    ]
    assert.deepStrictEqual(yield* store.queues(undefined, 10), all)
    assert.deepStrictEqual(yield* store.queues(undefined, 2), all.slice(0, 2))
    assert.deepStrictEqual(yield* store.queues(all[1], 2), all.slice(2))
    assert.deepStrictEqual(yield* store.queues(all[3], 2), [])
    yield* take(store, share(10))
    assert.deepStrictEqual(yield* store.queues(undefined, 10), all.slice(1))
    yield* TestClock.adjust(1)
    const later = { organization: organizationId, queue: "later" }
    assert.deepStrictEqual(yield* store.queues(all[2], 10), [later, ...all.slice(3)])
  })

  test("the commit that charges a message ends its send", function* (store) {
    yield* open(store)
    yield* store.enqueue([queuedSend()])
    yield* take(store)
    const before = yield* balance(store)
    const queued = { id: messageId(1), claim: 1 }
    const held = yield* run(store, hold(queued))
    assert.deepInclude(held, { _tag: "Held", messageSequence: 1 })
    assert.deepStrictEqual(yield* one(store), {
      ...QueuedSend.make(queuedSend()),
      phoneNumber: PhoneNumber.erase(person),
      call: "",
      claim: 1,
      dueAt: null,
      end: "sent",
      messageSequence: 1,
      endedAt: now,
    })
    assert.deepStrictEqual(
      yield* transcript(store, [hold(queued), hold({ id: messageId(1) }), Samples.endQueued()]),
      ["NotQueued", "NotQueued", "NotQueued"],
    )
    assert.strictEqual(yield* balance(store), before)
    yield* TestClock.adjust(lease)
    assert.deepStrictEqual(yield* take(store), [])
    yield* sound(store)
  })

  test("the commit that opens a request ends its send", function* (store) {
    yield* open(store)
    const id = Samples.requestId(1)
    yield* store.enqueue([queuedSend({ id })])
    const ask = Samples.requestVerification({ requestId: id, queued: { id } })
    assert.deepStrictEqual(yield* transcript(store, [ask, ask]), ["Requested", "NotQueued"])
    assert.deepInclude(yield* store.queued(organizationId, id), { end: "sent", messageSequence: 1 })
    yield* sound(store)
  })

  test("a refusal leaves a send open", function* (store) {
    yield* open(store, Samples.money("0.4"))
    yield* store.enqueue([queuedSend()])
    const [taken] = yield* take(store)
    assert.deepStrictEqual(
      (yield* run(store, hold({ id: messageId(1), claim: 1 })))._tag,
      "Insufficient",
    )
    assert.deepStrictEqual(yield* one(store), present(taken))
  })

  test("of two nodes with a send, the later one has it", function* (store) {
    yield* open(store)
    yield* store.enqueue([queuedSend()])
    yield* take(store)
    yield* TestClock.adjust(lease)
    yield* take(store)
    const [old, current] = [1, 2].map((claim) => ({ id: messageId(1), claim }))
    const of = present(old)
    const commands = [
      hold(of),
      Samples.endQueued({ queued: of }),
      Samples.moveQueued({ queued: of }),
    ]
    assert.deepStrictEqual(
      yield* transcript(store, commands),
      times(3, () => "NotQueued"),
    )
    assert.strictEqual((yield* run(store, hold(present(current))))._tag, "Held")
  })

  test("a change of the time takes a send from the node that has it", function* (store) {
    yield* open(store)
    yield* store.enqueue([queuedSend()])
    yield* take(store)
    const queued = { id: messageId(1) }
    const dueAt = now + 60_000
    const moved = yield* run(store, Samples.moveQueued({ queued, dueAt }))
    assert.deepStrictEqual(moved, { _tag: "Moved" })
    assert.strictEqual((yield* run(store, hold({ ...queued, claim: 1 })))._tag, "NotQueued")
    assert.deepInclude(yield* one(store), { dueAt, end: null })
    yield* TestClock.adjust(60_000)
    const [again] = yield* take(store)
    const { claim } = present(again)
    assert.isAbove(claim, 2)
    assert.strictEqual((yield* run(store, hold({ ...queued, claim })))._tag, "Held")
  })

  test("a send that ends without a message keeps the reason, and tells of it", function* (store) {
    yield* open(store)
    const id = Samples.requestId(1)
    const expiresAt = now
    yield* store.enqueue([...sendsOf(3, () => ({ expiresAt })), queuedSend({ id })])
    const failure = { code: "insufficient_balance", error: '{"code":"insufficient_balance"}' }
    const refused = { end: "refused", failure } as const
    yield* transcript(store, [
      Samples.endQueued({ queued: { id: messageId(1) }, ...refused }),
      Samples.endQueued({ queued: { id: messageId(2) }, end: "expired" }),
      Samples.endQueued({
        queued: { id },
        ...refused,
        verification: { purpose: "login", metadata: null },
      }),
    ])
    assert.deepInclude(yield* one(store), { end: "refused", failure: failure.error, endedAt: now })
    assert.deepInclude(yield* one(store, 2), { end: "expired", failure: null, phoneNumber: person })
    const { events } = present(yield* store.events(organizationId, 0, 10))
    assert.deepStrictEqual(
      events.flatMap((event) => {
        if (event._tag === "MessageDropped") return [[event.id, event.reason, event.code]]
        return event._tag === "Failed" ? [[event.requestId, event.reason, event.purpose]] : []
      }),
      [
        [messageId(1), "refused", "insufficient_balance"],
        [messageId(2), "expired", null],
        [id, "refused", "login"],
      ],
    )
    assert.deepStrictEqual(idsOf(yield* take(store)), [3])
    assert.strictEqual(
      (yield* run(store, Samples.endQueued({ queued: { id: messageId(4) } })))._tag,
      "NotQueued",
    )
    yield* sound(store)
  })

  test("a node that has taken a send does not send it after a caller has", function* (store) {
    yield* open(store)
    yield* store.enqueue([queuedSend({ orderKey: "a" })])
    const [taken] = yield* take(store)
    const { claim, id } = present(taken)
    assert.strictEqual((yield* run(store, hold({ id })))._tag, "Held")
    // It has ended, and waits for its release.
    assert.deepInclude(yield* one(store), { end: "sent", orderKey: "a" })
    const again = yield* run(store, hold({ id, claim, row: present(taken) }))
    assert.strictEqual(again._tag, "NotQueued")
    yield* sound(store)
  })

  test("a node is woken when sends are added", function* (store) {
    yield* open(store)
    const woken = yield* Effect.forkChild(Stream.runHead(store.wakeups), { startImmediately: true })
    yield* store.enqueue([queuedSend()])
    assert.strictEqual((yield* Fiber.join(woken))._tag, "Some")
  })

  test("retention drops sends that have ended, and no other", function* (store) {
    yield* open(store)
    yield* store.enqueue(sendsOf(5))
    const end = (index: number) =>
      run(store, Samples.endQueued({ queued: { id: messageId(index) } }))
    for (const index of [1, 2, 4]) yield* end(index)
    yield* TestClock.adjust(1_000)
    yield* end(5)
    const options = { keepMillis: 1_000, limit: 2 }
    assert.deepStrictEqual(yield* prune(store, "outbox", options), [0])
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(yield* prune(store, "outbox", options), [2, 1])
    const left = yield* store.queuedPage(noQueue, undefined, 10)
    assert.deepStrictEqual(idsOf(left.found), [3, 5])
  })

  test("an erasure cancels the sends to a number, and an export shows them", function* (store) {
    yield* open(store)
    const of = [person, other, person, person]
    const expiresAt = now
    yield* store.enqueue(
      sendsOf(4, (index) => ({
        phoneNumber: of[index - 1] ?? person,
        ...(index === 3 && { expiresAt }),
      })),
    )
    yield* take(store, share(1))
    yield* run(store, Samples.endQueued({ queued: { id: messageId(3) }, end: "expired" }))
    assert.deepStrictEqual(idsOf((yield* personal(store, person, 2)).queued), [1, 3, 4])
    assert.strictEqual((yield* erase(store, { limit: 1 })).counts.messages, 3)
    const gone = { phoneNumber: PhoneNumber.erase(person), call: "", dueAt: null, endedAt: now }
    assert.deepInclude(yield* one(store), { ...gone, end: "cancelled" })
    assert.deepInclude(yield* one(store, 3), { ...gone, end: "expired" })
    assert.deepInclude(yield* one(store, 4), { ...gone, end: "cancelled" })
    assert.strictEqual((yield* run(store, hold({ id: messageId(1), claim: 1 })))._tag, "NotQueued")
    assert.deepStrictEqual((yield* personal(store)).queued, [])
    assert.deepStrictEqual(idsOf(yield* take(store)), [2])
    assert.strictEqual((yield* erase(store)).counts.messages, 0)
  })
}
