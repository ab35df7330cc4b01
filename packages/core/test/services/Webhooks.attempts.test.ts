import * as Samples from "@countersign/testing/Samples"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { WebhookId } from "../../src/domain/values/Ids.ts"
import { WebhookDelivery } from "../../src/jobs/WebhookDelivery.ts"
import { Audit } from "../../src/services/Audit.ts"
import { Webhooks } from "../../src/services/Webhooks.ts"
import { invalidCodes } from "../support/invalidFields.ts"
import { receiverTest, status } from "../support/receiving.ts"

const organization = Samples.organizationId

/** A webhook that begins with the first event, and what can be read of it. */
const started = Effect.gen(function* () {
  const webhooks = yield* Webhooks
  const { id } = yield* webhooks.create({
    organization,
    url: "https://receiver.test/hook",
    after: 0,
  })
  const ref = { organization, id }
  const lines = (query: Partial<Parameters<typeof webhooks.attempts>[0]> = {}) =>
    Effect.map(webhooks.attempts({ ...ref, ...query }), ({ attempts, next }) => ({
      next,
      rows: attempts.map(({ error, number, position, sequence, type }) =>
        [position, sequence, type, number, error ?? "taken"].join(" "),
      ),
    }))
  const deliver = WebhookDelivery.use((_) => _.deliver(ref))
  return { webhooks, ref, lines, deliver }
})

describe("the requests to a webhook", () => {
  receiverTest("are listed with what the receiver answered, newest first", function* (receiver) {
    const { deliver, lines, ref, webhooks } = yield* started
    const long = "x".repeat(2_000)
    receiver.answers["receiver.test"] = ({ sequence }) =>
      Effect.delay(Effect.succeed(sequence === 2 ? status(500, undefined, long) : status(204)), 40)
    const fiber = yield* Effect.forkChild(deliver)
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(fiber)
    const { attempts } = yield* webhooks.attempts({ ...ref, event: 2 })
    const [failed = assert.fail()] = attempts
    assert.deepInclude(failed, { sequence: 2, status: 500, error: "HTTP 500", millis: 40 })
    assert.strictEqual(failed.answer?.length, 1_000)
    assert.isAtLeast(failed.nextAt ?? 0, 5_040)
    assert.strictEqual(attempts.length, 1)
    const failures = yield* lines({ result: "failed" })
    assert.deepStrictEqual(failures.rows.length, 1)
    const taken = yield* lines({ result: "taken" })
    assert.isAbove(taken.rows.length, 1)
    assert.isTrue(taken.rows.every((line) => line.endsWith("taken")))
    const first = yield* lines({ limit: 2 })
    assert.isString(first.next)
    const second = yield* lines({ limit: 1_000, cursor: first.next ?? "" })
    const all = yield* lines()
    assert.deepStrictEqual([...first.rows, ...second.rows], all.rows)
    assert.isUndefined(second.next)
  })

  receiverTest("are shown as they were sent, without the signature", function* (receiver) {
    const { deliver, ref, webhooks } = yield* started
    yield* deliver
    const [sent] = receiver.received
    const one = yield* webhooks.attempt({ ...ref, position: 1 })
    const { "webhook-signature": signature, ...headers } = sent?.headers ?? {}
    assert.isDefined(signature)
    assert.deepStrictEqual(one.request, { url: sent?.url, headers, body: sent?.body })
    assert.isNull(one.nextAt)
    const unknown = webhooks.attempt({ ...ref, position: 999 })
    assert.deepStrictEqual(yield* invalidCodes(unknown), { position: "not_kept" })
  })

  receiverTest("send one event again, which a success ends", function* (receiver) {
    const { deliver, lines, ref, webhooks } = yield* started
    receiver.answers["receiver.test"] = ({ sequence }) =>
      Effect.succeed(status(sequence === 2 ? 503 : 200))
    yield* deliver
    const resend = webhooks.resend({ ...ref, sequence: 2 })
    assert.deepStrictEqual(yield* resend, { isDelivered: false, error: "HTTP 503" })
    assert.strictEqual((yield* webhooks.list({ organization }))[0]?.retrying, 1)
    receiver.answers["receiver.test"] = () => Effect.succeed(status(200))
    assert.deepStrictEqual(yield* resend, { isDelivered: true, error: null })
    assert.strictEqual((yield* webhooks.list({ organization }))[0]?.retrying, 0)
    const { rows } = yield* lines({ event: 2 })
    assert.deepStrictEqual(
      rows.map((line) => line.split(" ").slice(3).join(" ")),
      ["2 taken", "2 HTTP 503", "1 HTTP 503"],
    )
    const { entries } = yield* Audit.use((_) => _.list({ organization, limit: 2 }))
    assert.deepStrictEqual(
      entries.map(({ action, after, target }) => [action, target, after]),
      [
        ["webhook.resent", ref.id, { sequence: 2, isDelivered: true }],
        ["webhook.resent", ref.id, { sequence: 2, isDelivered: false }],
      ],
    )
    const unknown = webhooks.resend({ ...ref, sequence: 9_999 })
    assert.deepStrictEqual(yield* invalidCodes(unknown), { sequence: "not_kept" })
  })

  receiverTest("are counted by hour, with what waits", function* (receiver) {
    const { deliver, ref, webhooks } = yield* started
    const period = { from: 0, to: 7_200_000 }
    const activity = webhooks.activity({ ...ref, ...period })
    const before = yield* activity
    assert.deepInclude(before, { taken: 0, failed: 0, p50: null, waitingSince: 0, slots: [] })
    assert.isAbove(before.waiting, 2)
    receiver.answers["receiver.test"] = ({ sequence }) =>
      Effect.succeed(status(sequence === 2 ? 503 : 200))
    yield* deliver
    yield* TestClock.adjust("1 hour")
    receiver.answers["receiver.test"] = () => Effect.succeed(status(200))
    yield* deliver
    const after = yield* activity
    assert.deepInclude(after, { failed: 1, waiting: 0, waitingSince: null })
    assert.deepStrictEqual(
      after.slots.map(({ at, failed }) => [at, failed]),
      [
        [0, 1],
        [3_600_000, 0],
      ],
    )
    assert.strictEqual(
      after.slots.reduce((sum, { taken }) => sum + taken, 0),
      after.taken,
    )
    const long = webhooks.activity({ ...ref, from: 0, to: 3_600_000 * 1_001 })
    assert.deepStrictEqual(yield* invalidCodes(long), { to: "too_many_slots" })
  })

  receiverTest("belong to a webhook that exists", function* () {
    const { webhooks } = yield* started
    const ref = { organization, id: WebhookId("unknown") }
    const errors = yield* Effect.all([
      Effect.flip(webhooks.attempts(ref)),
      Effect.flip(webhooks.attempt({ ...ref, position: 1 })),
      Effect.flip(webhooks.resend({ ...ref, sequence: 1 })),
      Effect.flip(webhooks.activity({ ...ref, from: 0, to: 1 })),
    ])
    for (const { _tag } of errors) assert.strictEqual(_tag, "WebhookNotFound")
  })
})
