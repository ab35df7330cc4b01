/**
 * A call with an idempotency key has its effect once, and every repeat gets the first answer.
 */
import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import * as TestClock from "effect/testing/TestClock"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { Store } from "../../src/ports/Store.ts"
import { Senders } from "../../src/services/Senders.ts"
import { Organizations } from "../../src/services/Organizations.ts"
import { balance, consume, idempotencyKey, resend, sendMessage, texts } from "../support/keyed.ts"
import { check, phoneNumber, send } from "../support/verifying.ts"
import { twoNodes } from "../support/nodes.ts"
import { effectTest, engineTest, testOn } from "../support/engineTest.ts"
import { invalidFields } from "../support/invalidFields.ts"

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
    "is the same call with its metadata in another order, and from another caller or client",
    function* () {
      const { keyId: apiKeyId, organization } = yield* TestEngine.open()
      const sendWith = (metadata: string, client?: string, caller: object = {}) =>
        send(organization, { idempotencyKey, metadata, client, ...caller })
      const first = yield* sendWith('{"a":{"x":[1,{"p":2,"q":3}],"y":2},"b":1}', "203.0.113.7")
      const again = ' { "b":1, "a": {"y":2, "x":[1,{"q":3, "p":2}]}}'
      assert.deepStrictEqual(yield* sendWith(again, "203.0.113.8"), first)
      assert.deepStrictEqual(yield* sendWith(again, undefined, { apiKeyId, address: "::1" }), first)
      for (const other of [
        '{"a":{"x":[1,{"p":2,"q":3}],"y":2},"b":2}',
        '{"a":{"x":[{"p":2,"q":3},1],"y":2},"b":1}',
        '{"a":{"x":[1,[["p",2],["q",3]]],"y":2},"b":1}',
        '{"a":{"x":[1,{"p":2,"q":3}]},"b":1}',
        '{"a":{"x":{"0":1,"1":{"p":2,"q":3}},"y":2},"b":1}',
        '"text"',
        "{",
        '{"a":'.repeat(10_000),
      ]) {
        assert.strictEqual((yield* Effect.flip(sendWith(other)))._tag, "IdempotencyMismatch")
      }
      assert.strictEqual(yield* texts, 1)
    },
  )

  engineTest("is the same call with its members in another order", function* () {
    const { organization } = yield* TestEngine.open()
    const payment = { amount: "5", payee: "Acme" }
    const members = { codeLength: 5, locale: "en-us", payment, purpose: "login" } as const
    const first = yield* send(organization, { idempotencyKey, ...members })
    const entries = Object.entries({ ...members, payment: { payee: "Acme", amount: "5" } })
    const reversed = Object.fromEntries(entries.toReversed())
    assert.deepStrictEqual(yield* send(organization, { ...reversed, idempotencyKey }), first)
    assert.strictEqual(yield* texts, 1)
  })

  effectTest("gives its answer to the first call, which recorded its own later", function* () {
    const memory = MemoryStore.make()
    const gate = yield* Deferred.make<void>()
    const reached = yield* Deferred.make<void>()
    const slow = Store.of({
      ...memory,
      execute: (command) =>
        command._tag === "RecordAnswer"
          ? Deferred.succeed(reached, undefined).pipe(
              Effect.andThen(Deferred.await(gate)),
              Effect.andThen(memory.execute(command)),
            )
          : memory.execute(command),
    })
    const { here } = yield* twoNodes({}, slow)
    const { there } = yield* twoNodes({}, memory)
    const { organization } = yield* there(TestEngine.open())
    const calling = yield* Effect.forkChild(here(sendMessage(organization)))
    yield* Deferred.await(reached)
    // The answer that follows from the rows has the balance of now.
    yield* there(sendMessage(organization, { idempotencyKey: "another" }))
    const repeat = yield* there(sendMessage(organization))
    assert.strictEqual(repeat.balance, Samples.money("99"))
    yield* Deferred.succeed(gate, undefined)
    assert.deepStrictEqual(yield* Fiber.join(calling), repeat)
  })

  engineTest("gets an unknown outcome if retention has dropped its message", function* () {
    const { organization } = yield* TestEngine.open()
    yield* sendMessage(organization)
    yield* TestClock.adjust("1 hour")
    const step = { organization, after: undefined, keepMillis: 1, limit: 10 } as const
    yield* Store.use((store) => store.prune({ ...step, kind: "messages" }))
    const repeat = yield* Effect.flip(sendMessage(organization))
    assert.deepInclude<object>(repeat, { _tag: "SendingFailed", status: "unknown" })
  })

  engineTest("consumes once, and gets the same verification", function* () {
    const { organization } = yield* TestEngine.open()
    const { requestId } = yield* send(organization)
    yield* check(organization, requestId, yield* TestEngine.latestCode(phoneNumber))
    const first = yield* consume(organization, requestId)
    yield* TestClock.adjust(10_000)
    assert.deepStrictEqual(yield* consume(organization, requestId), first)
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
      const code = Effect.flip(send(organization, { idempotencyKey }))
      const one = yield* code
      assert.strictEqual(one._tag, "SendingFailed")
      assert.deepStrictEqual(yield* code, one)
      assert.strictEqual(yield* balance(organization), Samples.money("100"))
    },
  )

  engineTest(
    "gets the first answer although a limit, the balance or the sender refuses it now",
    function* () {
      const { organization } = yield* TestEngine.open({ balance: Samples.money("1") })
      const limits = { sendsPerNumber: oneInAMinute, messagesPerOrganization: oneInAMinute }
      yield* Organizations.use((_) => _.update({ id: organization, limits }))
      const both = Effect.all([
        sendMessage(organization, { sender: "line" }),
        send(organization, { idempotencyKey }),
      ])
      const first = yield* both
      const line = { id: "line", kind: "non-masking", sender: "8809600000000" } as const
      yield* Senders.use((_) => _.save({ organization, ...line, status: "rejected" }))
      assert.deepStrictEqual(yield* both, first)
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
  effectTest(
    "hides the input of its call from the row, which another key keeps apart",
    function* () {
      const fingerprints: Array<string> = []
      const memory = MemoryStore.make()
      const { here } = yield* twoNodes(
        {},
        {
          ...memory,
          execute: (command) => {
            if ("idempotency" in command && command.idempotency !== undefined) {
              fingerprints.push(command.idempotency.fingerprint.toString())
            }
            return memory.execute(command)
          },
        },
      )
      const { organization } = yield* here(TestEngine.open())
      yield* here(sendMessage(organization))
      yield* here(sendMessage(organization, { idempotencyKey: "another" }))
      assert.strictEqual(new Set(fingerprints).size, 2)
    },
  )

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
        yield* invalidFields(sendMessage(organization, input)),
        yield* invalidFields(send(organization, input)),
        yield* invalidFields(resend(organization, requestId, input)),
        yield* invalidFields(consume(organization, requestId, input)),
      ]
      for (const fields of refused) assert.deepStrictEqual(fields, ["idempotencyKey"])
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
