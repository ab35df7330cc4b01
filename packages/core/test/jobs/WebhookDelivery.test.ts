import * as Samples from "@countersign/testing/Samples"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import type { WebhookId } from "../../src/domain/values/Ids.ts"
import { maxRetries } from "../../src/domain/webhooks/WebhookProgress.ts"
import { Accounts } from "../../src/services/Accounts.ts"
import * as Engine from "../../src/Engine.ts"
import { EventLog } from "../../src/services/EventLog.ts"
import { WebhookDelivery } from "../../src/jobs/WebhookDelivery.ts"
import * as Telemetry from "../../src/engine/Telemetry.ts"
import { type CreateWebhook, Webhooks } from "../../src/services/Webhooks.ts"
import { Store } from "../../src/ports/Store.ts"
import { isSignedWith, ok, status, receiverTest } from "../support/receiving.ts"

const organization = Samples.organizationId
const host = "receiver.test"

const create = (input: Partial<CreateWebhook> = {}) =>
  Webhooks.use((_) => _.create({ organization, url: `https://${host}`, ...input }))
const topUp = Accounts.use((_) => _.topUp({ organization, amount: Samples.money("1") }))
const topUps = (count: number) => Effect.replicateEffect(topUp, count, { discard: true })
const deliver = (id: WebhookId) => WebhookDelivery.use((_) => _.deliver({ organization, id }))
/** Whether a webhook is due, in trouble or not. */
const isDue = Effect.map(
  Effect.forEach([true, false], (isTroubled) =>
    Store.use((store) => store.dueWebhooks({ isTroubled, limit: 100 })),
  ),
  (pages) => pages.flat().length > 0,
)
const only = Effect.map(
  Webhooks.use((_) => _.list({ organization })),
  ([webhook]) => webhook,
)
const failings = Effect.map(
  EventLog.use((_) => _.list({ organization, limit: 1_000 })),
  ({ events }) => events.flatMap((event) => (event._tag === "WebhookFailing" ? event.reason : [])),
)

const delivered = Effect.map(
  Metric.value(Metric.withAttributes(Telemetry.deliveries, { outcome: "Delivered" })),
  ({ count }) => count,
)

/** Drops all events. */
const prune = Store.use((store) =>
  store.prune({ organization, kind: "events", keepMillis: 1, after: undefined, limit: 1_000 }),
)

const from = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

const sorted = (sequences: ReadonlyArray<number>) => sequences.toSorted((a, b) => a - b)

describe("WebhookDelivery", () => {
  receiverTest(
    "posts each event once, signed, and as JSON with its sequence",
    function* (receiver) {
      const { id, secret } = yield* create()
      yield* topUp
      const before = yield* delivered
      yield* deliver(id)
      assert.deepStrictEqual(receiver.sequencesOf(host), [5, 6])
      assert.strictEqual(yield* delivered, before + 2)
      const [, request] = receiver.received
      assert.deepStrictEqual(JSON.parse(request?.body ?? ""), {
        type: "topped_up",
        timestamp: new Date(0).toISOString(),
        data: {
          organization,
          sequence: 6,
          previous: 5,
          amount: "1.00",
          balance: "101.00",
          note: "",
        },
      })
      assert.strictEqual(request?.headers["webhook-id"], "evt_acme_6")
      assert.strictEqual(request?.headers["content-type"], "application/json")
      assert.isTrue(request !== undefined && isSignedWith(Redacted.value(secret), request))
      assert.isFalse(yield* isDue)
      yield* deliver(id)
      assert.strictEqual(receiver.received.length, 2)
    },
  )

  receiverTest("sends the wanted events, and each says which came before it", function* (receiver) {
    const accounts = yield* Accounts
    const { id } = yield* create({ types: ["adjusted"] })
    const adjust = accounts.adjust({ organization, amount: Samples.money("1"), note: "fee" })
    yield* topUps(3)
    yield* adjust
    yield* topUp
    yield* adjust
    yield* deliver(id)
    yield* topUps(2)
    yield* deliver(id)
    yield* adjust
    yield* deliver(id)
    assert.deepStrictEqual(
      receiver.received.map(({ previous, sequence }) => [previous, sequence]),
      [
        [null, 9],
        [9, 11],
        [11, 14],
      ],
    )
  })

  receiverTest(
    "repeats a failed event later, with the same id and body, and no other",
    function* (receiver) {
      const failing = new Set([6, 8])
      receiver.answers[host] = ({ sequence }) =>
        Effect.succeed(failing.has(sequence) ? status(500) : ok)
      const { id } = yield* create()
      yield* topUps(4)
      yield* deliver(id)
      assert.deepStrictEqual(sorted(receiver.sequencesOf(host)), from(5, 9))
      assert.isFalse(yield* isDue)
      const found = yield* only
      assert.deepInclude(found, { position: 9, retrying: 2, lastError: "HTTP 500" })
      const [first, second] = found?.retries ?? []
      assert.deepInclude(first, { sequence: 6, attempts: 1 })
      assert.deepInclude(second, { sequence: 8, attempts: 1 })
      const times = [first?.nextAt ?? 0, second?.nextAt ?? 0]
      assert.strictEqual(Math.min(...times), found?.retryAt)
      failing.clear()
      yield* TestClock.adjust("7 seconds")
      assert.isTrue(yield* isDue)
      yield* deliver(id)
      const repeated = receiver.received.slice(5)
      assert.deepStrictEqual(sorted(repeated.map(({ sequence }) => sequence)), [6, 8])
      for (const again of repeated) {
        const first = receiver.received.find(({ sequence }) => sequence === again.sequence)
        assert.strictEqual(again.body, first?.body)
        assert.strictEqual(again.headers["webhook-id"], first?.headers["webhook-id"])
        assert.notStrictEqual(
          again.headers["webhook-timestamp"],
          first?.headers["webhook-timestamp"],
        )
      }
      assert.deepInclude(yield* only, { position: 9, retrying: 0, retries: [], lastError: null })
    },
  )

  receiverTest("goes on while one event fails, until a hundred wait", function* (receiver) {
    const { id } = yield* create({ after: 4 })
    yield* topUps(250)
    let isDown = true
    receiver.answers[host] = () => Effect.succeed(isDown ? status(500) : ok)
    for (let rounds = 0; (yield* isDue) && rounds < 500; rounds++) yield* deliver(id)
    assert.deepInclude(yield* only, { retrying: maxRetries })
    assert.isAtMost(receiver.received.length, maxRetries + 4)
    isDown = false
    yield* TestClock.adjust("7 seconds")
    const { retries = [] } = (yield* only) ?? {}
    const due = retries.toSorted((x, y) => x.nextAt - y.nextAt).slice(0, 20)
    const before = receiver.received.length
    yield* deliver(id)
    assert.sameMembers(
      receiver.sequencesOf(host).slice(before),
      due.map(({ sequence }) => sequence),
    )
    while (yield* isDue) yield* deliver(id)
    const taken = receiver.sequencesOf(host).slice(before)
    assert.lengthOf(taken, new Set(taken).size)
    const all = new Set(receiver.sequencesOf(host))
    assert.deepStrictEqual(sorted([...all]), from(5, 255))
    assert.deepInclude(yield* only, { position: 255, retrying: 0, troubledSince: null })
  })

  receiverTest("ends at once with the answer 410", function* (receiver) {
    const { id } = yield* create()
    yield* topUps(9)
    receiver.answers[host] = ({ sequence }) => Effect.succeed(sequence === 7 ? status(410) : ok)
    yield* deliver(id)
    assert.deepInclude(yield* only, { status: "gone", lastError: "HTTP 410" })
    assert.deepStrictEqual(yield* failings, ["gone"])
    assert.isBelow(receiver.received.length, 10)
    yield* TestClock.adjust("1 day")
    assert.isFalse(yield* isDue)
  })

  receiverTest(
    "gives up an event that retention has dropped before its retry",
    function* (receiver) {
      const { id } = yield* create({ after: 4 })
      receiver.answers[host] = () => Effect.succeed(status(500))
      yield* deliver(id)
      yield* TestClock.adjust("7 seconds")
      yield* prune
      receiver.answers[host] = () => Effect.succeed(ok)
      yield* topUp
      yield* deliver(id)
      assert.deepStrictEqual(receiver.sequencesOf(host), [5, 6])
      assert.deepInclude(yield* only, { position: 6, retrying: 0 })
    },
  )

  receiverTest("keeps its place when a round ends before all of its retries", function* (receiver) {
    const { id } = yield* create({ after: 4 })
    yield* topUps(2)
    receiver.answers[host] = () => Effect.succeed(status(500))
    for (let rounds = 0; rounds < 3; rounds++) yield* deliver(id)
    yield* TestClock.adjust("7 seconds")
    yield* deliver(id)
    // One in trouble, which fails.
    assert.lengthOf(receiver.received, 3 + 1)
    assert.deepInclude(yield* only, { position: 7, retrying: 3 })
  })

  receiverTest("obeys Retry-After, as seconds and as a date", function* (receiver) {
    const { id } = yield* create()
    const answers = ["600", new Date(7_200_000).toUTCString(), "soon"]
    const retryAts: Array<number | null> = []
    for (const answer of answers) {
      receiver.answers[host] = () => Effect.succeed(status(429, answer))
      yield* Webhooks.use((_) => _.replay({ organization, id, after: 4 }))
      yield* deliver(id)
      retryAts.push((yield* only)?.retryAt ?? null)
    }
    assert.deepStrictEqual(retryAts.slice(0, 2), [600_000, 7_200_000])
    assert.isBelow(retryAts[2] ?? 0, 7_000)
  })

  receiverTest(
    "stores each attempt with its status, its time, and the beginning of the answer",
    function* (receiver) {
      const { id } = yield* create()
      const page = "no\u0000 such order; call 8801712345678 with 4711 and 42 \ud800".padEnd(
        999,
        "x",
      )
      receiver.answers[host] = () => Effect.as(Effect.sleep("2 seconds"), status(500, "9", page))
      const round = yield* Effect.forkChild(deliver(id), { startImmediately: true })
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(round)
      receiver.answers[host] = () => Effect.succeed(status(204))
      yield* TestClock.adjust("10 seconds")
      yield* deliver(id)
      const attempts = (yield* only)?.attempts ?? []
      const answer = attempts[1]?.answer ?? ""
      assert.match(answer, /^no such order; call 880\d*\*{5}\d{2,3} with \[digits\] and 42 /)
      assert.strictEqual(answer.length, 200)
      assert.isTrue(answer.isWellFormed())
      assert.deepStrictEqual(attempts, [
        { sequence: 5, at: 12_000, millis: 0, status: 204, error: null, answer: null },
        { sequence: 5, at: 0, millis: 2_000, status: 500, error: "HTTP 500", answer },
      ])
    },
  )

  receiverTest("gives up on an answer after 15 seconds", function* (receiver) {
    const { id } = yield* create()
    receiver.answers[host] = () => Effect.never
    const round = yield* Effect.forkChild(deliver(id), { startImmediately: true })
    yield* TestClock.adjust("15 seconds")
    yield* Fiber.join(round)
    assert.deepInclude(yield* only, { retrying: 1, lastError: "No answer in 15 seconds" })
  })

  receiverTest("posts at most four events at once, and one while in trouble", function* (receiver) {
    const { id } = yield* create()
    yield* topUps(40)
    receiver.answers[host] = () => Effect.as(Effect.sleep("1 second"), ok)
    const round = yield* Effect.forkChild(deliver(id), { startImmediately: true })
    yield* TestClock.adjust("20 seconds")
    yield* Fiber.join(round)
    assert.strictEqual(receiver.mostOf(host), 4)
    // A round starts nothing after ten seconds. The next one continues.
    assert.deepInclude(yield* only, { position: 44 })
    const slow = yield* create({ url: "https://slow.test" })
    receiver.answers["slow.test"] = () => Effect.as(Effect.sleep("1 second"), status(500))
    yield* topUps(40)
    for (let rounds = 0; rounds < 2; rounds++) {
      const next = yield* Effect.forkChild(deliver(slow.id), { startImmediately: true })
      yield* TestClock.adjust("20 seconds")
      yield* Fiber.join(next)
    }
    assert.strictEqual(receiver.of("slow.test").length, 4 + 1)
  })

  receiverTest(
    "stops with a disabled webhook, and misses nothing when it is enabled again",
    function* (receiver) {
      const webhooks = yield* Webhooks
      const { id } = yield* create({ isEnabled: false })
      yield* topUps(2)
      assert.isFalse(yield* isDue)
      yield* deliver(id)
      assert.deepStrictEqual(receiver.received, [])
      yield* webhooks.update({ organization, id, isEnabled: true })
      yield* deliver(id)
      assert.deepStrictEqual(receiver.sequencesOf(host), from(5, 8))
    },
  )

  receiverTest(
    "leaves a webhook to the node that has claimed it, and records no lost round",
    function* (receiver) {
      const other = yield* Layer.build(Layer.fresh(Engine.layer)).pipe(
        Effect.provide(receiver.layer),
      )
      const { id } = yield* create()
      let delay: Effect.Effect<void> = Effect.sleep("14 seconds")
      receiver.answers[host] = () => Effect.as(delay, ok)
      const slow = yield* Effect.forkChild(deliver(id), { startImmediately: true })
      yield* Effect.provide(deliver(id), other)
      assert.strictEqual(receiver.received.length, 1)
      // The replay ends the lease of the first node.
      yield* Webhooks.use((_) => _.replay({ organization, id, after: 4 }))
      delay = Effect.void
      yield* topUp
      yield* Effect.provide(deliver(id), other)
      assert.deepStrictEqual(receiver.sequencesOf(host), [5, 5, 6])
      const before = yield* only
      yield* TestClock.adjust("14 seconds")
      yield* Fiber.join(slow)
      assert.deepStrictEqual(yield* only, before)
    },
  )
})
