/**
 * The part of `@opentelemetry/api` that the engine calls. The package itself is not imported, so a host without it can
 * bundle the engine.
 */

/** A context of OpenTelemetry. */
export interface OpenTelemetryContext {
  readonly getValue: (key: symbol) => unknown
  readonly setValue: (key: symbol, value: unknown) => OpenTelemetryContext
  readonly deleteValue: (key: symbol) => OpenTelemetryContext
}

/** The ids of a span of OpenTelemetry. */
export interface OpenTelemetryIds {
  traceId: string
  spanId: string
  traceFlags: number
  isRemote?: boolean
}

/** A span of OpenTelemetry. */
export interface OpenTelemetrySpan {
  readonly spanContext: () => OpenTelemetryIds
  readonly isRecording: () => boolean
  readonly setAttributes: (attributes: Record<string, string | number | boolean>) => unknown
  readonly setStatus: (status: { code: number }) => unknown
  readonly end: (endTime?: [seconds: number, nanos: number]) => void
}

/** The module `@opentelemetry/api`. */
export interface OpenTelemetryApi {
  readonly ROOT_CONTEXT: OpenTelemetryContext
  readonly trace: {
    readonly getTracer: (name: string) => {
      readonly startSpan: (
        name: string,
        options?: {
          kind?: number
          startTime?: [seconds: number, nanos: number]
          links?: Array<{ context: OpenTelemetryIds }>
        },
        context?: OpenTelemetryContext,
      ) => OpenTelemetrySpan
    }
    readonly getSpanContext: (context: OpenTelemetryContext) => OpenTelemetryIds | undefined
    readonly setSpanContext: (
      context: OpenTelemetryContext,
      ids: OpenTelemetryIds,
    ) => OpenTelemetryContext
  }
  readonly context: {
    readonly active: () => OpenTelemetryContext
    readonly with: <A>(context: OpenTelemetryContext, start: () => A) => A
  }
}

/** Where spans go. */
export interface TracingOptions {
  /**
   * The module `@opentelemetry/api`, version 1.4 or newer.
   */
  readonly api: OpenTelemetryApi
}
