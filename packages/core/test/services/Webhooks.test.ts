import * as Samples from "@countersign/testing/Samples"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { InvalidRequest } from "../../src/domain/errors/Errors.ts"
import { WebhookId } from "../../src/domain/values/Ids.ts"
import { maxWebhooks } from "../../src/domain/webhooks/Webhook.ts"
import { Audit } from "../../src/services/Audit.ts"
import { EventLog } from "../../src/services/EventLog.ts"
import { WebhookDelivery } from "../../src/jobs/WebhookDelivery.ts"
import { invalidCodes } from "../support/invalidFields.ts"
import { untyped } from "../support/untyped.ts"
import { type CreateWebhook, type UpdateWebhook, Webhooks } from "../../src/services/Webhooks.ts"
import { Store } from "../../src/ports/Store.ts"
import { isSignedWith, status, receiverTest } from "../support/receiving.ts"

const organization = Samples.organizationId
const url = "https://receiver.test/hook"

const create = (input: Partial<CreateWebhook> = {}) =>
  Webhooks.use((_) => _.create({ organization, url, ...input }))
const list = Webhooks.use((_) => _.list({ organization }))
const deliver = (id: WebhookId) => WebhookDelivery.use((_) => _.deliver({ organization, id }))

describe("Webhooks", () => {
  receiverTest("shows a secret when it is made, and never again", function* () {
    const { secret, ...created } = yield* create({ types: ["verified"], description: "mine" })
    assert.match(Redacted.value(secret), /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.deepStrictEqual(yield* list, [created])
    assert.deepInclude(created, {
      url,
      types: ["verified"],
      description: "mine",
      isEnabled: true,
      status: "active",
      position: 4,
      retrying: 0,
      retries: [],
    })
    const text = Redacted.value(secret).slice("whsec_".length)
    const stored = yield* Store.use((store) => store.organization(organization))
    const { events } = yield* EventLog.use((_) => _.list({ organization }))
    assert.notInclude(JSON.stringify([stored, events]), text)
    const bytes = Buffer.from(stored?.webhooks[0]?.secrets[0]?.sealed ?? [])
    assert.isAbove(bytes.length, 32)
    assert.notInclude(bytes.toString("latin1"), Buffer.from(text, "base64").toString("latin1"))
    assert.notInclude(bytes.toString("latin1"), text)
  })

  receiverTest("changes only what is given", function* () {
    const created = yield* create({ description: "mine", types: ["verified"] })
    const { secret: _, ...before } = created
    const update = (input: Partial<UpdateWebhook>) =>
      Webhooks.use((all) => all.update({ organization, id: created.id, ...input }))
    assert.deepStrictEqual(yield* update({}), before)
    assert.deepStrictEqual(yield* update({ types: null }), { ...before, types: null })
    const changed = yield* update({ url: "https://other.test", description: null })
    assert.deepStrictEqual(changed, {
      ...before,
      types: null,
      description: null,
      url: "https://other.test/",
    })
  })

  receiverTest("signs with both secrets for a day after a rotation", function* (receiver) {
    const webhooks = yield* Webhooks
    const { id, secret: first } = yield* create()
    const ref = { organization, id }
    const { secret: second } = yield* webhooks.rotateSecret(ref)
    const { secret: third } = yield* webhooks.rotateSecret(ref)
    const secrets = [first, second, third].map(Redacted.value)
    const signers = Effect.gen(function* () {
      yield* webhooks.sendTest(ref)
      const request = receiver.received.at(-1)
      return secrets.map((secret) => request !== undefined && isSignedWith(secret, request))
    })
    const [before] = yield* list
    assert.strictEqual(before?.oldSecretUntil, 86_400_000)
    assert.deepStrictEqual(yield* signers, [false, true, true])
    yield* TestClock.adjust("1 day")
    assert.deepStrictEqual(yield* signers, [false, false, true])
    assert.isNull((yield* list)[0]?.oldSecretUntil)
    yield* webhooks.rotateSecret({ ...ref, grace: "0 seconds" })
    assert.deepStrictEqual(yield* signers, [false, false, false])
  })

  receiverTest("sends a test that is no event, and says what came of it", function* (receiver) {
    const { id } = yield* create()
    const sendTest = Webhooks.use((_) => _.sendTest({ organization, id }))
    assert.deepStrictEqual(yield* sendTest, { isDelivered: true, error: null })
    const [request] = receiver.received
    assert.deepStrictEqual(JSON.parse(request?.body ?? ""), {
      type: "webhook_test",
      timestamp: new Date(0).toISOString(),
      data: { organization, webhookId: id },
    })
    receiver.answers["receiver.test"] = () => Effect.succeed(status(503))
    assert.deepStrictEqual(yield* sendTest, { isDelivered: false, error: "HTTP 503" })
    assert.strictEqual((yield* list)[0]?.troubledSince, null)
  })

  const invalid: ReadonlyArray<readonly [Partial<CreateWebhook>, field: string, code: string]> = [
    [{ url: "receiver.test" }, "url", "not_url"],
    [{ url: "https://me:secret@receiver.test" }, "url", "not_url"],
    [{ url: `https://receiver.test/${"a".repeat(2_000)}` }, "url", "not_url"],
    [{ url: "http://receiver.test" }, "url", "address_not_allowed"],
    [{ types: [] }, "types", "empty"],
    [{ types: untyped(["verified", "exploded"]) }, "types", "unknown_option"],
    [{ description: "a\u0000" }, "description", "invalid_note"],
    [{ description: "a".repeat(201) }, "description", "invalid_note"],
    [{ after: -1 }, "after", "out_of_range"],
    [{ after: 0.5 }, "after", "not_integer"],
  ]

  receiverTest("refuses settings that it could not use", function* () {
    for (const [input, field, code] of invalid) {
      assert.deepStrictEqual(yield* invalidCodes(create(input)), { [field]: code })
    }
    assert.deepStrictEqual(yield* list, [])
  })

  receiverTest(
    "leaves an entry of the audit for each change and replay, without secrets",
    function* () {
      const webhooks = yield* Webhooks
      const { id } = yield* create({ description: "mine" })
      const ref = { organization, id }
      yield* webhooks.rotateSecret(ref)
      yield* webhooks.replay({ ...ref, after: 1 })
      yield* webhooks.remove(ref)
      const { entries } = yield* Audit.use((_) => _.list({ organization, limit: 4 }))
      assert.deepStrictEqual(
        entries.map(({ action, actor, target }) => [action, actor, target]),
        ["removed", "replayed", "changed", "created"].map((done) => [
          `webhook.${done}`,
          "host",
          id,
        ]),
      )
      assert.notInclude(JSON.stringify(entries), "sealed")
    },
  )

  receiverTest("refuses more webhooks than an organization may have", function* () {
    yield* Effect.replicateEffect(create(), maxWebhooks)
    const error = yield* Effect.flip(create())
    assert.instanceOf(error, InvalidRequest)
  })

  receiverTest("does not find a webhook that is unknown or removed", function* () {
    const webhooks = yield* Webhooks
    const { id } = yield* create()
    yield* webhooks.remove({ organization, id })
    for (const ref of [
      { organization, id },
      { organization, id: WebhookId("unknown") },
    ]) {
      const errors = yield* Effect.all([
        Effect.flip(webhooks.update({ ...ref, isEnabled: true })),
        Effect.flip(webhooks.rotateSecret(ref)),
        Effect.flip(webhooks.remove(ref)),
        Effect.flip(webhooks.replay(ref)),
        Effect.flip(webhooks.sendTest(ref)),
      ])
      for (const { _tag } of errors) assert.strictEqual(_tag, "WebhookNotFound")
      yield* deliver(ref.id)
    }
  })
})
