import * as Samples from "@countersign/testing/Samples"
import { assert } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { test } from "../../../../test/support/gatewayTest.ts"
import * as Poller from "../../src/internal/poller.ts"
import { listen } from "../support/polled.ts"

const plan = { first: "1 second", longest: "4 seconds", end: "20 seconds" } as const

const message = (number: number): Poller.PolledMessage => ({
  ref: { organization: Samples.organizationId, sequence: number },
  gatewayId: `id-${number}`,
})

const accepted: Poller.VendorStatus = { status: "accepted", detail: null, isFinal: false }
const delivered: Poller.VendorStatus = { status: "delivered", detail: "DELIVRD", isFinal: true }

/** A poller over a list of answers, and the times of its requests. */
const scripted = (answers: ReadonlyArray<Poller.VendorStatus | undefined>) =>
  Effect.gen(function* () {
    const requests: Array<number> = []
    const start = yield* Clock.currentTimeMillis
    const poller = yield* Poller.make(plan, () =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        requests.push(now - start)
        return answers[requests.length - 1]
      }),
    )
    return { requests, poller, ...(yield* listen(poller)) }
  })

test("emits each change once, and stops polling after a final status", function* () {
  const { requests, next, pass, poller, waiting } = yield* scripted([accepted, accepted, delivered])
  yield* poller.watch(message(7))
  for (let second = 0; second < 60; second++) yield* pass("1 second")
  assert.strictEqual(requests.length, 3)
  assert.strictEqual(yield* waiting, 2)
  assert.strictEqual((yield* next).status, "accepted")
  assert.deepStrictEqual(yield* next, {
    of: { _tag: "Message", ...message(7).ref },
    status: "delivered",
    detail: "DELIVRD",
  })
})

test("doubles its wait up to a bound, with jitter", function* () {
  const { requests, pass, poller } = yield* scripted([])
  yield* poller.watch(message(1))
  for (let step = 0; step < 300; step++) yield* pass("100 millis")
  const waits = requests.map((at, index) => at - (requests[index - 1] ?? 0))
  const expected = [1_000, 2_000, 4_000, 4_000]
  for (const [index, wait] of expected.entries()) {
    assert.isAtLeast(waits[index] ?? 0, wait * (1 - Poller.jitter))
    // Looked at every 100 milliseconds.
    assert.isAtMost(waits[index] ?? Infinity, wait * (1 + Poller.jitter) + 100)
  }
})

test("stops polling at the deadline", function* () {
  const { requests, pass, poller } = yield* scripted([])
  yield* poller.watch(message(1))
  for (let second = 0; second < 60; second++) yield* pass("1 second")
  const before = requests.length
  assert.isAbove(before, 3)
  assert.isAtMost(requests.at(-1) ?? Infinity, 20_000)
  for (let second = 0; second < 60; second++) yield* pass("1 second")
  assert.strictEqual(requests.length, before)
})

test("continues after a failed or hanging request", function* () {
  let requests = 0
  const poller = yield* Poller.make(plan, () => {
    requests += 1
    if (requests === 1) return Effect.die(new Error("broken"))
    return requests === 2 ? Effect.never : Effect.succeed(delivered)
  })
  const { next, pass } = yield* listen(poller)
  yield* poller.watch(message(1))
  // Waits of 1, 2 and 4 seconds, each up to a fifth longer, and 10 seconds for the request that hangs.
  for (let second = 0; second < 19; second++) yield* pass("1 second")
  assert.strictEqual((yield* next).status, "delivered")
  assert.strictEqual(requests, 3)
})

test("has a bounded number of open requests", function* () {
  let open = 0
  let most = 0
  const poller = yield* Poller.make({ ...plan, end: "10 minutes" }, () =>
    Effect.gen(function* () {
      open += 1
      most = Math.max(most, open)
      yield* Effect.sleep("1 second")
      open -= 1
      return delivered
    }),
  )
  const { pass, waiting } = yield* listen(poller)
  for (let number = 1; number <= 20; number++) yield* poller.watch(message(number))
  for (let second = 0; second < 12; second++) yield* pass("1 second")
  assert.strictEqual(most, Poller.maxQuestions)
  assert.strictEqual(yield* waiting, 20)
})

test("rejects messages beyond its bound while its stream is not read", function* () {
  const poller = yield* Poller.make(plan, () => Effect.succeed(delivered))
  for (let number = 1; number <= Poller.maxPolled; number++) {
    assert.isTrue(yield* poller.watch(message(number)))
  }
  assert.isFalse(yield* poller.watch(message(Poller.maxPolled + 1)))
})

test("sends no request while its stream is not read, and then continues in time", function* () {
  let requests = 0
  const poller = yield* Poller.make(plan, () => {
    requests += 1
    return Effect.succeed(delivered)
  })
  yield* poller.watch(message(1))
  const { next, pass } = yield* listen({ reports: poller.reports })
  assert.strictEqual(requests, 0)
  yield* pass("2 seconds")
  assert.strictEqual((yield* next).status, "delivered")
})
