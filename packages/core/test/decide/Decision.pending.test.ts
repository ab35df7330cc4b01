/**
 * When a number with too many pending requests has a place again.
 */
import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import { decide } from "../support/transcript.ts"

const { now, requestId } = Samples

interface Row {
  readonly given: string
  /** How long each request is pending, in milliseconds from now. */
  readonly pending: ReadonlyArray<number>
  /** How long ago each counted request was made, in milliseconds; the oldest first. */
  readonly sent?: ReadonlyArray<number>
  readonly limit?: number
  readonly seconds: number
}

const table: ReadonlyArray<Row> = [
  { given: "one for a millisecond more", pending: [1, 9_000, 9_000, 9_000, 9_000], seconds: 1 },
  {
    given: "the last of the list for 30.001 s more",
    pending: [90_000, 75_000, 60_000, 45_000, 30_001],
    seconds: 31,
  },
  {
    given: "five under a limit of three",
    pending: [10_000, 20_000, 30_000, 40_000, 50_000],
    limit: 3,
    seconds: 30,
  },
  {
    given: "one for a second more, and nine counted 20 s ago",
    pending: [1_000, 90_000, 90_000, 90_000, 90_000],
    sent: Array.from({ length: 9 }, () => 20_000),
    seconds: 40,
  },
]

describe("too many pending requests", () => {
  it.each(table)("with $given, a place is free in $seconds s, and not earlier", (row) => {
    const { limit = 5, pending, seconds, sent = [] } = row
    const account = Samples.account({ balance: Samples.money("10") })
    const command = Samples.requestVerification({ limits: { pendingPerNumber: limit } })
    const refused = decide(
      {
        account,
        recipient: Samples.recipient({
          sends: sent.map((ago) => now - ago),
          pending: pending.map((millis, index) => ({
            requestId: requestId(100 + index),
            until: now + millis,
          })),
        }),
      },
      command,
      now,
    )
    assert.deepStrictEqual<unknown>(refused.result, {
      _tag: "TooManyPending",
      retryAfterSeconds: seconds,
    })
    const { recipient } = refused.writes
    const after = (wait: number) =>
      decide({ account, recipient }, command, now + wait * 1_000).result._tag
    assert.strictEqual(after(seconds), "Requested")
    if (seconds > 1) assert.notStrictEqual(after(seconds - 1), "Requested")
  })
})
