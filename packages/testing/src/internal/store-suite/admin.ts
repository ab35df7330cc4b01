import type { ApiKey } from "@countersign/core/domain/access/ApiKey"
import { ApiKeyId, SenderId, OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Organization from "@countersign/core/domain/organizations/Organization"
import type { SummarySelection } from "@countersign/core/ports/Store"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Samples from "../../Samples.ts"
import { open, present, run, settled, tally, type Test, times } from "./support.ts"

const { organization, organizationId } = Samples

export const adminSection = (test: Test): void => {
  test("an organization starts at version 1, with an empty account", function* (store) {
    assert.isTrue(yield* store.createOrganization(organization()))
    assert.deepStrictEqual(yield* store.organization(organizationId), {
      ...organization(),
      version: 1,
    })
    assert.deepStrictEqual(yield* store.account(organizationId), Samples.account({ lastAudit: 3 }))
  })

  test("an id in use is rejected, and its organization does not change", function* (store) {
    yield* store.createOrganization(organization({ name: "first" }))
    assert.isFalse(yield* store.createOrganization(organization({ name: "second" })))
    assert.strictEqual((yield* store.organization(organizationId))?.name, "first")
  })

  test("one of many parallel creations of an id succeeds", function* (store) {
    const answers = yield* Effect.forEach(
      times(10, (index) => organization({ name: String(index) })),
      (one) => store.createOrganization(one),
      { concurrency: "unbounded" },
    )
    assert.deepStrictEqual(tally(answers.map(String)), { true: 1, false: 9 })
    const winner = answers.indexOf(true)
    assert.strictEqual((yield* store.organization(organizationId))?.name, String(winner))
  })

  test("a read of an unknown organization finds nothing", function* (store) {
    const unknown = OrganizationId("unknown")
    assert.isUndefined(yield* store.organization(unknown))
    assert.isUndefined(yield* store.account(unknown))
    assert.deepStrictEqual(yield* store.entries(unknown, 0, 10), [])
    assert.isUndefined(yield* store.verification(unknown, Samples.requestId()))
    assert.isUndefined(
      yield* store.messages(unknown, { from: undefined, to: undefined, skip: 0, limit: 10 }),
    )
    assert.isUndefined(yield* store.changeOrganization(unknown, (same) => same))
    assert.isUndefined(yield* store.apiKey(ApiKeyId("unknown")))
    assert.deepStrictEqual(yield* store.organizations(undefined, 10), [])
  })

  test("a change raises the version of the organization and of its account together", function* (store) {
    yield* store.createOrganization(organization())
    const changed = yield* store.changeOrganization(organizationId, (current, now) => {
      assert.deepStrictEqual(current, { ...organization(), version: 1 })
      assert.strictEqual(now, Samples.now)
      return Organization.withSettings(current, { allowList: ["203.0.113.7"] })
    })
    assert.deepInclude(changed?.organization, {
      version: 2,
      settings: {
        ...Organization.defaultSettings,
        allowList: ["203.0.113.7"],
        changes: { allowList: { at: Samples.now, by: "host" } },
      },
    })
    assert.deepStrictEqual(yield* store.organization(organizationId), changed?.organization)
    assert.strictEqual((yield* store.account(organizationId))?.version, 2)
  })

  test("parallel changes and commands are all applied", function* (store) {
    yield* store.createOrganization(organization({ senders: [] }))
    const ids = times(20, (index) => SenderId(`brand-${index}`))
    const topUp = store.execute(Samples.topUp({ amount: Samples.money("1") }))
    const changed = yield* Effect.forEach(
      ids,
      (id) =>
        Effect.tap(
          store.changeOrganization(organizationId, (current) =>
            Organization.withSender(current, Samples.sender({ id, isDefault: false })),
          ),
          () => topUp,
        ),
      { concurrency: "unbounded" },
    )
    const account = yield* store.account(organizationId)
    assert.deepInclude(account, { version: 21, balance: Samples.money("20"), entries: 20 })
    const { senders } = present(yield* store.organization(organizationId))
    assert.sameMembers(
      senders.map(({ id }) => id),
      ids,
    )
    assert.sameMembers(
      changed.map((one) => one?.organization.version),
      times(20, (index) => index + 2),
    )
  })

  test("a change keeps the money, the log and the windows", function* (store) {
    yield* store.createOrganization(organization())
    yield* run(store, Samples.topUp())
    yield* run(
      store,
      Samples.holdMessage({
        limits: { messagesPerOrganization: { max: 5, windowMillis: 60_000 } },
      }),
    )
    const before = yield* store.account(organizationId)
    yield* store.changeOrganization(organizationId, (same) => same)
    assert.deepStrictEqual(
      yield* store.account(organizationId),
      before && { ...before, version: 2 },
    )
  })

  test("a key is found as soon as it is saved, revoked or not", function* (store) {
    const first = Samples.apiKey({ id: ApiKeyId("firstfirstfirst1") })
    const second = Samples.apiKey({ id: ApiKeyId("secondsecondsec2") })
    yield* store.createOrganization(organization({ keys: [first] }))
    const found = (apiKey: ApiKey) => ({ organization: organizationId, apiKey, isSuspended: false })
    assert.deepStrictEqual(yield* store.apiKey(first.id), found(first))
    assert.isUndefined(yield* store.apiKey(second.id))
    yield* store.changeOrganization(organizationId, (current) =>
      Organization.withKey(current, second),
    )
    assert.deepStrictEqual(yield* store.apiKey(second.id), found(second))
    yield* store.changeOrganization(organizationId, (current, now) =>
      Organization.withoutKey(current, second.id, now),
    )
    const revoked = { ...second, revokedAt: Samples.now }
    assert.deepStrictEqual(yield* store.apiKey(second.id), found(revoked))
    const keys = (yield* store.organization(organizationId))?.keys
    assert.deepStrictEqual(keys, [first, revoked])
  })

  test("a key shows whether its organization is suspended, from the commit of the change", function* (store) {
    const apiKey = Samples.apiKey()
    yield* store.createOrganization(organization({ keys: [apiKey] }))
    for (const isSuspended of [true, false]) {
      yield* store.changeOrganization(organizationId, (current) =>
        Organization.withSettings(current, { isSuspended }),
      )
      assert.deepStrictEqual(yield* store.apiKey(apiKey.id), {
        organization: organizationId,
        apiKey,
        isSuspended,
      })
    }
  })

  test("summaries show name, suspension, money and the keys that are in force", function* (store) {
    const states = [
      { revokedAt: Samples.now },
      { expiresAt: Samples.now },
      { expiresAt: Samples.now + 1 },
      {},
    ]
    const keys = states.map((state, index) =>
      Samples.apiKey({ id: ApiKeyId(`key${index}`.padEnd(16, "k")), ...state }),
    )
    yield* store.createOrganization(organization({ name: "ঢাকা", keys }))
    yield* run(store, Samples.topUp())
    yield* run(store, Samples.holdMessage())
    const settings = { ...Organization.defaultSettings, isSuspended: true }
    const empty = OrganizationId("zenith")
    const senders = [
      Samples.sender({ id: SenderId("pending"), status: "pending", isDefault: true }),
      Samples.sender({ id: SenderId("other"), isDefault: false }),
    ]
    const second = { id: empty, name: "", settings, senders, keys: [] }
    yield* store.createOrganization(organization(second))
    const { balance, held } = present(yield* store.account(organizationId))
    assert.isAbove(held, 0)
    const filled = {
      name: "ঢাকা",
      isSuspended: false,
      balance,
      held,
      activeApiKeys: 2,
      pendingSenders: 0,
      messagesLastDay: 0,
    }
    const none = {
      name: "",
      isSuspended: true,
      balance: 0,
      held: 0,
      activeApiKeys: 0,
      pendingSenders: 1,
      messagesLastDay: 0,
    }
    const [withSender, without] = [{ hasDefaultSender: true }, { hasDefaultSender: false }]
    assert.deepStrictEqual<unknown>(yield* store.organizationSummaries(undefined, 10), [
      { id: organizationId, ...filled, ...withSender },
      { id: empty, ...none, ...without },
    ])
  })

  test("a text selects the organizations whose id or name contains it", function* (store) {
    const named = [
      ["acme", "Rahim Store"],
      ["beta", "ACME Ltd."],
      ["gamma_1", "100% off"],
    ] as const
    for (const [id, name] of named)
      yield* store.createOrganization(organization({ id: OrganizationId(id), name }))
    const found = Effect.fnUntraced(function* (search: string, limit = 10, after?: OrganizationId) {
      const summaries = yield* store.organizationSummaries(after, limit, { search })
      return summaries.map(({ id }) => String(id)).join(" ")
    })
    assert.strictEqual(yield* found("Acme"), "acme beta")
    assert.strictEqual(yield* found("acme", 1), "acme")
    assert.strictEqual(yield* found("acme", 1, OrganizationId("acme")), "beta")
    assert.strictEqual(yield* found("store"), "acme")
    // No character of the text is a pattern.
    assert.strictEqual(yield* found("0% o"), "gamma_1")
    assert.strictEqual(yield* found("%"), "gamma_1")
    assert.strictEqual(yield* found("a_1"), "gamma_1")
    assert.strictEqual(yield* found("a.1"), "")
  })

  test("organizations are listed by balance, and with senders that wait", function* (store) {
    const pending = [Samples.sender({ status: "pending" })]
    for (const [id, balance, senders] of [
      ["a", "3", pending],
      ["b", "1", []],
      ["c", "2", pending],
      ["d", "1", []],
    ] as const) {
      const name = OrganizationId(id)
      yield* store.createOrganization(organization({ id: name, name: id, senders }))
      yield* store.execute(Samples.topUp({ organization: name, amount: Samples.money(balance) }))
    }
    const list = (
      selection: SummarySelection,
      limit = 10,
      after: OrganizationId | undefined = undefined,
    ) =>
      Effect.map(store.organizationSummaries(after, limit, selection), (found) =>
        found.map(({ id }) => String(id)).join(""),
      )
    const order = "balance"
    assert.strictEqual(yield* list({ order }), "bdca")
    assert.strictEqual(yield* list({ order }, 2), "bd")
    assert.strictEqual(yield* list({ order }, 2, OrganizationId("d")), "ca")
    assert.strictEqual(yield* list({ order }, 2, OrganizationId("none")), "")
    assert.strictEqual(yield* list({ hasPendingSenders: true }), "ac")
    assert.strictEqual(yield* list({ hasPendingSenders: true, order, search: "A" }), "a")
  })

  test("a summary counts the messages of 24 hours", function* (store) {
    yield* open(store)
    yield* run(store, Samples.holdMessage())
    yield* run(store, settled(1, { _tag: "Accepted", gateway: "simulated", gatewayId: "g-1" }))
    const counts = Effect.map(
      store.organizationSummaries(undefined, 1),
      ([one]) => present(one).messagesLastDay,
    )
    assert.strictEqual(yield* counts, 1)
    yield* TestClock.adjust("25 hours")
    assert.strictEqual(yield* counts, 0)
  })

  test("ids and summaries are sorted by the code units of the ids, in pages", function* (store) {
    const ids = ["b", "B", "a", "_", "-", "9", "10", "aa", "Z"].map(OrganizationId)
    yield* Effect.forEach(ids, (id) => store.createOrganization(organization({ id })))
    const inOrder = ids.toSorted()
    assert.deepStrictEqual(inOrder.join(" "), "- 10 9 B Z _ a aa b")
    const cases: ReadonlyArray<[after: OrganizationId | undefined, limit: number, from: number]> = [
      [undefined, 100, 0],
      [undefined, 4, 0],
      [inOrder[3], 4, 4],
      [inOrder[7], 4, 8],
      [OrganizationId("C"), 2, 4],
      [inOrder[8], 4, 9],
    ]
    for (const [after, limit, from] of cases) {
      const page = inOrder.slice(from, from + limit)
      assert.deepStrictEqual(yield* store.organizations(after, limit), page)
      const summaries = yield* store.organizationSummaries(after, limit)
      assert.deepStrictEqual(
        summaries.map(({ id }) => id),
        page,
      )
    }
  })
}
