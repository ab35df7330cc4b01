/** An engine in a process of its own that sends and checks on request, for `callSides.ts`. */
import * as api from "@opentelemetry/api"
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  NodeTracerProvider,
} from "@opentelemetry/sdk-trace-node"
import { type CountersignOptions, createCountersign } from "countersign"
import { inputOf } from "./child.ts"
import { numberOf } from "./side.ts"

export interface RecordingInput extends Pick<CountersignOptions, "records"> {
  readonly phoneNumberSecret?: string
  /** Which spans the SDK of OpenTelemetry records. `undefined`: the engine has no tracing. */
  readonly spans?: "all" | "none"
  readonly database: string
  readonly schema: string
}

/** Runs `count` calls of a kind, 64 at a time. */
export interface Turn {
  readonly kind: "send" | "check" | "message"
  readonly count: number
}

const concurrency = 64

const { database, phoneNumberSecret, records, schema, spans } = inputOf<RecordingInput>()
if (spans !== undefined) {
  const exporter = {
    export: (_: unknown, done: (result: { code: number }) => void) => done({ code: 0 }),
    shutdown: async () => {},
  }
  new NodeTracerProvider({
    sampler: spans === "all" ? new AlwaysOnSampler() : new AlwaysOffSampler(),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  }).register()
}
const codes = new Map<string, string>()
const engine = await createCountersign({
  secret: "b".repeat(32),
  database: { url: database, schema, phoneNumberSecret },
  log: () => {},
  limits: { checksPerOrganization: null },
  ...(records !== undefined && { records }),
  ...(spans !== undefined && { tracing: { api } }),
  gateways: {
    sms: {
      name: "instant",
      send: async ({ code, phoneNumber, token }) => {
        if (code !== undefined) codes.set(phoneNumber, code)
        return { status: "accepted", gatewayId: token }
      },
    },
  },
})

let rank = 0
const sent: Array<{ readonly requestId: string; readonly code: string }> = []

const calls: Readonly<Record<Turn["kind"], () => Promise<unknown>>> = {
  send: async () => {
    const phoneNumber = numberOf(rank++)
    const { requestId } = await engine.verifications.send({ phoneNumber })
    sent.push({ requestId, code: codes.get(phoneNumber) ?? "" })
    codes.delete(phoneNumber)
  },
  check: async () => engine.verifications.check(sent.pop() ?? { requestId: "", code: "" }),
  message: async () => engine.messages.send({ phoneNumber: numberOf(rank++), text: "hello" }),
}

const run = async ({ count, kind }: Turn): Promise<void> => {
  let left = count
  const loop = async (): Promise<void> => {
    while (left-- > 0) await calls[kind]()
  }
  await Promise.all(Array.from({ length: concurrency }, loop))
}

process.on("message", (turn: Turn) => {
  const before = process.cpuUsage()
  void run(turn).then(() => {
    const { system, user } = process.cpuUsage(before)
    // Microseconds of processor time of this process for each call.
    process.send?.((system + user) / turn.count)
  })
})
process.send?.("ready")
