import * as api from "@opentelemetry/api"
import {
  AlwaysOffSampler,
  BasicTracerProvider,
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-node"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { httpGateway } from "../src/gateways.ts"
import type * as Countersign from "../src/index.ts"
import { hosts } from "./support/host.ts"
import { failure, phone } from "./support/values.ts"
import { startVendor } from "./support/vendor.ts"

const { host } = hosts()

// The real module has the type that the option asks for.
const tracing: Countersign.TracingOptions = { api }

const exporter = new InMemorySpanExporter()
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })

const unregister = (): void => {
  api.trace.disable()
  api.context.disable()
}

beforeEach(() => {
  exporter.reset()
  // Another file of this process may have left a provider, and the first one stays.
  unregister()
  provider.register()
})

afterEach(unregister)

const named = (name: string): ReadonlyArray<ReadableSpan> =>
  exporter.getFinishedSpans().filter((span) => span.name === name)

const traceOf = (span: ReadableSpan | undefined) => span?.spanContext().traceId

const parentOf = (span: ReadableSpan | undefined) => span?.parentSpanContext?.spanId

const idOf = (span: ReadableSpan | undefined) => span?.spanContext().spanId

const publicUrl = "https://sms.example.com"

/** Its reports come through the callbacks. */
const own: Countersign.Gateway = {
  name: "own",
  reports: true,
  send: async () => {
    // The host's own code finds the span of the engine.
    api.trace.getTracer("host").startSpan("vendor").end()
    return { status: "accepted", gatewayId: "v-1" }
  },
  callback: async () => ({ reports: [{ gatewayId: "v-1", status: "delivered" }] }),
}

describe("spans of OpenTelemetry", () => {
  it("are made for the gateway of a channel as well, which no router calls", async () => {
    const sms = { name: "own", send: own.send }
    const { engine } = await host({ tracing, gateways: { sms } })
    await engine.messages.send({ phoneNumber: phone(), text: "hello" })
    const [call] = named("Messages.send")
    const [gateway] = named("send own")
    const [vendor] = named("vendor")
    assert.strictEqual(parentOf(gateway), idOf(call))
    assert.strictEqual(parentOf(vendor), idOf(gateway))
    assert.isDefined(idOf(gateway))
  })

  it("make one trace: the host's, the call, the gateway, what it calls, and the report", async () => {
    const { engine } = await host({ tracing, callbacks: { publicUrl }, gateways: [own] })
    await api.trace.getTracer("host").startActiveSpan("GET /signup", async (span) => {
      await engine.messages.send({ phoneNumber: phone(), text: "hello" })
      span.end()
    })
    await engine.callbacks.fetch(
      new Request(`${publicUrl}/callbacks/own`, { method: "POST", body: "{}" }),
    )
    const [root] = named("GET /signup")
    const [call] = named("Messages.send")
    const [gateway] = named("send own")
    const [vendor] = named("vendor")
    const [report] = named("report own")
    for (const span of [call, gateway, vendor, report]) {
      assert.strictEqual(traceOf(span), traceOf(root))
    }
    assert.strictEqual(parentOf(call), idOf(root))
    assert.strictEqual(parentOf(gateway), idOf(call))
    assert.strictEqual(parentOf(vendor), idOf(gateway))
    assert.strictEqual(parentOf(report), idOf(call))
    assert.deepInclude(gateway?.attributes, {
      "messaging.destination.name": "own",
      "countersign.outcome": "Accepted",
    })
    assert.deepStrictEqual(
      [call?.kind, gateway?.kind, report?.kind],
      [api.SpanKind.INTERNAL, api.SpanKind.CLIENT, api.SpanKind.CONSUMER],
    )
    assert.strictEqual(gateway?.status.code, api.SpanStatusCode.UNSET)
    const written = JSON.stringify(exporter.getFinishedSpans().map(({ attributes }) => attributes))
    assert.notInclude(written, phone().slice(1))
    assert.notInclude(written, "hello")
  })

  it("have no error's text, only its type", async () => {
    const { engine } = await host({ tracing })
    await failure(engine.verifications.send({ phoneNumber: "12345" }))
    const [call] = named("Verifications.send")
    assert.strictEqual(call?.attributes["error.type"], "InvalidRequest")
    assert.deepStrictEqual(call?.status, { code: api.SpanStatusCode.ERROR })
    assert.deepStrictEqual(call?.events, [])
  })

  it("reach a gateway of the host over HTTP, and continue in its answer", async () => {
    const vendor = await startVendor(() => ({ status: 200, body: '{"result":"ok"}' }))
    const gateway = httpGateway({
      name: "described",
      description: {
        name: "described",
        request: { url: `${vendor.origin}/send`, body: { json: { to: "{to}", body: "{text}" } } },
        recipient: "digits",
        encodings: { gsm7: "text", unicode: "unicode" },
        outcomes: [{ when: { path: "result", equals: "ok" }, means: "accepted" }],
      },
    })
    const { engine } = await host({ tracing, gateways: [gateway] })
    await engine.messages.send({ phoneNumber: phone(), text: "hello" })
    const [sent] = named("send described")
    assert.strictEqual(
      vendor.requests[0]?.headers["traceparent"],
      `00-${traceOf(sent)}-${idOf(sent)}-01`,
    )
  })

  it("of requests continue the trace of the client", async () => {
    const { engine } = await host({ tracing })
    const { key } = await engine.apiKeys.create({ name: "test" })
    const traceId = "0af7651916cd43dd8448eb211c80319c"
    const response = await engine.fetch(
      new Request("https://example.com/api/v2/verify", {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          traceparent: `00-${traceId}-b7ad6b7169203331-01`,
        },
        body: JSON.stringify({ phone_number: phone() }),
      }),
    )
    assert.strictEqual(response.status, 200)
    const [call] = named("Verifications.send")
    assert.strictEqual(traceOf(call), traceId)
  })

  it("do not exist for work that no call has asked for", async () => {
    const { engine } = await host({ tracing, database: "memory" })
    await engine.organizations.list()
    const names = exporter.getFinishedSpans().map(({ name }) => name)
    assert.include(names, "Organizations.list")
    for (const name of names) assert.notMatch(name, /^(Settlement|Retention)\./)
  })

  it("below one that is not recorded do not reach the SDK, and tell the gateway so", async () => {
    api.trace.disable()
    let started = 0
    const counting = new BasicTracerProvider({
      sampler: {
        shouldSample: () => {
          started += 1
          return new AlwaysOffSampler().shouldSample()
        },
        toString: () => "counting",
      },
    })
    api.trace.setGlobalTracerProvider(counting)
    const { engine } = await host({
      tracing,
      callbacks: { publicUrl },
      gateways: [own],
      database: "memory",
    })
    started = 0
    await engine.messages.send({ phoneNumber: phone(), text: "hello" })
    // The call and the span of the host's own code, which knows no parent then.
    assert.strictEqual(started, 2)
    assert.lengthOf(exporter.getFinishedSpans(), 0)
  })

  it("do not exist without an SDK, and nothing fails", async () => {
    api.trace.disable()
    const { engine } = await host({
      tracing,
      callbacks: { publicUrl },
      gateways: [own],
      database: "memory",
    })
    await engine.messages.send({ phoneNumber: phone(), text: "hello" })
    assert.lengthOf(exporter.getFinishedSpans(), 0)
  })

  it("need the module of the API", async () => {
    const { createCountersign } = await import("../src/index.ts")
    const wrong: object = { database: "memory", tracing: { api: { trace: {} } } }
    const error = await failure(createCountersign(wrong))
    assert.include(String(error), 'tracing.api must be the module "@opentelemetry/api"')
  })
})
