import type { Actor } from "@countersign/core/domain/values/Actor"
import type { AuditRecord } from "@countersign/core/domain/access/AuditRecord"
import { SenderId, OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Organization from "@countersign/core/domain/organizations/Organization"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import { day, prune, sound } from "./prune.ts"
import { atOnce, open, run, present, type StoreService, type Test, times } from "./support.ts"

const { money, organizationId } = Samples

const read = (store: StoreService, before?: number, limit = 1_000) =>
  Effect.map(store.audit(organizationId, before, limit), present)

const sequences = ({ entries }: { readonly entries: ReadonlyArray<AuditRecord> }) =>
  entries.map(({ sequence }) => sequence)

const actor: Actor = { id: 'user "7"', origin: "2001:db8::1 (ক,{}\\)" }
const by = { actor: actor.id, origin: actor.origin }

/** The entries in their order, without what all of them share. */
const transcript = (store: StoreService) =>
  Effect.map(read(store), ({ entries }) =>
    entries.toReversed().map((entry, index) => {
      const { at, organization, sequence, ...rest } = entry
      assert.deepStrictEqual([at, organization, sequence], [Samples.now, organizationId, index + 1])
      return rest
    }),
  )

export const auditSection = (test: Test): void => {
  test("a change of an organization appends who changed what, without secrets", function* (store) {
    const { settings } = Samples.organization()
    const created = Samples.organization({ senders: [], keys: [] })
    yield* store.createOrganization(created, actor)
    const change = (f: (one: Organization.Organization) => Organization.Organization) =>
      store.changeOrganization(organizationId, f, actor)
    const key = Samples.apiKey({ lastUsedAt: Samples.now })
    const { id, lastUsedAt: _use, secretHash: _hash, ...shown } = key
    const brand = Samples.sender({ id: SenderId("b"), isDefault: true })
    const { id: _brand, ...sender } = brand
    yield* change((one) => Organization.withSender(Organization.withKey(one, key), brand))
    yield* change((one) => Organization.withSender(one, { ...brand, id: SenderId("c") }))
    yield* change((one) => Organization.withoutKey(one, key.id, Samples.now))
    yield* change((one) => Organization.withoutKey(one, key.id, Samples.now + 1))
    yield* change((one) => ({ ...one, senders: one.senders.slice(1) }))
    const limits = { spendPerDay: money("2.5"), attempts: 9 }
    const balanceLowAt = money("5")
    yield* change((one) =>
      Organization.withSettings(one, { limits, balanceLowAt, isSuspended: true }),
    )
    // The order of the fields is no change.
    yield* change((one) =>
      Organization.withSettings(one, { limits: { attempts: 9, spendPerDay: money("2.5") } }),
    )
    const before = { name: created.name, ...settings }
    const after = {
      ...before,
      isSuspended: true,
      limits: { ...limits, spendPerDay: "2.50" },
      balanceLowAt: "5.00",
    }
    const entry = (action: string, target: string, was: object | null, is: object | null) => ({
      ...by,
      action,
      target,
      before: was,
      after: is,
      reason: null,
    })
    const revoked = { ...shown, revokedAt: Samples.now }
    const plain = { ...sender, isDefault: false }
    assert.deepStrictEqual<unknown>(yield* transcript(store), [
      entry("organization.created", organizationId, null, before),
      entry("brand.created", "b", null, sender),
      entry("api_key.created", id, null, shown),
      entry("brand.changed", "b", sender, plain),
      entry("brand.created", "c", null, sender),
      entry("api_key.revoked", id, shown, revoked),
      entry("brand.removed", "b", plain, null),
      entry("organization.changed", organizationId, before, after),
    ])
    yield* sound(store)
  })

  test("the commit of an administrative command appends its entry, and no other command does", function* (store) {
    yield* open(store)
    const { last } = yield* read(store)
    const paid = { paymentId: "p", note: "" }
    yield* run(store, Samples.topUp({ actor, ...paid }))
    yield* run(store, Samples.topUp({ actor, ...paid }))
    yield* run(store, Samples.adjust({ actor, amount: money("-0.5"), note: 'a "note"' }))
    yield* run(store, Samples.adjust({ actor, amount: money("-90") }))
    yield* run(store, Samples.adjust({ actor, amount: money("0") }))
    const reset = {
      _tag: "ResetGuesses",
      version: 1,
      organization: organizationId,
      actor,
      phoneNumber: Samples.phoneNumber(),
    } as const
    yield* run(store, reset)
    yield* run(store, Samples.requestVerification())
    yield* run(store, Samples.recordDispatch({ requestId: Samples.requestId() }))
    yield* run(store, Samples.checkCode())
    yield* run(store, reset)
    yield* run(store, {
      _tag: "RecordAudit",
      organization: organizationId,
      actor: { id: "a\u0000b\uD800", origin: "x".repeat(300) },
      action: "login",
      target: null,
      reason: "support",
    })
    const none = { before: null, after: null }
    assert.deepStrictEqual<unknown>((yield* transcript(store)).slice(last), [
      {
        ...by,
        action: "account.topped_up",
        target: "2",
        before: { balance: "10.00" },
        after: { balance: "20.00" },
        reason: null,
      },
      {
        ...by,
        action: "account.adjusted",
        target: "3",
        before: { balance: "20.00" },
        after: { balance: "19.50" },
        reason: 'a "note"',
      },
      { ...by, action: "guesses.reset", target: "+8801*****000", ...none, reason: null },
      { ...by, action: "guesses.reset", target: "+8801*****000", ...none, reason: null },
      {
        actor: "a b\uFFFD",
        origin: "x".repeat(200),
        action: "login",
        target: null,
        ...none,
        reason: "support",
      },
    ])
    yield* sound(store)
  })

  test("entries are read in pages, newest first; none of an unknown organization", function* (store) {
    yield* open(store, money("0"))
    for (const _ of times(9, () => 1)) yield* run(store, Samples.topUp())
    const pages = yield* Effect.forEach([undefined, 8, 3, 1, 99], (before) =>
      read(store, before, 5),
    )
    assert.deepStrictEqual(pages.map(sequences), [
      [12, 11, 10, 9, 8],
      [7, 6, 5, 4, 3],
      [2, 1],
      [],
      [12, 11, 10, 9, 8],
    ])
    assert.deepStrictEqual(
      pages.map(({ first, last }) => `${first} to ${last}`),
      times(5, () => "1 to 12"),
    )
    assert.isUndefined(yield* store.audit(OrganizationId("unknown"), undefined, 10))
  })

  test("parallel commands and changes leave no gap in the audit", function* (store) {
    yield* open(store, money("0"))
    const bookings = times(20, () => Samples.topUp())
    const changes = times(10, (index) =>
      store.changeOrganization(organizationId, (one) => ({ ...one, name: `name ${index}` })),
    )
    yield* Effect.all(
      [atOnce(store, bookings), Effect.all(changes, { concurrency: "unbounded" })],
      { concurrency: "unbounded" },
    )
    assert.strictEqual((yield* sound(store)).audit.length, 33)
  })

  test("retention drops the oldest entries, and their sequences are not used again", function* (store) {
    yield* open(store, money("0"))
    for (const _ of times(4, () => 1)) yield* run(store, Samples.topUp())
    yield* TestClock.adjust(day)
    yield* run(store, Samples.topUp())
    assert.deepStrictEqual(yield* prune(store, "audit"), [0])
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(yield* prune(store, "audit", { limit: 3 }), [3, 3, 1])
    yield* run(store, Samples.topUp())
    const page = yield* read(store)
    assert.deepStrictEqual([page.first, page.last, ...sequences(page)], [8, 9, 9, 8])
    assert.deepStrictEqual(sequences(yield* read(store, 9, 5)), [8])
    yield* sound(store)
    yield* TestClock.adjust(2 * day)
    assert.deepStrictEqual(yield* prune(store, "audit"), [2])
    assert.deepStrictEqual(yield* read(store), { first: 10, last: 9, entries: [] })
    yield* sound(store)
  })
}
