/**
 * Turns the spans of the engine into spans of OpenTelemetry, through the API that the host passes.
 *
 * A span begins below the host's active span. The decision whether to record is made first: what is below a span that is
 * not recorded never reaches the SDK.
 */
import * as Tracing from "@countersign/core/engine/Tracing"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import type {
  OpenTelemetryApi,
  OpenTelemetryContext,
  OpenTelemetryIds,
  OpenTelemetrySpan,
} from "../types/tracing.ts"

/** `SpanKind` of OpenTelemetry. */
const kinds = { internal: 0, server: 1, client: 2, producer: 3, consumer: 4 } as const

const failed = { code: 2 }

const noLinks: ReadonlyArray<never> = []

const timeOf = (nanos: bigint): [number, number] => {
  const seconds = nanos / 1_000_000_000n
  return [Number(seconds), Number(nanos - seconds * 1_000_000_000n)]
}

type Options = Parameters<Tracer.Tracer["span"]>[0]

class RecordedSpan implements Tracer.Span {
  readonly _tag = "Span"
  readonly sampled = true
  readonly links = noLinks
  readonly name: string
  readonly kind: Tracer.SpanKind
  readonly parent: Option.Option<Tracer.AnySpan>
  readonly annotations: Options["annotations"]
  readonly ids: OpenTelemetryIds
  /** The context that the span was started in. */
  readonly context: OpenTelemetryContext
  readonly #own: OpenTelemetrySpan
  readonly #attributes: Record<string, string | number | boolean> = {}
  status: Tracer.SpanStatus

  constructor(options: Options, own: OpenTelemetrySpan, context: OpenTelemetryContext) {
    this.name = options.name
    this.kind = options.kind
    this.parent = options.parent
    this.annotations = options.annotations
    this.ids = own.spanContext()
    this.context = context
    this.#own = own
    this.status = { _tag: "Started", startTime: options.startTime }
  }

  get traceId(): string {
    return this.ids.traceId
  }

  get spanId(): string {
    return this.ids.spanId
  }

  get attributes(): ReadonlyMap<string, unknown> {
    return new Map(Object.entries(this.#attributes))
  }

  attribute(key: string, value: unknown): void {
    const isPlain = typeof value === "number" || typeof value === "boolean"
    this.#attributes[key] = isPlain ? value : String(value)
  }

  /** The engine makes no events, and links only at the start. */
  event(): void {}
  addLinks(): void {}

  end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
    if (this.status._tag === "Ended") return
    this.status = { _tag: "Ended", startTime: this.status.startTime, endTime, exit }
    this.#own.setAttributes(this.#attributes)
    // Without the error, which may contain what the caller has given.
    if (Exit.isFailure(exit) || this.#hasFailed()) this.#own.setStatus(failed)
    this.#own.end(timeOf(endTime))
  }

  /** A server that refuses a request has not failed. */
  #hasFailed(): boolean {
    return this.kind === "server"
      ? Number(this.#attributes["http.response.status_code"]) >= 500
      : "error.type" in this.#attributes
  }
}

const idsOf = ({ sampled, spanId, traceId }: Tracer.AnySpan): OpenTelemetryIds => ({
  traceId,
  spanId,
  traceFlags: sampled ? 1 : 0,
})

/** The context of what is below a span. */
const below = (api: OpenTelemetryApi, span: Tracer.AnySpan): OpenTelemetryContext =>
  span instanceof RecordedSpan
    ? api.trace.setSpanContext(span.context, span.ids)
    : api.trace.setSpanContext(api.ROOT_CONTEXT, { ...idsOf(span), isRemote: true })

/** Makes spans of OpenTelemetry. */
const tracerOf = (api: OpenTelemetryApi): Tracer.Tracer => {
  const tracer = api.trace.getTracer("countersign")

  const contextOf = (parent: Tracer.AnySpan | undefined, root: boolean): OpenTelemetryContext => {
    if (root) return api.ROOT_CONTEXT
    return parent === undefined ? api.context.active() : below(api, parent)
  }

  return Tracer.make({
    span: (options) => {
      const { kind, links, name, parent, root, sampled, startTime } = options
      const given = Option.getOrUndefined(parent)
      // The host's own instrumentation has made the span of the request already.
      const isActive =
        kind === "server" && api.trace.getSpanContext(api.context.active()) !== undefined
      if (!sampled && !isActive) return new Tracer.NativeSpan(options)
      const context = contextOf(isActive ? undefined : given, root)
      const own = tracer.startSpan(
        name,
        {
          kind: isActive ? kinds.internal : kinds[kind],
          startTime: timeOf(startTime),
          ...(links.length > 0 && { links: links.map(({ span }) => ({ context: idsOf(span) })) }),
        },
        context,
      )
      if (own.isRecording()) return new RecordedSpan(options, own, context)
      const { spanId, traceId } = own.spanContext()
      const span = new Tracer.NativeSpan({ ...options, sampled: false })
      span._traceId = traceId
      span._spanId = spanId
      return span
    },
  })
}

/** Spans of OpenTelemetry for all that runs with this layer. Polls that no call has caused make none. */
export const layerTracing = (api: OpenTelemetryApi): Layer.Layer<never> =>
  Layer.mergeAll(
    Layer.succeed(Tracer.Tracer, tracerOf(api)),
    Layer.succeed(Tracer.MinimumTraceLevel, "Info"),
    Layer.succeed(Tracing.Activation, (span, start) =>
      span instanceof RecordedSpan ? api.context.with(below(api, span), start) : start(),
    ),
  )
