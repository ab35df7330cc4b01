import type { Actor } from "@countersign/core/domain/values/Actor"
import type { AuditRecord } from "@countersign/core/domain/access/AuditRecord"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Organization from "@countersign/core/domain/organizations/Organization"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import { day, prune, sound } from "./prune.ts"
import { open, present, run, type StoreService, type Test, times } from "./support.ts"

const { money, organizationId } = Samples

const read = (store: StoreService, before?: number, limit = 1_000) =>
  Effect.map(store.audit(organizationId, before, limit), present)

const sequences = ({ entries }: { readonly entries: ReadonlyArray<AuditRecord> }) =>
  entries.map(({ sequence }) => sequence)

const actor: Actor = { name: 'আমির "{,}"', id: 'user "7"', origin: "2001:db8::1 (ক,{}\\)" }
const by = { actor: actor.id, actorName: actor.name ?? null, origin: actor.origin }

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
    yield* store.createOrganization(Samples.organization({ senders: [], keys: [] }), actor)
    const key = Samples.apiKey({ lastUsedAt: Samples.now })
    const { id, createdBy: _by, lastUsedAt: _use, secretHash: _hash, ...shown } = key
    const change = (f: (one: Organization.Organization) => Organization.Organization) =>
      store.changeOrganization(organizationId, f, actor)
    yield* change((one) => Organization.withKey(one, key))
    yield* change((one) => Organization.withoutKey(one, key.id, Samples.now))
    const limits = { spendPerDay: money("2.5"), attempts: 9 }
    yield* change((one) => Organization.withSettings(one, { limits }))
    // The order of the fields is no change.
    const again = { attempts: 9, spendPerDay: money("2.5") }
    yield* change((one) => Organization.withSettings(one, { limits: again }))
    const { name, settings } = Samples.organization()
    const { changes: _changes, ...values } = settings
    const before = { name, ...values }
    const entry = { ...by, target: organizationId, before: null, reason: null }
    const revoked = { ...shown, revokedAt: Samples.now }
    assert.deepStrictEqual<unknown>(yield* transcript(store), [
      { ...entry, action: "organization.created", after: before },
      { ...entry, action: "api_key.created", target: id, after: shown },
      { ...entry, action: "api_key.revoked", target: id, before: shown, after: revoked },
      {
        ...entry,
        action: "organization.changed",
        before,
        after: { ...before, limits: { ...limits, spendPerDay: "2.50" } },
      },
    ])
    yield* sound(store)
  })

  test("the commit of an administrative command appends its entry, and no other command does", function* (store) {
    yield* open(store)
    const { last } = yield* read(store)
    yield* run(store, Samples.topUp({ actor, note: 'a "note"' }))
    yield* run(store, Samples.adjust({ actor, amount: money("-90") }))
    yield* run(store, Samples.requestVerification())
    yield* run(store, Samples.checkCode())
    yield* run(store, {
      _tag: "RecordAudit",
      organization: organizationId,
      actor: { id: "a\u0000b\uD800", origin: "x".repeat(300) },
      action: "login",
      target: null,
      reason: "support",
    })
    assert.deepStrictEqual<unknown>((yield* transcript(store)).slice(last), [
      {
        ...by,
        action: "account.topped_up",
        target: "2",
        before: { balance: "10.00" },
        after: { balance: "20.00" },
        reason: 'a "note"',
      },
      {
        actor: "a b\uFFFD",
        actorName: null,
        origin: "x".repeat(200),
        action: "login",
        target: null,
        before: null,
        after: null,
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
