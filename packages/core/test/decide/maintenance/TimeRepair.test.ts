import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import type { Message } from "../../../src/domain/messages/Message.ts"
import { dayOf } from "../../../src/domain/money/Account.ts"
import * as TimeRepair from "../../../src/decide/maintenance/TimeRepair.ts"

const { now } = Samples
const year = 365 * 86_400_000

describe("TimeRepair.account", () => {
  it("resets the latest time and the day of spending, and keeps valid values", () => {
    const right = Samples.account({ lastAt: now - 1, spentOn: dayOf(now) })
    assert.deepStrictEqual(TimeRepair.account(right, now), right)
    assert.deepStrictEqual(
      TimeRepair.account({ ...right, lastAt: now + year, spentOn: dayOf(now + year) }, now),
      { ...right, lastAt: now },
    )
  })
})

describe("TimeRepair.message", () => {
  const times = ({ createdAt, dueAt, settleBy }: Message) => [
    createdAt - now,
    dueAt === null ? null : dueAt - now,
    settleBy - now,
  ]
  const rows: ReadonlyArray<
    readonly [given: string, message: Partial<Message>, ends: ReadonlyArray<number | null>]
  > = [
    [
      "a message that is right",
      { createdAt: now - 5, dueAt: now + 70_000, settleBy: now + 86_400_000 },
      [-5, 70_000, 86_400_000],
    ],
    [
      "a message from the future",
      { createdAt: now + year, dueAt: now + year + 70_000, settleBy: now + year + 86_400_000 },
      [0, 70_000, 86_400_000],
    ],
    [
      "a closed message from the future",
      { createdAt: now + year, dueAt: null, settleBy: now + year + 86_400_000 },
      [0, null, 86_400_000],
    ],
    [
      "a message that was taken over in the future",
      { createdAt: now - 5, dueAt: now + year, settleBy: now + 86_400_000 },
      [-5, 86_400_000, 86_400_000],
    ],
    [
      "a message that is overdue, and was asked about in the future",
      { createdAt: now - 9, dueAt: now + year, settleBy: now - 1 },
      [-9, 0, -1],
    ],
  ]
  it.each(rows)("brings %s back to the present", (_, given, ends) => {
    assert.deepStrictEqual(times(TimeRepair.message(Samples.message(given), now)), ends)
  })

  it("does not change a valid message, and a second repair changes nothing", () => {
    for (const [, given] of rows) {
      const once = TimeRepair.message(Samples.message(given), now)
      assert.strictEqual(TimeRepair.message(once, now), once)
    }
  })
})

it("moves the time of the message that follows as well", () => {
  const follow = (message: Partial<Message>) =>
    TimeRepair.message(Samples.message(message), now).followAt
  const ahead = { createdAt: now + year, settleBy: now + year + 9, dueAt: null }
  assert.strictEqual(follow({ ...ahead, followAt: now + year + 5 }), now + 5)
  assert.strictEqual(follow({ ...ahead, followAt: now + year + 50 }), now + 9)
  assert.isNull(follow({ ...ahead, followAt: null }))
  assert.strictEqual(follow({ settleBy: now + 9, dueAt: null, followAt: now + year }), now + 9)
})

it("an entry is ahead if it was written after now", () => {
  assert.isTrue(TimeRepair.isAhead({ createdAt: now + 1 }, now))
  assert.isFalse(TimeRepair.isAhead({ createdAt: now }, now))
})
