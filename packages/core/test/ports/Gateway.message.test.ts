import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import type { Channel } from "../../src/domain/values/Channel.ts"
import type { GatewayOutcome } from "../../src/domain/messages/GatewayOutcome.ts"
import { OrganizationId } from "../../src/domain/values/Ids.ts"
import type { GatewayMessage } from "../../src/ports/Gateway.ts"
import * as Fallback from "../../src/engine/SmsFallback.ts"
import type { Messages } from "../../src/services/Messages.ts"
import { Settlement } from "../../src/jobs/Settlement.ts"
import { Verifications } from "../../src/services/verifications/Verifications.ts"
import { engineOver, gatewayLayer } from "../support/engineOver.ts"
import { dyingNode } from "../support/nodes.ts"
import { effectTest } from "../support/engineTest.ts"

/** What a gateway is handed. */
const handed = <A, E>(
  sending: Effect.Effect<A, E, Verifications | Messages>,
): Effect.Effect<GatewayMessage | undefined, E> => {
  const messages: Array<GatewayMessage> = []
  const gateway = gatewayLayer({
    send: (message) =>
      Effect.sync(() => {
        messages.push(message)
        return { _tag: "Delivered", gatewayId: "gw-1" }
      }),
  })
  return TestEngine.open().pipe(
    Effect.andThen(sending),
    Effect.map(() => messages[0]),
    Effect.provide(engineOver(gateway)),
  )
}

const organization = OrganizationId("acme")
const to = "+8801712345678"

describe("The message that a gateway receives", () => {
  effectTest("has a code and its language beside the text", function* () {
    const message = yield* handed(
      Verifications.use((_) => _.send({ organization, phoneNumber: to, locale: "bn-bd" })),
    )
    const code = message?.code === undefined ? "" : Redacted.value(message.code)
    assert.match(code, /^\d{6}$/)
    assert.include(message === undefined ? "" : Redacted.value(message.text), code)
    assert.strictEqual(message?.locale, "bn-bd")
    assert.notInclude(String(message?.code), code)
  })
})

const payment = { amount: "BDT 500", payee: "Rahim Store" }

/** A gateway with the messages that it has received. The first `rejected` of them are rejected. */
const recording = ({ rejected = 0 } = {}) => {
  const messages: Array<GatewayMessage> = []
  const layer = gatewayLayer({
    capabilities: { tokenMillis: Infinity },
    send: (message) =>
      Effect.sync((): GatewayOutcome => {
        messages.push(message)
        return messages.length > rejected
          ? { _tag: "Accepted", gatewayId: `gw-${messages.length}` }
          : { _tag: "Rejected", reason: "sender", message: "names no payment" }
      }),
  })
  const payments = () => messages.map((one) => [one.channel, one.payment])
  return { layer, payments }
}

const sendCode = (channel: Channel) =>
  Verifications.use((_) => _.send({ organization, phoneNumber: to, channel, payment }))

describe("The payment that a code approves", () => {
  it.effect("is in every message with the code", () => {
    const { layer, payments } = recording()
    return Effect.gen(function* () {
      yield* TestEngine.open()
      const { requestId } = yield* sendCode("sms")
      yield* TestClock.adjust("30 seconds")
      yield* Verifications.use((_) => _.resend({ organization, requestId, channel: "whatsapp" }))
      assert.deepStrictEqual(payments(), [
        ["sms", payment],
        ["whatsapp", payment],
      ])
    }).pipe(Effect.provide(engineOver(layer)))
  })

  it.effect("is in the SMS that follows a message over WhatsApp", () => {
    const { layer, payments } = recording({ rejected: 1 })
    return Effect.gen(function* () {
      yield* TestEngine.open()
      assert.strictEqual((yield* sendCode("whatsapp")).channel, "sms")
      assert.deepStrictEqual(payments(), [
        ["whatsapp", payment],
        ["sms", payment],
      ])
    }).pipe(Effect.provide(engineOver(layer).pipe(Layer.provide(Fallback.layer()))))
  })

  it.effect("is in the message that another node sends again", () => {
    const { layer, payments } = recording()
    return Effect.gen(function* () {
      const { first, second } = yield* dyingNode(layer)
      yield* second(TestEngine.open())
      yield* first(sendCode("sms"))
      yield* TestClock.adjust("2 minutes")
      yield* second(Settlement.use(({ round }) => round))
      assert.deepStrictEqual(payments(), [
        ["sms", payment],
        ["sms", payment],
      ])
    })
  })
})
