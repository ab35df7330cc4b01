import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"

/**
 * Runs an effect in a span if a tracer is installed. Without a tracer, creates and captures nothing:
 * `Effect.fn` would take a stack trace for every call.
 */
export const traced = <A, E>(
  name: string,
  attributes: Readonly<Record<string, string>>,
  effect: Effect.Effect<A, E>,
): Effect.Effect<A, E> =>
  Effect.withFiber((fiber) =>
    fiber.getRef(References.TracerEnabled) && fiber.getRef(Tracer.Tracer) !== Tracer.nativeTracer
      ? Effect.withSpan(effect, name, { attributes })
      : effect,
  )
