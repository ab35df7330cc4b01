import * as Invariants from "@countersign/testing/Invariants"
import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import * as Money from "../../src/domain/values/Money.ts"
import { assert, describe, it } from "@effect/vitest"
import type { GatewayOutcome } from "../../src/domain/messages/GatewayOutcome.ts"
import { Settlement } from "../../src/jobs/Settlement.ts"
import { SimulatedGateway } from "../../src/adapters/SimulatedGateway.ts"
import { Store } from "../../src/ports/Store.ts"
import { Verifications } from "../../src/services/verifications/Verifications.ts"
import { engineOver, gatewayLayer } from "../support/engineOver.ts"
import { logOf, moneyOf } from "../support/log.ts"
import { twoNodes } from "../support/nodes.ts"
import { versionOf } from "../support/versions.ts"
import { effectTest, testOn } from "../support/engineTest.ts"

const organization = Samples.organizationId

const round = Settlement.use((_) => _.round)

/** What a node leaves behind that dies between the charge and the gateway. */
const crash = (gateway = "simulated") =>
  Effect.gen(function* () {
    const version = yield* versionOf(organization)
    const held = Samples.holdMessage({ version, draft: Samples.newMessage({ gateway }) })
    return yield* Store.use((store) => store.execute(held))
  })

const crashWithCode = Effect.gen(function* () {
  const version = yield* versionOf(organization)
  const draft = Samples.newMessage({ text: "•••••• is your verification code." })
  const requested = Samples.requestVerification({ version, draft })
  return yield* Store.use((store) => store.execute(requested))
})

const lease = 70_000

const simulated = (options: NonNullable<TestEngine.Options["gateway"]>) =>
  TestEngine.layer({ gateway: options })

describe("Settlement.round", () => {
  testOn(simulated({ capabilities: { lookup: true } }))(
    "leaves a request expired when it learns later that the code was never sent",
    function* () {
      yield* TestEngine.open()
      const version = yield* versionOf(organization)
      yield* Store.use((store) =>
        store.execute(Samples.requestVerification({ version, expirySeconds: 60 })),
      )
      const check = Verifications.use((_) =>
        Effect.flip(
          _.check({ organization, requestId: Samples.requestId(), code: Redacted.make("000000") }),
        ),
      )
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual((yield* check)._tag, "RequestExpired")
      yield* TestClock.adjust("10 seconds")
      yield* round
      assert.deepStrictEqual(yield* logOf(organization), ["failed, released, 2"])
      assert.strictEqual((yield* check)._tag, "RequestExpired")
    },
  )

  testOn(simulated({ capabilities: { tokenMillis: Infinity } }))(
    "sends a message again with its old token if the gateway honors it",
    function* () {
      yield* TestEngine.open()
      yield* crash()
      yield* TestClock.adjust(lease)
      yield* round
      const gateway = yield* SimulatedGateway
      assert.strictEqual(yield* gateway.dispatches, 1)
      const [entry] = yield* gateway.journal()
      assert.deepInclude(entry, { id: Samples.messageId(), text: "Your parcel is here" })
      assert.deepStrictEqual(yield* logOf(organization), ["delivered, captured, 2"])
      assert.strictEqual(yield* moneyOf(organization), "99.50 + 0.00 held, 3 entries")
    },
  )

  it.effect.each([
    ["NotSent", { _tag: "NotSent", message: "no connection" }, "unknown, open, 2"],
    ["Throttled", { _tag: "Throttled", message: "too many" }, "unknown, open, 2"],
    // A gateway that honors tokens answers a repeat as it has answered the first dispatch.
    [
      "Rejected",
      { _tag: "Rejected", reason: "recipient", message: "barred" },
      "rejected, released, 2",
    ],
  ] as const)(
    "does not take the %s of a repeat for that of the first dispatch",
    ([, answer, row]) =>
      Effect.gen(function* () {
        yield* TestEngine.open()
        yield* crash("scripted")
        yield* TestClock.adjust(lease)
        yield* round
        assert.deepStrictEqual(yield* logOf(organization), [row])
      }).pipe(
        Effect.provide(
          engineOver(
            gatewayLayer({
              capabilities: { tokenMillis: Infinity },
              send: () => Effect.succeed(answer),
            }),
          ),
        ),
      ),
  )

  it.effect.each([
    ["never answers", Effect.never],
    ["fails", Effect.die(new Error("a bug in the adapter"))],
  ] as const)("continues after a look-up that %s", ([, answer]) =>
    Effect.gen(function* () {
      yield* TestEngine.open()
      yield* crash("scripted")
      yield* TestClock.adjust(lease)
      const fiber = yield* Effect.forkChild(round)
      yield* TestClock.adjust(10_000)
      assert.strictEqual(yield* Fiber.join(fiber), 1)
      assert.deepStrictEqual(yield* logOf(organization), ["unknown, open, 2"])
    }).pipe(
      Effect.provide(
        engineOver(gatewayLayer({ capabilities: { lookup: true }, lookup: () => answer })),
      ),
    ),
  )

  it.effect.each([
    ["has forgotten the token by then", lease, "simulated"],
    ["is another one", Infinity, "another"],
  ] as const)("does not send again if the gateway %s", ([, tokenMillis, gateway]) =>
    Effect.gen(function* () {
      yield* TestEngine.open()
      yield* crash(gateway)
      yield* TestClock.adjust(lease)
      yield* round
      assert.deepStrictEqual(yield* logOf(organization), ["unknown, open, 2"])
    }).pipe(Effect.provide(simulated({ capabilities: { tokenMillis } }))),
  )

  effectTest("on two nodes at once has the same effect as on one", function* () {
    const gateway = { capabilities: { tokenMillis: Infinity } }
    const { here, store, there } = yield* twoNodes({ gateway })
    yield* here(TestEngine.open())
    const version = yield* here(versionOf(organization))
    for (let index = 1; index <= 30; index++) {
      const draft = Samples.newMessage({ id: Samples.messageId(index), charge: Money.make("0.5") })
      yield* store.execute(Samples.holdMessage({ version, draft }))
    }
    yield* TestClock.adjust(lease)
    yield* Effect.all([here(round), there(round)], { concurrency: "unbounded" })
    const dispatches = SimulatedGateway.use((_) => _.dispatches)
    assert.strictEqual((yield* here(dispatches)) + (yield* there(dispatches)), 30)
    assert.deepStrictEqual(
      yield* here(logOf(organization)),
      Array.from({ length: 30 }, () => "delivered, captured, 2"),
    )
    const snapshot = yield* Invariants.read(store, organization)
    assert.deepStrictEqual(snapshot && Invariants.problems(snapshot), [])
  })

  effectTest(
    "asks the gateway with the organization, the message and the fact that it carries a code",
    function* () {
      const calls: Array<unknown> = []
      const gateway = gatewayLayer({
        name: "simulated",
        capabilities: { lookup: true, tokenMillis: Infinity },
        lookup: ({ purpose, ref, token }) =>
          Effect.sync((): GatewayOutcome => {
            calls.push(["lookup", purpose, ref.sequence, token])
            return { _tag: "Unknown", message: "" }
          }),
        send: ({ purpose, ref, token }) =>
          Effect.sync((): GatewayOutcome => {
            calls.push(["send", purpose, ref.sequence, token])
            return { _tag: "Delivered", gatewayId: token }
          }),
      })
      yield* Effect.gen(function* () {
        yield* TestEngine.open()
        yield* crashWithCode
        yield* crash()
        yield* TestClock.adjust(lease)
        yield* round
      }).pipe(Effect.provide(engineOver(gateway)))
      assert.sameDeepMembers(calls, [
        ["lookup", "verification", 1, Samples.messageId()],
        ["lookup", "message", 2, Samples.messageId()],
        ["send", "message", 2, Samples.messageId()],
      ])
    },
  )

  effectTest("continues after a message that fails, and one of no organization", function* () {
    const memory = MemoryStore.make()
    const store = Store.of({
      ...memory,
      due: (limit) =>
        Effect.map(memory.due(limit), (refs) => [
          { organization: Samples.otherOrganizationId, sequence: 1 },
          ...refs,
        ]),
      execute: (command) =>
        command._tag === "CloseMessage" &&
        "messageSequence" in command &&
        command.messageSequence === 1
          ? Effect.die(new Error("a row that cannot be read"))
          : memory.execute(command),
    })
    const { here } = yield* twoNodes({}, store)
    yield* here(TestEngine.open())
    yield* here(crash())
    yield* here(crash())
    yield* TestClock.adjust(lease)
    assert.strictEqual(yield* here(round), 3)
    assert.deepStrictEqual(yield* here(logOf(organization)), [
      "pending, open, 1",
      "unknown, open, 2",
    ])
  })
})
