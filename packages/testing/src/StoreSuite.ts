/**
 * The contract of the `Store` port as tests. A store's own test calls `suite`
 * once and adds what is peculiar to it.
 *
 * The tests run under `TestClock`: the store under test has to take its time
 * from the Effect `Clock`. Real input and output work as usual; sleeps and
 * time-outs inside the store do not pass by themselves.
 */
import { Store } from "@countersign/core/Store"
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { adminSection } from "./internal/store-suite/admin.ts"
import { commandsSection } from "./internal/store-suite/commands.ts"
import { concurrencySection } from "./internal/store-suite/concurrency.ts"
import { differentialSection } from "./internal/store-suite/differential.ts"
import { fraudSection } from "./internal/store-suite/fraud.ts"
import { gatewayIdsSection } from "./internal/store-suite/gatewayIds.ts"
import { ledgerSection } from "./internal/store-suite/ledger.ts"
import { logSection } from "./internal/store-suite/log.ts"
import { malformedSection } from "./internal/store-suite/malformed.ts"
import { messageReportsSection } from "./internal/store-suite/messageReports.ts"
import { reportsSection } from "./internal/store-suite/reports.ts"
import { retentionSection } from "./internal/store-suite/retention.ts"
import { roundTripSection } from "./internal/store-suite/roundTrip.ts"
import type { Test } from "./internal/store-suite/support.ts"
import { timeSection } from "./internal/store-suite/time.ts"
import { wrongClockSection } from "./internal/store-suite/wrongClock.ts"
import * as Samples from "./Samples.ts"

export interface Options {
  /** Longest that one test may take, the start of its store included; 30,000 when left out. */
  readonly timeoutMillis?: number | undefined
}

/**
 * Tests a store. The layer is built anew for every test and has to give an
 * empty store each time.
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<Store, E>,
  options: Options = {},
): void => {
  const timeout = options.timeoutMillis ?? 30_000
  const test: Test = (title, body) =>
    it.effect(
      title,
      () =>
        Effect.andThen(
          TestClock.setTime(Samples.now),
          Effect.provide(Effect.flatMap(Store, body), layer),
        ),
      timeout,
    )

  const section = (title: string, tests: (test: Test) => void) =>
    describe(title, () => {
      tests(test)
    })

  describe(`Store: ${name}`, () => {
    section("organizations", adminSection)
    section("commands", commandsSection)
    section("commands at once", concurrencySection)
    section("malformed commands", malformedSection)
    section("histories", differentialSection)
    section("spending and traffic", fraudSection)
    section("ledger", ledgerSection)
    section("message log", logSection)
    section("open messages and reports", reportsSection)
    section("ids of gateways", gatewayIdsSection)
    section("what came in on messages", messageReportsSection)
    section("retention", retentionSection)
    section("time", timeSection)
    section("a clock that is wrong", wrongClockSection)
    section("what is stored", roundTripSection)
  })
}
