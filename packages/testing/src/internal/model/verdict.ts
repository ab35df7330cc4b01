/**
 * Compares all stored rows with the reference, and checks the invariants.
 */
import * as Message from "@countersign/core/domain/messages/Message"
import type { Verification } from "@countersign/core/domain/verifications/Verification"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Invariants from "../../Invariants.ts"
import { organizationOf } from "./results.ts"
import type { ModelMessage, ModelRequest } from "./messageState.ts"
import { expectedRows, rowsOf } from "./playOutbox.ts"
import { cycled, type Real } from "./real.ts"
import { expectedAudit, expectedEvents } from "./records.ts"
import type { Reference } from "./reference.ts"
import { tally } from "../store-suite/support.ts"
import type { ModelFinding } from "./suspicion.ts"

const gatewayNamedIt = ({ facts }: ModelMessage): boolean =>
  facts.some(
    (fact) =>
      fact.tag === "dispatch" && (fact.outcome === "Accepted" || fact.outcome === "Delivered"),
  )

const holdOf = (reference: Reference, message: ModelMessage): string => {
  const { isFinal, isRefunded } = reference.messageState(message)
  if (message.price === 0) return "none"
  return isFinal ? (isRefunded ? "released" : "captured") : "open"
}

const expectedMessage = (reference: Reference, message: ModelMessage) => {
  const { anomalies, heard, isFinal, status } = reference.messageState(message)
  return {
    number: message.sequence,
    status,
    hold: holdOf(reference, message),
    isOpen: !isFinal,
    followAt: message.followAt,
    isNamed: !message.isErased && gatewayNamedIt(message),
    hasError: !message.isErased && !["pending", "accepted", "delivered"].includes(status),
    anomalies,
    reports: heard,
  }
}

const rowOf = (verification: Verification) => ({
  status: verification.status,
  channel: verification.channel,
  purpose: verification.purpose,
  verifiedAt: verification.verifiedAt,
  consumedAt: verification.consumedAt,
  messages: [...verification.earlierMessages, verification.messageSequence],
  mayHaveArrived: verification.mayHaveArrived,
  resends: verification.resends,
  sentAt: verification.sentAt,
  isSealed: verification.sealed !== null,
})

/** A request that has expired is stored as pending. */
const expectedRow = (reference: Reference, request: ModelRequest): ReturnType<typeof rowOf> => {
  const { channel, earlier, isErased, mayHaveArrived, message, purpose, resends, sentAt } = request
  const state = reference.state(request)
  const status = state === "expired" ? "pending" : state
  return {
    status,
    channel,
    purpose: purpose ?? null,
    verifiedAt: request.verifiedAt ?? null,
    consumedAt: request.consumedAt ?? null,
    messages: [...earlier, message].map(({ sequence }) => sequence),
    mayHaveArrived,
    resends,
    sentAt,
    isSealed: status === "pending" && !isErased,
  }
}

/** Findings of one moment are in the order of their reasons. */
const byTime = (one: ModelFinding, other: ModelFinding): number =>
  one.at - other.at || Number(one.reason > other.reason) - Number(one.reason < other.reason)

const readAll = (real: Real) =>
  Effect.forEach(real.organizations, (id) =>
    Effect.flatMap(Invariants.read(real.store, id), (snapshot) =>
      snapshot === undefined
        ? Effect.die(new Error(`The store has lost ${id}`))
        : Effect.succeed(snapshot),
    ),
  )

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0)

/** Compares the event log and the audit: the kinds of their rows, or their number after retention. */
const verifyRecords = (
  reference: Reference,
  org: number,
  { account, audit, entries, events }: Invariants.Snapshot,
): void => {
  const raised = expectedEvents(reference, org, entries)
  assert.strictEqual(account.lastEvent, sum(raised), "the number of events")
  if (account.firstEvent === 1) {
    assert.deepStrictEqual(tally(events.map(({ _tag }) => _tag)), raised, "the event log")
  }
  const audited = expectedAudit(reference, org)
  assert.strictEqual(account.lastAudit, sum(audited), "the number of entries of the audit")
  if (account.firstAudit === 1) {
    assert.deepStrictEqual(tally(audit.map(({ action }) => action)), audited, "the audit")
  }
}

export const verdict = Effect.fnUntraced(function* (
  reference: Reference,
  real: Real,
  earlier: ReadonlyArray<Invariants.Snapshot>,
) {
  const snapshots = yield* readAll(real)
  assert.deepStrictEqual(
    yield* Invariants.counterProblems(real.store, snapshots),
    [],
    "the counters",
  )
  for (const [org, snapshot] of snapshots.entries()) {
    const model = reference.org(org)
    const bounds = { ...Invariants.standardBounds, droppedBefore: model.requestsFrom }
    assert.deepStrictEqual(Invariants.problems(snapshot, bounds), [], "invariants")
    const before = earlier[org]
    if (before !== undefined) {
      assert.deepStrictEqual(Invariants.regressions(before, snapshot, bounds), [], "regressions")
    }
    const { account, entries, messages } = snapshot
    assert.deepStrictEqual(
      messages.map(
        ({ anomalies, dueAt, error, followAt, gatewayId, hold, sequence, reports, status }) => ({
          number: sequence,
          status,
          hold,
          isOpen: dueAt !== null,
          followAt,
          isNamed: gatewayId !== null,
          hasError: error !== null,
          anomalies,
          reports,
        }),
      ),
      reference.log(org).map((message) => expectedMessage(reference, message)),
      "the message log",
    )
    assert.strictEqual(account.balance, reference.balance(org), "the balance")
    assert.strictEqual(account.held, reference.held(org), "what is held")
    const paid = model.messages.filter(({ price }) => price > 0)
    const resolved = paid.filter((message) => reference.messageState(message).isFinal)
    const booked = model.bookings.length + paid.length + resolved.length
    assert.strictEqual(entries.length, booked, "the number of entries")
    verifyRecords(reference, org, snapshot)
    const findings = yield* real.store.findings(organizationOf(real, org), 1_000)
    assert.deepStrictEqual(
      findings
        .map(
          ({ action, at, reason, sent, verified }) =>
            `${at} ${reason} ${action}: ${verified} of ${sent}`,
        )
        .toReversed(),
      model.findings
        .slice(model.findingsDropped)
        .toSorted(byTime)
        .map(({ inWords }) => inWords),
      "what was found",
    )
  }
  for (const [index, request] of reference.requests.entries()) {
    const { id } = cycled(real.requests, index)
    const found = yield* real.store.verification(organizationOf(real, request.org), id)
    assert.strictEqual(found === undefined, request.isDropped, `request ${index} is gone`)
    if (found === undefined) continue
    assert.deepStrictEqual(
      rowOf(found.verification),
      expectedRow(reference, request),
      `the row of request ${index}`,
    )
  }
  assert.deepStrictEqual(yield* rowsOf(real, reference), expectedRows(reference), "the outbox")
  const due = yield* real.store.due(1_000, [])
  assert.deepStrictEqual(
    due.map(({ organization, sequence }) => `${organization} ${sequence}`).toSorted(),
    snapshots
      .flatMap(({ messages }) => messages)
      .filter((message) => (Message.nextAt(message) ?? Infinity) <= reference.now)
      .map(({ organization, sequence }) => `${organization} ${sequence}`)
      .toSorted(),
    "the messages that are due",
  )
  const texts = snapshots.flatMap(({ messages }) => messages.map(({ text }) => text)).join("\n")
  for (const { code } of real.requests) {
    if (code !== undefined) assert.notInclude(texts, code, "a code is in the log")
  }
  return snapshots
})
