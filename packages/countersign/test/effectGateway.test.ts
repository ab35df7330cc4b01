import { Gateway } from "@countersign/core/ports/Gateway"
import * as SimulatedGateway from "@countersign/core/adapters/SimulatedGateway"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { assert, describe, test } from "vitest"
import {
  ConfigurationError,
  createCountersign,
  createTestClock,
  developmentGateway,
  type CountersignOptions,
} from "../src/index.ts"

/** A gateway with Effect, and an engine over it. */
const engineOver = async (
  gatewaysOf: (gateway: Gateway["Service"]) => CountersignOptions["gateways"],
  options: SimulatedGateway.Options = {},
) => {
  const scope = Scope.makeUnsafe()
  const context = Effect.runSync(
    Layer.buildWithScope(SimulatedGateway.layer({ name: "simulated", ...options }), scope),
  )
  const clock = createTestClock()
  const engine = await createCountersign({
    database: "memory",
    clock,
    gateways: gatewaysOf(Context.get(context, Gateway)),
    log: () => {},
  })
  return {
    clock,
    engine,
    phones: Context.get(context, SimulatedGateway.SimulatedGateway),
    [Symbol.asyncDispose]: async () => {
      await engine.dispose()
      await Effect.runPromise(Scope.close(scope, Exit.void))
    },
  }
}

const both = (gateway: Gateway["Service"]) => ({ sms: gateway, whatsapp: gateway })
const phoneNumber = "+8801712345678"

describe("a gateway that is written with Effect", () => {
  test.each([
    ["for both channels", both],
    ["in a list", (gateway: Gateway["Service"]) => [gateway]],
    [
      "for one channel",
      (gateway: Gateway["Service"]) => ({ sms: gateway, whatsapp: developmentGateway() }),
    ],
  ])("carries messages under its name %s", async (_where, gatewaysOf) => {
    await using host = await engineOver(gatewaysOf)
    const { gatewayId } = await host.engine.messages.send({ phoneNumber, text: "Hello" })
    assert.match(String(gatewayId), /^sim_msg_/)
    const [entry] = await Effect.runPromise(host.phones.journal(phoneNumber))
    assert.strictEqual(entry?.text, "Hello")
    const health = await host.engine.gateways.health()
    assert.deepInclude(health[0], { gateway: "simulated", state: "available" })
  })

  test("has its reports applied, in the time of the engine", async () => {
    await using host = await engineOver(both, {
      behave: () => ({ _tag: "Report", status: "undelivered", afterMillis: 60_000 }),
    })
    await host.engine.messages.send({ phoneNumber, text: "Hello" })
    const settled = new Promise((resolve) => {
      host.engine.subscribe((event) => {
        if (event.type === "message_settled") resolve(event.status)
      })
    })
    await host.clock.advance("30 seconds")
    assert.strictEqual((await host.engine.messages.list()).items[0]?.status, "accepted")
    await host.clock.advance("30 seconds")
    assert.strictEqual(await settled, "undelivered")
  })

  test("is refused with invalid capabilities", async () => {
    const broken = { name: "broken", capabilities: { timeoutMillis: 0 } }
    const error = await createCountersign({ database: "memory", gateways: [broken] }).catch(
      (cause: unknown) => cause,
    )
    assert.instanceOf(error, ConfigurationError)
    assert.match(error.message, /^gateways: Gateway broken: /)
  })
})
