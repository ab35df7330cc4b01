import type { Reported } from "../../src/domain/messages/DeliveryReport.ts"
import * as Samples from "@countersign/testing/Samples"
import * as TestCrypto from "@countersign/testing/TestCrypto"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Gateway, type LookupRequest } from "../../src/ports/Gateway.ts"
import type { GatewayOutcome } from "../../src/domain/messages/GatewayOutcome.ts"
import * as Router from "../../src/routing/Router.ts"
import { gatewayLayer } from "../support/engineOver.ts"
import { message } from "../support/routing.ts"
import { untyped } from "../support/untyped.ts"
import { effectTest } from "../support/engineTest.ts"

const request = (taken: LookupRequest["taken"] = null): LookupRequest => ({ ...message(), taken })

/** A router over gateways that each give one answer; `null` for a gateway without look-up. */
const routerOver = Effect.fnUntraced(function* (
  answers: Readonly<Record<string, GatewayOutcome | Reported | null>>,
) {
  const lookups: Array<string> = []
  const [first, ...others] = yield* Effect.forEach(Object.entries(answers), ([name, answer]) =>
    Effect.map(
      Layer.build(
        gatewayLayer({
          name,
          capabilities: { lookup: answer !== null },
          lookup: ({ taken }) =>
            Effect.sync(() => {
              lookups.push(`${name} ${taken?.gatewayId}`)
              return answer ?? assert.fail("was asked")
            }),
        }),
      ),
      (context) => ({ gateway: Context.get(context, Gateway) }),
    ),
  )
  const layer = Router.layer({ members: [first ?? assert.fail(), ...others] })
  const context = yield* Layer.build(Layer.provide(layer, TestCrypto.layer()))
  return { lookups, gateway: Context.get(context, Gateway) }
})

const accepted: GatewayOutcome = { _tag: "Accepted", gatewayId: "g" }
const never: GatewayOutcome = { _tag: "NotSent", message: "never seen" }
const garbage = untyped<Reported>({ _tag: "Reported", status: "gone" })
const arrived: Reported = { _tag: "Reported", status: "delivered", detail: null }

describe("the lookup of a message without a known gateway", () => {
  it.effect.each([
    [{ a: accepted }, "Accepted"],
    [{ a: never, b: arrived }, "Reported"],
    [{ a: never, b: never }, "NotSent"],
    [{ a: never, b: null }, "Unknown"],
    [{ a: null }, "Unknown"],
    [{ a: garbage, b: arrived }, "Reported"],
    [{ a: garbage, b: never }, "Unknown"],
  ] as const)("asks every gateway that supports it: %j → %s", ([answers, found]) =>
    Effect.gen(function* () {
      const { gateway } = yield* routerOver(answers)
      assert.strictEqual((yield* gateway.lookup(request()))._tag, found)
    }).pipe(Effect.scoped),
  )
})

describe("the lookup of a message that one gateway has accepted", () => {
  it.effect.each([
    ["b", "Reported", "b g-1"],
    ["mute", "Unknown", ""],
    ["one that is gone", "Unknown", ""],
  ] as const)("asks no other gateway: by %s → %s", ([by, found, heard]) =>
    Effect.gen(function* () {
      const { lookups, gateway } = yield* routerOver({ a: never, b: arrived, mute: null })
      const said = yield* gateway.lookup(request({ gateway: by, gatewayId: "g-1" }))
      assert.strictEqual(said._tag, found)
      assert.strictEqual(lookups.join(), heard)
    }).pipe(Effect.scoped),
  )

  effectTest("returns the name of the gateway that accepted it", function* () {
    const { gateway } = yield* routerOver({ a: never, b: accepted })
    assert.deepStrictEqual(gateway.lookupNames, ["router", "a", "b"])
    const said = yield* gateway.lookup(request({ gateway: "b", gatewayId: "g" }))
    assert.deepStrictEqual(said, { ...accepted, gateway: "b" })
  })
})

describe("the check whether a number can be reached", () => {
  effectTest("asks the next gateway after an unreadable answer", function* () {
    const members = yield* Effect.forEach(["perhaps", "no"], (answer) =>
      Effect.map(
        Layer.build(
          gatewayLayer({
            name: answer,
            capabilities: { recipientCheck: true },
            isReachable: () => Effect.succeed(untyped(answer)),
          }),
        ),
        (context) => ({ gateway: Context.get(context, Gateway) }),
      ),
    )
    const [first, ...others] = members
    const layer = Router.layer({ members: [first ?? assert.fail(), ...others] })
    const context = yield* Layer.build(Layer.provide(layer, TestCrypto.layer()))
    const reachable = Context.get(context, Gateway).isReachable("sms", Samples.phoneNumber())
    assert.strictEqual(yield* reachable, "no")
  })
})
