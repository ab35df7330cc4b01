import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import * as Recipient from "../../../src/domain/verifications/Recipient.ts"

const { now, requestId } = Samples

const three = Samples.recipient({
  pending: [
    { requestId: requestId(1), until: now + 1_000 },
    { requestId: requestId(2), until: now + 2_000 },
    { requestId: requestId(3), until: now + 3_000 },
  ],
})

const ids = (pending: ReadonlyArray<Recipient.Pending>) => pending.map(({ requestId }) => requestId)

describe("Recipient", () => {
  const rows: ReadonlyArray<readonly [after: number, open: ReadonlyArray<number>]> = [
    [0, [1, 2, 3]],
    [999, [1, 2, 3]],
    [1_000, [2, 3]],
    [1_001, [2, 3]],
    [2_999, [3]],
    [3_000, []],
  ]
  it.each(rows)("after %d ms, %j are pending", (after, open) => {
    assert.deepStrictEqual(ids(Recipient.pendingAt(three, now + after)), open.map(requestId))
  })

  const waits: ReadonlyArray<readonly [limit: number, after: number, seconds: number]> = [
    [3, 0, 1],
    [2, 0, 2],
    [1, 0, 3],
    [3, 1, 1],
    [2, 999, 2],
    [2, 1_001, 1],
    [1, 1_999, 2],
  ]
  it.each(waits)(
    "with a limit of %d, after %d ms, a place is free in %d s",
    (limit, after, wait) => {
      const at = now + after
      assert.strictEqual(Recipient.secondsUntilFree(three, limit, at), wait)
      assert.isBelow(Recipient.pendingAt(three, at + wait * 1_000).length, limit)
    },
  )

  it("ignores the counted times of a wrong clock in its wait", () => {
    const day = 86_400_000
    const recipient = Samples.recipient({
      pending: [
        { requestId: requestId(1), until: now + 10_000 },
        { requestId: requestId(2), until: now + day + 10_000 },
      ],
    })
    assert.lengthOf(Recipient.pendingAt(recipient, now), 1)
    assert.strictEqual(Recipient.secondsUntilFree(recipient, 1, now), day / 1_000 + 10)
  })

  it("does not change when an unknown request is closed", () => {
    assert.strictEqual(Recipient.close(three, requestId(9)), three)
  })

  it("starts without counts and pending requests", () => {
    assert.deepStrictEqual(
      Recipient.empty(Samples.organizationId, Samples.phoneNumber()),
      Samples.recipient(),
    )
  })
})
