/**
 * What requests run with, on the servers that this project starts itself.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as UrlParams from "effect/http/UrlParams"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"

/** A span tells which parameters a query had, and nothing of what was in them. */
const everyName = [/^/]

const referencesFor = (context: Context.Context<never>): Context.Context<never> => {
  const redacted = Context.make(UrlParams.CurrentRedactedNames, everyName)
  // Spans that nobody collects are still made, unless they are switched off.
  return Context.get(context, Tracer.Tracer) === Tracer.nativeTracer
    ? Context.add(redacted, References.TracerEnabled, false)
    : redacted
}

/** Keeps what callers send out of spans, and makes no spans where nobody collects them. */
export const layerRequests: Layer.Layer<never> = Layer.effectContext(
  Effect.contextWith((context: Context.Context<never>) => Effect.succeed(referencesFor(context))),
)
