/** A trace leads from a call to its gateway and to the delivery report. */
import assert from "node:assert/strict"
import * as api from "@opentelemetry/api"
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-node"
import { createCountersign } from "countersign"

// In production: a BatchSpanProcessor with the exporter of your collector.
const exporter = new InMemorySpanExporter()
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register()

await using countersign = await createCountersign({
  database: "memory",
  tracing: { api },
  callbacks: { publicUrl: "https://sms.example.com" },
  gateways: [
    {
      name: "acme",
      reports: true,
      send: async () => ({ status: "accepted", gatewayId: "1" }),
      callback: async () => ({ reports: [{ gatewayId: "1", status: "delivered" }] }),
    },
  ],
})

const tracer = api.trace.getTracer("shop")
await tracer.startActiveSpan("POST /orders", async (span) => {
  await countersign.messages.send({ phoneNumber: "+8801712345678", text: "Your order is here" })
  span.end()
})
const report = new Request("https://sms.example.com/callbacks/acme", { method: "POST", body: "" })
await countersign.callbacks.fetch(report)

const spans = exporter.getFinishedSpans()
const [order] = spans.filter(({ name }) => name === "POST /orders")
const trace = spans.filter((one) => one.spanContext().traceId === order?.spanContext().traceId)
assert.deepEqual(
  trace.map(({ name }) => name),
  ["send acme", "Messages.send", "POST /orders", "report acme"],
)
