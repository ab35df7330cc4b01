import * as Money from "@countersign/core/domain/values/Money"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import * as MemoryStore from "@countersign/core/adapters/MemoryStore"
import type { Progress, Verification } from "@countersign/core/domain/verifications/Verification"
import * as WebhookProgress from "@countersign/core/domain/webhooks/WebhookProgress"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { flow } from "effect/Function"
import * as TestClock from "effect/testing/TestClock"
import * as Invariants from "../src/Invariants.ts"
import {
  delivered,
  held,
  present,
  settled,
  times,
  unsent,
} from "../src/internal/store-suite/support.ts"
import * as Samples from "../src/Samples.ts"

const { now } = Samples

/** A request that was verified, a message that was refunded, and one that is open. */
const sound = Effect.gen(function* () {
  const store = MemoryStore.make()
  yield* TestClock.setTime(now)
  yield* store.createOrganization(Samples.organization())
  yield* store.execute(Samples.topUp())
  yield* store.execute(Samples.requestVerification())
  yield* store.execute(settled(1, delivered(), { requestId: Samples.requestId() }))
  yield* store.execute(Samples.checkCode({ candidates: [Samples.codeOf("wrong")] }))
  yield* store.execute(Samples.checkCode())
  for (const index of [2, 3]) yield* store.execute(held(index))
  yield* store.execute(settled(2, unsent))
  yield* store.execute(
    Samples.applyReport({ messageSequence: 3, status: "accepted", source: Samples.reportSource() }),
  )
  return present(yield* Invariants.read(store, Samples.organizationId))
})

type Snapshot = Invariants.Snapshot

const empty: Snapshot = {
  account: Samples.account(),
  entries: [],
  messages: [],
  verifications: [],
  reports: [],
  totals: [],
  days: [],
  events: [],
  webhooks: [],
  alerts: undefined,
  audit: [],
  organization: { ...Samples.organization(), version: 1 },
}

const erased = PhoneNumber.fromE164("erased:BD")

type Change = (snapshot: Snapshot) => Snapshot

/** Changes one row of a table. */
const row =
  <K extends "audit" | "entries" | "events" | "messages" | "reports" | "verifications">(table: K) =>
  (index: number, change: object): Change =>
  (snapshot) => ({
    ...snapshot,
    [table]: snapshot[table].map((one, at) => (at === index ? { ...one, ...change } : one)),
  })
const withoutLast =
  (table: "entries" | "messages"): Change =>
  (snapshot) => ({ ...snapshot, [table]: snapshot[table].slice(0, -1) })
const entry = row("entries")
const message = row("messages")
const event = row("events")
const auditEntry = row("audit")
const report = (change: object) => row("reports")(0, change)
const verification = (change: Partial<Omit<Verification, keyof Progress>> | Progress) =>
  row("verifications")(0, change)

const renamed: Change = (it) => ({ ...it, organization: { ...it.organization, name: "new" } })
const account =
  (change: Partial<Snapshot["account"]>): Change =>
  ({ account, ...others }) => ({ ...others, account: { ...account, ...change } })

const verified = (verifiedAt: number, consumedAt: number | null = null) =>
  verification({ status: "verified", verifiedAt, consumedAt })
const unverified = verification({ status: "pending", verifiedAt: null, consumedAt: null })
const withoutAttempts = flow(unverified, verification({ attemptsRemaining: 0 }))
const withoutRequests: Change = (snapshot) => ({ ...snapshot, verifications: [] })

const one = Money.fromUnits(1)
const total =
  (outcome: string, change: Partial<Snapshot["totals"][number]>): Change =>
  (snapshot) => ({
    ...snapshot,
    totals: snapshot.totals.map((row) => (row.outcome === outcome ? { ...row, ...change } : row)),
  })

const numbered = <A extends { readonly sequence: number }>(rows: ReadonlyArray<A>) =>
  rows.map((row, index) => ({ ...row, sequence: index + 1 }))
const withoutEvents =
  (tag: Snapshot["events"][number]["_tag"]): Change =>
  (snapshot) => {
    const events = numbered(snapshot.events.filter(({ _tag }) => _tag !== tag))
    return { ...account({ lastEvent: events.length })(snapshot), events }
  }
const withoutEntry =
  (index: number): Change =>
  (snapshot) => {
    const audit = numbered(snapshot.audit.filter((_, at) => at !== index))
    return { ...account({ lastAudit: audit.length })(snapshot), audit }
  }
const many =
  (count: number, change: (index: number) => Parameters<typeof Samples.verification>[0]): Change =>
  (snapshot) => ({
    ...snapshot,
    verifications: times(count, (index) =>
      Samples.verification({ requestId: Samples.requestId(index + 1), ...change(index) }),
    ),
  })

const raised = { _tag: "AlertRaised", alert: "spend", value: "2.00", bound: "1.00" } as const
const over = { _tag: "AlertOver", alert: "spend", value: "1.00" } as const

/** Adds events of an alert, each some milliseconds after the one before it, and the row that follows from them. */
const alerts =
  (...steps: ReadonlyArray<readonly [typeof raised | typeof over, millis: number]>): Change =>
  (snapshot) => {
    const { organization } = snapshot.account
    let at = now
    const added = steps.map(([event, millis], index) => {
      at += millis
      return { ...event, organization, at, sequence: snapshot.events.length + index + 1 }
    })
    const events = [...snapshot.events, ...added]
    const raisedAt = added.findLast(({ _tag }) => _tag === "AlertRaised")?.at ?? 0
    const isOpen = added.at(-1)?._tag === "AlertRaised"
    const state = { alert: "spend", isOpen, raisedAt } as const
    return {
      ...account({ lastEvent: events.length, lastAt: at })(snapshot),
      events,
      alerts: { organization, checkedAt: at, isOpen, states: [state] },
    }
  }
const hour = 3_600_000

const wrongs: ReadonlyArray<readonly [string, Change, invariant: string]> = [
  ["a balance without an entry", account({ balance: Money.make("99") }), "I2"],
  ["a negative balance", account({ balance: Money.make("-1") }), "I2"],
  ["money that is held for nothing", account({ held: Money.make("3") }), "I22"],
  ["an entry that is missing", withoutLast("entries"), "I3"],
  ["an entry out of order", entry(1, { sequence: 7 }), "I3"],
  ["an entry with another balance", entry(2, { balance: one }), "I3"],
  ["an entry without its message", entry(1, { messageSequence: null }), "I4"],
  ["an entry that is older than the last", entry(3, { at: now - 1 }), "I27"],
  ["a payment id on a hold", entry(1, { paymentId: "p1" }), "I29"],
  [
    "a payment that is booked twice",
    (snapshot) => ({
      ...snapshot,
      entries: snapshot.entries.map((row) => ({ ...row, paymentId: "p1" })),
    }),
    "I29",
  ],
  ["an entry of another amount", entry(1, { amount: one }), "I5"],
  ["a hold that is captured and open", message(0, { hold: "open" }), "I4"],
  ["a delivered message that was given back", message(0, { hold: "released" }), "I5"],
  ["a failed message that was charged", message(1, { hold: "captured" }), "I5"],
  ["a price that changed", message(2, { charge: one }), "I5"],
  ["an open message that is never due", message(2, { dueAt: null }), "I22"],
  ["a final message that is looked at", message(0, { dueAt: now }), "I22"],
  ["a gap in the log", message(1, { sequence: 9 }), "log"],
  ["a message that is missing", withoutLast("messages"), "I23"],
  ["an id that comes twice", message(2, { id: Samples.messageId(2) }), "log"],
  ["a message that is older than the last", message(2, { createdAt: now - 1 }), "I27"],
  [
    "a dropped message whose money is still held",
    (snapshot) => ({ ...account({ firstMessage: 4 })(snapshot), messages: [], verifications: [] }),
    "I22",
  ],
  ["a report that was counted and is missing", (it) => ({ ...it, reports: [] }), "reports"],
  ["an uncounted report", message(2, { reports: 0 }), "reports"],
  ["a report out of order", report({ position: 2 }), "reports"],
  ["a report on no message", report({ messageSequence: 9 }), "reports"],
  ["a report with the whole number", report({ evidence: "to 8801712300000" }), "reports"],
  ["a log that begins behind its end", account({ firstMessage: 9 }), "log"],
  ["a message to another number", message(0, { phoneNumber: Samples.phoneNumber(9) }), "I23"],
  ["a request that is missing", withoutRequests, "I23"],
  ["a request that was verified too late", verified(now + 300_000), "I14"],
  ["a request with a fourth attempt", verification({ attemptsRemaining: 4 }), "I11"],
  ["a pending request without attempts", withoutAttempts, "I11"],
  ["a code that outlives its request", verification({ sealed: Samples.digest("seal") }), "I30"],
  ["a request that was used up before it was verified", verified(now, now - 1), "I31"],
  ["a fourth resend", verification({ resends: 4, earlierMessages: [1, 2, 3, 4] }), "I32"],
  ["a resend without a message", verification({ resends: 1 }), "I32"],
  ["a code that was sent after its expiry", verification({ sentAt: now + 300_000 }), "I14"],
  ["a message without a code in a request", verification({ earlierMessages: [2] }), "I23"],
  ["a message whose request has another", verification({ messageSequence: 2 }), "I23"],
  ["an SMS after a message without a code", message(2, { followAt: now }), "I33"],
  ["an SMS after a delivered code", message(0, { followAt: now }), "I33"],
  ["a message in no total", (it) => ({ ...it, totals: [] }), "I34"],
  ["a total that counts a message twice", total("delivered", { count: 2 }), "I34"],
  ["a total without a charge", total("delivered", { amount: Money.zero }), "I34"],
  ["a refund in no total", total("failed", { refunded: Money.zero }), "I34"],
  ["a total under another gateway", total("delivered", { gateway: "other" }), "I34"],
  ["a total under another country", total("opened", { country: "IN" }), "I34"],
  ["a booking in another hour", total("top-up", { at: now - 3_600_000 }), "I34"],
  ["fewer than no messages", total("wrong_code", { outcome: "wrong_code", count: -1 }), "I34"],
  [
    "more delivery times than messages",
    total("delivered", { kind: "deliveries", outcome: "5", count: 9 }),
    "I34",
  ],
  ["an event that is missing", account({ lastEvent: 9 }), "I35"],
  ["an event out of order", event(1, { sequence: 1 }), "I35"],
  ["an event that is older than the one before it", event(1, { at: now - 1 }), "I27"],
  ["an event that is ahead of the account", event(0, { at: now + 1 }), "I27"],
  ["a verified request without an event", withoutEvents("Verified"), "I35"],
  ["a settled message without an event", withoutEvents("MessageSettled"), "I35"],
  ["a refund without an event", withoutEvents("Refunded"), "I35"],
  ["a booking without an event", withoutEvents("ToppedUp"), "I35"],
  ["an event with the whole number", event(2, { phoneNumber: Samples.phoneNumber() }), "I35"],
  [
    "a request that fails without an event",
    verification({ status: "failed", verifiedAt: null, consumedAt: null }),
    "I35",
  ],
  ["a request that is used up without an event", verified(now, now), "I35"],
  ["an erased message with a text", message(0, { phoneNumber: erased, gatewayId: null }), "I37"],
  ["an erased message with its gateway's id", message(0, { phoneNumber: erased, text: "" }), "I37"],
  [
    "an erased message with work left",
    message(2, { phoneNumber: erased, text: "", gatewayId: null }),
    "I37",
  ],
  [
    "an erased message whose report has words",
    (snapshot) => report({ detail: "said" })(message(2, { phoneNumber: erased })(snapshot)),
    "I37",
  ],
  ["an erased request with a prefix", verification({ phoneNumber: erased, prefix: "8" }), "I37"],
  ["an erased event with a purpose", event(2, { phoneNumber: erased, purpose: "login" }), "I37"],
  ["an entry that is missing", account({ lastAudit: 9 }), "I36"],
  ["an entry out of order", auditEntry(1, { sequence: 1 }), "I36"],
  ["an entry that is older than the one before it", auditEntry(1, { at: now - 1 }), "I27"],
  ["a key without an entry", withoutEntry(2), "I36"],
  ["a booking without an entry in the audit", withoutEntry(3), "I36"],
  ["an entry about a key that does not exist", auditEntry(2, { target: "other" }), "I36"],
  ["an entry that does not continue the last one", auditEntry(0, { before: {} }), "I36"],
  ["an entry after which the name is another", auditEntry(0, { after: { name: "b" } }), "I36"],
  ["an entry without a change", auditEntry(1, { after: null }), "I36"],
  ["an entry of another balance", auditEntry(3, { after: { balance: "1.00" } }), "I36"],
  ["an entry for another reason", auditEntry(3, { reason: "other" }), "I36"],
  ["an entry with the whole number", auditEntry(0, { target: Samples.phoneNumber() }), "I36"],
  ["an alert that is raised twice", alerts([raised, 0], [raised, hour]), "I38"],
  ["an alert that is over before it was raised", alerts([over, 0]), "I38"],
  [
    "an alert that is raised again too soon",
    alerts([raised, 0], [over, 60_000], [raised, hour - 60_001]),
    "I38",
  ],
  ["an alert without a row", (it) => ({ ...alerts([raised, 0])(it), alerts: undefined }), "I38"],
  ["six pending requests", many(6, () => ({})), "I16"],
  [
    "eleven requests in a minute",
    many(11, (index) => ({ createdAt: now + index * 5_999, status: "failed" })),
    "I15",
  ],
]

const finds = (problems: ReadonlyArray<string>, invariant: string): void =>
  assert.isTrue(
    problems.some((problem) => problem.startsWith(`${invariant}:`)),
    JSON.stringify(problems),
  )

describe("Invariants", () => {
  it.effect("find none without a change, or if only dropped rows are missing", () =>
    Effect.gen(function* () {
      const before = yield* sound
      const { standardBounds } = Invariants
      const log = { ...account({ firstMessage: 3 })(before), messages: before.messages.slice(2) }
      for (const [after, bounds] of [
        [before, standardBounds],
        [alerts([raised, 0], [over, 60_000], [raised, hour - 60_000])(before), standardBounds],
        [withoutRequests(log), standardBounds],
        [withoutRequests(before), { ...standardBounds, droppedBefore: now + 1 }],
      ] as const) {
        assert.deepStrictEqual(Invariants.problems(after, bounds), [])
        assert.deepStrictEqual(Invariants.regressions(before, after, bounds), [])
      }
    }),
  )
})

describe("Invariants.problems", () => {
  it.effect.each(wrongs)("finds %s", ([, spoil, invariant]) =>
    Effect.gen(function* () {
      const snapshot = yield* sound
      finds(Invariants.problems(spoil(snapshot)), invariant)
    }),
  )

  it("allows eleven requests within more than a minute", () => {
    const spread = many(11, (index) => ({ createdAt: now + index * 6_000, status: "failed" }))
    const problems = Invariants.problems(spread(empty)).filter((problem) =>
      problem.startsWith("I15"),
    )
    assert.deepStrictEqual(problems, [])
  })
})

const backwards: ReadonlyArray<readonly [string, Change, invariant: string]> = [
  ["an entry that was rewritten", entry(0, { note: "another" }), "I3"],
  ["time that went back", account({ lastAt: now - 1 }), "I27"],
  ["settings that another version had", renamed, "I25"],
  ["a final message that changed its mind", message(0, { status: "failed" }), "I20"],
  ["a text that was rewritten", message(2, { text: "another" }), "log"],
  ["a message that is gone", withoutLast("messages"), "log"],
  ["dropped messages that came back", account({ firstMessage: 0 }), "log"],
  ["an older dispatch", message(2, { dispatchNumber: 0 }), "I7"],
  ["a verified request that is pending again", unverified, "I13"],
  ["attempts that came back", verification({ attemptsRemaining: 9 }), "I11"],
  ["a request that lives longer", verification({ expiresAt: now + 1 }), "I14"],
  ["a purpose that was rewritten", verification({ purpose: "payment" }), "I13"],
  ["a code that came back", verification({ sealed: Samples.digest("seal") }), "I30"],
  ["a resend that came back", verification({ resends: -1 }), "I32"],
  ["a message that its request has lost", verification({ messageSequence: 2 }), "I23"],
  ["a report that was rewritten", report({ status: "failed" }), "reports"],
  ["a report that is gone", (it) => ({ ...it, reports: [] }), "reports"],
  ["an event that was rewritten", event(0, { note: "another" }), "I35"],
  ["an event log that has become shorter", account({ lastEvent: 0 }), "I35"],
  ["an entry that was rewritten", auditEntry(0, { actor: "another" }), "I36"],
  ["an audit that has become shorter", account({ lastAudit: 0 }), "I36"],
  ["a request that is gone", withoutRequests, "I13"],
]

describe("Invariants.regressions", () => {
  it.effect.each([null, now + 2])("finds a used up request that is so at %j", (consumedAt) =>
    Effect.gen(function* () {
      const snapshot = yield* sound
      const before = verified(now, now + 1)(snapshot)
      const after = verified(now, consumedAt)(snapshot)
      const found = Invariants.regressions(before, after)
      assert.isTrue(found.length === 1 && found[0]?.startsWith("I31:"), JSON.stringify(found))
      assert.deepStrictEqual(Invariants.regressions(snapshot, before), [])
    }),
  )

  it.effect.each(backwards)("finds %s", ([, spoil, invariant]) =>
    Effect.gen(function* () {
      const snapshot = yield* sound
      finds(Invariants.regressions(snapshot, spoil(snapshot)), invariant)
    }),
  )
})

const lastEvent = 9

/** What the invariants state about the progress of a webhook. */
const problemsOf = (change: Partial<WebhookProgress.WebhookProgress>) => {
  const progress = WebhookProgress.initial(Samples.organizationId, Samples.webhook().id, lastEvent)
  const webhooks = [{ ...progress, ...change }]
  const rows = { ...empty, account: Samples.account({ lastEvent }), webhooks }
  return Invariants.problems(rows).filter((problem) => problem.startsWith("I36:"))
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
