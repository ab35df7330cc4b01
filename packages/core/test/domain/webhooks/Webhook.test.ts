import * as Samples from "@countersign/testing/Samples"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import type { LoggedEvent } from "../../../src/domain/events/Event.ts"
import { WebhookId } from "../../../src/domain/values/Ids.ts"
import * as Webhook from "../../../src/domain/webhooks/Webhook.ts"

const { now, organizationId: organization, webhook } = Samples

const timestamp = "2026-01-01T00:00:00.000Z"
const place = { organization, at: now, sequence: 7 }
const request = {
  ...place,
  requestId: Samples.requestId(),
  phoneNumber: "+8801*****000",
  purpose: "login",
  metadata: '{"a":"১"}',
}
describe("the body of a delivery", () => {
  it("is the same text for each attempt, and begins with the type", () => {
    const event: LoggedEvent = { _tag: "WebhookRemoved", ...place, webhookId: WebhookId("whk_1") }
    const data = '{"organization":"acme","sequence":7,"webhookId":"whk_1","previous":null}'
    assert.strictEqual(
      Webhook.bodyOf(event, null),
      `{"type":"webhook_removed","timestamp":"${timestamp}","data":${data}}`,
    )
  })

  it("of a test names the webhook", () => {
    assert.deepStrictEqual(JSON.parse(Webhook.testBody("acme", WebhookId("whk_1"), now)), {
      type: "webhook_test",
      timestamp,
      data: { organization: "acme", webhookId: "whk_1" },
    })
  })
})

describe("a delivery", () => {
  const event: LoggedEvent = { _tag: "Verified", ...request }

  it("has the id of its event, and a text to sign", () => {
    assert.strictEqual(Webhook.deliveryId(event), "evt_acme_7")
    assert.strictEqual(Webhook.signedText("evt_acme_7", 5, "{}"), "evt_acme_7.5.{}")
  })

  it("is wanted by webhooks of all events, and of its type", () => {
    assert.isTrue(Webhook.wants(webhook(), event))
    assert.isTrue(Webhook.wants(webhook({ types: ["refunded", "verified"] }), event))
    assert.isFalse(Webhook.wants(webhook({ types: ["refunded"] }), event))
  })
})

describe("the secrets of a webhook", () => {
  const secret = (text: string, until: number | null = null): Webhook.Secret => ({
    sealed: Samples.digest(text),
    pepper: "k1",
    until,
  })

  it("sign until their end, the current one first", () => {
    const one = webhook({ secrets: [secret("new"), secret("old", now + 5)] })
    assert.deepStrictEqual(Webhook.secretsAt(one, now + 4), one.secrets)
    assert.deepStrictEqual(Webhook.secretsAt(one, now + 5), [secret("new")])
  })

  it("are two after a rotation", () => {
    const before = webhook({ secrets: [secret("b"), secret("a", now + 1)] })
    assert.deepStrictEqual(Webhook.rotate(before, secret("c"), now + 9), {
      ...before,
      secrets: [secret("c"), secret("b", now + 9)],
    })
  })

  it("are written as Standard Webhooks writes them", () => {
    const bytes = Uint8Array.of(1, 2, 3)
    assert.strictEqual(Webhook.encodeSecret(bytes), "whsec_AQID")
    assert.deepStrictEqual(Result.getOrThrow(Webhook.decodeSecret("whsec_AQID")), bytes)
  })
})
