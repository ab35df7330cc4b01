/**
 * The part of `@opentelemetry/api` that the engine calls. The package itself is not imported, so a host without it can
 * bundle the engine.
 */

/** A context of OpenTelemetry. */
export interface OpenTelemetryContext {
  /** Reads a value. */
  readonly getValue: (key: symbol) => unknown
  /** Returns a context with one more value. */
  readonly setValue: (key: symbol, value: unknown) => OpenTelemetryContext
  /** Returns a context without the value. */
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
  /** Its ids. */
  readonly spanContext: () => OpenTelemetryIds
  /** Whether its attributes are kept. */
  readonly isRecording: () => boolean
  /** Adds attributes. */
  readonly setAttributes: (attributes: Record<string, string | number | boolean>) => unknown
  /** Sets its status: 2 is an error. */
  readonly setStatus: (status: { code: number }) => unknown
  /** Ends the span, now or at a time. */
  readonly end: (endTime?: [seconds: number, nanos: number]) => void
}

/** The module `@opentelemetry/api`. */
export interface OpenTelemetryApi {
  readonly ROOT_CONTEXT: OpenTelemetryContext
  readonly trace: {
    /** Returns the tracer of a library. */
    readonly getTracer: (name: string) => {
      /** Starts a span below the span of the context. */
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
    /** Reads the ids of the span in a context. */
    readonly getSpanContext: (context: OpenTelemetryContext) => OpenTelemetryIds | undefined
    /** Returns a context with the ids of a span of another process. */
    readonly setSpanContext: (
      context: OpenTelemetryContext,
      ids: OpenTelemetryIds,
    ) => OpenTelemetryContext
  }
  readonly context: {
    /** Returns the context of the running code. */
    readonly active: () => OpenTelemetryContext
    /** Calls a function in a context. */
    readonly with: <A>(context: OpenTelemetryContext, start: () => A) => A
  }
}

/** Where spans go. */
export interface TracingOptions {
  /** The module `@opentelemetry/api`, version 1.4 or newer. */
  readonly api: OpenTelemetryApi
}
