import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "vitest"
import type { Command } from "../../src/decide/Command.ts"
import * as Decision from "../../src/decide/Decision.ts"
import { isEnding, needs } from "../../src/decide/Needs.ts"
import { host } from "../../src/domain/values/Actor.ts"
import { WebhookId } from "../../src/domain/values/Ids.ts"
import type { Digests } from "../../src/domain/verifications/KnownClient.ts"
import { erase } from "../../src/domain/values/PhoneNumber.ts"
import * as PrefixStats from "../../src/domain/fraud/PrefixStats.ts"
import * as WebhookProgress from "../../src/domain/webhooks/WebhookProgress.ts"

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
const rules: PrefixStats.Rules = {
  prefixDigits: 5,
  windowMillis: 60_000,
  maxSent: 5,
  minSent: 1_000,
  minConversion: 0,
  action: "deny",
}

const noPrefix = { prefixOfRequest: false }
const erasedNumber = erase(phoneNumber)
const idempotency = Samples.idempotentCall("k")

describe("a command needs", () => {
  it.each<readonly [string, Command, object]>([
    [
      "its number",
      Samples.admitVerification({ limits: { sendsPerClient: undefined }, client }),
      { phoneNumber },
    ],
    [
      "its limited client",
      Samples.admitVerification({ client, erased, limits: sends }),
      { phoneNumber, client, erased },
    ],
    ["no client without one", Samples.admitVerification({ limits: sends }), { phoneNumber }],
    [
      "its prefix",
      Samples.requestVerification({ client, erased, rules, limits: sends }),
      { phoneNumber, client, erased, prefix: "88017" },
    ],
    ["no prefix without rules", Samples.requestVerification(), { phoneNumber }],
    [
      "the request that may have the chosen id",
      Samples.requestVerification({ mayBeTaken: true }),
      { phoneNumber, requestId },
    ],
    [
      "what it follows",
      Samples.followVerification(),
      { requestId, messageSequence, carrier: true, ...noPrefix },
    ],
    [
      "the prefix of what it follows",
      Samples.followVerification({ rules }),
      { requestId, messageSequence, carrier: true, prefixOfRequest: true },
    ],
    ["what it ends", Samples.endFollow(), { requestId, messageSequence, ...noPrefix }],
    [
      "the prefix of what it ends",
      Samples.endFollow({ rules }),
      { requestId, messageSequence, prefixOfRequest: true },
    ],
    [
      "the request of a resend",
      Samples.admitResend({ client, limits: sends }),
      { requestId, client },
    ],
    [
      "the message before a resend",
      Samples.resendVerification({ client, limits: sends, rules }),
      { requestId, carrier: true, prefixOfRequest: true, client },
    ],
    [
      "no prefix of a resend without rules",
      Samples.resendVerification(),
      { requestId, carrier: true, ...noPrefix },
    ],
    ["the request that it cancels", Samples.cancelVerification(), { requestId }],
    ["the request that it consumes", Samples.consumeVerification(), { requestId }],
    [
      "the request that it checks",
      Samples.checkCode({ client, limits: checks }),
      { requestId, client, ...noPrefix },
    ],
    [
      "the prefix of what it checks",
      Samples.checkCode({ rules }),
      { requestId, prefixOfRequest: true },
    ],
    [
      "the number that it resets",
      { _tag: "ResetGuesses", organization, version: 1, actor: host, phoneNumber, erased },
      { phoneNumber, erased },
    ],
    [
      "no limits of a number that was not erased",
      {
        _tag: "ResetGuesses",
        organization,
        version: 1,
        actor: host,
        phoneNumber,
        erased: undefined,
      },
      { phoneNumber },
    ],
    [
      "the request that it observes",
      { _tag: "ObserveVerification", organization, requestId },
      { requestId },
    ],
    ["nothing for an admission", Samples.admitMessage(), {}],
    ["nothing for a message", Samples.holdMessage(), {}],
    ["the key of its call", Samples.holdMessage({ idempotency }), { idempotencyId: "k" }],
    ["the message of a dispatch", Samples.recordDispatch(), { messageSequence }],
    [
      "the request of a code whose event the node cannot write",
      Samples.recordDispatch({ requestId, rules }),
      { messageSequence, requestId, prefixOfRequest: false },
    ],
    [
      "no request of a code that was sent",
      Samples.recordDispatch({ requestId, request: Samples.verification() }),
      { messageSequence },
    ],
    [
      "the request of a code that was not sent",
      Samples.recordDispatch({
        requestId,
        request: Samples.verification(),
        outcome: unsent,
        rules,
      }),
      { messageSequence, requestId, prefixOfRequest: true },
    ],
    [
      "no prefix of an unsent code without rules",
      Samples.recordDispatch({ requestId, outcome: unsent }),
      { messageSequence, requestId, ...noPrefix },
    ],
    [
      "no request for a message without one",
      Samples.recordDispatch({ outcome: unsent, rules }),
      { messageSequence },
    ],
    ["the message of a report", Samples.applyReport(), { messageSequence }],
    ["the message that it takes over", Samples.reclaimMessage(), { messageSequence }],
    ["the message that it looks up", Samples.beginLookup(), { messageSequence }],
    ["the message that it closes", Samples.closeMessage(), { messageSequence }],
    [
      "the key that it looks up",
      { _tag: "FindCall", organization, idempotency },
      { idempotencyId: "k" },
    ],
    ["the key of an answer", Samples.recordAnswer(), { idempotencyId: "key" }],
    ["the entry of a payment", Samples.topUp({ paymentId: "p1" }), { paymentId: "p1" }],
    ["nothing for a booking without a payment", Samples.topUp(), {}],
    [
      "its webhook",
      {
        _tag: "ReplayWebhook",
        organization,
        version: 1,
        id: webhookId,
        startsAfter: 0,
        actor: host,
        after: undefined,
      },
      { webhookId },
    ],
    [
      "nothing for an audit entry",
      {
        _tag: "RecordAudit",
        organization,
        actor: host,
        action: "x",
        target: null,
        reason: null,
      },
      {},
    ],
  ])("%s", (_, command, expected) => {
    assert.deepStrictEqual<unknown>(needs(command), expected)
  })
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
    ...Decision.noRows,
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
