import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "vitest"
import * as OrganizationChange from "../../src/decide/OrganizationChange.ts"
import { host } from "../../src/domain/values/Actor.ts"
import { ApiKeyId, SenderId, WebhookId } from "../../src/domain/values/Ids.ts"
import { withSettings } from "../../src/domain/organizations/Organization.ts"
import { defaults } from "../../src/domain/organizations/RecordOptions.ts"

const { apiKey, sender, money, now, organizationId: organization, webhook } = Samples

const context = { actor: { ...host, reason: "asked" }, now, records: defaults }
const account = Samples.account({ version: 3, lastEvent: 41, lastAudit: 6 })
const before = {
  ...Samples.organization({ senders: [sender()], keys: [apiKey()], webhooks: [webhook()] }),
  version: 3,
}

const decide = (change: OrganizationChange.Change) =>
  OrganizationChange.decide({ account, organization: before }, change, context)

const keyValues = {
  name: "backend",
  environment: "live",
  createdAt: now,
  expiresAt: null,
  revokedAt: null,
  scopes: null,
}

const webhookValues = {
  url: "https://example.com/hook",
  description: "orders",
  types: null,
  isEnabled: true,
  secrets: [{ pepper: "k1", until: null }],
  createdAt: now,
  startsAfter: 0,
}

const { id: line, ...lineValues } = sender()

const newKey = apiKey({ id: ApiKeyId("ABCDEF0123456789"), name: "new" })
const newBrand = sender({ id: SenderId("second"), isDefault: false })
/** The members of an event. */
const { class: _class, reason: _reason, ...lineShown } = sender()
const newHook = webhook({ id: WebhookId("whk_2"), url: "https://example.com/second" })

describe("a change of an organization", () => {
  const rows: ReadonlyArray<
    readonly [
      string,
      OrganizationChange.Change,
      event: object,
      audit: readonly [action: string, target: string, before: object | null, after: object | null],
    ]
  > = [
    [
      "a new key",
      (one) => ({ ...one, keys: [...one.keys, newKey] }),
      { _tag: "KeyCreated", key: { id: newKey.id, name: "new", environment: "live" } },
      ["api_key.created", newKey.id, null, { ...keyValues, name: "new" }],
    ],
    [
      "a revoked key",
      (one) => ({ ...one, keys: [apiKey({ revokedAt: now })] }),
      { _tag: "KeyRevoked", key: { id: apiKey().id, name: "backend" } },
      ["api_key.revoked", apiKey().id, keyValues, { ...keyValues, revokedAt: now }],
    ],
    [
      "a sender with another default",
      (one) => ({ ...one, senders: [sender({ isDefault: false })] }),
      { _tag: "BrandChanged", brand: { ...lineShown, isDefault: false } },
      ["brand.changed", line, lineValues, { ...lineValues, isDefault: false }],
    ],
    [
      "a new sender",
      (one) => ({ ...one, senders: [...one.senders, newBrand] }),
      { _tag: "BrandChanged", brand: { ...lineShown, id: newBrand.id, isDefault: false } },
      ["brand.created", "second", null, { ...lineValues, isDefault: false }],
    ],
    [
      "a new webhook",
      (one) => ({ ...one, webhooks: [...one.webhooks, newHook] }),
      { _tag: "WebhookCreated", webhookId: newHook.id },
      ["webhook.created", newHook.id, null, { ...webhookValues, url: newHook.url }],
    ],
    [
      "a changed webhook",
      (one) => ({ ...one, webhooks: [webhook({ isEnabled: false })] }),
      { _tag: "WebhookChanged", webhookId: webhook().id },
      ["webhook.changed", webhook().id, webhookValues, { ...webhookValues, isEnabled: false }],
    ],
    [
      "a removed webhook",
      (one) => ({ ...one, webhooks: [] }),
      { _tag: "WebhookRemoved", webhookId: webhook().id },
      ["webhook.removed", webhook().id, webhookValues, null],
    ],
  ]
  it("a webhook in the place of another is created, and the other is removed", () => {
    const { events } = decide((one) => ({ ...one, webhooks: [newHook] }))
    assert.deepStrictEqual(
      events.map(({ _tag }) => _tag),
      ["WebhookCreated", "WebhookRemoved"],
    )
  })

  it.each(rows)("%s is one event and one audit entry", (_, change, event, audit) => {
    const { events, writes } = decide(change)
    const { _tag, ...values } = { _tag: "", ...event }
    assert.deepStrictEqual<unknown>(events, [
      { _tag, organization, at: now, ...values, sequence: 42 },
    ])
    const [action, target, before, after] = audit
    const by = { actor: "host", actorName: null, origin: null }
    const entry = { organization, sequence: 7, at: now, ...by }
    assert.deepStrictEqual<unknown>(writes.audit, [
      { ...entry, reason: "asked", action, target, before, after },
    ])
    assert.deepInclude(writes.account, { version: 4, lastEvent: 42, lastAudit: 7 })
  })

  it("shows amounts as decimals, and names the settings", () => {
    const { events, writes } = decide((one) => ({
      ...withSettings(one, {
        balanceLowAt: money("5"),
        limits: { resends: 1, spendPerDay: money("20") },
      }),
      name: "Other",
    }))
    const { changes: _changes, ...settings } = before.settings
    const values = { name: "Acme", ...settings }
    assert.deepStrictEqual<unknown>(
      events.map((event) => (event._tag === "SettingsChanged" ? event.settings : event)),
      [["name", "limits", "balanceLowAt"]],
    )
    const changed = { balanceLowAt: "5.00", limits: { resends: 1, spendPerDay: "20.00" } }
    assert.deepInclude(writes.audit?.[0], {
      action: "organization.changed",
      target: organization,
      before: values,
      after: { ...values, name: "Other", ...changed },
    })
    assert.strictEqual(writes.account.balanceLowAt, money("5"))
  })

  it("notes who has set each setting, until it has the default again", () => {
    const own = { limits: { resends: 1, attempts: 4 }, alerts: { spend: money("20") } }
    const { organization: first } = decide((one) => withSettings(one, own))
    const by = { at: now, by: "host" }
    const notes = { "limits.resends": by, "limits.attempts": by, "alerts.spend": by }
    assert.deepStrictEqual(first.settings.changes, notes)
    const later = OrganizationChange.decide(
      { account, organization: first },
      (one) => ({
        ...withSettings(one, { limits: { resends: 1, attempts: 5 }, alerts: {} }),
        name: "Other",
      }),
      { actor: { id: "amir", origin: null }, now: now + 1, records: defaults },
    )
    const changed = { at: now + 1, by: "amir" }
    assert.deepStrictEqual(later.organization.settings.changes, {
      "limits.resends": by,
      "limits.attempts": changed,
      name: changed,
    })
  })

  it("notes who has set each prefix, and who has changed its reason", () => {
    const listed = { blockedPrefixes: ["1", "88017"], prefixReasons: {} }
    const { organization: first } = decide((one) => withSettings(one, listed))
    const by = { at: now, by: "host" }
    assert.deepStrictEqual(first.settings.changes, {
      blockedPrefixes: by,
      "blockedPrefixes.1": by,
      "blockedPrefixes.88017": by,
    })
    const later = OrganizationChange.decide(
      { account, organization: first },
      (one) =>
        withSettings(one, { blockedPrefixes: ["1", "44"], prefixReasons: { "1": "Verified" } }),
      { actor: { id: "amir", origin: null }, now: now + 1, records: defaults },
    )
    const changed = { at: now + 1, by: "amir" }
    assert.deepStrictEqual(later.organization.settings.changes, {
      blockedPrefixes: changed,
      "blockedPrefixes.1": changed,
      "blockedPrefixes.44": changed,
    })
  })

  it("receives the organization, the time and its newest event", () => {
    const told: Array<unknown> = []
    decide((one, ...context) => {
      told.push(one, ...context)
      return one
    })
    assert.deepStrictEqual(told, [before, now, 41])
  })

  it("revokes a key that it creates with two events", () => {
    const { events } = decide((one) => ({
      ...one,
      keys: [...one.keys, { ...newKey, revokedAt: now }],
    }))
    assert.deepStrictEqual(
      events.map(({ _tag }) => _tag),
      ["KeyCreated", "KeyRevoked"],
    )
  })

  it("has no event for a key that stays revoked", () => {
    const revoked = { ...before, keys: [apiKey({ revokedAt: now })] }
    const { events } = OrganizationChange.decide(
      { account, organization: revoked },
      (one) => one,
      context,
    )
    assert.deepStrictEqual(events, [])
  })
})

describe("a new organization", () => {
  it("has an account, and an audit entry for each of its parts, without secrets", () => {
    const { audit, ...rows } = OrganizationChange.create(
      withSettings(before, { balanceLowAt: money("5") }),
      context,
    )
    assert.deepStrictEqual(rows, {
      account: { ...Samples.account({ balanceLowAt: money("5"), version: 1 }), lastAudit: 4 },
    })
    assert.deepStrictEqual(
      audit?.map(({ action, sequence, target }) => [sequence, action, target]),
      [
        [1, "organization.created", organization],
        [2, "brand.created", line],
        [3, "api_key.created", apiKey().id],
        [4, "webhook.created", webhook().id],
      ],
    )
    assert.deepStrictEqual(
      audit?.slice(1).map((entry) => [entry.before, entry.after]),
      [lineValues, keyValues, webhookValues].map((values) => [null, values]),
    )
  })
})
