import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as Tracer from "effect/Tracer"
import { Access } from "../../src/engine/Access.ts"
import { Accounts } from "../../src/services/Accounts.ts"
import { ApiKeys } from "../../src/services/ApiKeys.ts"
import { Senders } from "../../src/services/Senders.ts"
import { Messages } from "../../src/services/Messages.ts"
import * as Money from "../../src/domain/values/Money.ts"
import { Organizations } from "../../src/services/Organizations.ts"
import * as PhoneNumber from "../../src/domain/values/PhoneNumber.ts"
import { Reports } from "../../src/services/Reports.ts"
import { Retention } from "../../src/jobs/Retention.ts"
import { Settlement } from "../../src/jobs/Settlement.ts"
import type { Behaviour } from "../../src/adapters/SimulatedGateway.ts"
import { metricRows, type Row } from "../../src/engine/MetricTable.ts"
import * as Telemetry from "../../src/engine/Telemetry.ts"
import { Verifications } from "../../src/services/verifications/Verifications.ts"
import { effectTest } from "../support/engineTest.ts"

const text = "the text of a private message"

/** One number for each way a gateway can behave. */
const behaviours: ReadonlyArray<readonly [PhoneNumber.PhoneNumber, Behaviour]> = [
  [PhoneNumber.fromE164("+8801712345670"), { _tag: "Deliver" }],
  [PhoneNumber.fromE164("+8801712345671"), { _tag: "Reject", message: "barred" }],
  [PhoneNumber.fromE164("+8801712345672"), { _tag: "NeverReport" }],
  [PhoneNumber.fromE164("+8801712345673"), { _tag: "NeverAnswer" }],
]

const gateway: NonNullable<TestEngine.Options["gateway"]> = {
  behave: ({ phoneNumber }) =>
    behaviours.find(([number]) => number === phoneNumber)?.[1] ?? {
      _tag: "NotSend",
      message: "no route",
    },
}

/** Does everything once, right and wrong, and gives every secret that was in play. */
const useEverything = Effect.gen(function* () {
  const { key, keyId, organization } = yield* TestEngine.open()
  const caller = yield* Access.use((_) => _.authenticate(key))
  yield* Effect.result(Access.use((_) => _.authenticate(Redacted.make(`${Redacted.value(key)}x`))))
  const codes: Array<string> = []
  for (const [phoneNumber] of behaviours) {
    const sending = yield* Effect.forkChild(
      Effect.result(Verifications.use((_) => _.send({ ...caller, phoneNumber }))),
    )
    yield* TestClock.adjust(10_000)
    const sent = yield* Fiber.join(sending)
    const code = yield* TestEngine.latestCode(phoneNumber)
    codes.push(code)
    if (sent._tag === "Success") {
      const { requestId } = sent.success
      const check = (typed: string) =>
        Effect.result(
          Verifications.use((_) => _.check({ ...caller, requestId, code: Redacted.make(typed) })),
        )
      yield* check(`${code}0`)
      yield* check(code)
      yield* Verifications.use((_) => _.status({ ...caller, requestId }))
    }
    const message = yield* Effect.forkChild(
      Effect.result(Messages.use((_) => _.send({ ...caller, phoneNumber, text }))),
    )
    yield* TestClock.adjust(10_000)
    yield* Fiber.join(message)
  }
  const invalid = Verifications.use((_) => _.send({ ...caller, phoneNumber: "+8801012345678" }))
  yield* Effect.result(invalid)
  yield* Messages.use((_) => _.list(caller))
  yield* Accounts.use((_) => _.balance(caller))
  yield* Accounts.use((_) => _.adjust({ organization, amount: Money.make("-1"), note: "fee" }))
  yield* Accounts.use((_) => _.entries({ organization }))
  yield* Senders.use((_) => _.list({ organization }))
  yield* ApiKeys.use((_) => _.list({ organization }))
  yield* Organizations.use((_) => _.update({ id: organization, allowList: ["203.0.113.7"] }))
  yield* Organizations.use((_) => _.get({ id: organization }))
  yield* Organizations.use((_) => _.list())
  const of = { _tag: "GatewayId", gateway: "simulated", gatewayId: "unknown" } as const
  yield* Reports.use((_) => _.receive({ of, status: "delivered", detail: null }))
  yield* TestClock.adjust(86_400_000)
  yield* Settlement.use((_) => _.round)
  yield* Retention.use((_) => _.round)
  yield* ApiKeys.use((_) => _.revoke({ organization, id: keyId }))
  const secret = Redacted.value(key).split("_")[3] ?? ""
  return { organization, codes, secret }
})

class RecordedSpan extends Tracer.NativeSpan {
  readonly entries: Array<unknown> = []

  override attribute(key: string, value: unknown): void {
    super.attribute(key, value)
    this.entries.push([key, value])
  }

  override event(name: string, startTime: bigint, attributes?: Record<string, unknown>): void {
    super.event(name, startTime, attributes)
    this.entries.push([name, attributes])
  }

  override end(endTime: bigint, exit: Parameters<Tracer.NativeSpan["end"]>[1]): void {
    super.end(endTime, exit)
    // Exporters log failures; the result of a method is for its caller only.
    if (Exit.isFailure(exit)) this.entries.push(exit.cause, Cause.pretty(exit.cause))
  }
}

const recorded = Effect.gen(function* () {
  const spans: Array<RecordedSpan> = []
  const logs: Array<unknown> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new RecordedSpan(options)
      spans.push(span)
      return span
    },
  })
  const logger = Logger.make(({ cause, fiber, message }) => {
    logs.push(message, cause, [...fiber.context.mapUnsafe.keys()])
  })
  const registry = new Map()
  const metrics = Effect.provideService(Metric.snapshot, Metric.MetricRegistry, registry)
  const used = yield* useEverything.pipe(
    Effect.provide(TestEngine.layer({ gateway })),
    Effect.provideService(Metric.MetricRegistry, registry),
    Effect.withTracer(tracer),
    Effect.provide(Logger.layer([logger])),
  )
  return { ...used, spans, logs, metrics: yield* metrics }
})

/** Text in the forms that it could be found in. */
const inAllForms = (text: string): ReadonlyArray<string> => {
  const bytes = Buffer.from(text)
  return [text, bytes.toString("hex"), bytes.toString("base64"), [...text].toReversed().join("")]
}

const json = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === "bigint" ? String(part) : part))

describe("Spans", () => {
  effectTest("exist for every method of a service", function* () {
    const { spans } = yield* recorded
    const names = new Set(spans.map(({ name }) => name))
    for (const name of methods) assert.isTrue(names.has(name), name)
  })

  effectTest("name the organization, and mask numbers", function* () {
    const { organization, spans } = yield* recorded
    const sends = spans.filter(
      ({ name }) => name === "Verifications.send" || name === "Messages.send",
    )
    assert.isAtLeast(sends.length, 8)
    for (const { attributes } of sends) {
      assert.strictEqual(attributes.get("countersign.organization"), organization)
    }
    const masked = sends.flatMap(({ attributes }) => attributes.get("countersign.number") ?? [])
    assert.include(masked, "+8801*****670")
  })

  effectTest("logs and metrics hold no secret and no whole number", function* () {
    const { codes, logs, metrics, secret, spans } = yield* recorded
    const output = json([spans.map(({ name, entries }) => [name, entries]), logs, metrics])
    const numbers = behaviours.map(([number]) => PhoneNumber.digits(number))
    const secrets = [...codes, secret, Redacted.value(TestEngine.codeSecret), text, ...numbers]
    for (const one of secrets) {
      assert.isAbove(one.length, 5)
      for (const form of inAllForms(one)) assert.notInclude(output, form, one)
    }
  })
})

describe("Metrics", () => {
  const countOf = (
    metrics: ReadonlyArray<Metric.Metric.Snapshot>,
    id: string,
    attributes: Readonly<Record<string, string>>,
  ) => {
    const found = metrics.filter(
      (metric) => metric.id === id && json(metric.attributes ?? {}) === json(attributes),
    )
    const counts = found.map(({ state }) => ("count" in state ? Number(state.count) : undefined))
    return counts.filter((count) => count !== 0)
  }

  effectTest("count sent, checked, settled and refunded messages", function* () {
    const { metrics } = yield* recorded
    const labels = { channel: "sms", gateway: "simulated", country: "BD" }
    const sent = (outcome: string) =>
      countOf(metrics, "countersign_sends_total", { ...labels, outcome })
    assert.deepStrictEqual(sent("Delivered"), [2])
    assert.deepStrictEqual(sent("Rejected"), [2])
    assert.deepStrictEqual(sent("Accepted"), [2])
    assert.deepStrictEqual(sent("Unknown"), [2])
    const checked = (outcome: string) => countOf(metrics, "countersign_checks_total", { outcome })
    assert.deepStrictEqual(checked("WrongCode"), [3])
    assert.deepStrictEqual(checked("Verified"), [3])
    const settled = (status: string) =>
      countOf(metrics, "countersign_outcomes_total", { ...labels, status })
    assert.deepStrictEqual(settled("delivered"), [2])
    assert.deepStrictEqual(settled("rejected"), [2])
    assert.deepStrictEqual(settled("unknown"), [4])
    assert.deepStrictEqual(countOf(metrics, "countersign_refunds_total", {}), [6])
  })

  effectTest("have the labels of their table only", function* () {
    const { metrics } = yield* recorded
    const own = metrics.filter(({ id }) => id.startsWith("countersign_"))
    const counted = own.filter(({ state }) => "count" in state && Number(state.count) > 0)
    assert.isAtLeast(counted.length, 10)
    const rows = new Map<string, Row>(Object.entries(metricRows))
    const named = { gateway: ["simulated", "other"], country: ["BD", "other"] }
    for (const { attributes = {}, id, type } of own) {
      const { kind, labels = {} } = rows.get(id) ?? assert.fail(`${id} is in no row of the table`)
      assert.strictEqual(type.toLowerCase(), kind)
      assert.deepStrictEqual(Object.keys(attributes).toSorted(), Object.keys(labels).toSorted(), id)
      for (const [label, value] of Object.entries(attributes)) {
        const values = labels[label] ?? []
        assert.include(typeof values === "string" ? named[values] : values, value, id)
      }
    }
  })

  effectTest("count refusals by reason", function* () {
    const registry = new Map()
    yield* Effect.gen(function* () {
      const { organization } = yield* TestEngine.open({ balance: Money.zero })
      const phoneNumber = "+8801712345670"
      const send = Verifications.use((_) => _.send({ organization, phoneNumber }))
      yield* Effect.replicateEffect(Effect.flip(send), 12)
    }).pipe(
      Effect.provide(TestEngine.layer()),
      Effect.provideService(Metric.MetricRegistry, registry),
    )
    const metrics = yield* Effect.provideService(Metric.snapshot, Metric.MetricRegistry, registry)
    const refused = (reason: string) => countOf(metrics, "countersign_refusals_total", { reason })
    assert.deepStrictEqual([...refused("Insufficient"), ...refused("Limited")], [10, 2])
  })
})

describe("An unreadable value", () => {
  effectTest("is counted each time, and logged once for each kind and source", function* () {
    const registry = new Map()
    const lines: Array<unknown> = []
    const note = (kind: Telemetry.Unreadable, gateway: string) =>
      Telemetry.noteUnreadable(kind, { gateway }, "gatewayId must be a text")
    yield* Effect.gen(function* () {
      yield* Effect.replicateEffect(note("outcome", "a"), 3)
      yield* note("outcome", "b")
      yield* note("report", "a")
      // No more sources are remembered than that, and no more are logged.
      for (let index = 0; index < 2_000; index++) yield* note("lookup", String(index))
    }).pipe(
      Effect.provideService(Metric.MetricRegistry, registry),
      Effect.provideService(Telemetry.LoggedSources, new Map()),
      Effect.provide(Logger.layer([Logger.make(({ message }) => lines.push(message))])),
    )
    const metrics = yield* Effect.provideService(Metric.snapshot, Metric.MetricRegistry, registry)
    assert.deepStrictEqual(
      metrics.map(({ attributes, id, state }) => [
        id,
        attributes?.["kind"],
        "count" in state ? Number(state.count) : undefined,
      ]),
      [
        ["countersign_unreadable_total", "outcome", 4],
        ["countersign_unreadable_total", "report", 1],
        ["countersign_unreadable_total", "lookup", 2_000],
      ],
    )
    assert.deepStrictEqual(
      lines.slice(0, 3).map((line) => json(line)),
      [
        ["A gateway's answer could not be read; the outcome of the message is unknown", "a"],
        ["A gateway's answer could not be read; the outcome of the message is unknown", "b"],
        ["A delivery report could not be read and was not applied", "a"],
      ].map(([text, gateway]) => json([text, { gateway, problem: "gatewayId must be a text" }])),
    )
    assert.strictEqual(lines.length, 3 + 1_000)
  })
})

const methods = [
  "Accounts.adjust",
  "Accounts.balance",
  "Accounts.entries",
  "Accounts.topUp",
  "ApiKeys.create",
  "ApiKeys.list",
  "ApiKeys.revoke",
  "Senders.list",
  "Senders.save",
  "Messages.list",
  "Messages.send",
  "Organizations.update",
  "Organizations.create",
  "Organizations.get",
  "Organizations.list",
  "Reports.adopt",
  "Reports.receive",
  "Retention.round",
  "Settlement.round",
  "Verifications.check",
  "Verifications.send",
  "Verifications.status",
]
