import * as Samples from "@countersign/testing/Samples"
import * as TestCrypto from "@countersign/testing/TestCrypto"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import type { GatewayOutcome } from "../../src/domain/messages/GatewayOutcome.ts"
import * as Money from "../../src/domain/values/Money.ts"
import { GatewayWatch } from "../../src/engine/GatewayWatch.ts"
import * as Router from "../../src/routing/Router.ts"
import { Gateways } from "../../src/services/Gateways.ts"
import { Messages } from "../../src/services/Messages.ts"
import { engineOver } from "../support/engineOver.ts"
import { invalidCodes } from "../support/invalidFields.ts"
import { outcomes, scripted } from "../support/routing.ts"

const organization = Samples.organizationId
const period = { from: 0, to: 86_400_000, every: "hour" } as const

const barred = { ...outcomes.account, vendorCode: "20003" } as const

/** Two gateways. `a` gives these outcomes in turn, and then the last one for good; `b` accepts everything. */
const routerOf = (...answers: ReadonlyArray<GatewayOutcome>) => {
  let sends = 0
  const send = () =>
    Effect.delay(
      Effect.sync(() => answers[Math.min(sends++, answers.length - 1)] ?? outcomes.taken),
      30,
    )
  const meaningOf = (_: string, code: string) =>
    code === "20003" ? "Wrong credentials" : undefined
  return Layer.unwrap(
    Effect.gen(function* () {
      const a = yield* scripted("a", [], [], {}, { send, meaningOf })
      const b = yield* scripted("b", ["taken"], [])
      return Router.layer({ members: [{ gateway: a }, { gateway: b }] })
    }),
  ).pipe(Layer.provide(TestCrypto.layer()))
}

const engineOf = (...answers: ReadonlyArray<GatewayOutcome>) => engineOver(routerOf(...answers))

const phoneNumber = "+8801712345678"

/** Sends a message, while time passes. */
const send = Effect.gen(function* () {
  const messages = yield* Messages
  const fiber = yield* Effect.forkChild(
    messages.send({ organization, phoneNumber, text: "hello" }),
    { startImmediately: true },
  )
  yield* TestClock.adjust(100)
  return yield* Fiber.join(fiber)
})

const activity = Gateways.use((_) => _.activity(period))

describe("the activity of gateways", () => {
  it.effect("has the messages, the answers, the errors and the pauses of all of them", () =>
    Effect.gen(function* () {
      yield* TestEngine.open()
      const watch = yield* GatewayWatch
      yield* watch.confirm
      yield* send
      yield* watch.confirm
      yield* send
      yield* TestClock.adjust("1 minute")
      yield* watch.confirm
      const [a = assert.fail(), b = assert.fail()] = yield* activity
      assert.deepInclude(a, { gateway: "a", statuses: {}, answers: 1, amount: Money.zero })
      assert.deepInclude(b, { gateway: "b", statuses: { accepted: 2 }, answers: 2 })
      assert.strictEqual(b.amount, Money.make("1"))
      assert.isTrue(a.p95 !== null && a.p95 > 25 && a.p95 <= 50)
      const last = { organization, sequence: 1, at: 30 }
      assert.deepStrictEqual(a.errors, [
        { reason: "account", vendorCode: "20003", meaning: "Wrong credentials", count: 1, last },
      ])
      const [pause] = a.pauses
      assert.deepInclude(pause, { state: "barred", to: null, reason: "no money", moved: { b: 1 } })
      const [node] = a.nodes
      assert.deepInclude(node, { isHere: true, state: "barred" })
      assert.isAbove(node?.retryAt ?? 0, 60_000)
      assert.deepStrictEqual([b.pauses, b.nodes.map(({ state }) => state)], [[], ["available"]])
    }).pipe(Effect.provide(engineOf(barred))),
  )

  it.effect("shows the end of a pause, and no node that has stopped", () =>
    Effect.gen(function* () {
      yield* TestEngine.open()
      const watch = yield* GatewayWatch
      yield* watch.confirm
      yield* send
      yield* watch.confirm
      yield* TestClock.adjust("6 minutes")
      yield* send
      yield* watch.confirm
      const [after = assert.fail()] = yield* activity
      assert.deepStrictEqual(
        after.pauses.map(({ moved, state, to }) => [state, to === null, moved]),
        [["barred", false, {}]],
      )
      assert.deepStrictEqual(
        after.nodes.map(({ state }) => state),
        ["available"],
      )
      yield* watch.end
      assert.deepStrictEqual((yield* activity)[0]?.nodes, [])
    }).pipe(Effect.provide(engineOf(barred, outcomes.taken))),
  )

  it.effect("counts the messages that were moved before the first look at a pause", () =>
    Effect.gen(function* () {
      yield* TestEngine.open()
      const watch = yield* GatewayWatch
      yield* watch.confirm
      for (let index = 0; index < 3; index++) yield* send
      yield* watch.confirm
      assert.deepStrictEqual((yield* activity)[0]?.pauses[0]?.moved, { b: 2 })
    }).pipe(Effect.provide(engineOf(barred))),
  )

  it.effect("ends the pause of a node that has died", () =>
    Effect.gen(function* () {
      yield* TestEngine.open()
      const watch = yield* GatewayWatch
      yield* send
      yield* watch.confirm
      yield* TestClock.adjust("10 minutes")
      const [a] = yield* activity
      assert.deepStrictEqual([a?.nodes, a?.pauses.length, a?.pauses[0]?.to], [[], 1, 100])
    }).pipe(Effect.provide(engineOf(barred))),
  )

  it.effect("is of one gateway, if it exists, in at most 1,000 slots", () =>
    Effect.gen(function* () {
      const { activity } = yield* Gateways
      const one = yield* activity({ ...period, gateway: "b" })
      assert.deepStrictEqual(
        one.map(({ gateway }) => gateway),
        ["b"],
      )
      const unknown = activity({ ...period, gateway: "c" })
      assert.deepStrictEqual(yield* invalidCodes(unknown), { gateway: "unknown_gateway" })
      const long = activity({ ...period, to: 3_600_000 * 1_001 })
      assert.deepStrictEqual(yield* invalidCodes(long), { to: "too_many_slots" })
      const turned = activity({ from: 86_400_000, to: 0 })
      assert.deepStrictEqual(yield* invalidCodes(turned), { from: "after_to" })
    }).pipe(Effect.provide(engineOf(barred))),
  )
})

describe("a test of a gateway", () => {
  const test = (gateway: string) =>
    Effect.gen(function* () {
      const gateways = yield* Gateways
      const tested = gateways.testGateway({ organization, gateway, phoneNumber, text: "Test" })
      const fiber = yield* Effect.forkChild(tested, { startImmediately: true })
      yield* TestClock.adjust(100)
      return yield* Fiber.join(fiber)
    })

  it.effect("reaches a gateway that is paused, and is a message of the organization", () =>
    Effect.gen(function* () {
      yield* TestEngine.open()
      yield* send
      const sent = yield* test("a")
      assert.deepStrictEqual(sent, { sequence: 2, status: "accepted", gatewayId: "g" })
      const stored = yield* Messages.use((_) => _.get({ organization, sequence: 2 }))
      assert.deepInclude(stored, { gateway: "a", text: "Test", charge: Money.make("0.5") })
    }).pipe(Effect.provide(engineOf(barred, outcomes.taken))),
  )

  it.effect("fails with the gateway's refusal, and goes to no other", () =>
    Effect.gen(function* () {
      yield* TestEngine.open()
      const error = yield* Effect.flip(test("a"))
      assert.strictEqual(error._tag, "SendingFailed")
      assert.deepStrictEqual((yield* activity)[1]?.answers, 0)
      const unknown = test("c")
      assert.deepStrictEqual(yield* invalidCodes(unknown), { gateway: "unknown_gateway" })
    }).pipe(Effect.provide(engineOf(barred))),
  )
})
