import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "vitest"
import type { Command } from "../../src/decide/Command.ts"
import * as Decision from "../../src/decide/Decision.ts"
import { needs } from "../../src/decide/Needs.ts"
import * as Increments from "../../src/decide/TotalChanges.ts"
import * as Batch from "../../src/domain/outbox/Batch.ts"
import * as QueuedSend from "../../src/domain/outbox/QueuedSend.ts"
import * as Money from "../../src/domain/values/Money.ts"
import { defaults } from "../../src/domain/organizations/RecordOptions.ts"
import { noRows } from "../support/noRows.ts"

const { batchId, messageId, now, organizationId, queuedSend } = Samples
const { fingerprint, salt, terms } = Samples.openBatch()

const made = Batch.make(
  { organization: organizationId, id: batchId() },
  terms,
  { fingerprint, salt },
  now,
)
const running: Batch.Batch = { ...made, status: "running", startedAt: now }
const send = (index: number) => queuedSend({ id: messageId(index), queue: batchId() })
const queued = (index: number) => QueuedSend.make(send(index))

const rows = (
  batch: Batch.Batch | undefined,
  sends: ReadonlyArray<QueuedSend.QueuedSend> = [],
): Decision.Rows => ({
  ...noRows,
  account: Samples.account({ balance: Money.make("10") }),
  batch: (id) => (id === batch?.id ? batch : undefined),
  queued: (id) => sends.find((one) => one.id === id),
})

const decide = (found: Decision.Rows, command: Command) =>
  Decision.decide(Decision.view(found, command), command, now, defaults)

const block = (place: number, indices: ReadonlyArray<number>): Command<"AddToBatch"> => ({
  _tag: "AddToBatch",
  organization: organizationId,
  batchId: batchId(),
  block: place,
  chain: Uint8Array.of(place),
  refused: 0,
  sends: indices.map((index) => ({ send: send(index), segments: 1, price: Money.make("1") })),
})

const ids = (decision: ReturnType<typeof decide>) =>
  (decision.writes.queuedRows ?? []).map(({ id }) => id)

describe("a batch", () => {
  it("is opened once, and only with the same terms", () => {
    const opened = decide(rows(undefined), Samples.openBatch())
    assert.deepStrictEqual(opened.writes.batch, made)
    const again = decide(rows(made), Samples.openBatch({ salt: Uint8Array.of(9) }))
    assert.deepStrictEqual([again.result._tag, again.writes], ["BatchChanged", {}])
    const other = decide(rows(made), Samples.openBatch({ fingerprint: Uint8Array.of(9) }))
    assert.strictEqual(other.result._tag, "BatchMismatch")
  })

  it("gets each message once, of a block and of earlier ones", () => {
    const decision = decide(rows(made, [queued(1)]), block(0, [1, 2, 2, 3]))
    assert.deepStrictEqual(ids(decision), [messageId(2), messageId(3)])
    assert.deepInclude(decision.writes.batch, { recipients: 2, duplicates: 2, blocks: 1 })
  })

  it.each([
    ["the next block", { blocks: 1 }, 1, "BatchChanged, 1 written"],
    ["the last block again", { blocks: 2, chain: Uint8Array.of(1) }, 1, "BatchChanged, 0 written"],
    ["another last block", { blocks: 2, chain: Uint8Array.of(9) }, 1, "BatchMismatch, 0 written"],
    ["an earlier block", { blocks: 3, chain: Uint8Array.of(9) }, 1, "BatchChanged, 0 written"],
    ["a block too early", { blocks: 0 }, 1, "BatchUnchangeable, 0 written"],
    ["a block too late", { ...running, blocks: 1 }, 1, "BatchUnchangeable, 0 written"],
  ])("with %s", (_, more, place, expected) => {
    const decision = decide(rows({ ...made, ...more }), block(place, [1]))
    assert.strictEqual(`${decision.result._tag}, ${ids(decision).length} written`, expected)
  })

  it("that does not exist is not found", () => {
    assert.strictEqual(decide(rows(undefined), block(0, [1])).result._tag, "NotFound")
    assert.strictEqual(decide(rows(undefined), Samples.changeBatch()).result._tag, "NotFound")
  })

  it.each<readonly [Batch.Change, string]>([
    ["pause", "BatchPaused by caller"],
    ["finish", "BatchDone with 0"],
    ["resume", ""],
    ["cancel", ""],
  ])("raises an event when %s takes effect, once", (change, expected) => {
    const { events, writes } = decide(rows(running), Samples.changeBatch({ change }))
    const shown = events.map((event) =>
      event._tag === "BatchPaused"
        ? `${event._tag} by ${event.reason}`
        : `${event._tag} with ${"recipients" in event ? event.recipients : "?"}`,
    )
    assert.strictEqual(shown.join(), expected)
    if (writes.batch === undefined) return
    const again = decide(rows(writes.batch), Samples.changeBatch({ change }))
    assert.deepStrictEqual([again.events, again.writes], [[], {}])
  })

  it("grants nothing unless it is running", () => {
    const pace: Command = {
      _tag: "PaceBatch",
      organization: organizationId,
      batchId: batchId(),
      wanted: 3,
    }
    assert.deepStrictEqual(decide(rows(running), pace).result, { _tag: "Granted", count: 3 })
    assert.deepStrictEqual(decide(rows(made), pace).result, { _tag: "Granted", count: 0 })
  })
})

describe("messages of a batch", () => {
  const hold = Samples.holdMessage({
    queued: { id: messageId(1) },
    draft: { id: messageId(1), batch: batchId() },
  })

  it.each<readonly [Batch.BatchStatus, string]>([
    ["writing", "NotQueued"],
    ["running", "Held"],
    ["paused", "NotQueued"],
    ["cancelled", "NotQueued"],
    ["done", "NotQueued"],
  ])("are charged while it is %s: %s", (status, expected) => {
    const decision = decide(rows({ ...running, status }, [queued(1)]), hold)
    assert.strictEqual(decision.result._tag, expected)
  })

  it("change its row only if it has recorded no send for a while", () => {
    const at = (activeAt: number) => decide(rows({ ...running, activeAt }, [queued(1)]), hold)
    assert.notProperty(at(now).writes, "batch")
    assert.deepInclude(at(now - Batch.activeMillis).writes.batch, { activeAt: now, idleFor: 0 })
  })

  it("that wait are dropped once it is cancelled, and no others", () => {
    const sent = QueuedSend.sent(queued(2), 1, now, 0)
    const drop: Command = {
      _tag: "DropQueued",
      organization: organizationId,
      batchId: batchId(),
      ids: [1, 2, 3].map(messageId),
    }
    const found = [queued(1), sent]
    const dropped = decide(rows({ ...made, status: "cancelled" }, found), drop)
    assert.deepStrictEqual(dropped.result, { _tag: "Dropped", count: 1 })
    assert.deepStrictEqual(dropped.writes.queuedRows, [
      { ...queued(1), dueAt: null, end: "cancelled", endedAt: now },
    ])
    assert.deepStrictEqual(decide(rows(running, found), drop).writes, {})
    const [total] = Increments.ofBatches({ message: undefined }, dropped.writes)
    assert.deepInclude(total, { batch: batchId(), outcome: "cancelled", count: 1 })
  })

  it("move from one total to another, with their price", () => {
    const before = Samples.message({ batch: batchId() })
    const after = { ...before, status: "failed", hold: "released" } as const
    const shown = (view: Parameters<typeof Increments.ofBatches>[0], message = before) =>
      Increments.ofBatches(view, { message }).map(
        ({ amount, count, outcome, refunded }) =>
          `${outcome} ${count}, ${Money.format(amount)}, ${Money.format(refunded)}`,
      )
    assert.deepStrictEqual(shown({ message: undefined }), ["pending 1, 0.50, 0.00"])
    assert.deepStrictEqual(shown({ message: before }), [])
    assert.deepStrictEqual(
      Increments.ofBatches({ message: before }, { message: after }).map(({ count, outcome }) => [
        outcome,
        count,
      ]),
      [
        ["pending", -1],
        ["failed", 1],
      ],
    )
    assert.deepStrictEqual(shown({ message: undefined }, Samples.message()), [])
  })

  it("need their batch, and a block its messages", () => {
    assert.deepInclude(needs(hold), { batchId: batchId(), queuedId: messageId(1) })
    assert.deepStrictEqual(needs(block(0, [1, 2])), {
      batchId: batchId(),
      queuedIds: [1, 2].map(messageId),
    })
  })

  it("are kept until they are sent", () => {
    assert.isTrue(QueuedSend.isKept(queued(1)))
    assert.isFalse(QueuedSend.isKept(QueuedSend.sent(queued(1), 1, now, 0)))
    assert.isTrue(QueuedSend.isKept(QueuedSend.sent({ ...queued(1), queue: "" }, 1, now, 0)))
    assert.isTrue(QueuedSend.isKept(QueuedSend.end(queued(1), "cancelled", null, now)))
  })
})
