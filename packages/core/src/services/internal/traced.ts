import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"
import type { OrganizationId } from "../../domain/Ids.ts"

/** Runs calls in a span if there is a tracer. `Effect.fn` would take a stack trace without one, too. */
export const traced =
  <I extends { readonly organization: OrganizationId }, A, E>(
    name: string,
    call: (input: I) => Effect.Effect<A, E>,
  ): ((input: I) => Effect.Effect<A, E>) =>
  (input) =>
    Effect.withFiber((fiber) =>
      fiber.getRef(References.TracerEnabled) && fiber.getRef(Tracer.Tracer) !== Tracer.nativeTracer
        ? Effect.withSpan(call(input), name, {
            attributes: { "countersign.organization": input.organization },
          })
        : call(input),
    )
