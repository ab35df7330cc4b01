/**
 * A call with an idempotency key has its effect once, and every repeat gets the first answer.
 */
import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import * as TestClock from "effect/testing/TestClock"
import { Senders } from "../../src/services/Senders.ts"
import { Organizations } from "../../src/services/Organizations.ts"
import { balance, consume, idempotencyKey, resend, sendMessage, texts } from "../support/keyed.ts"
import { check, phoneNumber, send } from "../support/verifying.ts"
import { engineTest, testOn } from "../support/engineTest.ts"

const oneInAMinute = { max: 1, windowMillis: 60_000 }

describe("a repeated call", () => {
  engineTest("sends one message, and gets the first answer", function* () {
    const { organization } = yield* TestEngine.open()
    const first = yield* sendMessage(organization)
    yield* sendMessage(organization, { idempotencyKey: "another" })
    assert.deepStrictEqual(yield* sendMessage(organization), first)
    assert.strictEqual(yield* texts, 2)
    assert.strictEqual(yield* balance(organization), Samples.money("99"))
  })

  engineTest(
    "is the same call with its metadata in another order, and from another client",
    function* () {
      const { organization } = yield* TestEngine.open()
      const sendWith = (metadata: string, client?: string) =>
        send(organization, { idempotencyKey, metadata, client })
      const first = yield* sendWith('{"a":{"x":[1,{"p":2,"q":3}],"y":2},"b":1}', "203.0.113.7")
      const again = ' { "b":1, "a": {"y":2, "x":[1,{"q":3, "p":2}]}}'
      assert.deepStrictEqual(yield* sendWith(again, "203.0.113.8"), first)
      assert.deepStrictEqual(yield* sendWith(again), first)
      for (const other of [
        '{"a":{"x":[1,{"p":2,"q":3}],"y":2},"b":2}',
        '{"a":{"x":[{"p":2,"q":3},1],"y":2},"b":1}',
        '{"a":{"x":[1,[["p",2],["q",3]]],"y":2},"b":1}',
        '{"a":{"x":[1,{"p":2,"q":3}]},"b":1}',
        '"text"',
        "{",
        '{"a":'.repeat(10_000),
      ]) {
        assert.strictEqual((yield* Effect.flip(sendWith(other)))._tag, "IdempotencyMismatch")
      }
      assert.strictEqual(yield* texts, 1)
    },
  )

  engineTest("consumes once, and gets the same verification", function* () {
    const { organization } = yield* TestEngine.open()
    const { requestId } = yield* send(organization)
    yield* check(organization, requestId, yield* TestEngine.latestCode(phoneNumber))
    const first = yield* consume(organization, requestId)
    yield* TestClock.adjust(10_000)
    assert.deepStrictEqual(yield* consume(organization, requestId), first)
    const other = yield* Effect.flip(consume(organization, requestId, { idempotencyKey: "b" }))
    assert.strictEqual(other._tag, "AlreadyConsumed")
    const purpose = yield* Effect.flip(consume(organization, requestId, { purpose: "login" }))
    assert.strictEqual(purpose._tag, "IdempotencyMismatch")
  })

  testOn(TestEngine.layer({ gateway: { behave: () => ({ _tag: "Reject", message: "no" }) } }))(
    "gets the failure of the first call",
    function* () {
      const { organization } = yield* TestEngine.open()
      const first = yield* Effect.flip(sendMessage(organization))
      assert.deepStrictEqual(yield* Effect.flip(sendMessage(organization)), first)
      assert.strictEqual(first._tag === "SendingFailed" && first.status, "failed")
      const codes = [send(organization, { idempotencyKey }), send(organization, { idempotencyKey })]
      const [one, two] = yield* Effect.forEach(codes, Effect.flip)
      assert.strictEqual(one?._tag, "SendingFailed")
      assert.deepStrictEqual(two, one)
      assert.strictEqual(yield* balance(organization), Samples.money("100"))
    },
  )

  engineTest(
    "gets the first answer although a limit, the balance or the sender refuses it now",
    function* () {
      const { organization } = yield* TestEngine.open({ balance: Samples.money("1") })
      const limits = { sendsPerNumber: oneInAMinute, messagesPerOrganization: oneInAMinute }
      yield* Organizations.use((_) => _.update({ id: organization, limits }))
      const first = {
        message: yield* sendMessage(organization, { sender: "line" }),
        code: yield* send(organization, { idempotencyKey }),
      }
      yield* Senders.use((_) =>
        _.save({
          organization,
          id: "line",
          kind: "non-masking",
          sender: "8809600000000",
          status: "rejected",
        }),
      )
      assert.deepStrictEqual(
        {
          message: yield* sendMessage(organization, { sender: "line" }),
          code: yield* send(organization, { idempotencyKey }),
        },
        first,
      )
    },
  )

  engineTest("is counted once by a limit, with a look-up of the number before", function* () {
    const { organization } = yield* TestEngine.open()
    const limits = { messagesPerOrganization: { max: 2, windowMillis: 60_000 } }
    yield* Organizations.use((_) => _.update({ id: organization, limits }))
    const input = { channel: "whatsapp" }
    const first = yield* sendMessage(organization, input)
    assert.deepStrictEqual(yield* sendMessage(organization, input), first)
    yield* sendMessage(organization, { ...input, idempotencyKey: "b" })
  })
})

describe("a key", () => {
  engineTest("belongs to one call, one endpoint and one organization", function* () {
    const { organization } = yield* TestEngine.open()
    const { organization: other } = yield* TestEngine.open({ id: "other" })
    yield* sendMessage(organization)
    const changes = [{ text: "Another text" }, { channel: "whatsapp" }, { sender: "line" }]
    for (const change of changes) {
      const refused = yield* Effect.flip(sendMessage(organization, change))
      assert.strictEqual(refused._tag, "IdempotencyMismatch")
    }
    yield* sendMessage(other, { text: "Another text" })
    yield* send(organization, { idempotencyKey })
    assert.strictEqual(yield* texts, 3)
  })

  engineTest("has 1 to 255 printable characters", function* () {
    const { organization } = yield* TestEngine.open()
    for (const key of ["", "a".repeat(256), "a\nb", "a\u0000"]) {
      const input = { idempotencyKey: key }
      const { requestId } = yield* send(organization, { phoneNumber: "+8801712345679" })
      const refused = [
        yield* Effect.flip(sendMessage(organization, input)),
        yield* Effect.flip(send(organization, input)),
        yield* Effect.flip(resend(organization, requestId, input)),
        yield* Effect.flip(consume(organization, requestId, input)),
      ]
      for (const error of refused) {
        assert.deepStrictEqual(error._tag === "InvalidRequest" && Object.keys(error.details), [
          "idempotencyKey",
        ])
      }
    }
    yield* sendMessage(organization, { idempotencyKey: "ক".repeat(255) })
  })
})

engineTest("calls with one key at once have one effect and one answer", function* () {
  const { organization } = yield* TestEngine.open()
  const call = Effect.retry(sendMessage(organization), {
    while: ({ _tag }) => _tag === "IdempotencyInFlight",
    schedule: Schedule.spaced(100),
  })
  const calls = yield* Effect.forkScoped(
    Effect.all(
      Array.from({ length: 12 }, () => call),
      { concurrency: "unbounded" },
    ),
    { startImmediately: true },
  )
  yield* TestClock.adjust(1_000)
  const [first, ...others] = yield* Fiber.join(calls)
  for (const other of others) assert.deepStrictEqual(other, first)
  assert.strictEqual(yield* texts, 1)
})
