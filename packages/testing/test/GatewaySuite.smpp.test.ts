/**
 * The suite finds what an adapter to a message centre can get wrong.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as GatewaySuite from "../src/GatewaySuite.ts"
import { overSmpp } from "../src/internal/gateway-suite/smpp.ts"
import { failedTests } from "./support/failedTests.ts"
import { mistakes, smallSmpp } from "./support/smallSmpp.ts"

GatewaySuite.smppSuite("a small one over SMPP", { make: (centre) => smallSmpp(centre) })

describe("GatewaySuite over SMPP", () => {
  it.effect.each(Object.entries(mistakes))("finds an adapter that %s", ([mistake, title]) =>
    Effect.gen(function* () {
      const plan = overSmpp({ make: (centre) => smallSmpp(centre, { [mistake]: true }) })
      const failed = yield* failedTests(plan, title)
      assert.isNotEmpty(failed)
    }),
  )
})
