import * as Organization from "@countersign/core/domain/organizations/Organization"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Money from "@countersign/core/domain/values/Money"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import { held, open, run, type StoreService, settled, type Test } from "./support.ts"

const { now, organizationId, queuedSend, webhook } = Samples

const noLag = { settlement: 0, outbox: 0, webhooks: 0, events: 0 }

const lags = (store: StoreService) => Effect.map(store.summary, (summary) => summary.lags)

export const stateSection = (test: Test): void => {
  test("a new store is migrated, and nothing in it is late", function* (store) {
    assert.isTrue(yield* store.isMigrated)
    assert.deepStrictEqual(yield* store.summary, {
      lags: noLag,
      unableToSend: { suspended: 0, noSender: 0, noBalance: 0 },
      held: Money.zero,
    })
  })

  test("the connections in use do not exceed those that there may be", function* (store) {
    const { inUse, max, waiting } = yield* store.connections
    assert.isAtMost(inUse, max)
    assert.strictEqual(waiting, 0)
    assert.isAtLeast(yield* store.rowsInMemory, 0)
  })

  test("an open message is late once settlement should have taken it up", function* (store) {
    yield* open(store)
    yield* run(store, held(1))
    const { draft } = held(1)
    assert.deepStrictEqual(yield* lags(store), noLag)
    yield* TestClock.adjust(draft.leaseMillis + 5_000)
    assert.deepStrictEqual(yield* lags(store), { ...noLag, settlement: 5_000 })
    yield* run(store, settled(1, { _tag: "Delivered", gatewayId: "gw-1" }))
    assert.deepStrictEqual(yield* lags(store), noLag)
  })

  test("a queued send is late once it is due, and not before", function* (store) {
    yield* open(store)
    yield* store.enqueue([
      queuedSend({ id: Samples.messageId(1), dueAt: now + 1_000 }),
      queuedSend({ id: Samples.messageId(2), queue: "batch", dueAt: now + 60_000 }),
    ])
    assert.deepStrictEqual(yield* lags(store), noLag)
    yield* TestClock.adjust(4_000)
    assert.deepStrictEqual(yield* lags(store), { ...noLag, outbox: 3_000 })
  })

  test("an event is late that a webhook has not got, and a retry that no node makes", function* (store) {
    yield* open(store)
    const save = (one: typeof added) =>
      store.changeOrganization(organizationId, (current) => Organization.withWebhook(current, one))
    const account = yield* store.account(organizationId)
    const added = webhook({ startsAfter: account?.lastEvent ?? 0 })
    yield* save(added)
    const { id, startsAfter } = added
    const about = { organization: organizationId, id, startsAfter } as const
    // The addition of the webhook is an event.
    yield* TestClock.adjust(2_000)
    assert.deepStrictEqual(yield* lags(store), { ...noLag, events: 2_000 })
    const version = (yield* store.account(organizationId))?.version ?? 0
    yield* run(store, {
      _tag: "ClaimWebhook",
      ...about,
      version,
      holder: "node",
      leaseMillis: 60_000,
    })
    const sequence = startsAfter + 1
    yield* run(store, {
      _tag: "RecordDeliveries",
      organization: organizationId,
      id,
      holder: "node",
      round: {
        position: sequence,
        previous: null,
        deliveries: [
          {
            sequence,
            type: null,
            previous: null,
            at: now + 2_000,
            millis: 20,
            jitter: 0,
            status: 500,
            answer: null,
            outcome: { _tag: "Failed", error: "HTTP 500", retryAfterMillis: 0 },
          },
        ],
      },
    })
    yield* TestClock.adjust(61_000)
    const late = yield* lags(store)
    assert.strictEqual(late.events, 61_000)
    assert.isAbove(late.webhooks, 0)
    assert.isBelow(late.webhooks, 61_000)
    yield* save({ ...added, isEnabled: false })
    assert.deepStrictEqual(yield* lags(store), noLag)
  })

  test("an organization that cannot send counts once, by the first reason", function* (store) {
    yield* open(store)
    const bare = OrganizationId("bare")
    yield* open(store, Samples.money("10"), bare)
    const change = (
      id: OrganizationId,
      change: Parameters<StoreService["changeOrganization"]>[1],
    ) => store.changeOrganization(id, change)
    const unable = Effect.map(store.summary, (summary) => summary.unableToSend)
    const senders = yield* Effect.map(
      store.organization(organizationId),
      (one) => one?.senders ?? [],
    )
    assert.isAbove(senders.filter((one) => one.isDefault && one.status === "approved").length, 0)
    yield* change(bare, (one) => ({ ...one, senders: [] }))
    assert.deepStrictEqual(yield* unable, { suspended: 0, noSender: 1, noBalance: 0 })
    yield* change(bare, (one) => Organization.withSettings(one, { isSuspended: true }))
    assert.deepStrictEqual(yield* unable, { suspended: 1, noSender: 0, noBalance: 0 })
    // What is left does not cover a message like the last one.
    yield* run(store, held(1, { draft: { id: Samples.messageId(1), charge: Samples.money("6") } }))
    assert.deepStrictEqual(yield* unable, { suspended: 1, noSender: 0, noBalance: 1 })
    assert.strictEqual((yield* store.summary).held, Samples.money("6"))
    yield* run(store, settled(1, { _tag: "NotSent", message: "no route" }))
    assert.deepStrictEqual(yield* unable, { suspended: 1, noSender: 0, noBalance: 0 })
    assert.strictEqual((yield* store.summary).held, Money.zero)
  })
}
