import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"
import type { OrganizationId } from "../../domain/values/Ids.ts"

/** Whether the spans of a fiber are recorded. */
export const isTraced = (fiber: Fiber.Fiber<unknown, unknown>): boolean =>
  fiber.getRef(References.TracerEnabled) && fiber.getRef(Tracer.Tracer) !== Tracer.nativeTracer

/** Runs calls in a span if there is a tracer. `Effect.fn` would take a stack trace without one, too. */
export const traced =
  <I extends { readonly organization: OrganizationId }, A, E>(
    name: string,
    call: (input: I) => Effect.Effect<A, E>,
  ): ((input: I) => Effect.Effect<A, E>) =>
  (input) =>
    Effect.withFiber((fiber) =>
      isTraced(fiber)
        ? Effect.withSpan(call(input), name, {
            attributes: { "countersign.organization": input.organization },
          })
        : call(input),
    )
