import * as WebhookProgress from "@countersign/core/domain/webhooks/WebhookProgress"
import { assert, describe, it } from "@effect/vitest"
import * as Invariants from "../src/Invariants.ts"
import * as Samples from "../src/Samples.ts"

const { now, organizationId } = Samples
const lastEvent = 9

/** What the invariants state about the progress of a webhook. */
const problemsOf = (change: Partial<WebhookProgress.WebhookProgress>) => {
  const progress = WebhookProgress.initial(organizationId, Samples.webhook().id, lastEvent)
  return Invariants.problems({
    account: Samples.account({ lastEvent }),
    entries: [],
    messages: [],
    verifications: [],
    reports: [],
    totals: [],
    days: [],
    events: [],
    audit: [],
    organization: { ...Samples.organization(), version: 1 },
    webhooks: [{ ...progress, ...change }],
  }).filter((problem) => problem.startsWith("I36:"))
}

const retry = { sequence: 1, previous: null, attempts: 1, firstAt: now, nextAt: now + 5_000 }
const retrying = { retries: [retry], retryAt: now + 5_000 }

describe("Invariants of webhooks", () => {
  it.each([{}, retrying, { holder: "node", leaseUntil: now + 1 }])("hold for %j", (change) =>
    assert.deepStrictEqual(problemsOf(change), []),
  )

  it.each([
    ["a webhook that is ahead of the events", { position: 10 }],
    ["a webhook whose last event comes later", { previous: 10 }],
    ["an event that is retried twice", { ...retrying, retries: [retry, retry] }],
    ["an event that is retried before it was sent", { ...retrying, position: 0 }],
    ["a retry at another time", { ...retrying, retryAt: now }],
    ["a webhook that is full too early", { isFull: true }],
    ["a retry without a first attempt", { ...retrying, retries: [{ ...retry, attempts: 0 }] }],
    ["a lease without its node", { leaseUntil: now }],
  ])("find %s", (_, change) => assert.strictEqual(problemsOf(change).length, 1))
})
