import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as UrlParams from "effect/http/UrlParams"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"

/** A span contains the names of query parameters, but not their values. */
const everyName = [/^/]

/** Keeps callers' input out of spans, and makes no spans if no tracer collects them. */
export const layerRequests: Layer.Layer<never> = Layer.effectContext(
  Effect.map(Tracer.Tracer, (tracer) => {
    const redacted = Context.make(UrlParams.CurrentRedactedNames, everyName)
    // Effect makes spans even without a tracer that collects them, unless tracing is switched off.
    return tracer === Tracer.nativeTracer
      ? Context.add(redacted, References.TracerEnabled, false)
      : redacted
  }),
)
