import * as Samples from "@countersign/testing/Samples"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import * as Tracer from "effect/Tracer"
import * as Layer from "effect/Layer"
import * as Tracing from "../../src/engine/Tracing.ts"
import { type SpanName, spanTable } from "../../src/engine/SpanTable.ts"
import * as Fallback from "../../src/engine/SmsFallback.ts"
import { WebhookDelivery } from "../../src/jobs/WebhookDelivery.ts"
import { Settlement } from "../../src/jobs/Settlement.ts"
import { Store } from "../../src/ports/Store.ts"
import { Messages } from "../../src/services/Messages.ts"
import { Reports } from "../../src/services/Reports.ts"
import { Webhooks } from "../../src/services/Webhooks.ts"
import { accept } from "../support/telling.ts"
import { engine, ok, receivers, status } from "../support/receiving.ts"
import { send } from "../support/verifying.ts"
import { recording } from "../../../../test/support/observed.ts"

const organization = Samples.organizationId
const phoneNumber = "+8801712345670"

/** Runs steps on an engine with a tracer, and gives its spans. */
const observed = <A, E>(
  steps: (receiver: ReturnType<typeof receivers>) => Effect.Effect<A, E, TestEngine.TestEngine>,
  options: TestEngine.Options = {},
) => {
  const { layer, spans } = recording()
  const receiver = receivers()
  return TestEngine.open().pipe(
    Effect.andThen(steps(receiver)),
    Effect.provide(engine(receiver, { gateway: { behave: () => accept }, ...options })),
    Effect.provide(layer),
    Effect.map((result) => ({ result, spans, receiver })),
  )
}

type Spans = ReadonlyArray<Tracer.NativeSpan>

const named = (spans: Spans, name: string) => spans.filter((span) => span.name === name)

const parentOf = ({ parent }: Tracer.Span) => Option.getOrUndefined(parent)?.spanId

/** A message, its report, and the event of its outcome. */
const life = Effect.gen(function* () {
  const types = ["message_settled"] as const
  const { id } = yield* Webhooks.use((_) =>
    _.create({ organization, url: "https://receiver.test/secret-path", types }),
  )
  yield* Messages.use((_) => _.send({ organization, phoneNumber, text: "hello" }))
  const found = yield* Store.use((_) => _.message({ organization, sequence: 1 }))
  const of = {
    _tag: "Message",
    organization,
    sequence: 1,
    token: found?.message?.id ?? Samples.messageId(),
  } as const
  yield* Reports.use((_) => _.receive({ of, status: "delivered", detail: null }))
  yield* WebhookDelivery.use((_) => _.deliver({ organization, id }))
  return found?.message
})

describe("one trace", () => {
  it.effect("leads from the call to the gateway, the report and the webhook", () =>
    Effect.gen(function* () {
      const { receiver, result, spans } = yield* observed(() => life)
      const [call] = named(spans, "Messages.send")
      assert.isDefined(call)
      if (call === undefined) return
      assert.strictEqual(result?.traceparent, Tracing.traceparentOf(call))
      const rows: ReadonlyArray<readonly [SpanName, string]> = [
        ["gateway", "send simulated"],
        ["report", "report simulated"],
        ["webhook", "POST webhook"],
      ]
      for (const [row, name] of rows) {
        const [span, ...others] = named(spans, name)
        assert.isDefined(span, name)
        assert.lengthOf(others, 0)
        if (span === undefined) continue
        assert.strictEqual(span.traceId, call.traceId)
        assert.strictEqual(parentOf(span), call.spanId)
        assert.strictEqual(span.kind, spanTable[row].kind)
        assert.strictEqual(span.status._tag, "Ended")
        assert.includeMembers([...spanTable[row].attributes], [...span.attributes.keys()])
        assert.isAbove(span.attributes.size, 3)
      }
      const [post] = named(spans, "POST webhook")
      const [request] = receiver.received
      assert.isDefined(post)
      assert.strictEqual(request?.headers["traceparent"], post && Tracing.traceparentOf(post))
      const written = JSON.stringify(spans.map(({ attributes }) => [...attributes]))
      for (const secret of ["8801712345670", "hello", "secret-path"]) {
        assert.notInclude(written, secret)
      }
    }),
  )

  it.effect("has none of what follows a call that is not recorded", () =>
    Effect.gen(function* () {
      const { layer, spans } = recording(() => false)
      const receiver = receivers()
      const message = yield* TestEngine.open().pipe(
        Effect.andThen(life),
        Effect.provide(engine(receiver, { gateway: { behave: () => accept } })),
        Effect.provide(layer),
      )
      assert.strictEqual(message?.traceparent, null)
      assert.lengthOf(named(spans, "report simulated"), 0)
      assert.notProperty(receiver.received[0]?.headers, "traceparent")
    }),
  )

  it.effect("has the events of a verification, the SMS after WhatsApp, and a dispatch again", () =>
    Effect.gen(function* () {
      const whatsapp = { _tag: "Reject", message: "barred" } as const
      const { spans } = yield* observed(
        () =>
          Effect.gen(function* () {
            const { id } = yield* Webhooks.use((_) =>
              _.create({ organization, url: "https://receiver.test" }),
            )
            yield* send(organization, { channel: "whatsapp" })
            yield* WebhookDelivery.use((_) => _.deliver({ organization, id }))
            const sms = yield* Store.use((_) => _.message({ organization, sequence: 2 }))
            const first = yield* Store.use((_) => _.message({ organization, sequence: 1 }))
            assert.isString(first?.message?.traceparent)
            assert.strictEqual(sms?.message?.traceparent, first?.message?.traceparent)
          }),
        { gateway: { behave: ({ channel }) => (channel === "sms" ? accept : whatsapp) } },
      ).pipe(Effect.provide(Fallback.layer({})))
      const [call] = named(spans, "Verifications.send")
      const sent = named(spans, "send simulated")
      assert.deepStrictEqual(
        sent.map(({ attributes, traceId }) => [
          attributes.get("countersign.channel"),
          attributes.get("error.type"),
          traceId === call?.traceId,
        ]),
        [
          ["whatsapp", "Rejected", true],
          ["sms", undefined, true],
        ],
      )
      assert.isTrue(named(spans, "POST webhook").some(({ traceId }) => traceId === call?.traceId))
    }),
  )

  it.effect("ends with the answer of the receiver", () =>
    Effect.gen(function* () {
      const { layer, spans } = recording()
      const receiver = receivers({ "receiver.test": () => Effect.succeed(status(503)) })
      yield* TestEngine.open().pipe(
        Effect.andThen(life),
        Effect.provide(engine(receiver, { gateway: { behave: () => accept } })),
        Effect.provide(layer),
      )
      const [post] = named(spans, "POST webhook")
      assert.strictEqual(post?.attributes.get("http.response.status_code"), 503)
      assert.strictEqual(post?.attributes.get("error.type"), "Failed")
      assert.strictEqual(ok._tag, "Answered")
    }),
  )
})

it.effect(
  "work that no call has asked for begins a trace of a level that can be switched off",
  () =>
    Effect.gen(function* () {
      const rounds = Effect.andThen(
        Settlement.use((_) => _.round),
        TestClock.adjust(1),
      )
      const { spans } = yield* observed(() => rounds)
      assert.deepStrictEqual(
        named(spans, "Settlement.round").map(({ sampled }) => sampled),
        [true],
      )
      const { spans: others } = yield* observed(() => rounds).pipe(
        Effect.provide(Layer.succeed(Tracer.MinimumTraceLevel, "Info")),
      )
      assert.deepStrictEqual(
        named(others, "Settlement.round").map(({ sampled }) => sampled),
        [false],
      )
    }),
)

describe("a traceparent", () => {
  const trace = "0af7651916cd43dd8448eb211c80319c"
  const span = "b7ad6b7169203331"
  const rows: ReadonlyArray<readonly [string | null | undefined, boolean | undefined]> = [
    [`00-${trace}-${span}-01`, true],
    [`00-${trace}-${span}-03`, true],
    [`00-${trace}-${span}-00`, false],
    [`00-${trace}-${span}`, undefined],
    [`01-${trace}-${span}-01`, undefined],
    [`00-${trace.toUpperCase()}-${span}-01`, undefined],
    [`00-${"0".repeat(32)}-${span}-01`, undefined],
    [`00-${trace}-${"0".repeat(16)}-01`, undefined],
    [` 00-${trace}-${span}-01`, undefined],
    ["", undefined],
    [null, undefined],
    [undefined, undefined],
  ]

  it.each(rows)("%s is recorded: %s", (text, isSampled) => {
    const found = Tracing.spanOf(text)
    assert.strictEqual(found?.sampled, isSampled)
    if (found === undefined || text === null || text === undefined) return
    assert.deepStrictEqual([found.traceId, found.spanId], [trace, span])
    assert.strictEqual(Tracing.traceparentOf(found).slice(0, 53), text.slice(0, 53))
  })

  it("is not recorded without a tracer", () => {
    const context = Tracing.below(Context.empty(), Tracing.spanOf(`00-${trace}-${span}-01`))
    assert.strictEqual(Tracing.recorded(context), null)
    assert.strictEqual(Tracing.begin(context, "call", "x"), undefined)
  })
})
