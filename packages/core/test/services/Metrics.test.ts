import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as TestClock from "effect/testing/TestClock"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { StoreUnavailable } from "../../src/domain/errors/Errors.ts"
import * as PhoneNumber from "../../src/domain/values/PhoneNumber.ts"
import { metricRows } from "../../src/engine/MetricTable.ts"
import { Readiness } from "../../src/engine/Readiness.ts"
import * as Telemetry from "../../src/engine/Telemetry.ts"
import { Store } from "../../src/ports/Store.ts"
import { Messages } from "../../src/services/Messages.ts"
import { Metrics } from "../../src/services/Metrics.ts"
import { Organizations } from "../../src/services/Organizations.ts"
import { effectTest } from "../support/engineTest.ts"

/** Runs steps with a registry of their own, over an engine for numbers of Bangladesh. */
const isolated = <A, E>(
  steps: Effect.Effect<A, E, TestEngine.TestEngine>,
  options: TestEngine.Options = {},
) =>
  steps.pipe(
    Effect.provide(
      Layer.provide(
        TestEngine.layer(options),
        Layer.succeed(PhoneNumber.NumberPolicy, PhoneNumber.onlyCountries(["BD"])),
      ),
    ),
    Effect.provideService(Metric.MetricRegistry, new Map()),
  )

/** The values of the series, by their names with labels. */
const seriesIn = (text: string): ReadonlyMap<string, number> =>
  new Map(
    text
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => {
        const at = line.lastIndexOf(" ")
        return [line.slice(0, at), Number(line.slice(at + 1))]
      }),
  )

const scrape = Effect.flatMap(Metrics, ({ text }) => Effect.map(text, seriesIn))

const valueOf = (series: ReadonlyMap<string, number>, name: string): number | undefined =>
  series.get(name)

describe("Metrics", () => {
  effectTest("have every series of the table at zero before anything happens", function* () {
    const text = yield* isolated(Effect.flatMap(Metrics, (metrics) => metrics.text))
    const types = text.split("\n").flatMap((line) => /^# TYPE (\S+) (\S+)$/.exec(line) ?? [])
    assert.deepStrictEqual(
      types.filter((_, index) => index % 3 === 1),
      Object.keys(metricRows),
    )
    const series = seriesIn(text)
    const up = [
      "countersign_ready",
      "countersign_database_up",
      'countersign_gateway_state{gateway="simulated",state="available"}',
    ]
    for (const [name, value] of series) assert.strictEqual(value, up.includes(name) ? 1 : 0, name)
    for (const name of [
      'countersign_http_requests_total{route="POST /verify/{id}/resend",status="5xx"}',
      'countersign_http_request_seconds_bucket{route="POST /messages",le="0.005"}',
      'countersign_http_request_seconds_bucket{route="POST /messages",le="+Inf"}',
      'countersign_sends_total{channel="sms",gateway="simulated",country="BD",outcome="Unknown"}',
      'countersign_outcomes_total{channel="whatsapp",gateway="simulated",country="other",status="undelivered"}',
      'countersign_refusals_total{reason="NoDefaultSender"}',
      'countersign_checks_total{outcome="WrongCode"}',
      'countersign_lag_seconds{task="events"}',
      "countersign_money_held",
    ]) {
      assert.isTrue(series.has(name), name)
    }
  })

  effectTest("count what was sent, and show the money that is held", function* () {
    const series = yield* isolated(
      Effect.gen(function* () {
        const { organization } = yield* TestEngine.open()
        const message = { organization, phoneNumber: "+8801712345678", text: "hello" }
        yield* Messages.use((_) => _.send(message))
        return yield* scrape
      }),
      { gateway: { behave: () => ({ _tag: "NeverReport" }) } },
    )
    const sent = 'countersign_sends_total{channel="sms",gateway="simulated",country="BD"'
    assert.strictEqual(valueOf(series, `${sent},outcome="Accepted"}`), 1)
    assert.strictEqual(valueOf(series, `${sent},outcome="Rejected"}`), 0)
    assert.strictEqual(
      valueOf(series, 'countersign_gateway_answer_seconds_count{gateway="simulated"}'),
      1,
    )
    assert.isAbove(valueOf(series, "countersign_money_held") ?? 0, 0)
  })

  effectTest("read the sums at most every 15 seconds", function* () {
    const asked = { times: 0 }
    const store = Layer.sync(Store, () => {
      const made = MemoryStore.make()
      const summary = Effect.suspend(() => {
        asked.times += 1
        return made.summary
      })
      return { ...made, summary }
    })
    yield* isolated(
      Effect.gen(function* () {
        yield* scrape
        yield* TestEngine.open()
        yield* Organizations.use((_) => _.create({ id: Samples.otherOrganizationId }))
        const without = 'countersign_organizations_unable_to_send{reason="no_sender"}'
        yield* TestClock.adjust("14 seconds")
        assert.strictEqual(valueOf(yield* scrape, without), 0)
        assert.strictEqual(asked.times, 1)
        yield* TestClock.adjust("1 second")
        assert.strictEqual(valueOf(yield* scrape, without), 1)
        assert.strictEqual(asked.times, 2)
      }),
      { store },
    )
  })

  effectTest("say that the database does not answer, and keep the last sums", function* () {
    const state = { isLost: false }
    const store = Layer.sync(Store, () => {
      const made = MemoryStore.make()
      const lost = new StoreUnavailable({ reason: "connection", retryAfterSeconds: 1 })
      const summary = Effect.suspend(() => (state.isLost ? Effect.fail(lost) : made.summary))
      return { ...made, summary }
    })
    yield* isolated(
      Effect.gen(function* () {
        yield* Organizations.use((_) => _.create({ id: Samples.organizationId }))
        const without = 'countersign_organizations_unable_to_send{reason="no_sender"}'
        assert.strictEqual(valueOf(yield* scrape, without), 1)
        state.isLost = true
        yield* Readiness.use((_) => Effect.sync(_.drainUnsafe))
        yield* TestClock.adjust("15 seconds")
        const series = yield* scrape
        assert.strictEqual(valueOf(series, "countersign_database_up"), 0)
        assert.strictEqual(valueOf(series, "countersign_ready"), 0)
        assert.strictEqual(valueOf(series, without), 1)
      }),
      { store },
    )
  })
})

describe("A label", () => {
  effectTest("of a name that comes too late is `other`", function* () {
    yield* Effect.void
    const names = Array.from({ length: 3 * Telemetry.maxLabels }, (_, index) => `gateway-${index}`)
    const labels = new Set(names.map(Telemetry.gatewayLabel))
    assert.isAtMost(labels.size, Telemetry.maxLabels + 1)
    assert.isTrue(labels.has(Telemetry.otherLabel))
    assert.strictEqual(Telemetry.gatewayLabel(names[0] ?? ""), names[0])
    assert.strictEqual(Telemetry.countryLabel(""), Telemetry.otherLabel)
  })
})
