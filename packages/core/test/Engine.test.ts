import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FieldProblem from "../src/domain/values/FieldProblem.ts"
import { Messages } from "../src/services/Messages.ts"
import * as PhoneNumber from "../src/domain/values/PhoneNumber.ts"
import * as Result from "effect/Result"
import type { GatewayHealth } from "../src/domain/messages/GatewayHealth.ts"
import * as Samples from "@countersign/testing/Samples"
import * as TestCrypto from "@countersign/testing/TestCrypto"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Engine from "../src/Engine.ts"
import type { Event } from "../src/domain/events/Event.ts"
import { Events } from "../src/engine/Events.ts"
import { Gateway } from "../src/ports/Gateway.ts"
import * as Router from "../src/routing/Router.ts"
import { engineOver, gatewayLayer } from "./support/engineOver.ts"

describe("Engine", () => {
  it.effect("accepts the numbers that the host allows", () =>
    Effect.gen(function* () {
      const { organization } = yield* TestEngine.open()
      const send = (number: string) =>
        Messages.use((_) => _.send({ organization, phoneNumber: number, text: "hello" }))
      assert.strictEqual((yield* send("+999000000001")).phoneNumber, "+999000000001")
      assert.strictEqual((yield* Effect.flip(send("+447911123456")))._tag, "InvalidRequest")
    }).pipe(
      Effect.provide(TestEngine.layer()),
      Effect.provideService(PhoneNumber.NumberPolicy, {
        parse: (input) =>
          input.startsWith("+999")
            ? Result.succeed(PhoneNumber.fromE164(input))
            : Result.fail(
                FieldProblem.make("number_not_accepted", { reason: "only test numbers" }),
              ),
      }),
    ),
  )
})

const organization = Samples.organizationId
const turns = Effect.replicateEffect(Effect.yieldNow, 50)

const send = Messages.use((_) =>
  _.send({ organization, phoneNumber: "8801712345678", text: "hello" }),
)

/** The news of gateways, from now on. */
const heard = Effect.gen(function* () {
  const { stream } = yield* Events
  const news: Array<Event> = []
  yield* stream.pipe(
    Stream.filter(({ _tag }) => _tag === "GatewayHealthChanged"),
    Stream.runForEach((event) => Effect.sync(() => news.push(event))),
    Effect.forkScoped,
  )
  yield* turns
  return news
})

describe("the running engine", () => {
  it.effect("tells listeners when a gateway is paused, and when it is back", () => {
    let isBarred = true
    const member = gatewayLayer({
      name: "a",
      send: ({ token }) =>
        Effect.sync(() =>
          isBarred
            ? { _tag: "Rejected", reason: "account", message: "no money" }
            : { _tag: "Delivered", gatewayId: token },
        ),
    })
    const router = Layer.unwrap(
      Effect.map(Layer.build(member), (context) =>
        Router.layer({ members: [{ gateway: Context.get(context, Gateway) }] }),
      ),
    ).pipe(Layer.provide(TestCrypto.layer()))
    return Effect.gen(function* () {
      yield* TestEngine.open()
      const news = yield* heard
      yield* Effect.ignore(send)
      yield* turns
      isBarred = false
      yield* TestClock.adjust("5 minutes")
      yield* send
      yield* turns
      const reason = "no money"
      assert.deepStrictEqual<ReadonlyArray<Event>>(news, [
        { _tag: "GatewayHealthChanged", gateway: "a", state: "barred", reason, at: 0 },
        { _tag: "GatewayHealthChanged", gateway: "a", state: "trying", reason, at: 300_000 },
        { _tag: "GatewayHealthChanged", gateway: "a", state: "available", at: 300_000 },
      ])
    }).pipe(Effect.scoped, Effect.provide(engineOver(router, Engine.layerRunning)))
  })

  it.effect("forwards the health events of every gateway", () => {
    const health: GatewayHealth = { gateway: "mine", state: "failing" }
    const gateway = gatewayLayer({
      health: Stream.fromEffect(Effect.delay(Effect.succeed(health), 1_000)),
    })
    return Effect.gen(function* () {
      const news = yield* heard
      yield* TestClock.adjust(1_000)
      yield* turns
      assert.deepStrictEqual<ReadonlyArray<Event>>(news, [
        { _tag: "GatewayHealthChanged", ...health, at: 1_000 },
      ])
    }).pipe(Effect.scoped, Effect.provide(engineOver(gateway, Engine.layerRunning)))
  })
})
