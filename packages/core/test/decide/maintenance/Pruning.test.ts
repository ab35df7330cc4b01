import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { RequestId, sortable } from "../../../src/domain/values/Ids.ts"
import * as KnownClient from "../../../src/domain/verifications/KnownClient.ts"
import { bounds } from "../../../src/domain/limits/Limits.ts"
import type { Message } from "../../../src/domain/messages/Message.ts"
import * as PrefixStats from "../../../src/domain/fraud/PrefixStats.ts"
import * as Pruning from "../../../src/decide/maintenance/Pruning.ts"
import * as Recipient from "../../../src/domain/verifications/Recipient.ts"
import * as Guesses from "../../../src/domain/verifications/Guesses.ts"
import * as SlidingWindow from "../../../src/domain/limits/SlidingWindow.ts"

const { now } = Samples
const day = 86_400_000
const before = now - day

const closed = { dueAt: null, hold: "captured" } as const

describe("firstToKeep", () => {
  const lines = (...rows: ReadonlyArray<Partial<Message>>) =>
    rows.map((row, index) =>
      Samples.message({ sequence: 7 + index, createdAt: before - 1, ...closed, ...row }),
    )
  const open = { dueAt: now, hold: "open" } as const
  const young = { createdAt: before }

  const table: ReadonlyArray<readonly [string, ReadonlyArray<Message>, number]> = [
    ["an empty log", [], 7],
    ["old and final", lines({}), 8],
    ["old and final, all of them", lines({}, {}, {}), 10],
    [
      "captured, given back, or free of charge",
      lines({}, { hold: "released" }, { hold: "none" }),
      10,
    ],
    ["just as old as the cut-off", lines(young), 7],
    ["old, then young", lines({}, {}, young), 9],
    ["open", lines(open, {}), 7],
    ["open in the middle", lines({}, open, {}, {}), 8],
    ["final with an open hold, which cannot be", lines({}, { hold: "open" }), 8],
    ["free of charge and still under way", lines({ hold: "none", dueAt: now }, {}), 7],
  ]

  it.each(table)("of %s", (_, oldest, expected) => {
    assert.strictEqual(Pruning.firstToKeep({ firstMessage: 7 }, oldest, before), expected)
  })

  const anyLog = fc
    .array(
      fc.record({
        laterMillis: fc.nat({ max: day }),
        isOpen: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
        isFree: fc.boolean(),
      }),
      { maxLength: 20 },
    )
    .map((rows) => {
      let createdAt = now - 5 * day
      return rows.map(({ isFree, isOpen, laterMillis }, index) => {
        createdAt += laterMillis
        const hold = isFree ? "none" : isOpen ? "open" : "captured"
        return Samples.message({
          sequence: 7 + index,
          createdAt,
          hold,
          dueAt: isOpen ? createdAt + day : null,
        })
      })
    })
  const anyTime = fc.integer({ min: now - 6 * day, max: now + 6 * day })

  it("gives the same result in one step, in many steps, and when repeated", () => {
    fc.assert(
      fc.property(anyLog, anyTime, fc.integer({ min: 1, max: 7 }), (log, cut, limit) => {
        const whole = Pruning.firstToKeep({ firstMessage: 7 }, log, cut)
        let firstMessage = 7
        for (let steps = 0; steps <= log.length; steps++) {
          const oldest = log.filter(({ sequence }) => sequence >= firstMessage).slice(0, limit)
          firstMessage = Pruning.firstToKeep({ firstMessage }, oldest, cut)
        }
        assert.strictEqual(firstMessage, whole)
      }),
    )
  })

  it("is never lower at a later time", () => {
    fc.assert(
      fc.property(anyLog, anyTime, fc.nat({ max: 9 * day }), (log, cut, later) => {
        const first = Pruning.firstToKeep({ firstMessage: 7 }, log, cut)
        assert.isAtLeast(Pruning.firstToKeep({ firstMessage: 7 }, log, cut + later), first)
      }),
    )
  })
})

describe("isRequestOver", () => {
  const idAt = (millis: number) => RequestId(sortable("vrf", millis, new Uint8Array(16)))
  const old = { requestId: idAt(before - 1), createdAt: before - 1, expiresAt: before + 300_000 }

  const verified = { status: "verified", verifiedAt: before } as const
  const table: ReadonlyArray<
    readonly [string, Parameters<typeof Samples.verification>[0], boolean]
  > = [
    ["verified", verified, true],
    ["failed", { status: "failed" }, true],
    ["expired", { status: "pending" }, true],
    ["expired just now", { status: "pending", expiresAt: now }, true],
    ["pending for another millisecond", { status: "pending", expiresAt: now + 1 }, false],
    ["verified long before its end", { ...verified, expiresAt: now + day }, true],
    ["just as old as the cut-off", { ...verified, createdAt: before }, false],
    ["of now", { ...verified, createdAt: now }, false],
    ["from a wrong clock's future", { ...verified, createdAt: now + 1 }, true],
    ["with an id from a clock that is slow", { ...verified, requestId: idAt(0) }, true],
    ["with an id from a clock that is fast", { ...verified, requestId: idAt(before) }, false],
  ]

  it.each(table)("one that is %s", (_, row, expected) => {
    const verification = Samples.verification({ ...old, ...row })
    assert.strictEqual(Pruning.isRequestOver(verification, before, now), expected)
  })

  it("stays true at every later time", () => {
    const anyRequest = fc.record({
      requestId: fc.integer({ min: -2 * day, max: 2 * day }).map((away) => idAt(now + away)),
      status: fc.constantFrom("pending" as const, "verified" as const, "failed" as const),
      createdAt: fc.integer({ min: now - 2 * day, max: now }),
      expiresAt: fc.integer({ min: now - 2 * day, max: now + 2 * day }),
    })
    fc.assert(
      fc.property(
        anyRequest,
        fc.nat({ max: 2 * day }),
        fc.nat({ max: 9 * day }),
        (row, keep, later) => {
          fc.pre(Pruning.isRequestOver(row, now - keep, now))
          assert.isTrue(Pruning.isRequestOver(row, now + later - keep, now + later))
        },
      ),
    )
  })
})

describe("codesToErase", () => {
  const request = (index: number, createdAt: number, expiresAt: number) =>
    Samples.verification({ requestId: Samples.requestId(index), createdAt, expiresAt })
  const over = (index: number) => request(index, now - 60_000, now)
  const pending = (index: number) => request(index, now, now + 1)
  type Requests = Parameters<typeof Pruning.codesToErase>[0]

  const table: ReadonlyArray<
    readonly [string, Requests, requests: ReadonlyArray<number>, cleared: number]
  > = [
    ["no messages", [], [], 0],
    ["messages without codes", [undefined, undefined], [], 2],
    ["expired codes", [over(1), undefined, over(2)], [1, 2], 3],
    ["an expired code that two messages carry", [over(1), over(1)], [1], 2],
    ["a pending code", [pending(1)], [], 0],
    ["expired codes on both sides of a pending one", [over(1), pending(2), over(3)], [1, 3], 1],
    ["a code whose request was committed by a clock ahead", [request(1, now + 1, now + 2)], [], 0],
  ]

  it.each(table)("of %s", (_, requests, expected, cleared) => {
    assert.deepStrictEqual(Pruning.codesToErase(requests, now, now + 1), {
      requests: expected.map(Samples.requestId),
      cleared,
    })
  })

  it("keeps no code of a request from the future once the organization's time is repaired", () => {
    const { requests } = Pruning.codesToErase([request(1, now + day, now + 2 * day)], now, now)
    assert.deepStrictEqual(requests, [Samples.requestId(1)])
  })
})

describe("isRecipientIdle", () => {
  const longest = bounds.windowMillis.max
  const early = now - longest - 1
  const requestId = Samples.requestId()
  const guessed = (window: ReadonlyArray<number>, sinceSuccess = 0) => ({ window, sinceSuccess })
  const former = (more: Partial<KnownClient.KnownClient> = {}): KnownClient.KnownClient => ({
    client: "former",
    verifiedAt: now - KnownClient.knownMillis,
    ...guessed([]),
    ...more,
  })

  const table: ReadonlyArray<readonly [string, Partial<Recipient.Recipient>, number, boolean]> = [
    ["without any event", {}, now, true],
    ["asked when the longest window began", { sends: [now - longest] }, now, false],
    ["asked before the longest window", { sends: [early] }, now, true],
    ["asked before it and in it", { sends: [early, now - 1] }, now, false],
    ["asked before it, but after the cut-off", { sends: [early] }, early, false],
    ["with a pending request", { pending: [{ requestId, until: now + 1 }] }, now, false],
    ["with a wrong code in the longest window", { guesses: guessed([now - longest]) }, now, false],
    ["with a wrong code before it", { guesses: guessed([early]) }, now, true],
    ["with a wrong code since the last right one", { guesses: guessed([], 1) }, now, false],
    ["with a client that is no longer known", { clients: [former()] }, now, true],
    ["with a client that is known", { clients: [former({ verifiedAt: now - 1 })] }, now, false],
    ["with a wrong code of a former client", { clients: [former(guessed([], 1))] }, now, false],
    ["with a request that is over", { pending: [{ requestId, until: now }] }, now, true],
  ]

  it.each(table)("one %s", (_, row, cut, expected) => {
    assert.strictEqual(Pruning.isRecipientIdle(Samples.recipient(row), cut, now), expected)
  })

  it("if true, the row equals an empty one under every limit, now and later", () => {
    const anyWindow = fc
      .array(fc.integer({ min: now - 2 * longest, max: now }), { maxLength: 5 })
      .map((sends) => sends.toSorted((a, b) => a - b))
    const anyLimit = fc.record({
      max: fc.integer({ min: 0, max: 5 }),
      windowMillis: fc.integer({ min: 1, max: longest }),
    })
    const anyPending = fc.array(fc.integer({ min: now - day, max: now + day }), { maxLength: 2 })
    const anyRecipient = fc.record({
      sends: anyWindow,
      pending: anyPending.map((untils) => untils.map((until) => ({ requestId, until }))),
      guesses: fc.record({ window: anyWindow, sinceSuccess: fc.nat({ max: 2 }) }),
    })
    const anySince = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined })
    fc.assert(
      fc.property(anyRecipient, anyLimit, anySince, fc.nat(), (row, limit, since, later) => {
        const recipient = Samples.recipient(row)
        fc.pre(Pruning.isRecipientIdle(recipient, now, now))
        const then = now + later
        const budget = { guessesPerNumber: limit, guessesSinceSuccess: since }
        const seconds = Guesses.retryAfterSeconds(recipient.guesses, budget, then)
        assert.strictEqual(seconds, Guesses.retryAfterSeconds(Guesses.none, budget, then))
        if (seconds === 0) {
          assert.deepStrictEqual(
            Guesses.addWrong(recipient.guesses, budget, then),
            Guesses.addWrong(Guesses.none, budget, then),
          )
        }
        assert.deepStrictEqual(
          SlidingWindow.admit(recipient.sends, limit, then),
          SlidingWindow.admit([], limit, then),
        )
        assert.deepStrictEqual(Recipient.pendingAt(recipient, then), [])
      }),
    )
  })
})

describe("what retention keeps", () => {
  it.each([
    ["of no records", [], 7],
    ["of old records", [before - 2, before - 1], 9],
    ["from the first young one on", [before - 1, before, before - 1], 8],
    ["of young records", [before], 7],
  ])("%s begins at %3$s", (_, oldest, expected) => {
    assert.strictEqual(Pruning.firstRecordToKeep(7, oldest, before), expected)
  })

  it("begins a time before now", () => {
    assert.strictEqual(Pruning.cutOff(now, day), now - day)
  })

  it("has the totals of a quarter of an hour until it is over", () => {
    assert.isTrue(Pruning.isTotalOver(before - 900_000, before))
    assert.isFalse(Pruning.isTotalOver(before - 899_999, before))
  })

  it("has statistics that a rule may still need", () => {
    const longest = 2 * PrefixStats.bounds.windowMillis.max
    assert.strictEqual(Pruning.firstPrefixStatsToKeep(before, now), now - longest)
    assert.strictEqual(Pruning.firstPrefixStatsToKeep(0, now), 0)
  })
})
