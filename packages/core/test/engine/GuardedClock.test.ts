import * as Samples from "@countersign/testing/Samples"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as TestClock from "effect/testing/TestClock"
import { GuardedClock } from "../../src/engine/GuardedClock.ts"
import * as Telemetry from "../../src/engine/Telemetry.ts"

const { now, organizationId, otherOrganizationId } = Samples
const year = 365 * 86_400_000

const alarms = (kind: string) =>
  Effect.map(
    Metric.value(Metric.withAttributes(Telemetry.clockAlarms, { kind })),
    ({ count }) => count,
  )

/** Runs something with the lines that it logs. */
const logging = <A>(body: (lines: ReadonlyArray<unknown>) => Effect.Effect<A>) => {
  const lines: Array<unknown> = []
  const logger = Logger.make(({ message }) => void lines.push(message))
  return body(lines).pipe(
    Effect.provide(Logger.layer([logger])),
    Effect.provideService(Metric.MetricRegistry, new Map()),
  )
}

describe("GuardedClock", () => {
  it.effect("raises one alarm for a jump, for any number of readings", () =>
    logging((lines) =>
      Effect.gen(function* () {
        const clock = new GuardedClock()
        const context = yield* Effect.context<never>()
        assert.strictEqual(clock.read(now, context), now)
        for (let second = 1; second <= 3; second++) {
          yield* TestClock.adjust(1_000)
          assert.strictEqual(clock.read(now + year, context), now + second * 1_000)
        }
        assert.strictEqual(clock.read(now + 4_000, context), now + 4_000)
        yield* Effect.yieldNow
        assert.strictEqual(yield* alarms("jump"), 1)
        assert.deepStrictEqual(lines, [
          [
            "The store's clock has jumped ahead and is not believed",
            { aheadSeconds: year / 1_000 - 1 },
          ],
        ])
        clock.read(now + 2 * year, context)
        assert.strictEqual(yield* alarms("jump"), 2)
      }),
    ),
  )

  it.effect("raises one alarm for each organization whose time is far ahead", () =>
    logging((lines) =>
      Effect.gen(function* () {
        const clock = new GuardedClock()
        const context = yield* Effect.context<never>()
        clock.watch(organizationId, now + 600_000, now, context)
        assert.strictEqual(yield* alarms("organization"), 0)
        for (const organization of [organizationId, otherOrganizationId, organizationId]) {
          clock.watch(organization, now + year, now, context)
        }
        yield* Effect.yieldNow
        assert.strictEqual(yield* alarms("organization"), 2)
        assert.deepStrictEqual(lines[0], [
          "An organization's time is far ahead: repair it",
          { organization: organizationId, aheadSeconds: year / 1_000 },
        ])
      }),
    ),
  )
})
