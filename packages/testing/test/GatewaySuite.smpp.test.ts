/**
 * The suite finds what an adapter to a message centre can get wrong.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as GatewaySuite from "../src/GatewaySuite.ts"
import { overSmpp } from "../src/internal/gateway-suite/smpp.ts"
import { failedTests } from "./support/failedTests.ts"
import { type Mistakes, smallSmpp } from "./support/smallSmpp.ts"

GatewaySuite.smppSuite("a small one over SMPP", { make: (centre) => smallSmpp(centre) })

const found: Readonly<Record<keyof Mistakes, RegExp>> = {
  takesALossForNotSent: /a reset before the answer/,
  believesAnEmptyId: /success without an id/,
  believesAnyId: /a refusal that names an id/,
  takesAnyNumber: /the answer to another message/,
  takesAnyAnswer: /the answer to a request of another kind/,
  takesASystemErrorForARefusal: /the status 0x08/,
  takesThrottlingForARefusal: /the status 0x58/,
  answersAnswers: /does not answer a response/,
  forgetsWhatCameBeforeGarbage: /an answer with garbage behind it/,
  readsNoFields: /applies delivered, then accepted in fields/,
  readsNoPayload: /whose text is in a field of its own/,
  readsTheQuotation: /that quotes what looks like a receipt/,
  quotes: /that quotes the code leave/,
  asksForNoReceipts: /are requested/,
  trustsAnybody: /a certificate that no authority vouches for/,
  sendsWithoutABind: /a wrong password/,
  logsThePassword: /a message with an id/,
}

describe("GatewaySuite over SMPP", () => {
  it.effect.each(Object.entries(found))("finds an adapter that %s", ([mistake, title]) =>
    Effect.gen(function* () {
      const plan = overSmpp({ make: (centre) => smallSmpp(centre, { [mistake]: true }) })
      const failed = yield* failedTests(plan, title)
      assert.isNotEmpty(failed)
    }),
  )
})
