/** Webhooks over sockets, from the engine to receivers that verify with the client. */
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import { Accounts } from "@countersign/core/services/Accounts"
import { Verifications } from "@countersign/core/services/verifications/Verifications"
import { WebhookDelivery } from "@countersign/core/jobs/WebhookDelivery"
import { Webhooks } from "@countersign/core/services/Webhooks"
import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { Webhook as StandardWebhook } from "standardwebhooks"
import { selfSigned } from "../packages/testing/src/internal/gateway-suite/certificate.ts"
import { testsOver } from "./support/testsOver.ts"
import {
  deliverAll,
  engine,
  faulty,
  last,
  organization,
  raise,
  receiving,
  sequences,
  subscribe,
  take,
} from "./support/webhooks.ts"

const { effect } = testsOver(engine())

const testing = (title: string, body: Parameters<typeof effect>[1]) =>
  effect(title, function* (context) {
    yield* TestEngine.open()
    yield* Effect.fnUntraced(body)(context)
  })

describe("Webhooks over sockets", () => {
  testing(
    "reach a receiver that fails in every way, and it can prove that it missed nothing",
    function* () {
      const receiver = yield* receiving(faulty)
      yield* subscribe(receiver)
      yield* raise(500)
      yield* deliverAll
      const count = yield* last
      const inOrder = receiver.taken.toSorted((a, b) => a.sequence - b.sequence)
      assert.deepStrictEqual(receiver.problems, [])
      assert.deepStrictEqual(
        inOrder.map(({ sequence }) => sequence),
        sequences(count),
      )
      assert.deepStrictEqual(
        inOrder.map(({ previous }) => previous ?? 0),
        [0, ...sequences(count - 1)],
      )
    },
  )

  testing("are signed as the library of Standard Webhooks expects, in any script", function* () {
    // The library compares the time of a request with the clock of the process.
    yield* TestClock.setTime(Date.now())
    const receiver = yield* receiving()
    const library = new StandardWebhook((yield* subscribe(receiver)).secret)
    const metadata = { নাম: "রহিম উদ্দিন", note: "naïve café ৳ 🙂", control: "\u0007\u2028" }
    // A purpose is ASCII. Notes and metadata are any text.
    const [purpose, note] = ["login", "ইনভয়েস ৭ — ফেরত 🙂"]
    const phoneNumber = PhoneNumber.fromE164("+8801712345678")
    const request = { organization, phoneNumber, purpose, metadata: JSON.stringify(metadata) }
    const { requestId } = yield* Verifications.use((_) => _.send(request))
    const amount = Samples.money("1")
    yield* Accounts.use((_) => _.adjust({ organization, amount, note }))
    yield* deliverAll
    const verified = receiver.requests.map(({ body, headers }) => {
      const text = (name: string) => String(headers[`webhook-${name}`])
      assert.strictEqual(headers["content-length"], String(body.length))
      return library.verify(body, {
        "webhook-id": text("id"),
        "webhook-timestamp": text("timestamp"),
        "webhook-signature": text("signature"),
      })
    })
    const data = Object.fromEntries(receiver.taken.map((event) => [event.type, event.data]))
    assert.deepInclude(data["verification_sent"], { requestId, purpose, metadata })
    assert.deepInclude(data["adjusted"], { note })
    assert.deepStrictEqual(
      verified,
      receiver.requests.map(({ body }) => JSON.parse(body.toString())),
    )
    assert.strictEqual(receiver.taken.length, yield* last)
  })

  testing("are signed with the old and the new secret after a rotation", function* () {
    const webhooks = yield* Webhooks
    const receiver = yield* receiving()
    const ref = yield* subscribe(receiver)
    const old = receiver.secrets
    const { secret } = yield* webhooks.rotateSecret(ref)
    yield* deliverAll
    receiver.secrets = [Redacted.value(secret)]
    yield* raise(1)
    yield* deliverAll
    assert.deepStrictEqual(receiver.problems, [])
    yield* TestClock.adjust("1 day")
    receiver.secrets = old
    yield* raise(1)
    yield* WebhookDelivery.use((_) => _.deliver(ref))
    assert.strictEqual(receiver.problems.length, 1)
    const [listed] = yield* webhooks.list({ organization })
    assert.deepInclude(listed, { lastError: "HTTP 400" })
    const refused = { status: 400, error: "HTTP 400", answer: "bad signature" }
    assert.deepInclude(listed?.attempts[0], refused)
    assert.deepInclude(listed?.attempts[1], { status: 200, error: null, answer: null })
  })

  testing("end with 410, and continue with a replay", function* () {
    let isGone = true
    const receiver = yield* receiving((response, sequence, attempt) => {
      if (!isGone || sequence !== 3) return take(response, sequence, attempt)
      response.writeHead(410).end()
      return false
    })
    const ref = yield* subscribe(receiver)
    yield* deliverAll
    const webhooks = yield* Webhooks
    assert.deepInclude((yield* webhooks.list({ organization }))[0], { status: "gone" })
    isGone = false
    assert.deepStrictEqual(yield* webhooks.replay(ref), { after: 2 })
    yield* deliverAll
    const all = new Set(receiver.taken.map(({ sequence }) => sequence))
    assert.deepStrictEqual(
      [...all].toSorted((a, b) => a - b),
      sequences(yield* last),
    )
  })

  testing("wait 15 seconds for a receiver that hangs, and go on with the others", function* () {
    const hung = yield* Deferred.make<void>()
    const hanging = yield* receiving(() => {
      Deferred.doneUnsafe(hung, Effect.void)
      return false
    })
    const healthy = yield* receiving()
    const ref = yield* subscribe(hanging)
    const other = yield* subscribe(healthy)
    const delivery = yield* WebhookDelivery
    const stuck = yield* Effect.forkChild(delivery.deliver(ref))
    yield* Deferred.await(hung)
    yield* delivery.deliver(other)
    assert.strictEqual(healthy.taken.length, yield* last)
    yield* TestClock.adjust("15 seconds")
    yield* Fiber.join(stuck)
    const [listed] = yield* Webhooks.use((_) => _.list({ organization }))
    assert.deepInclude(listed, { lastError: "No answer in 15 seconds" })
  })

  testing("do not go to a server whose certificate is not trusted", function* () {
    const receiver = yield* receiving(take, selfSigned())
    const ref = yield* subscribe(receiver)
    const sent = yield* Webhooks.use((_) => _.sendTest(ref))
    assert.isFalse(sent.isDelivered)
    assert.match(sent.error ?? "", /SELF_SIGNED/)
    assert.deepStrictEqual([receiver.taken, receiver.problems], [[], []])
  })
})
