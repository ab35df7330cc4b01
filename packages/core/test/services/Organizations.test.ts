import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { SenderId, OrganizationId } from "../../src/domain/values/Ids.ts"
import { Senders } from "../../src/services/Senders.ts"
import { Messages } from "../../src/services/Messages.ts"
import * as Money from "../../src/domain/values/Money.ts"
import * as Prefixes from "../../src/domain/values/PrefixList.ts"
import { type AllowListChanges, Organizations } from "../../src/services/Organizations.ts"
import { Store } from "../../src/ports/Store.ts"
import { invalidFields } from "../support/invalidFields.ts"
import { engineTest } from "../support/engineTest.ts"

type Create = Parameters<Organizations["Service"]["create"]>[0]
type Update = Parameters<Organizations["Service"]["update"]>[0]

const create = (input: Partial<Create> = {}) =>
  Organizations.use((_) => _.create({ id: "acme", ...input }))
const configure = (settings: Omit<Update, "id">, id = "acme") =>
  Organizations.use((_) => _.update({ id: OrganizationId(id), ...settings }))
const get = (id = "acme") => Organizations.use((_) => _.get({ id: OrganizationId(id) }))

/** Settings that would make every request of the organization fail, or never end. */
const nonsense: ReadonlyArray<readonly [what: string, Omit<Update, "id">, field: string]> = [
  ["a threshold below zero", { balanceLowAt: Money.make("-0.01") }, "balanceLowAt"],
  ["a blocked prefix with a plus", { blockedPrefixes: ["+880"] }, "blockedPrefixes"],
  ["an allowed prefix without a country code", { allowedPrefixes: ["017"] }, "allowedPrefixes"],
  ["an entry that is no address", { allowList: ["203.0.113.7", "nowhere"] }, "allowList"],
  ["no attempt", { limits: { attempts: 0 } }, "limits"],
]

describe("Organizations", () => {
  engineTest("creates an organization with the host's settings and its own name", function* () {
    const created = yield* create({ name: "ঢাকা লিমিটেড" })
    assert.deepStrictEqual<unknown>(created, {
      id: "acme",
      name: "ঢাকা লিমিটেড",
      version: created.version,
      settings: {
        ...Prefixes.none,
        allowList: [],
        limits: {},
        isSuspended: false,
        balanceLowAt: null,
        quietHours: null,
        alerts: {},
        changes: {},
        zone: null,
      },
      senders: [],
      keys: [],
      webhooks: [],
    })
    assert.deepStrictEqual(yield* get(), created)
    assert.strictEqual((yield* create({ id: "zenith" })).name, "zenith")
  })

  engineTest("creates an organization with senders for requests that name none", function* () {
    const { senders: brands } = yield* create({
      senders: { sms: "8809600000000", whatsapp: "profile" },
    })
    const approved = { status: "approved", isDefault: true, class: null, reason: null }
    assert.deepStrictEqual<unknown>(brands, [
      { ...approved, id: "sms", kind: "non-masking", sender: "8809600000000" },
      { ...approved, id: "whatsapp", kind: "whatsapp", sender: "profile" },
    ])
    const organization = OrganizationId("acme")
    const summary = yield* Organizations.use((_) => _.summary({ id: organization }))
    assert.isTrue(summary.hasDefaultSender)
    yield* Senders.use((_) => _.withdraw({ organization, id: SenderId("sms") }))
    yield* Senders.use((_) => _.withdraw({ organization, id: SenderId("whatsapp") }))
    const [left] = yield* Organizations.use((_) => _.list())
    assert.deepInclude(left, { id: organization, hasDefaultSender: false })
    const error = yield* Effect.flip(create({ id: "other", senders: { sms: "" } }))
    assert.deepNestedInclude(error, { "details.senders.length": 1 })
  })

  engineTest(
    "keeps the reasons of the prefixes that are in a list, and who has set each",
    function* () {
      yield* TestEngine.open()
      const id = OrganizationId("acme")
      const update = (given: Omit<Parameters<Organizations["Service"]["update"]>[0], "id">) =>
        Effect.map(
          Organizations.use((_) => _.update({ id, ...given })),
          ({ settings }) => settings,
        )
      const reasons = { "88017": "Never verified", "99": "In no list" }
      const set = yield* update({ blockedPrefixes: ["88017", "1"], prefixReasons: reasons })
      assert.deepStrictEqual(set.prefixReasons, { "88017": "Never verified" })
      assert.includeMembers(Object.keys(set.changes), [
        "blockedPrefixes.88017",
        "blockedPrefixes.1",
      ])
      const lifted = yield* update({ blockedPrefixes: ["1"] })
      assert.deepStrictEqual(lifted.prefixReasons, {})
      assert.notProperty(lifted.changes, "blockedPrefixes.88017")
      assert.property(lifted.changes, "blockedPrefixes.1")
      const long = Effect.flip(update({ prefixReasons: { "1": "x".repeat(201) } }))
      assert.deepNestedInclude(yield* long, { "details.prefixReasons\\.1.length": 1 })
    },
  )

  engineTest("creates no organization twice", function* () {
    yield* create()
    assert.strictEqual((yield* Effect.flip(create()))._tag, "OrganizationExists")
  })

  engineTest.each(["", "a b", "x".repeat(65), "a/b", "é", "a\n"])(
    "refuses the id %j",
    function* (id) {
      const error = yield* Effect.flip(create({ id }))
      assert.deepNestedInclude(error, { "details.id.length": 1 })
    },
  )

  engineTest("changes the name and settings together, or neither", function* () {
    yield* TestEngine.open()
    const update = (name: string, allowList: ReadonlyArray<string>) =>
      Organizations.use((_) => _.update({ id: OrganizationId("acme"), name, allowList }))
    yield* update("Acme", ["192.0.2.1"])
    yield* Effect.flip(update("Other", ["nowhere"]))
    yield* Effect.flip(update("\0", []))
    const { name, settings } = yield* get()
    assert.deepStrictEqual([name, settings.allowList], ["Acme", ["192.0.2.1"]])
  })

  engineTest(
    "add and remove single addresses, and open to all addresses only if they may",
    function* () {
      yield* TestEngine.open()
      const change = (allowListChanges: AllowListChanges) =>
        Effect.map(
          Organizations.use((_) => _.update({ id: OrganizationId("acme"), allowListChanges })),
          ({ settings }) => settings.allowList,
        )
      assert.deepStrictEqual(yield* change({ add: ["::1", "192.0.2.1"] }), ["::1", "192.0.2.1"])
      assert.deepStrictEqual(yield* change({ add: ["::1", "::2"], remove: ["192.0.2.1", "::3"] }), [
        "::1",
        "::2",
      ])
      // Two operators remove one address each. Neither was asked to open the list.
      const removals = Effect.forEach(["::1", "::2"], (one) => change({ remove: [one] }), {
        concurrency: "unbounded",
      })
      assert.deepStrictEqual((yield* removals).at(-1), ["::2"])
      assert.deepStrictEqual(yield* change({ remove: ["::2"], mayOpen: true }), [])
      const refused = yield* Effect.flip(change({ add: ["nowhere"] }))
      assert.nestedProperty(refused, "details.allowList")
    },
  )

  engineTest("have quiet hours for each class, until they are removed", function* () {
    yield* TestEngine.open()
    const id = OrganizationId("acme")
    const update = (settings: Omit<Update, "id">) =>
      Organizations.use((_) => _.update({ id, ...settings }))
    const night = { from: "22:00", to: "08:00" }
    yield* update({ quietHours: { promotional: night } })
    yield* update({ name: "Acme" })
    assert.deepStrictEqual((yield* get()).settings.quietHours, { promotional: night })
    const wrong = update({
      quietHours: {
        promotional: { from: "22", to: "08:00" },
        transactional: { ...night, to: "22:00" },
      },
    })
    assert.deepStrictEqual(yield* invalidFields(wrong), [
      "quietHours.promotional.from",
      "quietHours.transactional.to",
    ])
    assert.deepStrictEqual((yield* get()).settings.quietHours, { promotional: night })
    yield* update({ quietHours: null })
    assert.isNull((yield* get()).settings.quietHours)
  })

  engineTest("change single limits, and take them back", function* () {
    yield* TestEngine.open()
    const id = OrganizationId("acme")
    const update = (settings: Omit<Update, "id">) =>
      Organizations.use((_) => _.update({ id, ...settings }))
    yield* update({ limits: { attempts: 4, resends: 2 } })
    yield* update({ limits: { resends: 1, messagesPerOrganization: null } })
    const limits = { attempts: 4, resends: 1, messagesPerOrganization: null }
    assert.deepStrictEqual((yield* get()).settings.limits, limits)
    yield* update({ resetLimits: ["messagesPerOrganization", "resends", "codeLength"] })
    assert.deepStrictEqual((yield* get()).settings.limits, { attempts: 4 })
    yield* update({ resetLimits: ["attempts"], limits: { attempts: 3 } })
    assert.deepStrictEqual((yield* get()).settings.limits, { attempts: 3 })
    const refused = yield* Effect.flip(update({ limits: { attempts: 0 } }))
    assert.strictEqual(refused._tag, "InvalidRequest")
  })

  engineTest.each(nonsense)("refuses %s, at creation and later", function* ([, settings, field]) {
    const error = yield* Effect.flip(create(settings))
    assert.deepInclude(error, { _tag: "InvalidRequest" })
    assert.hasAllKeys(error._tag === "InvalidRequest" ? error.details : {}, [field])
    const created = yield* create()
    assert.deepStrictEqual<unknown>(yield* Effect.flip(configure(settings)), error)
    assert.deepStrictEqual(yield* get(), created)
  })

  engineTest("fails for an unknown organization", function* () {
    assert.strictEqual((yield* Effect.flip(get()))._tag, "OrganizationNotFound")
    assert.strictEqual((yield* Effect.flip(configure({})))._tag, "OrganizationNotFound")
  })

  engineTest("suspends and resumes, also when repeated", function* () {
    yield* create({ allowList: ["::1"] })
    for (const [change, isSuspended] of [
      ["suspend", true],
      ["suspend", true],
      ["resume", false],
      ["resume", false],
    ] as const) {
      const changed = yield* Organizations.use((_) => _[change]({ id: OrganizationId("acme") }))
      assert.deepInclude(changed.settings, { allowList: ["::1"], isSuspended })
      assert.deepStrictEqual(yield* get(), changed)
      const unknown = Organizations.use((_) => _[change]({ id: OrganizationId("none") }))
      assert.strictEqual((yield* Effect.flip(unknown))._tag, "OrganizationNotFound")
    }
  })

  engineTest("lists summaries in pages, with one store read for each page", function* () {
    const ids = Array.from({ length: 1_005 }, (_, index) => `org-${String(index).padStart(4, "0")}`)
    yield* Effect.forEach(ids, (id) => create({ id }))
    const list = (after?: string, limit?: number) =>
      Organizations.use((_) =>
        _.list({ after: after === undefined ? undefined : OrganizationId(after), limit }),
      ).pipe(Effect.map((page) => page.map(({ id }) => id)))
    assert.deepStrictEqual<unknown>(yield* list(), ids.slice(0, 100))
    assert.deepStrictEqual<unknown>(yield* list("org-0999"), ids.slice(1_000))
    assert.deepStrictEqual<unknown>(yield* list(undefined, 5_000), ids.slice(0, 1_000))
    assert.deepStrictEqual<unknown>(yield* list(undefined, 0), ids.slice(0, 1))
    const [first] = yield* Organizations.use((_) => _.list())
    assert.deepStrictEqual<unknown>(first, {
      id: "org-0000",
      name: "org-0000",
      isSuspended: false,
      balance: 0,
      held: 0,
      hasDefaultSender: false,
      pendingSenders: 0,
      messagesLastDay: 0,
      activeApiKeys: 0,
    })
  })
})

describe("Organizations.repairTime", () => {
  engineTest(
    "repairs an organization whose time was far ahead, with all of its messages",
    function* () {
      const { organization } = yield* TestEngine.open({ balance: Money.make("1000") })
      const store = yield* Store
      const messages = yield* Messages
      const { lastAt = 0 } = (yield* store.account(organization)) ?? {}
      yield* TestClock.adjust("365 days")
      const send = messages.send({ organization, phoneNumber: "+8801712345678", text: "x" })
      yield* Effect.replicateEffect(send, 501, { discard: true })
      yield* TestClock.setTime(lastAt)
      const repair = Organizations.use((_) => _.repairTime({ id: organization }))
      assert.deepStrictEqual(yield* repair, { messages: 501 })
      assert.strictEqual((yield* store.account(organization))?.lastAt, lastAt)
      assert.deepStrictEqual(yield* repair, { messages: 0 })
    },
  )

  engineTest("fails for an organization that does not exist", function* () {
    const error = yield* Effect.flip(
      Organizations.use((_) => _.repairTime({ id: OrganizationId("unknown") })),
    )
    assert.strictEqual(error._tag, "OrganizationNotFound")
  })
})
