import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { GatewayMessage } from "../../src/ports/Gateway.ts"
import { OrganizationId } from "../../src/domain/Ids.ts"
import { Messages } from "../../src/services/Messages.ts"
import { Verifications } from "../../src/services/Verifications.ts"
import { engineOver, gatewayLayer } from "../support/engineOver.ts"

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
  it.effect("has a code and its language beside the text", () =>
    Effect.gen(function* () {
      const message = yield* handed(
        Verifications.use((_) => _.send({ organization, phoneNumber: to, locale: "bn-bd" })),
      )
      const code = message?.code === undefined ? "" : Redacted.value(message.code)
      assert.match(code, /^\d{6}$/)
      assert.include(message === undefined ? "" : Redacted.value(message.text), code)
      assert.strictEqual(message?.locale, "bn-bd")
      assert.notInclude(String(message?.code), code)
    }),
  )

  it.effect("has no code if it is not a verification", () =>
    Effect.gen(function* () {
      const message = yield* handed(
        Messages.use((_) => _.send({ organization, phoneNumber: to, text: "hello" })),
      )
      assert.isUndefined(message?.code)
      assert.isUndefined(message?.locale)
    }),
  )
})
