import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { Actor } from "../../src/domain/values/Actor.ts"
import { OrganizationId } from "../../src/domain/values/Ids.ts"
import { Accounts } from "../../src/services/Accounts.ts"
import { ApiKeys } from "../../src/services/ApiKeys.ts"
import { Audit, type Query } from "../../src/services/Audit.ts"
import { Senders } from "../../src/services/Senders.ts"
import { Organizations } from "../../src/services/Organizations.ts"
import { Verifications } from "../../src/services/verifications/Verifications.ts"
import { engineTest, recording, testOn } from "../support/engineTest.ts"

const organization = Samples.organizationId
const money = Samples.money
const actor = { id: "user_7", origin: "192.0.2.1" }
const entries = Effect.map(
  Audit.use((_) => _.list({ organization })),
  (page) => page.entries.toReversed(),
)

/** Every administrative change that the services make. */
const administer = Effect.gen(function* () {
  const organizations = yield* Organizations
  const keys = yield* ApiKeys
  const brands = yield* Senders
  const accounts = yield* Accounts
  const verifications = yield* Verifications
  yield* organizations.create({ id: organization })
  yield* organizations.update({ id: organization, allowList: ["192.0.2.0/24"] })
  yield* organizations.update({ id: organization, name: "Acme" })
  yield* organizations.suspend({ id: organization })
  yield* organizations.suspend({ id: organization })
  yield* organizations.resume({ id: organization })
  const key = yield* keys.create({ organization, name: "app" })
  yield* keys.revoke({ organization, id: key.id })
  const kind = "non-masking"
  const status = "approved"
  const sender = "8809600000001"
  const brand = yield* brands.save({ organization, kind, sender, status, isDefault: true })
  yield* brands.withdraw({ organization, id: brand.id })
  yield* brands.save({ organization, kind, sender, status, isDefault: true })
  yield* accounts.topUp({ organization, amount: money("10") })
  yield* accounts.adjust({ organization, amount: money("-1"), note: "fee" })
  const phoneNumber = Samples.phoneNumber()
  yield* verifications.send({ organization, phoneNumber })
  yield* verifications.resetGuesses({ organization, phoneNumber })
  yield* organizations.repairTime({ id: organization })
  yield* Audit.use((_) => _.record({ organization, action: "login", reason: "support" }))
})

describe("Audit", () => {
  engineTest("keeps the reason of the actor, unless the change states its own", function* () {
    const reason = `asked by the owner\n${"x".repeat(300)}`
    yield* Effect.provideService(administer, Actor, { ...actor, reason })
    const reasons = Object.fromEntries(
      (yield* entries).map(({ action, reason }) => [action, reason]),
    )
    const kept = `asked by the owner ${"x".repeat(181)}`
    assert.strictEqual(reasons["guesses.reset"], kept)
    assert.strictEqual(reasons["api_key.created"], kept)
    assert.strictEqual(reasons["account.adjusted"], "fee")
    assert.strictEqual(reasons["login"], "support")
  })

  engineTest("names the actor of the effect for every administrative change", function* () {
    yield* Effect.provideService(administer, Actor, actor)
    const found = yield* entries
    assert.deepStrictEqual(
      found.map(({ action }) => action),
      [
        "organization.created",
        "organization.changed",
        "organization.changed",
        "organization.changed",
        "organization.changed",
        "api_key.created",
        "api_key.revoked",
        "brand.created",
        "brand.changed",
        "brand.created",
        "account.topped_up",
        "account.adjusted",
        "guesses.reset",
        "time.repaired",
        "login",
      ],
    )
    for (const entry of found) assert.deepInclude(entry, { actor: "user_7", origin: "192.0.2.1" })
  })

  engineTest("is read by page, and says how far it reaches", function* () {
    yield* TestEngine.open()
    const audit = yield* Audit
    const all = yield* audit.list({ organization })
    const page = yield* audit.list({ organization, before: all.last, limit: 2 })
    const entries = all.entries.slice(1, 3)
    assert.deepStrictEqual(page, { ...all, entries, next: entries.at(-1)?.sequence })
    const unknown = { organization: OrganizationId("unknown") }
    const reads = yield* Effect.flip(audit.list(unknown))
    const records = yield* Effect.flip(audit.record({ ...unknown, action: "login" }))
    assert.deepStrictEqual([reads._tag, records._tag], Array(2).fill("OrganizationNotFound"))
  })

  describe("with filters", () => {
    /** Actions of two people, one a second, and then many of a program. */
    const history = Effect.gen(function* () {
      const audit = yield* Audit
      const as = (id: string) => Effect.provideService(Actor, { id, origin: null })
      const start = yield* Clock.currentTimeMillis
      yield* Organizations.use((_) => _.create({ id: organization }))
      for (const [id, action, target] of [
        ["olga", "login", "dashboard"],
        ["tariq", "key.copied", "key_1"],
        ["olga", "key.copied", "key_2"],
        ["olga", "logout", undefined],
      ] as const) {
        yield* TestClock.adjust("1 second")
        yield* audit.record({ organization, action, target }).pipe(as(id))
      }
      for (let n = 0; n < 1_500; n++) {
        yield* audit.record({ organization, action: "synced" }).pipe(as("cron"))
      }
      return start
    })

    const descending = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => from - index)

    /** The sequences on each page. */
    const pagesOf = Effect.fnUntraced(function* (query: Omit<Query, "organization">) {
      const audit = yield* Audit
      const pages: Array<ReadonlyArray<number>> = []
      for (let { before } = query; pages.length < 10;) {
        const page = yield* audit.list({ ...query, before, organization })
        pages.push(page.entries.map(({ sequence }) => sequence))
        before = page.next
        if (before === undefined) break
      }
      return pages
    })

    engineTest("finds by who, what and when, in pages that examine a bounded number", function* () {
      const start = yield* history
      const at = (seconds: number) => start + seconds * 1_000
      // The first page examines the entries of the program only.
      const cases: ReadonlyArray<
        readonly [Omit<Query, "organization">, Array<ReadonlyArray<number>>]
      > = [
        [{ actor: "olga" }, [[], [5, 4, 2]]],
        [{ actor: "OLG" }, [[], [5, 4, 2]]],
        [{ actor: "olga", limit: 2 }, [[], [5, 4], [2]]],
        [{ action: "key." }, [[], [4, 3]]],
        [{ target: "key_" }, [[], [4, 3]]],
        [{ actor: "olga", target: "key_" }, [[], [4]]],
        [{ actor: "nadia" }, [[], []]],
        [{ from: at(3), to: at(4), action: "key" }, [[], [4]]],
        [{ to: at(1) }, [[], [2, 1]]],
        [{ from: at(5) }, [[]]],
        [{ action: "synced", limit: 1_000 }, [descending(1_505, 1_000), descending(505, 500)]],
        [{ before: 4, actor: "a" }, [[3, 2]]],
      ]
      for (const [query, pages] of cases) {
        assert.deepStrictEqual(yield* pagesOf(query), pages, JSON.stringify(query))
      }
    })

    engineTest("refuses a period that ends before it begins", function* () {
      yield* TestEngine.open()
      const refused = yield* Effect.flip(Audit.use((_) => _.list({ organization, from: 2, to: 1 })))
      assert.deepInclude(refused, { _tag: "InvalidRequest" })
      assert.nestedPropertyVal(refused, "details.from[0].code", "after_to")
      const endless = { organization, from: Number.NaN }
      assert.strictEqual(
        (yield* Effect.flip(Audit.use((_) => _.list(endless))))._tag,
        "InvalidRequest",
      )
    })
  })

  engineTest.each([
    ["an action", { action: "" }],
    ["an action", { action: "a".repeat(65) }],
    ["a target", { action: "login", target: "a\u0000" }],
    ["a reason", { action: "login", reason: "a".repeat(201) }],
  ] as const)("refuses %s that is empty, too long or not printable", function* ([, action]) {
    yield* TestEngine.open()
    const refused = yield* Effect.flip(Audit.use((_) => _.record({ organization, ...action })))
    assert.strictEqual(refused._tag, "InvalidRequest")
  })

  testOn(recording({ audit: false }))("is empty if it is switched off", function* () {
    yield* administer
    const page = yield* Audit.use((_) => _.list({ organization }))
    assert.deepStrictEqual(page, { first: 1, last: 0, entries: [], next: undefined })
  })
})
