import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "vitest"
import type { Command } from "../../src/decide/Command.ts"
import * as Decision from "../../src/decide/Decision.ts"
import { host } from "../../src/domain/values/Actor.ts"
import { WebhookId } from "../../src/domain/values/Ids.ts"
import { defaults } from "../../src/domain/organizations/RecordOptions.ts"
import * as WebhookProgress from "../../src/domain/webhooks/WebhookProgress.ts"
import { noRows } from "../support/noRows.ts"

const { now, organizationId: organization } = Samples

const id = WebhookId("whk_1")
const initial = WebhookProgress.initial(organization, id, 2)
const account = Samples.account({ firstEvent: 3, lastEvent: 8 })

const decide = (
  command: Command,
  progress: WebhookProgress.WebhookProgress | undefined,
  own = account,
) => {
  const rows: Decision.Rows = {
    ...noRows,
    account: own,
    webhook: (one) => (one === id ? progress : undefined),
  }
  return Decision.decide(Decision.view(rows, command), command, now, defaults)
}

describe("ClaimWebhook", () => {
  const command: Command<"ClaimWebhook"> = {
    _tag: "ClaimWebhook",
    organization,
    version: 1,
    id,
    startsAfter: 2,
    holder: "node",
    leaseMillis: 1_000,
  }

  it.each([
    ["without a row", undefined],
    ["with events that it was not sent", initial],
  ])("leases a webhook %s", (_, progress) => {
    const { result, writes } = decide(command, progress)
    const claimed = { ...initial, holder: "node", leaseUntil: now + 1_000 }
    assert.deepStrictEqual<unknown>(result, { _tag: "Claimed", progress: claimed, now })
    assert.deepStrictEqual(writes, { webhook: claimed })
  })

  it.each([
    ["that another node holds", { ...initial, holder: "other", leaseUntil: now + 1 }],
    ["that has all events", { ...initial, position: 8 }],
  ])("writes nothing for a webhook %s", (_, progress) => {
    const { result, writes } = decide(command, progress)
    assert.deepStrictEqual<unknown>([result, writes], [{ _tag: "NotDue" }, {}])
  })
})

describe("RecordDeliveries", () => {
  const held = { ...initial, holder: "node", leaseUntil: now + 1_000 }
  const round = { position: 8, previous: 8, deliveries: [] }
  const command: Command<"RecordDeliveries"> = {
    _tag: "RecordDeliveries",
    organization,
    id,
    holder: "node",
    round,
  }

  it.each([
    ["without a row", undefined, account],
    ["of another node", { ...held, holder: "other" }, account],
    ["beyond the newest event", held, { ...account, lastEvent: 7 }],
  ])("records no round %s", (_, progress, own) => {
    const { result, writes } = decide(command, progress, own)
    assert.deepStrictEqual<unknown>([result, writes], [{ _tag: "Fenced" }, {}])
  })

  it("moves the place, and ends the lease", () => {
    const { events, result, writes } = decide(command, held)
    const progress = WebhookProgress.record(held, round, now)
    assert.deepStrictEqual<unknown>(result, { _tag: "DeliveriesRecorded", progress })
    assert.deepStrictEqual([writes, events], [{ webhook: progress }, []])
  })

  const failed = {
    jitter: 0,
    at: now,
    millis: 5,
    status: 410,
    answer: null,
    previous: null,
    type: "verified" as const,
  }
  const error = { error: "no", retryAfterMillis: 0 }
  const longAgo = now - WebhookProgress.retryMillis
  it.each([
    ["Gone", [], "gone"],
    [
      "Failed",
      [{ sequence: 8, previous: null, attempts: 9, firstAt: longAgo, nextAt: now }],
      "failed",
    ],
  ] as const)("raises an event when deliveries end: %s", (_tag, retries, reason) => {
    const deliveries = [{ ...failed, sequence: 8, outcome: { _tag, ...error } }]
    const { events } = decide({ ...command, round: { ...round, deliveries } }, { ...held, retries })
    assert.deepStrictEqual<unknown>(events, [
      { _tag: "WebhookFailing", organization, at: now, webhookId: id, reason, sequence: 9 },
    ])
  })
})

describe("ReplayWebhook", () => {
  const command: Command<"ReplayWebhook"> = {
    _tag: "ReplayWebhook",
    organization,
    version: 1,
    id,
    startsAfter: 2,
    actor: host,
    after: undefined,
  }
  const failing = { ...initial, position: 6, status: "failing" } as const

  it.each([
    ["by default at the first event that was not delivered", undefined, 6],
    ["after the event that is named", 5, 5],
    ["at the first event that retention has left", 0, 2],
    ["at the newest event", 99, 8],
  ])("starts again %s", (_, after, expected) => {
    const { events, result, writes } = decide({ ...command, after }, failing)
    assert.deepStrictEqual<unknown>([result, events], [{ _tag: "Replayed", after: expected }, []])
    assert.deepStrictEqual(writes.webhook, { ...initial, position: expected })
    assert.deepStrictEqual<unknown>(writes.audit, [
      {
        organization,
        sequence: 1,
        at: now,
        actor: "host",
        actorName: null,
        origin: null,
        action: "webhook.replayed",
        target: id,
        before: { position: 6, status: "failing" },
        after: { position: expected, status: "active" },
        reason: null,
      },
    ])
  })

  it("starts a webhook without a row where it began", () => {
    const { result } = decide(command, undefined)
    assert.deepStrictEqual<unknown>(result, { _tag: "Replayed", after: 2 })
  })
})
