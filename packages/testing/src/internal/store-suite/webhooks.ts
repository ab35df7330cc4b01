import { host } from "@countersign/core/domain/values/Actor"
import { types as all } from "@countersign/core/domain/events/EventTable"
import { OrganizationId, WebhookId } from "@countersign/core/domain/values/Ids"
import * as Organization from "@countersign/core/domain/organizations/Organization"
import type { Webhook } from "@countersign/core/domain/webhooks/Webhook"
import {
  type Round,
  slowForMillis,
  slowMillis,
} from "@countersign/core/domain/webhooks/WebhookProgress"
import type { AttemptQuery } from "@countersign/core/ports/CounterRows"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import { sound } from "./prune.ts"
import { open, present, run, type StoreService, type Test, times } from "./support.ts"

const { now, organizationId, otherOrganizationId, webhook } = Samples
const { id } = webhook()
const leaseMillis = 60_000

const save = (store: StoreService, one: Webhook, organization = organizationId) =>
  store.changeOrganization(organization, (current) => Organization.withWebhook(current, one))

const about = { organization: organizationId, id, startsAfter: webhook().startsAfter } as const

const lastEventOf = (store: StoreService) =>
  Effect.map(store.account(organizationId), (account) => account?.lastEvent ?? Infinity)

const versionOf = (store: StoreService) =>
  Effect.map(store.account(organizationId), (account) => present(account).version)

const claim = Effect.fnUntraced(function* (store: StoreService, holder: string) {
  const version = yield* versionOf(store)
  return yield* run(store, { _tag: "ClaimWebhook", ...about, version, holder, leaseMillis })
})

/** Records a round, and first makes the events that its position needs. */
const record = Effect.fnUntraced(function* (
  store: StoreService,
  holder: string,
  { deliveries = [], position = 1, previous = null }: Partial<Round> = {},
) {
  for (let last = yield* lastEventOf(store); last < position; last = yield* lastEventOf(store)) {
    yield* store.changeOrganization(organizationId, (one) => ({ ...one, name: `${one.name}.` }))
  }
  return yield* run(store, {
    _tag: "RecordDeliveries",
    organization: organizationId,
    id,
    holder,
    round: { position, previous, deliveries },
  })
})

const replay = Effect.fnUntraced(function* (store: StoreService, after?: number) {
  const version = yield* versionOf(store)
  return yield* run(store, { _tag: "ReplayWebhook", actor: host, ...about, version, after })
})

const attempt = {
  previous: null,
  type: "verified",
  answer: null,
  at: now,
  millis: 20,
  jitter: 0,
} as const

const failure = (sequence: number, error = "HTTP 500") =>
  ({
    ...attempt,
    sequence,
    previous: sequence - 1,
    outcome: { _tag: "Failed", error, retryAfterMillis: 0 },
    status: 500,
    answer: error,
  }) as const

const delivered = (sequence: number, millis = 20) =>
  ({ ...attempt, sequence, outcome: { _tag: "Delivered" }, status: 204, millis }) as const

const dueOf = (store: StoreService, isTroubled: boolean) =>
  Effect.map(store.dueWebhooks({ isTroubled, limit: 100 }), (all) => all.map(({ id }) => id))

/** In trouble or not. */
const due = (store: StoreService) =>
  Effect.map(Effect.all([dueOf(store, true), dueOf(store, false)]), (both) => both.flat())

const progress = (store: StoreService) =>
  Effect.map(store.webhookProgress(organizationId), ([one]) => present(one))

export const webhooksSection = (test: Test): void => {
  test("the settings of webhooks are stored in their order, and removed", function* (store) {
    yield* store.createOrganization(Samples.organization({ webhooks: [webhook()] }))
    const second = webhook({
      id: WebhookId("whk_2"),
      url: 'https://example.org/?a="b"&c=(ক,)',
      description: null,
      types: all,
      isEnabled: false,
      secrets: [
        { sealed: Samples.digest("two"), pepper: "k2", until: null },
        { sealed: Samples.digest("one"), pepper: "k1", until: 2 ** 45 },
      ],
      startsAfter: 2 ** 45,
    })
    const third = webhook({ id: WebhookId("whk_0"), types: null, secrets: [] })
    yield* save(store, second)
    yield* save(store, third)
    const stored = Effect.map(store.organization(organizationId), (one) => one?.webhooks)
    assert.deepStrictEqual(yield* stored, [webhook(), second, third])
    yield* save(store, { ...second, isEnabled: true })
    assert.deepStrictEqual(yield* stored, [webhook(), { ...second, isEnabled: true }, third])
    yield* store.changeOrganization(organizationId, (one) =>
      Organization.withoutWebhook(one, second.id),
    )
    assert.deepStrictEqual(yield* stored, [webhook(), third])
    yield* sound(store)
  })

  test("a webhook is claimed by one node, until its lease ends", function* (store) {
    yield* open(store)
    yield* save(store, webhook())
    const first = yield* claim(store, "a")
    assert.deepInclude(first, { _tag: "Claimed", now })
    assert.strictEqual((yield* claim(store, "b"))._tag, "NotDue")
    assert.strictEqual((yield* record(store, "b"))._tag, "Fenced")
    assert.deepStrictEqual(yield* due(store), [])
    yield* TestClock.adjust(leaseMillis)
    assert.deepStrictEqual(yield* due(store), [id])
    assert.strictEqual((yield* claim(store, "b"))._tag, "Claimed")
    assert.strictEqual((yield* record(store, "a"))._tag, "Fenced")
    assert.strictEqual((yield* record(store, "b"))._tag, "DeliveriesRecorded")
    const { holder, leaseUntil, position } = yield* progress(store)
    assert.deepStrictEqual([holder, leaseUntil, position], [null, 0, 1])
  })

  test("progress is stored as it was recorded, and goes with its webhook", function* (store) {
    yield* open(store)
    yield* save(store, webhook())
    yield* claim(store, "a")
    const error = 'say "no"\\ (ক, }'
    const recorded = yield* record(store, "a", {
      position: 9,
      previous: 8,
      deliveries: [delivered(3), failure(5, error), failure(7, error)],
    })
    assert.strictEqual(recorded._tag, "DeliveriesRecorded")
    const retry = { attempts: 1, firstAt: now, nextAt: now + 5_000 }
    assert.deepStrictEqual(yield* progress(store), {
      organization: organizationId,
      id,
      status: "active",
      position: 9,
      previous: 8,
      retries: [
        { sequence: 5, previous: 4, ...retry },
        { sequence: 7, previous: 6, ...retry },
      ],
      retryAt: now + 5_000,
      isFull: false,
      troubledSince: null,
      slowUntil: 0,
      lastError: error,
      attempts: [
        { sequence: 7, at: now, millis: 20, status: 500, error, answer: error },
        { sequence: 5, at: now, millis: 20, status: 500, error, answer: error },
        { sequence: 3, at: now, millis: 20, status: 204, error: null, answer: null },
      ],
      attempted: 3,
      holder: null,
      leaseUntil: 0,
    })
    yield* save(store, webhook({ description: "another" }))
    assert.strictEqual((yield* progress(store)).position, 9)
    yield* store.changeOrganization(organizationId, (one) => Organization.withoutWebhook(one, id))
    assert.deepStrictEqual(yield* store.webhookProgress(organizationId), [])
    assert.strictEqual((yield* record(store, "a"))._tag, "Fenced")
    assert.deepStrictEqual(yield* store.webhookProgress(organizationId), [])
  })

  test("a webhook is due while it has events or a retry whose time has come", function* (store) {
    yield* open(store)
    assert.deepStrictEqual(yield* due(store), [])
    yield* save(store, webhook({ startsAfter: 2 }))
    assert.deepStrictEqual(yield* due(store), [])
    yield* run(store, Samples.topUp())
    assert.deepStrictEqual(yield* due(store), [id])
    yield* save(store, webhook({ startsAfter: 2, isEnabled: false }))
    assert.deepStrictEqual(yield* due(store), [])
    yield* save(store, webhook({ startsAfter: 2 }))
    yield* claim(store, "a")
    yield* record(store, "a", { position: 5, deliveries: [delivered(3), failure(4)] })
    assert.deepStrictEqual(yield* due(store), [])
    yield* TestClock.adjust(5_000)
    assert.deepStrictEqual(yield* due(store), [id])
    yield* claim(store, "a")
    yield* record(store, "a", { position: 5, deliveries: [delivered(4)] })
    assert.deepStrictEqual(yield* due(store), [])
  })

  test("a webhook is in trouble before its first delivery, after failures, and after a slow answer", function* (store) {
    yield* open(store)
    yield* save(store, webhook())
    const troubles: Array<boolean> = []
    const look = Effect.gen(function* () {
      const [apart, among] = [yield* dueOf(store, true), yield* dueOf(store, false)]
      assert.deepStrictEqual([...apart, ...among], [id])
      troubles.push(apart.length > 0)
    })
    const round = Effect.fnUntraced(function* (...deliveries: Round["deliveries"]) {
      yield* claim(store, "a")
      yield* record(store, "a", { deliveries })
      yield* run(store, Samples.topUp())
      yield* look
    })
    yield* look
    yield* round(delivered(2))
    yield* round(failure(3))
    yield* round(delivered(4))
    yield* round(delivered(5, slowMillis - 1))
    yield* round(delivered(6, slowMillis))
    yield* round(delivered(7))
    yield* TestClock.adjust(slowForMillis - 1)
    yield* look
    yield* TestClock.adjust(1)
    yield* look
    const expected = [true, false, true, false, false, true, true, true, false]
    assert.deepStrictEqual(troubles, expected)
    yield* round({ ...delivered(8, slowMillis), outcome: { _tag: "Cut" } })
    assert.deepInclude(yield* progress(store), { slowUntil: now + 2 * slowForMillis })
    // A replay does not make it faster.
    yield* replay(store, 1)
    yield* look
    assert.deepStrictEqual(troubles.slice(-2), [true, true])
    yield* sound(store)
  })

  test("no new event is due while the retries are full", function* (store) {
    yield* open(store)
    yield* save(store, webhook())
    yield* claim(store, "a")
    const deliveries = times(100, (index) => failure(index + 1))
    yield* record(store, "a", { position: 1, deliveries })
    yield* run(store, Samples.topUp())
    assert.deepStrictEqual(yield* due(store), [])
    yield* TestClock.adjust(5_000)
    assert.deepStrictEqual(yield* due(store), [id])
  })

  test("each attempt is kept at its place, also after a replay", function* (store) {
    yield* open(store)
    yield* save(store, webhook())
    const error = 'say "no"\\ (ক, }'
    yield* claim(store, "a")
    const dropped = { ...delivered(4), type: null, outcome: { _tag: "Dropped" } } as const
    const deliveries = [delivered(3), dropped, failure(5, error)]
    yield* record(store, "a", { position: 9, deliveries })
    yield* TestClock.adjust(5_000)
    yield* replay(store, 4)
    yield* claim(store, "b")
    yield* record(store, "b", { position: 9, deliveries: [{ ...delivered(5), at: now + 5_000 }] })
    const select: AttemptQuery = {
      organization: organizationId,
      webhookId: id,
      limit: 10,
      isTaken: undefined,
      event: undefined,
      from: undefined,
      to: undefined,
      before: undefined,
    }
    const positions = (query: Partial<AttemptQuery>) =>
      Effect.map(store.webhookAttempts({ ...select, ...query }), (rows) =>
        rows.map(({ position }) => position),
      )
    const [newest, failed] = yield* store.webhookAttempts(select)
    const about = { organization: organizationId, webhookId: id, type: "verified", millis: 20 }
    assert.deepStrictEqual<unknown>(newest, {
      ...about,
      position: 3,
      sequence: 5,
      previous: null,
      number: 1,
      at: now + 5e3,
      status: 204,
      error: null,
      answer: null,
    })
    assert.deepStrictEqual<unknown>(failed, {
      ...about,
      position: 2,
      sequence: 5,
      previous: 4,
      number: 1,
      at: now,
      status: 500,
      error,
      answer: error,
    })
    assert.deepStrictEqual(yield* positions({}), [3, 2, 1])
    const partial: ReadonlyArray<[Partial<AttemptQuery>, Array<number>]> = [
      [{ limit: 2 }, [3, 2]],
      [{ before: 3 }, [2, 1]],
      [{ isTaken: true }, [3, 1]],
      [{ isTaken: false }, [2]],
      [{ event: 5 }, [3, 2]],
      [{ event: 5, isTaken: false, before: 3 }, [2]],
      [{ from: now + 1 }, [3]],
      [{ to: now }, [2, 1]],
      [{ webhookId: WebhookId("whk_2") }, []],
    ]
    for (const [query, expected] of partial) {
      assert.deepStrictEqual(yield* positions(query), expected)
    }
    yield* sound(store)
  })

  test("an event that is sent again by hand leaves the deliveries under way", function* (store) {
    yield* open(store)
    yield* save(store, webhook())
    yield* claim(store, "a")
    yield* record(store, "a", { position: 9, deliveries: [failure(5), failure(7)] })
    yield* TestClock.adjust(5_000)
    yield* claim(store, "a")
    const before = yield* progress(store)
    const resend = (delivery: Round["deliveries"][number]) =>
      Effect.flatMap(versionOf(store), (version) =>
        run(store, { _tag: "RecordResent", actor: host, ...about, version, delivery }),
      )
    yield* resend(failure(5))
    const failed = yield* progress(store)
    assert.deepStrictEqual(failed.retries, before.retries)
    assert.strictEqual(failed.holder, "a")
    yield* resend(delivered(5))
    const { attempted, retries } = yield* progress(store)
    assert.deepStrictEqual([attempted, retries.map(({ sequence }) => sequence)], [4, [7]])
    yield* sound(store)
  })

  test("due webhooks of all organizations are read in pages", function* (store) {
    const ids = times(3, (index) => WebhookId(`whk_${index}`))
    for (const organization of [otherOrganizationId, organizationId]) {
      yield* open(store, Samples.money("10"), organization)
      for (const one of ids.toReversed()) yield* save(store, webhook({ id: one }), organization)
    }
    const all = [organizationId, otherOrganizationId].flatMap((organization) =>
      ids.map((one) => ({ organization, id: one })),
    )
    const page = (limit: number, after?: (typeof all)[number]) =>
      store.dueWebhooks({ isTroubled: true, limit, after })
    assert.deepStrictEqual(yield* page(10), all)
    assert.deepStrictEqual(yield* page(2), all.slice(0, 2))
    assert.deepStrictEqual(yield* page(2, all[1]), all.slice(2, 4))
    assert.deepStrictEqual(yield* page(2, all[5]), [])
    assert.deepStrictEqual(yield* store.webhookProgress(OrganizationId("unknown")), [])
  })
}
