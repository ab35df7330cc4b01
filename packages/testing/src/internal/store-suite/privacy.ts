import type { Digests } from "@countersign/core/domain/verifications/KnownClient"
import * as Erasure from "@countersign/core/decide/maintenance/Erasure"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import { assert } from "@effect/vitest"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import {
  answer,
  code,
  deliver,
  digests,
  erase,
  history,
  other,
  person,
  personal,
  subject,
  wamid,
} from "./personal.ts"
import { day, prune, sound } from "./prune.ts"
import { open, present, run, type Test, times } from "./support.ts"

const { now, organizationId, requestId } = Samples

const counted = { messages: 4, verifications: 2, reports: 1, events: 3, answers: 1, refusals: 0 }

export const privacySection = (test: Test): void => {
  test("an erasure leaves nothing of a number but its country, and the money as it was", function* (store) {
    yield* history(store)
    const before = yield* sound(store)
    const ofOther = yield* personal(store, other)
    assert.deepStrictEqual(yield* erase(store), { counts: counted, left: 1 })
    const after = yield* sound(store)
    assert.deepStrictEqual(after.entries, before.entries)
    assert.deepStrictEqual(after.totals, before.totals)
    assert.deepStrictEqual(after.account, before.account)
    assert.deepStrictEqual(yield* personal(store, other), ofOther)
    // The open message stays until its outcome is known.
    yield* deliver(store, 6, person)
    const again = yield* erase(store)
    assert.deepStrictEqual(again, { counts: { ...Erasure.noCounts, messages: 1 }, left: 0 })
    const none = {
      recipients: [],
      messages: [],
      reports: [],
      verifications: [],
      events: [],
      keys: [],
      refusals: [],
      queued: [],
    }
    const rest = yield* personal(store)
    assert.deepStrictEqual<unknown>(rest, { ...none, erasedRecipients: rest.erasedRecipients })
    const { messages, reports, verifications, events } = yield* sound(store)
    const erased = JSON.stringify([messages, reports, verifications, events, rest], (_, value) =>
      value instanceof Uint8Array ? null : value,
    )
    for (const text of [person.slice(1), btoa(person.slice(1, 13)), "visitor"]) {
      assert.notInclude(erased, text)
    }
    assert.deepStrictEqual(
      messages.map((message) => message.phoneNumber),
      times(7, (index) => ([2, 6].includes(index) ? other : "erased:BD")),
    )
  })

  test("a repeat of an erasure changes nothing", function* (store) {
    yield* history(store)
    yield* erase(store)
    const rows = yield* sound(store)
    const limits = (yield* personal(store)).erasedRecipients
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(yield* erase(store), { counts: Erasure.noCounts, left: 1 })
    assert.deepStrictEqual(yield* sound(store), rows)
    assert.deepStrictEqual((yield* personal(store)).erasedRecipients, limits)
  })

  test("small steps read and erase the same as large ones", function* (store) {
    yield* history(store)
    const all = yield* personal(store)
    for (const limit of [1, 2, 3]) {
      assert.deepStrictEqual(yield* personal(store, person, limit), all, String(limit))
    }
    assert.deepStrictEqual(
      [all.recipients, all.messages, all.reports, all.verifications, all.events, all.keys].map(
        ({ length }) => length,
      ),
      [1, 5, 1, 2, 3, 1],
    )
    assert.deepStrictEqual(yield* erase(store, { limit: 1 }), { counts: counted, left: 1 })
    yield* sound(store)
  })

  test("a report that was kept for an erased message is forgotten", function* (store) {
    yield* open(store)
    yield* run(store, Samples.holdMessage({ phoneNumber: person }))
    yield* deliver(store, 1, person)
    const kept = { status: "delivered", detail: null, evidence: null } as const
    const gateway = "simulated"
    yield* store.keepReport({ ...kept, gateway, gatewayId: wamid(person, 1) })
    yield* store.keepReport({ ...kept, gateway, gatewayId: wamid(other, 1) })
    yield* store.keepReport({ ...kept, gateway: "another", gatewayId: wamid(person, 1) })
    yield* erase(store)
    const { reports } = yield* store.keptReports(undefined, 10)
    assert.sameMembers(
      reports.map((one) => `${one.gateway} ${one.gatewayId}`),
      [`another ${wamid(person, 1)}`, `simulated ${wamid(other, 1)}`],
    )
  })

  test("requests and events whose messages retention has dropped are erased as well", function* (store) {
    yield* open(store)
    for (const [index, to] of [
      [1, person],
      [2, other],
      [3, person],
    ] as const) {
      yield* run(store, code(index, to))
      yield* deliver(store, index, to)
      yield* run(store, Samples.checkCode({ requestId: requestId(index) }))
    }
    yield* TestClock.adjust(day + 1)
    yield* prune(store, "messages")
    const dropped = {
      messages: 0,
      verifications: 2,
      reports: 0,
      events: 2,
      answers: 0,
      refusals: 0,
    }
    assert.deepStrictEqual(
      (yield* personal(store, person, 1)).verifications.map((one) => one.requestId),
      [requestId(1), requestId(3)],
    )
    const counts = (yield* erase(store, { limit: 1 })).counts
    assert.deepStrictEqual(counts, dropped)
    assert.lengthOf((yield* personal(store, other)).verifications, 1)
    // Nothing tells whose the events of dropped requests were.
    yield* prune(store, "verifications")
    assert.strictEqual((yield* erase(store)).counts.events, 1)
    const { events } = present(yield* store.events(organizationId, 0, 100))
    assert.notInclude(JSON.stringify(events), "+88")
  })

  test("a pending request stays, with its recipient, until it has ended", function* (store) {
    yield* open(store)
    yield* run(store, code(1, person))
    yield* deliver(store, 1, person)
    const left = yield* erase(store)
    assert.deepStrictEqual(left, { counts: { ...Erasure.noCounts, messages: 1 }, left: 2 })
    yield* run(store, Samples.checkCode())
    assert.deepStrictEqual((yield* erase(store, { kinds: ["recipients"] })).left, 0)
    assert.lengthOf((yield* personal(store)).recipients, 0)
  })

  test("the time of the last erasure is part of the organization", function* (store) {
    yield* open(store)
    assert.notProperty(present(yield* store.organization(organizationId)), "erasedAt")
    yield* store.changeOrganization(organizationId, (one, at) => ({ ...one, erasedAt: at }))
    const changed = present(yield* store.organization(organizationId))
    assert.deepStrictEqual([changed.erasedAt, changed.version], [now, 2])
    yield* store.changeOrganization(organizationId, (one) => ({ ...one, name: "another" }))
    assert.strictEqual(present(yield* store.organization(organizationId)).erasedAt, now)
  })

  test("nothing is read or erased of an organization that does not exist", function* (store) {
    const organization = OrganizationId("unknown")
    for (const kind of Erasure.kinds) {
      const step = { ...subject, organization, kind, after: undefined, limit: 10 }
      assert.isUndefined(yield* store.personalRows(step))
      assert.isUndefined(yield* store.erase({ ...step, answer }))
    }
  })
}

export const erasedLimitsSection = (test: Test): void => {
  test("the limits of an erased number stay under its digest until they end", function* (store) {
    yield* open(store)
    const limits = { sendsPerNumber: { max: 2, windowMillis: day } }
    const ask = (index: number, erased?: Digests) =>
      run(
        store,
        Samples.admitVerification({ phoneNumber: Samples.phoneNumber(index), erased, limits }),
      )
    yield* ask(0)
    yield* ask(0)
    assert.strictEqual((yield* ask(0))._tag, "Limited")
    yield* erase(store)
    assert.isUndefined(yield* store.recipient(organizationId, person))
    // Under an older secret as well.
    const refused = yield* ask(0, ["newer", "digest"])
    assert.deepStrictEqual(refused, { _tag: "Limited", retryAfterSeconds: 86_400 })
    assert.strictEqual((yield* ask(1, ["another"]))._tag, "Admitted")
    yield* TestClock.adjust(day)
    assert.strictEqual((yield* ask(0, digests))._tag, "Admitted")
    const { recipient } = present(yield* store.recipient(organizationId, person))
    assert.deepStrictEqual(recipient.sends, [now + day])
  })

  test("the limits of an erased number are restored once, and belong to the number again", function* (store) {
    yield* open(store)
    const limits = { sendsPerNumber: { max: 3, windowMillis: day } }
    const ask = (erased?: Digests) =>
      run(store, Samples.admitVerification({ phoneNumber: person, erased, limits }))
    yield* ask()
    yield* erase(store)
    assert.strictEqual((yield* ask(digests))._tag, "Admitted")
    const { recipient } = present(yield* store.recipient(organizationId, person))
    assert.deepStrictEqual(recipient.sends, [now, now])
    // It has expired, and a store deletes it at any later time.
    for (const row of (yield* personal(store)).erasedRecipients)
      assert.deepStrictEqual(row, {
        organization: organizationId,
        digest: "digest",
        sends: [],
        guesses: { window: [], sinceSuccess: 0 },
        expiresAt: now,
      })
    assert.strictEqual((yield* ask(digests))._tag, "Admitted")
    assert.strictEqual((yield* ask(digests))._tag, "Limited")
  })
}
