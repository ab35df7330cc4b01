import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"
import type { OrganizationId } from "../../domain/Ids.ts"

/**
 * Runs a call of an organization in a span if a tracer is installed. Without a tracer, creates and captures
 * nothing: `Effect.fn` would take a stack trace for every call.
 */
export const traced = <A, E>(
  name: string,
  organization: OrganizationId,
  effect: Effect.Effect<A, E>,
): Effect.Effect<A, E> =>
  Effect.withFiber((fiber) =>
    fiber.getRef(References.TracerEnabled) && fiber.getRef(Tracer.Tracer) !== Tracer.nativeTracer
      ? Effect.withSpan(effect, name, {
          attributes: { "countersign.organization": organization },
        })
      : effect,
  )
