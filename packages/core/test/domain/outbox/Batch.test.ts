import * as Samples from "@countersign/testing/Samples"
import * as FastCheck from "fast-check"
import { assert, describe, it } from "vitest"
import * as Batch from "../../../src/domain/outbox/Batch.ts"
import * as Money from "../../../src/domain/values/Money.ts"

const { terms, fingerprint, salt } = Samples.openBatch()
const now = 1_000_000

const batch = (overrides: Partial<Batch.Batch> = {}): Batch.Batch => ({
  ...Batch.make(
    { organization: Samples.organizationId, id: Samples.batchId() },
    terms,
    { fingerprint, salt },
    now,
  ),
  ...overrides,
})

const inWords = (after: Batch.Batch | undefined): string => {
  if (after === undefined) return "not allowed"
  const { endedAt, isOpen, pausedReason, startedAt, status } = after
  return [
    status,
    ...(pausedReason === null ? [] : [`by ${pausedReason}`]),
    ...(startedAt === null ? [] : [`since ${startedAt}`]),
    ...(endedAt === null ? [] : [`until ${endedAt}`]),
    ...(isOpen ? ["open"] : []),
  ].join(", ")
}

const later = now + 5

/** A batch in each status. */
const states = {
  writing: batch(),
  running: batch({ status: "running", startedAt: now }),
  paused: batch({ status: "paused", pausedReason: "balance", startedAt: now }),
  done: batch({ status: "done", isOpen: false, startedAt: now, endedAt: now }),
  cancelled: batch({ status: "cancelled", endedAt: now }),
} as const

describe("a change of a batch", () => {
  it.each<readonly [Batch.Change, Batch.BatchStatus, string]>([
    ["start", "writing", `running, since ${later}, open`],
    ["start", "running", `running, since ${now}, open`],
    ["start", "paused", `paused, by balance, since ${now}, open`],
    ["start", "done", `done, since ${now}, until ${now}`],
    ["start", "cancelled", "not allowed"],
    ["pause", "writing", "not allowed"],
    ["pause", "running", `paused, by caller, since ${now}, open`],
    ["pause", "paused", `paused, by caller, since ${now}, open`],
    ["pause", "done", "not allowed"],
    ["pause", "cancelled", "not allowed"],
    ["resume", "writing", "not allowed"],
    ["resume", "running", `running, since ${now}, open`],
    ["resume", "paused", `running, since ${now}, open`],
    ["resume", "done", "not allowed"],
    ["resume", "cancelled", "not allowed"],
    ["cancel", "writing", `cancelled, until ${later}, open`],
    ["cancel", "running", `cancelled, since ${now}, until ${later}, open`],
    ["cancel", "paused", `cancelled, since ${now}, until ${later}, open`],
    ["cancel", "done", "not allowed"],
    ["cancel", "cancelled", `cancelled, until ${now}, open`],
    ["finish", "writing", "not allowed"],
    ["finish", "running", `done, since ${now}, until ${later}`],
    ["finish", "paused", `done, since ${now}, until ${later}`],
    ["finish", "done", `done, since ${now}, until ${now}`],
    ["finish", "cancelled", `cancelled, until ${now}`],
  ])("%s while it is %s: %s", (what, status, expected) => {
    assert.strictEqual(inWords(Batch.change(states[status], what, later)), expected)
  })

  it("does not replace the pause of a caller by one of the balance", () => {
    const paused = Batch.change(states.paused, "pause", later)
    assert.strictEqual(paused?.pausedReason, "caller")
    assert.strictEqual(paused && Batch.change(paused, "pause", later, "balance"), paused)
  })
})

describe("the pace of a batch", () => {
  it("is no bound without one", () => {
    const { batch: after, count } = Batch.grant(states.running, 9, now)
    assert.deepStrictEqual([after, count], [states.running, 9])
  })

  it.each([
    [0, 20, 10],
    [0, 4, 4],
    [50, 20, 10],
    [5_000, 20, 10],
  ])("of 10 a second grants, after %d ms, of %d wanted %d", (elapsed, wanted, expected) => {
    const paced = { ...batch({ ...states.running, pace: 10, pacedUntil: -10_000 }) }
    assert.strictEqual(Batch.grant(paced, wanted, now + elapsed).count, expected)
  })

  it("is kept in the long run, and never more than doubled in a second", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.integer({ min: 1, max: 10_000 }),
        FastCheck.array(FastCheck.integer({ min: 0, max: 3_000 }), { maxLength: 40 }),
        (pace, steps) => {
          let self = batch({ ...states.running, pace, pacedUntil: -1_000 * pace })
          let at = now
          const granted: Array<readonly [at: number, count: number]> = []
          for (const step of steps) {
            at += step
            const { batch: after, count } = Batch.grant(self, 1_000_000, at)
            granted.push([at, count])
            self = after
          }
          const total = granted.reduce((sum, [, count]) => sum + count, 0)
          assert.isAtMost(total, (pace * (at - now + 1_000)) / 1_000)
          for (const [end] of granted) {
            const window = granted.filter(([one]) => one > end - 1_000 && one <= end)
            const count = window.reduce((sum, [, one]) => sum + one, 0)
            assert.isAtMost(count, 2 * pace)
          }
        },
      ),
    )
  })
})

describe("the time in which a batch sends", () => {
  const started = batch({ status: "running", startedAt: now, activeAt: now })
  const { activeMillis, idleMillis } = Batch

  it("is recorded twice a minute", () => {
    assert.strictEqual(Batch.send(started, now + activeMillis - 1), started)
    const at = now + activeMillis
    assert.deepInclude(Batch.send(started, at), { activeAt: at, idleFor: 0 })
  })

  it.each([
    [idleMillis - 1, 0],
    [idleMillis, idleMillis],
    [3_600_000, 3_600_000],
  ])("does not include a standstill: after %d ms without a send, %d are idle", (gap, idleFor) => {
    assert.deepInclude(Batch.send(started, now + gap), { activeAt: now + gap, idleFor })
    assert.strictEqual(Batch.activeFor(Batch.send(started, now + gap), now + gap), gap - idleFor)
  })

  it("does not include pauses, of any length", () => {
    const paused = Batch.change(started, "pause", now + 10)
    const resumed = paused && Batch.change(paused, "resume", now + 30)
    assert.deepInclude(resumed, { startedAt: now, activeAt: now + 30, idleFor: 20 })
    assert.strictEqual(resumed && Batch.activeFor(resumed, now + 35), 15)
    const again = resumed && Batch.change(resumed, "pause", now + 36)
    assert.deepInclude(again && Batch.change(again, "resume", now + 40), { idleFor: 24 })
  })

  it("begins with the first start", () => {
    const begun = Batch.change(batch(), "start", now + 100_000)
    assert.deepInclude(begun, { activeAt: now + 100_000, idleFor: 0 })
    assert.strictEqual(begun && Batch.activeFor(begun, now + 100_005), 5)
    assert.strictEqual(Batch.activeFor(batch(), now + 5), 0)
  })

  it.each([
    [null, idleMillis - 1, false],
    [null, idleMillis, true],
    [now + 5, idleMillis, false],
    [now + 5, idleMillis + 5, true],
    [now - 5, idleMillis, true],
  ])("with the time %s to send, it stands still after %d ms: %s", (sendAt, after, expected) => {
    assert.strictEqual(Batch.isIdle({ ...started, sendAt }, now + after), expected)
  })
})

describe("a block", () => {
  it("adds its messages and their price", () => {
    const send = Samples.queuedSend({ queue: Samples.batchId() })
    const sends = [1, 2].map((segments) => ({ send, segments, price: Money.make("0.5") }))
    const block = { chain: Uint8Array.of(1), duplicates: 2, refused: 3 }
    const after = Batch.add(Batch.add(batch(), sends, block), [], block)
    assert.deepInclude(after, {
      blocks: 2,
      recipients: 2,
      duplicates: 4,
      refused: 6,
      segments: 3,
      estimate: Money.make("1"),
    })
  })
})

describe("the totals of a batch", () => {
  it("are added up by batch and outcome", () => {
    const sums = new Batch.BatchSums()
    const one = (id: string, outcome: Batch.BatchTotal["outcome"], count: number) => ({
      organization: Samples.organizationId,
      batch: id,
      outcome,
      count,
      amount: Money.fromUnits(count),
      refunded: Money.zero,
    })
    for (const row of [one("a", "delivered", 2), one("a", "expired", 1), one("b", "delivered", 1)])
      sums.add(row)
    sums.add(one("a", "delivered", -1))
    assert.deepStrictEqual(
      sums.ofBatch("a").map(({ amount, count, outcome }) => [outcome, count, Number(amount)]),
      [
        ["delivered", 1, 1],
        ["expired", 1, 1],
      ],
    )
    sums.delete("a")
    assert.deepStrictEqual(
      sums.rows().map((row) => row.batch),
      ["b"],
    )
  })

  it.each([
    [{ isOpen: true, createdAt: 1 }, false],
    [{ isOpen: false, createdAt: 1 }, true],
    [{ isOpen: false, createdAt: 2 }, false],
  ])("stay with their batch: %j", (row, expected) => {
    assert.strictEqual(Batch.isOver(row, 2), expected)
  })
})
