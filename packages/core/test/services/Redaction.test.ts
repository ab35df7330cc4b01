/**
 * Gateways that repeat everything that they know: nothing of it reaches a row, an answer, a log or a span.
 */
import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import * as Tracer from "effect/Tracer"
import { inspect } from "node:util"
import type { DeliveryReport } from "../../src/domain/messages/DeliveryReport.ts"
import type { GatewayOutcome } from "../../src/domain/messages/GatewayOutcome.ts"
import type { Gateway, GatewayMessage } from "../../src/ports/Gateway.ts"
import { Store } from "../../src/ports/Store.ts"
import { Messages } from "../../src/services/Messages.ts"
import { Reports } from "../../src/services/Reports.ts"
import { Settlement } from "../../src/jobs/Settlement.ts"
import { engineOver, gatewayLayer } from "../support/engineOver.ts"
import { dyingNode } from "../support/nodes.ts"
import { resend, send } from "../support/verifying.ts"

const organization = Samples.organizationId

/** The code in documented fields of a report, in spellings of a vendor. */
const evidenceOf = (code: string) => ({
  code,
  asNumber: Number(code),
  word: `id-${code.slice(0, 3)}-${code.slice(3)}`,
  spelled: `x-${[...code].join("-")}`,
  colons: `x:${[...code].join(":")}`,
  price: `${code.slice(0, 2)}.${code.slice(2)}`,
  error: 30_005,
  status: "delivered",
  at: "2026-11-24T05:55:28Z",
})

/** A gateway that accepts the first message, and what it and the engine have shown. */
const watching = (answer: (said: string) => GatewayOutcome, lookup = false) => {
  const seen: Array<unknown> = []
  const sent: Array<GatewayMessage> = []
  const secrets = () =>
    sent.flatMap(({ code, phoneNumber }) => [
      phoneNumber.slice(-10),
      code === undefined ? phoneNumber : Redacted.value(code),
    ])
  /** Everything that the gateway knows, the code last. */
  const said = () => {
    const [first] = sent
    if (first?.code === undefined) return "nothing"
    return `${first.phoneNumber}: ${Redacted.value(first.text)} ${Redacted.value(first.code)}`
  }
  const gateway: Layer.Layer<Gateway> = gatewayLayer({
    capabilities: { lookup },
    send: (message) =>
      Effect.sync(() => {
        sent.push(message)
        return sent.length === 1 ? { _tag: "Accepted", gatewayId: "gw-1" } : answer(said())
      }),
    lookup: () => Effect.sync(() => answer(said())),
  })
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      seen.push(span.attributes)
      return span
    },
  })
  const watched = Layer.mergeAll(
    Logger.layer([Logger.make((options) => void seen.push(Logger.formatJson.log(options)))]),
    Layer.succeed(References.MinimumLogLevel, "All"),
    Layer.succeed(Tracer.Tracer, tracer),
  )
  /** Fails if a row, a log, a span or a shown value contains a code or the number. */
  const assertSafe = Effect.fnUntraced(function* (...shown: ReadonlyArray<unknown>) {
    const { messages } = yield* Messages.use((_) => _.list({ organization }))
    // The log names the recipient in a field of its own.
    seen.push(shown, ...messages.map(({ phoneNumber: _, ...row }) => row))
    for (const { sequence } of messages) {
      seen.push(yield* Reports.use((_) => _.forMessage({ organization, sequence })))
    }
    seen.push(yield* Store.use((store) => store.keptReports(undefined, 100)))
    const text = inspect(seen, { depth: 12, maxArrayLength: null, maxStringLength: null })
    assert.isAbove(secrets().length, 0)
    assert.deepStrictEqual(
      secrets().filter((secret) => text.includes(secret)),
      [],
    )
    return messages
  })
  return { assertSafe, gateway, said, watched }
}

/** The evidence of the only report, kept or applied. Fails if a value has the digits of the code, however spelled. */
const storedEvidence = Effect.fnUntraced(function* (code: string) {
  const { messages } = yield* Messages.use((_) => _.list({ organization }))
  const reports = [
    ...(yield* Store.use((store) => store.keptReports(undefined, 100))).reports,
    ...(yield* Effect.forEach(messages, ({ sequence }) =>
      Reports.use((_) => _.forMessage({ organization, sequence })),
    )).flat(),
  ]
  assert.lengthOf(reports, 1)
  const fields: Readonly<Record<string, string>> = JSON.parse(reports[0]?.evidence ?? "{}")
  for (const value of Object.values(fields)) {
    assert.notInclude(value.replace(/\D/g, ""), String(Number(code)), value)
  }
  return fields
})

const outcomes: ReadonlyArray<(said: string) => GatewayOutcome> = [
  (message) => ({ _tag: "Rejected", reason: "content", message }),
  (message) => ({ _tag: "Throttled", message }),
  (message) => ({ _tag: "NotSent", message }),
  (message) => ({ _tag: "Unknown", message }),
  (said) => ({ _tag: "Accepted", gatewayId: `id-${said.slice(-6)}` }),
]
const named = outcomes.map((outcome) => [outcome("")._tag, outcome] as const)

describe("A gateway that repeats the message", () => {
  it.effect.each(named)("in the outcome of a send, %s, is not quoted", ([, outcome]) => {
    const { assertSafe, gateway, watched } = watching(outcome)
    return Effect.gen(function* () {
      yield* TestEngine.open()
      const { requestId } = yield* send(organization)
      yield* TestClock.adjust("30 seconds")
      // The request stays pending, so its code stays live.
      const answer = yield* Effect.exit(resend(organization, requestId))
      const messages = yield* assertSafe(answer._tag)
      assert.lengthOf(messages, 2)
    }).pipe(Effect.provide(engineOver(gateway)), Effect.provide(watched))
  })

  it.effect.each(named)("in the outcome of a lookup, %s, is not quoted", ([, outcome]) => {
    const { assertSafe, gateway, watched } = watching(outcome, true)
    return Effect.gen(function* () {
      const { first, second } = yield* dyingNode(gateway)
      yield* second(TestEngine.open())
      yield* first(send(organization))
      yield* TestClock.adjust("2 minutes")
      yield* second(Settlement.use(({ round }) => round))
      const [message] = yield* second(assertSafe())
      assert.strictEqual(message?.dispatchNumber, 2)
    }).pipe(Effect.provide(watched))
  })

  const ofMessage = { _tag: "Message", organization, sequence: 1 } as const
  const ofId = (gatewayId: string) =>
    ({ _tag: "GatewayId", gateway: "scripted", gatewayId }) as const
  const reports: ReadonlyArray<readonly [what: string, of: DeliveryReport["of"], result: string]> =
    [
      ["the message", ofMessage, "applied"],
      ["the gateway's id", ofId("gw-1"), "applied"],
      ["an id that is not known yet", ofId("gw-2"), "kept"],
    ]
  it.effect.each(reports)("in a report by %s is not quoted", ([, of, result]) => {
    const { assertSafe, gateway, said, watched } = watching(() => ({
      _tag: "Accepted",
      gatewayId: "gw-2",
    }))
    return Effect.gen(function* () {
      yield* TestEngine.open()
      const { requestId } = yield* send(organization)
      const code = said().split(" ").at(-1) ?? assert.fail()
      const evidence = evidenceOf(code)
      const received = yield* Reports.use((_) =>
        _.receive({ of, status: "failed", detail: `blocked: ${said()}`, evidence }),
      )
      assert.strictEqual(received, result)
      yield* assertSafe()
      const kept = { status: "delivered", at: evidence.at }
      assert.deepInclude(
        yield* storedEvidence(code),
        result === "kept" ? kept : { ...kept, error: "30005" },
      )
      yield* TestClock.adjust("30 seconds")
      yield* resend(organization, requestId)
      yield* Reports.use((_) => _.adopt(10))
      const messages = yield* assertSafe()
      yield* storedEvidence(code)
      const error = messages.find(({ status }) => status === "failed")?.error ?? ""
      assert.match(error, /^blocked: \+8801\*{5}678: /)
    }).pipe(Effect.provide(engineOver(gateway)), Effect.provide(watched))
  })
})
