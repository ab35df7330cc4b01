import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "vitest"
import * as Erasure from "../../../src/decide/maintenance/Erasure.ts"
import type { LoggedEvent } from "../../../src/domain/events/Event.ts"
import { ApiKeyId } from "../../../src/domain/values/Ids.ts"
import * as Message from "../../../src/domain/messages/Message.ts"
import { erase, mask } from "../../../src/domain/values/PhoneNumber.ts"
import type { Refusal } from "../../../src/domain/verifications/Refusal.ts"
import { erase as eraseRequest } from "../../../src/domain/verifications/Verification.ts"

const { message, now, organizationId: organization, phoneNumber, verification } = Samples

const number = phoneNumber()
const other = phoneNumber(1)
const erasedNumber = erase(number)
const erasure: Erasure.Erasure = { phoneNumber: number, digest: "d", answer: "{}" }

const over = message({ status: "delivered", hold: "captured", dueAt: null, gatewayId: "gw-1" })
const open = message({ sequence: 2 })
const unnamed = message({ sequence: 3, status: "failed", hold: "released", dueAt: null })
const verified = verification({ status: "verified", verifiedAt: now, purpose: "login" })
const pending = verification()

const report = (messageSequence: number) =>
  Samples.report({ messageSequence, gatewayId: "gw-1", detail: "to +880", evidence: "{}" })

const event: LoggedEvent = {
  _tag: "Verified",
  organization,
  at: now,
  requestId: Samples.requestId(),
  phoneNumber: mask(number),
  purpose: "login",
  metadata: '{"a":1}',
  sequence: 1,
}

const refusal: Refusal = {
  organization,
  sequence: 1,
  operation: "check",
  code: "rate_limited",
  reason: null,
  parameters: {},
  at: now,
  channel: "sms",
  country: "BD",
  digest: "d",
  maskedNumber: mask(number),
  requestId: Samples.requestId(),
  apiKeyId: ApiKeyId("0123456789ABCDEF"),
  actor: null,
}

const decide = (rows: Partial<Erasure.Rows>, at = now): Erasure.Erased =>
  Erasure.decide({ ...Erasure.noRows, ...rows }, erasure, at)

const nothing: Erasure.Erased = {
  isRecipientOver: false,
  erasedRecipient: undefined,
  messages: [],
  named: [],
  reports: [],
  verifications: [],
  events: [],
  keys: [],
  refusals: [],
  queued: [],
  counts: Erasure.noCounts,
  left: 0,
}

const key = (messageSequence: number | null, answer: string | null = "first") =>
  Samples.idempotencyKey({ messageSequence, answer })

describe("an erasure", () => {
  it("keeps the limits of a recipient, unless a request is pending", () => {
    const sends = [now]
    const waiting = { requestId: Samples.requestId(), until: now + 1 }
    const recipient = Samples.recipient({ sends, pending: [waiting] })
    assert.deepStrictEqual(decide({ recipient }), { ...nothing, left: 1 })
    const { erasedRecipient, ...rest } = decide({ recipient }, now + 1)
    assert.deepStrictEqual(rest, { ...withoutRecipient, isRecipientOver: true })
    assert.deepInclude(erasedRecipient, { organization, digest: "d", sends })
  })

  it("empties messages that are over, and the reports on them, and leaves the others", () => {
    const rows = { messages: [over, open, unnamed], reports: [report(1), report(2)] }
    const erased = decide(rows)
    assert.deepStrictEqual(erased, {
      ...nothing,
      messages: [over, unnamed].flatMap((one) => Message.erase(one) ?? []),
      named: [over],
      reports: [{ ...report(1), gatewayId: null, detail: null, evidence: null }],
      counts: { ...Erasure.noCounts, messages: 2, reports: 1 },
      left: 1,
    })
    assert.deepInclude(erased.messages[0], { phoneNumber: erasedNumber, text: "", gatewayId: null })
  })

  it("empties requests that are over, and leaves pending ones", () => {
    const erased = decide({ verifications: [verified, pending] })
    assert.deepStrictEqual(erased, {
      ...nothing,
      verifications: [eraseRequest(verified, now) ?? verified],
      counts: { ...Erasure.noCounts, verifications: 1 },
      left: 1,
    })
    assert.deepInclude(erased.verifications[0], {
      phoneNumber: erasedNumber,
      purpose: null,
      metadata: null,
      prefix: null,
      sealed: null,
    })
  })

  it("empties the events of requests that are erased or gone", () => {
    const request = eraseRequest(verified, now)
    const rows = [
      { event, verification: request },
      { event: { ...event, sequence: 2 }, verification: undefined },
      { event: { ...event, sequence: 3 }, verification: verified },
    ]
    const { counts, events } = decide({ events: rows })
    assert.deepStrictEqual(
      events.map(({ sequence }) => sequence),
      [1, 2],
    )
    assert.deepInclude(events[0], { phoneNumber: erasedNumber, purpose: null, metadata: null })
    assert.deepStrictEqual(counts, { ...Erasure.noCounts, events: 2 })
  })

  it.each([
    ["whose message is erased", key(1), Message.erase(over), true],
    ["whose message is gone", key(1), undefined, true],
    ["without an answer yet", key(1, null), undefined, true],
    ["whose message stays", key(1), open, false],
    ["of a call without a message", key(null), undefined, false],
    ["that has the answer already", key(1, "{}"), undefined, false],
  ])("replaces the answer of a key %s", (_, one, itsMessage, isReplaced) => {
    assert.deepStrictEqual(
      decide({ keys: [{ key: one, message: itsMessage }] }),
      isReplaced
        ? {
            ...nothing,
            keys: [{ ...one, answer: "{}" }],
            counts: { ...Erasure.noCounts, answers: 1 },
          }
        : nothing,
    )
  })

  it("empties refusals", () => {
    assert.deepStrictEqual(decide({ refusals: [refusal] }), {
      ...nothing,
      refusals: [{ ...refusal, digest: null, maskedNumber: null, requestId: null }],
      counts: { ...Erasure.noCounts, refusals: 1 },
    })
  })
})

const { erasedRecipient: _, ...withoutRecipient } = nothing

describe("the rows of a number", () => {
  it("are without the events and keys of others with the same mask", () => {
    const rows: Erasure.Rows = {
      ...Erasure.noRows,
      events: [verified, { ...verified, phoneNumber: other }, undefined].map((verification) => ({
        event,
        verification,
      })),
      keys: [over, { ...over, phoneNumber: other }, undefined].map((one) => ({
        key: key(1),
        message: one,
      })),
      messages: [over],
    }
    assert.deepStrictEqual(Erasure.ofNumber(rows, number), {
      ...rows,
      events: [{ event, verification: verified }],
      keys: [{ key: key(1), message: over }],
    })
  })

  it("may be in an event with its mask", () => {
    const settled: LoggedEvent = {
      _tag: "Refunded",
      organization,
      at: now,
      messageSequence: 1,
      amount: Samples.money("1"),
      sequence: 2,
    }
    assert.isTrue(Erasure.mayConcern(event, number))
    assert.isFalse(Erasure.mayConcern({ ...event, phoneNumber: "+8801*****999" }, number))
    assert.isFalse(Erasure.mayConcern(settled, number))
  })
})

it("the counts of two steps add up", () => {
  const counts = (start: number) => ({
    messages: start,
    verifications: start + 1,
    reports: start + 2,
    events: start + 3,
    answers: start + 4,
    refusals: start + 5,
  })
  assert.deepStrictEqual(Erasure.add(counts(1), counts(10)), {
    messages: 11,
    verifications: 13,
    reports: 15,
    events: 17,
    answers: 19,
    refusals: 21,
  })
})
