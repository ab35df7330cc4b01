import * as TestCrypto from "@countersign/testing/TestCrypto"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { type Capabilities, Gateway, gatewayProblem } from "../../src/ports/Gateway.ts"
import * as Router from "../../src/routing/Router.ts"
import { engineOver, gatewayLayer } from "../support/engineOver.ts"
import { untyped } from "../support/untyped.ts"
import { effectTest } from "../support/engineTest.ts"

const capabilities: Capabilities = {
  tokenMillis: 0,
  lookup: false,
  recipientCheck: false,
  reports: "signed",
  segments: false,
  timeoutMillis: 10_000,
}

describe("gatewayProblem", () => {
  it.each<Partial<Capabilities>>([
    {},
    { tokenMillis: Infinity, pairMillis: 0, timeoutMillis: 0.5 },
    { pairMillis: undefined },
    ...(["signed", "unsigned", "polled", "none"] as const).map((reports) => ({ reports })),
  ])("accepts %j", (own) => {
    const name = "vendor"
    assert.isUndefined(gatewayProblem({ name, capabilities: { ...capabilities, ...own } }))
  })

  it.each(
    Object.entries({
      tokenMillis: [undefined, null, "0", -1, Number.NaN],
      lookup: [undefined, null, "no", 0],
      recipientCheck: [undefined, null, "no", 0],
      reports: [undefined, null, true, "always"],
      segments: [undefined, null, 1],
      pairMillis: [null, "5", -1, Infinity],
      timeoutMillis: [undefined, null, "10000", 0, -1, Number.NaN, Infinity],
    }).flatMap(([field, values]) => values.map((value) => [field, value] as const)),
  )("says that %s may not be %j", (field, value) => {
    const problem = gatewayProblem({
      name: "vendor",
      capabilities: { ...capabilities, [field]: value },
    })
    assert.match(problem ?? "", new RegExp(`^Gateway vendor: ${field} must be`))
  })

  it.each([undefined, null, "", 5, "a\u0000"])("rejects the name %j", (name) => {
    assert.match(gatewayProblem({ name, capabilities }) ?? "", /^Gateway: name must be/)
  })

  it("rejects missing capabilities", () => {
    const problem = gatewayProblem({ name: "vendor", capabilities: undefined })
    assert.strictEqual(problem, "Gateway vendor: capabilities must be an object")
  })
})

describe("A gateway with invalid capabilities", () => {
  const gateway = gatewayLayer({ capabilities: untyped({ timeoutMillis: "10000" }) })
  const problem = /Gateway scripted: timeoutMillis must be/

  const startOf = <A>(layer: Layer.Layer<A>) =>
    Effect.map(Effect.exit(Layer.build(layer)), (exit) =>
      Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "it has started",
    )

  effectTest("prevents the start of the engine", function* () {
    assert.match(yield* startOf(engineOver(gateway)), problem)
  })

  it.effect("prevents the start of a router", () =>
    Effect.gen(function* () {
      const member = { gateway: yield* Gateway }
      const router = Router.layer({ members: [member] }).pipe(Layer.provide(TestCrypto.layer()))
      assert.match(yield* startOf(router), problem)
    }).pipe(Effect.provide(gateway), Effect.scoped),
  )
})
