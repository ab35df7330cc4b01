import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "vitest"
import type { Command } from "../../src/decide/Command.ts"
import * as Decision from "../../src/decide/Decision.ts"
import { isEnding, needs } from "../../src/decide/Needs.ts"
import { WebhookId } from "../../src/domain/values/Ids.ts"
import { host } from "../../src/domain/values/Actor.ts"
import type { Digests } from "../../src/domain/verifications/KnownClient.ts"
import { erase } from "../../src/domain/values/PhoneNumber.ts"
import * as PrefixStats from "../../src/domain/fraud/PrefixStats.ts"
import * as WebhookProgress from "../../src/domain/webhooks/WebhookProgress.ts"
import type { Delivery } from "../../src/domain/webhooks/WebhookProgress.ts"
import { noRows } from "../support/noRows.ts"

const { now, organizationId: organization } = Samples

const requestId = Samples.requestId()
const phoneNumber = Samples.phoneNumber()
const messageSequence = 1
const webhookId = WebhookId("whk_1")
const client: Digests = ["new", "old"]
const erased: Digests = ["new number", "old number"]
const window = { max: 5, windowMillis: 60_000 }
const sends = { sendsPerClient: window }
const checks = { checksPerClient: window }
const unsent = { _tag: "NotSent", message: "" } as const
const request = Samples.verification()
const rules = Samples.fraudRules({ maxSent: 5 })

const noPrefix = { prefixOfRequest: false }
const erasedNumber = erase(phoneNumber)
const idempotency = Samples.idempotentCall("k")

const limited = { client, limits: sends }
const ofHost = { organization, version: 1, actor: host }
const delivery: Delivery = {
  sequence: 1,
  previous: null,
  type: "verified",
  outcome: { _tag: "Delivered" },
  status: 204,
  answer: null,
  at: 0,
  millis: 1,
  jitter: 0,
}

it.each<readonly [Command, needs: object]>([
  [Samples.admitVerification({ client, limits: { sendsPerClient: undefined } }), { phoneNumber }],
  [Samples.admitVerification({ limits: sends }), { phoneNumber }],
  [Samples.admitVerification({ ...limited, erased }), { phoneNumber, client, erased }],
  [Samples.requestVerification(), { phoneNumber }],
  [Samples.requestVerification({ mayBeTaken: true }), { phoneNumber, requestId }],
  [
    Samples.requestVerification({ ...limited, erased, rules }),
    { phoneNumber, client, erased, prefix: "88017" },
  ],
  [Samples.followVerification(), { requestId, messageSequence, carrier: true, ...noPrefix }],
  [
    Samples.followVerification({ rules }),
    { requestId, messageSequence, carrier: true, prefixOfRequest: true },
  ],
  [Samples.endFollow(), { requestId, messageSequence, ...noPrefix }],
  [Samples.endFollow({ rules }), { requestId, messageSequence, prefixOfRequest: true }],
  [Samples.admitResend(limited), { requestId, client }],
  [Samples.resendVerification(), { requestId, carrier: true, ...noPrefix }],
  [
    Samples.resendVerification({ ...limited, rules }),
    { requestId, carrier: true, prefixOfRequest: true, client },
  ],
  [Samples.cancelVerification(), { requestId }],
  [Samples.consumeVerification(), { requestId }],
  [Samples.checkCode({ client, limits: checks }), { requestId, client, ...noPrefix }],
  [Samples.checkCode({ rules }), { requestId, prefixOfRequest: true }],
  [Samples.resetGuesses({ erased }), { phoneNumber, erased }],
  [Samples.resetGuesses(), { phoneNumber }],
  [{ _tag: "ObserveVerification", organization, requestId }, { requestId }],
  [Samples.admitMessage(), {}],
  [Samples.holdMessage(), {}],
  [Samples.holdMessage({ idempotency }), { idempotencyId: "k" }],
  [Samples.recordDispatch(), { messageSequence }],
  // Its event needs the request, unless the node has its part of the event and the code was sent.
  [Samples.recordDispatch({ requestId, rules }), { messageSequence, requestId, ...noPrefix }],
  [Samples.recordDispatch({ requestId, verification: request }), { messageSequence }],
  [
    Samples.recordDispatch({ requestId, verification: request, outcome: unsent, rules }),
    { messageSequence, requestId, prefixOfRequest: true },
  ],
  [
    Samples.recordDispatch({ requestId, outcome: unsent }),
    { messageSequence, requestId, ...noPrefix },
  ],
  [Samples.recordDispatch({ outcome: unsent, rules }), { messageSequence }],
  [Samples.applyReport(), { messageSequence }],
  [Samples.reclaimMessage(), { messageSequence }],
  [Samples.beginLookup(), { messageSequence }],
  [Samples.closeMessage(), { messageSequence }],
  [{ _tag: "FindCall", organization, idempotency }, { idempotencyId: "k" }],
  [Samples.recordAnswer(), { idempotencyId: "key" }],
  [Samples.topUp({ paymentId: "p1" }), { paymentId: "p1" }],
  [Samples.topUp(), {}],
  [
    { _tag: "ReplayWebhook", ...ofHost, id: webhookId, startsAfter: 0, after: undefined },
    { webhookId },
  ],
  [{ _tag: "RecordResent", ...ofHost, id: webhookId, startsAfter: 0, delivery }, { webhookId }],
  [{ _tag: "RecordAudit", organization, actor: host, action: "x", target: null, reason: null }, {}],
])("$0._tag needs $1", (command, expected) => {
  assert.deepStrictEqual<unknown>(needs(command), expected)
})

describe("a view", () => {
  const stats = PrefixStats.empty(organization, "88017")
  const progress = WebhookProgress.initial(organization, webhookId, 0)
  const activity = { organization, client: "old", sends: [], checks: [] }
  const limits = {
    organization,
    digest: "old number",
    sends: [],
    guesses: { window: [], sinceSuccess: 1 },
    expiresAt: now,
  }
  const verification = Samples.verification({ prefix: "88017" })
  const key = Samples.idempotencyKey()
  const rows: Decision.Rows = {
    ...noRows,
    account: Samples.account(),
    verification: (id) => (id === requestId ? verification : undefined),
    prefixStats: (prefix) => (prefix === "88017" ? stats : undefined),
    webhook: (id) => (id === webhookId ? progress : undefined),
    client: (digest) => (digest === "old" ? activity : undefined),
    erasedRecipient: (digest) => (digest === "old number" ? limits : undefined),
    idempotencyKey: (id) => (id === "key" ? key : undefined),
  }

  it("has a prefix by its number, or by its request", () => {
    assert.strictEqual(
      Decision.view(rows, Samples.requestVerification({ rules })).prefixStats,
      stats,
    )
    assert.strictEqual(Decision.view(rows, Samples.checkCode({ rules })).prefixStats, stats)
    assert.isUndefined(Decision.view(rows, Samples.checkCode()).prefixStats)
    const other = { ...rows, verification: () => Samples.verification() }
    assert.isUndefined(Decision.view(other, Samples.checkCode({ rules })).prefixStats)
  })

  it("has the opt-outs of a promotional message, and of the numbers in a change", () => {
    const row = { organization, digest: "old number", addedAt: now, removedAt: null }
    const some = {
      ...rows,
      optOut: (digest: string) => (digest === "old number" ? row : undefined),
    }
    const number = ["new number", "old number"] as const
    const found = new Map([["old number", row]])
    for (const command of [
      Samples.holdMessage({ optOut: number }),
      Samples.admitMessage({ optOut: number }),
      {
        _tag: "ChangeOptOuts",
        organization,
        actor: host,
        change: "add",
        numbers: [["other"], number],
      },
    ] as const) {
      assert.deepStrictEqual(Decision.view(some, command).optOuts, found)
    }
    assert.strictEqual(Decision.view(some, Samples.holdMessage()).optOuts.size, 0)
  })

  it("has rows under the digest of any pepper", () => {
    const view = Decision.view(rows, Samples.admitVerification({ client, erased, limits: sends }))
    assert.deepStrictEqual([view.client, view.erased], [activity, limits])
  })

  it("has a webhook and an idempotency key by their ids", () => {
    const claim: Command = {
      _tag: "RecordDeliveries",
      organization,
      id: webhookId,
      holder: "node",
      round: { position: 0, previous: null, deliveries: [] },
    }
    assert.strictEqual(Decision.view(rows, claim).webhook, progress)
    assert.strictEqual(Decision.view(rows, Samples.recordAnswer()).idempotencyKey, key)
    const other = WebhookId("whk_2")
    assert.isUndefined(Decision.view(rows, { ...claim, id: other }).webhook)
  })

  it("has no erased request, and asks for no row of a request that is absent", () => {
    const gone = Samples.verification({ phoneNumber: erasedNumber })
    const asked: Array<unknown> = []
    const counted: Decision.Rows = {
      ...rows,
      verification: () => gone,
      recipient: (one) => void asked.push(one),
      message: (one) => void asked.push(one),
      prefixStats: (one) => void asked.push(one),
      payment: (one) => void asked.push(one),
      idempotencyKey: (one) => void asked.push(one),
      webhook: (one) => void asked.push(one),
    }
    const view = Decision.view(counted, Samples.resendVerification({ rules }))
    assert.deepStrictEqual([view.verification, view.carrier, asked], [undefined, undefined, []])
  })
})

it.each<readonly [Command, boolean]>([
  [Samples.topUp(), false],
  [Samples.holdMessage(), false],
  [Samples.followVerification(), true],
  [Samples.endFollow(), true],
  [Samples.recordDispatch(), true],
  [Samples.applyReport(), true],
  [Samples.reclaimMessage(), true],
  [Samples.beginLookup(), true],
  [Samples.closeMessage(), true],
  [Samples.recordAnswer(), true],
])("$0._tag continues paid work: $1", (command, expected) => {
  assert.strictEqual(isEnding(command), expected)
})
