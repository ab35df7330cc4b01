import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as UrlParams from "effect/http/UrlParams"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"

/** A span contains the names of query parameters, but not their values. */
const everyName = [/^/]

const referencesFor = (context: Context.Context<never>): Context.Context<never> => {
  const redacted = Context.make(UrlParams.CurrentRedactedNames, everyName)
  // Effect makes spans even without a tracer that collects them, unless tracing is switched off.
  return Context.get(context, Tracer.Tracer) === Tracer.nativeTracer
    ? Context.add(redacted, References.TracerEnabled, false)
    : redacted
}

/** Keeps callers' input out of spans, and makes no spans if no tracer collects them. */
export const layerRequests: Layer.Layer<never> = Layer.effectContext(
  Effect.contextWith((context: Context.Context<never>) => Effect.succeed(referencesFor(context))),
)
