import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { WebhookId } from "../../../src/domain/values/Ids.ts"
import * as Progress from "../../../src/domain/webhooks/WebhookProgress.ts"

const { now, organizationId } = Samples
const id = WebhookId("whk")
const initial = Progress.initial(organizationId, id, 10)
const minute = 60_000
const hour = 60 * minute

const delivered: Progress.Outcome = { _tag: "Delivered" }
const failed = (retryAfterMillis = 0): Progress.Outcome => ({
  _tag: "Failed",
  error: "HTTP 500",
  retryAfterMillis,
})
const gone: Progress.Outcome = { _tag: "Gone", error: "HTTP 410", retryAfterMillis: 0 }

const delivery = (sequence: number, outcome: Progress.Outcome, jitter = 0): Progress.Delivery => ({
  sequence,
  previous: sequence - 1,
  type: "verified",
  outcome,
  status: outcome._tag === "Delivered" ? 204 : null,
  answer: null,
  at: now,
  millis: 20,
  jitter,
})

const round = (position: number, ...deliveries: ReadonlyArray<Progress.Delivery>) => ({
  position,
  previous: position,
  deliveries,
})

/** Tries one event again and again, as soon as it may be. Returns the pauses, and the progress at the end. */
const tryUntilOver = (outcome: Progress.Outcome, jitter: number) => {
  let at = now
  let progress = Progress.record(initial, round(11, delivery(11, outcome, jitter)), at)
  const pauses: Array<number> = []
  while (progress.status === "active") {
    const next = progress.retryAt ?? 0
    pauses.push(next - at)
    at = next
    progress = Progress.record(progress, round(11, delivery(11, outcome, jitter)), at)
  }
  return { pauses, progress, took: at - now }
}

describe("WebhookProgress", () => {
  it("retries an event for three days with the pauses of Standard Webhooks", () => {
    const { pauses, progress, took } = tryUntilOver(failed(), 0)
    assert.deepStrictEqual(pauses.slice(0, 8), Progress.pauses.slice(0, 8))
    assert.strictEqual(pauses.length, 9)
    assert.strictEqual(took, 72 * hour)
    assert.deepStrictEqual(
      [progress.status, progress.retries.map(({ attempts }) => attempts)],
      ["failing", [10]],
    )
    assert.strictEqual(Progress.undeliveredAfter(progress), 10)
  })

  it("spreads retries by at most a quarter, within three days", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (jitter) => {
        const { pauses, took } = tryUntilOver(failed(), jitter)
        for (const [index, pause] of pauses.slice(0, -1).entries()) {
          const base = Progress.pauses[index] ?? 0
          assert.isTrue(pause >= base && pause <= base * 1.25 + 1, `${index}: ${pause}`)
        }
        assert.strictEqual(took, 72 * hour)
      }),
      { numRuns: 50 },
    )
  })

  it.each([
    ["as long as the receiver asks", hour, hour],
    ["no shorter than the schedule", 1_000, 5_000],
    ["for a day at most", 90 * 24 * hour, 30 * hour],
  ])("waits %s", (_, asked, waited) => {
    const { retryAt } = Progress.record(initial, round(11, delivery(11, failed(asked))), now)
    assert.strictEqual(retryAt, now + waited)
  })

  it("removes an event that was delivered, or that retention has dropped", () => {
    const two = round(12, delivery(11, failed()), delivery(12, failed()))
    const waiting = Progress.record(initial, two, now)
    const after = Progress.record(
      waiting,
      round(12, delivery(11, delivered), delivery(12, { _tag: "Dropped" })),
      now + 5_000,
    )
    assert.deepStrictEqual(after, {
      ...initial,
      attempted: 3,
      attempts: after.attempts,
      position: 12,
      previous: 12,
      slowUntil: 0,
    })
  })

  const answer = (millis: number, outcome: Progress.Outcome = delivered) => ({
    ...delivery(11, outcome),
    millis,
  })
  const { slowForMillis, slowMillis } = Progress

  it.each([
    ["no answer", [], null],
    ["a failure", [answer(5, failed())], null],
    ["a fast answer", [answer(slowMillis - 1)], 0],
    ["a slow answer", [answer(slowMillis)], now + slowForMillis],
    ["a slow failure", [answer(slowMillis, failed()), answer(5)], now + slowForMillis],
    ["a request that was cut", [answer(slowMillis, { _tag: "Cut" })], now + slowForMillis],
  ])("after %s tells until when the webhook is slow", (_, deliveries, slowUntil) => {
    const progress = Progress.record(initial, round(12, ...deliveries), now)
    assert.strictEqual(progress.slowUntil, slowUntil)
    const later = Progress.record(progress, round(12, answer(5)), now + 1)
    assert.strictEqual(later.slowUntil, slowUntil ?? 0)
    assert.strictEqual(Progress.replay(later, 0).slowUntil, slowUntil ?? 0)
  })

  it("keeps the newest 20 attempts, newest first", () => {
    const cut: Progress.Outcome = { _tag: "Cut" }
    const dropped: Progress.Outcome = { _tag: "Dropped" }
    const first = [delivery(11, failed()), delivery(12, dropped), delivery(13, cut)]
    const { attempts, ...one } = Progress.record(initial, round(13, ...first), now)
    assert.deepStrictEqual(
      attempts.map(({ error, sequence }) => [sequence, error]),
      [
        [13, "The request was ended before its answer, and is repeated"],
        [11, "HTTP 500"],
      ],
    )
    const more = Array.from({ length: 19 }, (_, index) => delivery(14 + index, delivered))
    const two = Progress.record({ ...one, attempts }, round(32, ...more), now)
    assert.deepStrictEqual(
      two.attempts.map(({ sequence }) => sequence),
      [...more.map(({ sequence }) => sequence).toReversed(), 13],
    )
    assert.deepStrictEqual(Progress.replay(two, 0).attempts, two.attempts)
  })

  it("repeats an event whose request was cut at once, and counts no attempt", () => {
    const cut = Progress.record(initial, round(11, delivery(11, { _tag: "Cut" })), now)
    assert.deepStrictEqual(cut.retries, [
      { sequence: 11, previous: 10, attempts: 0, firstAt: now, nextAt: now },
    ])
    assert.deepInclude(cut, { retryAt: now, troubledSince: null, lastError: null })
    const failure = Progress.record(cut, round(11, delivery(11, failed())), now + 9)
    assert.deepInclude(failure.retries[0], { attempts: 1, nextAt: now + 9 + 5_000 })
  })

  it("is in trouble from a round with failures only until a delivery", () => {
    const one = Progress.record(initial, round(11, delivery(11, failed())), now)
    const two = Progress.record(one, round(12, delivery(12, failed())), now + 1)
    const mixed = Progress.record(
      two,
      round(14, delivery(13, delivered), delivery(14, failed())),
      now + 2,
    )
    const none = Progress.record(two, round(20), now + 3)
    assert.deepStrictEqual(
      [initial, one, two, mixed, none].map(({ lastError, troubledSince }) => [
        troubledSince,
        lastError,
      ]),
      [
        [null, null],
        [now, "HTTP 500"],
        [now, "HTTP 500"],
        [null, "HTTP 500"],
        [now, "HTTP 500"],
      ],
    )
  })

  it("takes no new event while 100 wait for a retry", () => {
    const all = Array.from({ length: Progress.maxRetries }, (_, index) =>
      delivery(11 + index, failed()),
    )
    const full = Progress.record(initial, round(110, ...all), now)
    assert.isTrue(full.isFull)
    assert.isFalse(Progress.isDue(full, 200, now))
    assert.isTrue(Progress.isDue(full, 200, now + 5_000))
    const room = Progress.record(full, round(110, delivery(50, delivered)), now)
    assert.isTrue(Progress.isDue(room, 200, now))
  })

  it("ends with the answer 410, and keeps the event for a replay", () => {
    const ended = Progress.record(
      initial,
      round(12, delivery(11, gone), delivery(12, delivered)),
      now,
    )
    assert.strictEqual(ended.status, "gone")
    assert.isFalse(Progress.isFree(ended, now + 99 * hour))
    assert.strictEqual(Progress.undeliveredAfter(ended), 10)
    const again = Progress.replay(ended, 10)
    assert.isTrue(Progress.isFree(again, now) && Progress.isDue(again, 12, now))
  })

  it("is free when its lease has ended", () => {
    const claimed = Progress.claim(initial, "node", now + minute)
    assert.deepStrictEqual(
      [0, minute - 1, minute].map((after) => Progress.isFree(claimed, now + after)),
      [false, false, true],
    )
    assert.isTrue(Progress.isFree(Progress.record(claimed, round(10), now), now))
  })
})

describe("Progress.isTroubled", () => {
  it.each([
    ["before its first answer", null, null, true],
    ["after fast answers", null, 0, false],
    ["while its answers fail", now, 0, true],
    ["while a slow answer counts", null, now + 1, true],
    ["when that is over", null, now, false],
  ])("a webhook %s: %3$s", (_, troubledSince, slowUntil, expected) => {
    assert.strictEqual(Progress.isTroubled({ troubledSince, slowUntil }, now), expected)
  })
})

it("a failure is one of the request, or the end of the deliveries", () => {
  assert.deepStrictEqual(
    [delivered, failed(), gone, { _tag: "Cut" } as const].map(Progress.isFailure),
    [false, true, true, false],
  )
})

it("the next retry is that of the earliest event", () => {
  const first = Progress.record(initial, round(11, delivery(11, failed(hour))), now)
  const both = Progress.record(first, round(12, delivery(12, failed())), now)
  assert.strictEqual(both.retryAt, now + 5_000)
})

it("a receiver that has answered 410 stays gone", () => {
  const gonePast = Progress.record(initial, round(11, delivery(11, gone)), now)
  const later = now + Progress.retryMillis
  const after = Progress.record(gonePast, round(11, delivery(11, failed())), later)
  assert.strictEqual(after.status, "gone")
})
