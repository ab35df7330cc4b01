import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "vitest"
import { ApiKeyId, SenderId, WebhookId } from "../../../src/domain/values/Ids.ts"
import * as Organization from "../../../src/domain/organizations/Organization.ts"

const { apiKey, sender, now, webhook } = Samples

const line = SenderId("line")
const other = sender({ id: SenderId("other"), isDefault: false })
const second = webhook({ id: WebhookId("whk_2") })
const secondKey = apiKey({ id: ApiKeyId("ABCDEF0123456789") })

const organization: Organization.Organization = {
  ...Samples.organization({
    senders: [sender({ status: "pending" }), other],
    keys: [apiKey(), secondKey],
    webhooks: [webhook(), second],
  }),
  version: 1,
}

describe("the senders of a new organization", () => {
  it("are approved defaults, with the ids of their channels", () => {
    const own = { status: "approved", isDefault: true, class: null, reason: null }
    const sms = { ...own, id: "sms", kind: "non-masking", sender: "8809600000000" }
    const whatsapp = { ...own, id: "whatsapp", kind: "whatsapp", sender: "acme" }
    const made = (senders: Organization.DefaultSenders): unknown =>
      Organization.defaultSenders(senders)
    assert.deepStrictEqual(made({}), [])
    assert.deepStrictEqual(made({ sms: "8809600000000" }), [sms])
    assert.deepStrictEqual(made({ whatsapp: "acme" }), [whatsapp])
    assert.deepStrictEqual(made({ sms: "8809600000000", whatsapp: "acme" }), [sms, whatsapp])
  })

  it.each([
    [[], false],
    [[sender()], true],
    [[sender({ isDefault: false })], false],
    [[sender({ status: "pending" })], false],
    [[other, sender()], true],
  ])("%j have a default: %s", (senders, expected) => {
    assert.strictEqual(Organization.hasDefaultSender({ senders }), expected)
  })
})

describe("a decision on a sender", () => {
  it("changes it, and no other", () => {
    const decided = Organization.withDecision(organization, line, "rejected", "A bank's name")
    assert.deepStrictEqual(decided, {
      ...organization,
      senders: [sender({ status: "rejected", reason: "A bank's name" }), other],
    })
  })

  it("does not bring a withdrawn one back", () => {
    const withdrawn = Organization.withoutSender(organization, line)
    assert.deepStrictEqual(Organization.withDecision(withdrawn, line, "approved", null), withdrawn)
  })
})

describe("webhooks", () => {
  it("are added at the end, or replaced in their place", () => {
    const third = webhook({ id: WebhookId("whk_3") })
    const added = Organization.withWebhook(organization, third)
    assert.deepStrictEqual(added, { ...organization, webhooks: [webhook(), second, third] })
    const changed = webhook({ isEnabled: false })
    assert.deepStrictEqual(Organization.withWebhook(organization, changed).webhooks, [
      changed,
      second,
    ])
  })

  it("are found and removed by their ids", () => {
    assert.deepStrictEqual(Organization.webhookOf(organization, second.id), second)
    assert.isUndefined(Organization.webhookOf(organization, WebhookId("whk_3")))
    assert.deepStrictEqual(Organization.withoutWebhook(organization, second.id), {
      ...organization,
      webhooks: [webhook()],
    })
  })
})

it("a use is recorded for its key", () => {
  const used = Organization.withKeyUse(organization, secondKey.id, now)
  assert.deepStrictEqual(used, {
    ...organization,
    keys: [apiKey(), { ...secondKey, lastUsedAt: now }],
  })
})

it("a list shows the balance and counts the active keys", () => {
  const money = { balance: Samples.money("5"), held: Samples.money("1") }
  const revoked = Organization.withoutKey(organization, secondKey.id, now)
  assert.deepStrictEqual(Organization.summaryOf(revoked, money, now, 7), {
    id: organization.id,
    name: "Acme",
    isSuspended: false,
    ...money,
    hasDefaultSender: false,
    pendingSenders: 1,
    messagesLastDay: 7,
    activeApiKeys: 1,
  })
  const approved = Organization.withDecision(organization, line, "approved", null)
  assert.isTrue(Organization.summaryOf(approved, money, now, 0).hasDefaultSender)
})
