import * as Organization from "@countersign/core/domain/organizations/Organization"
import { SenderId, OrganizationId } from "@countersign/core/domain/values/Ids"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import { day, prune, sound } from "./prune.ts"
import { atOnce, open, present, run, type StoreService, type Test, times } from "./support.ts"

const { money, organizationId, requestId } = Samples

const read = (store: StoreService, after = 0, limit = 1_000) =>
  Effect.map(store.events(organizationId, after, limit), present)

const sequences = ({ events }: { readonly events: ReadonlyArray<{ readonly sequence: number }> }) =>
  events.map(({ sequence }) => sequence)

const about = (sequence: number) => ({ organization: organizationId, sequence, at: Samples.now })

export const eventsSection = (test: Test): void => {
  test("the commit of a command appends its events, with a masked phone number", function* (store) {
    yield* open(store)
    const metadata = '{"order":"\\"7\\"","note":"ক,(}"}'
    yield* run(store, Samples.requestVerification({ purpose: "login", metadata }))
    const outcome = { _tag: "Delivered", gatewayId: "gw-1" } as const
    yield* run(store, Samples.recordDispatch({ requestId: requestId(), outcome }))
    yield* run(store, Samples.checkCode())
    yield* run(store, Samples.consumeVerification())
    yield* run(store, Samples.adjust({ amount: money("-1"), note: 'a "note"' }))
    const phoneNumber = "+8801*****000"
    const request = { requestId: requestId(), phoneNumber, purpose: "login", metadata }
    const { events, first, last } = yield* read(store)
    assert.deepStrictEqual<unknown>(events, [
      {
        _tag: "ToppedUp",
        ...about(1),
        amount: money("10"),
        balance: money("10"),
        note: Samples.topUp().note,
      },
      {
        _tag: "MessageSettled",
        ...about(2),
        messageSequence: 1,
        channel: "sms",
        status: "delivered",
      },
      { _tag: "VerificationSent", ...about(3), ...request, channel: "sms" },
      { _tag: "Verified", ...about(4), ...request },
      { _tag: "Consumed", ...about(5), ...request },
      {
        _tag: "Adjusted",
        ...about(6),
        amount: money("-1"),
        balance: money("8.5"),
        note: 'a "note"',
      },
    ])
    assert.deepStrictEqual([first, last], [1, 6])
    yield* sound(store)
  })

  test("an event that was returned with an outcome has its place in the event log", function* (store) {
    yield* open(store)
    yield* run(store, Samples.holdMessage())
    const failed = { _tag: "NotSent", message: "no route" } as const
    const { events } = yield* store.execute(Samples.recordDispatch({ outcome: failed }))
    assert.deepStrictEqual<unknown>(events, (yield* read(store, 1)).events)
    assert.deepStrictEqual(
      events.map(({ _tag, sequence }) => `${sequence} ${_tag}`),
      ["2 MessageSettled", "3 Refunded"],
    )
  })

  test("a change of an organization appends its events in its commit, and returns them", function* (store) {
    yield* store.createOrganization(Samples.organization({ senders: [], keys: [] }))
    const key = Samples.apiKey()
    const brand = Samples.sender({ id: SenderId("b"), isDefault: false })
    const changed = yield* store.changeOrganization(organizationId, (one) => ({
      ...Organization.withSettings(Organization.withKey(one, key), { isSuspended: true }),
      senders: [brand],
    }))
    const { id, name, environment } = key
    const { class: _class, reason: _reason, ...withoutClass } = brand
    const { events } = yield* read(store)
    assert.deepStrictEqual<unknown>(events, [
      { _tag: "KeyCreated", ...about(1), key: { id, name, environment } },
      { _tag: "BrandChanged", ...about(2), brand: withoutClass },
      { _tag: "SettingsChanged", ...about(3), settings: ["isSuspended"] },
    ])
    assert.deepStrictEqual<unknown>(changed?.events, events)
  })

  test("events are read in pages, in order; none of an unknown organization", function* (store) {
    yield* open(store)
    assert.deepStrictEqual(yield* read(store, 1), { first: 1, last: 1, events: [] })
    for (const _ of times(11, () => 1)) yield* run(store, Samples.topUp())
    const pages = yield* Effect.forEach([0, 5, 10, 12, 99], (after) => read(store, after, 5))
    assert.deepStrictEqual(pages.map(sequences), [
      [1, 2, 3, 4, 5],
      [6, 7, 8, 9, 10],
      [11, 12],
      [],
      [],
    ])
    assert.deepStrictEqual(
      pages.map(({ first, last }) => `${first} to ${last}`),
      times(5, () => "1 to 12"),
    )
    assert.isUndefined(yield* store.events(OrganizationId("unknown"), 0, 10))
  })

  test("parallel commands and changes of two organizations leave no gap in events and audit", function* (store) {
    const other = Samples.otherOrganizationId
    yield* open(store)
    yield* open(store, money("10"), other)
    const bookings = times(40, (index) =>
      Samples.topUp({ organization: index % 2 === 0 ? organizationId : other }),
    )
    const changes = times(10, (index) =>
      store.changeOrganization(organizationId, (one) => ({ ...one, name: `name ${index}` })),
    )
    yield* Effect.all(
      [atOnce(store, bookings), Effect.all(changes, { concurrency: "unbounded" })],
      { concurrency: "unbounded" },
    )
    assert.deepStrictEqual(
      sequences(yield* read(store)),
      times(31, (index) => index + 1),
    )
    assert.lengthOf((yield* sound(store)).audit, 34)
    assert.deepStrictEqual(
      sequences(present(yield* store.events(other, 0, 100))),
      times(21, (index) => index + 1),
    )
  })

  test("retention drops the oldest events, and sequences are not used again", function* (store) {
    yield* open(store)
    for (const _ of times(6, () => 1)) yield* run(store, Samples.topUp())
    yield* TestClock.adjust(day)
    yield* run(store, Samples.topUp())
    assert.deepStrictEqual(yield* prune(store, "events"), [0])
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(yield* prune(store, "events", { limit: 3 }), [3, 3, 1])
    assert.deepStrictEqual(yield* prune(store, "events"), [0])
    yield* run(store, Samples.topUp())
    const page = yield* read(store, 2)
    assert.deepStrictEqual([page.first, page.last, ...sequences(page)], [8, 9, 8, 9])
    yield* TestClock.adjust(2 * day)
    assert.deepStrictEqual(yield* prune(store, "events"), [2])
    assert.deepStrictEqual(yield* read(store), { first: 10, last: 9, events: [] })
    yield* sound(store)
  })
}
