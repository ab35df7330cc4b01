import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { OrganizationId } from "../../domain/values/Ids.ts"
import * as Admission from "../Admission.ts"
import * as Call from "../Call.ts"
import * as Tracing from "../Tracing.ts"

interface Input {
  readonly organization: OrganizationId
}

/** Runs calls in a span if there is a tracer. `Effect.fn` would take a stack trace without one, too. */
export const traced =
  <I extends Input, A, E>(
    name: string,
    call: (input: I) => Effect.Effect<A, E>,
  ): ((input: I) => Effect.Effect<A, E>) =>
  (input) =>
    Effect.withFiber(({ context }) =>
      Tracing.isTraced(context)
        ? Effect.withSpan(call(input), name, {
            attributes: { "countersign.organization": input.organization },
            captureStackTrace: false,
          })
        : call(input),
    )

/** As `traced`, for calls that are made of steps. The span of a request is also the span of its call. */
export const tracedStep =
  <I extends Input, A, E>(
    name: string,
    step: Admission.Opening<I, A, E>,
  ): ((input: I) => Effect.Effect<A, E>) =>
  (input) =>
    Call.make((call, done) => {
      const { context } = call
      const own = (inner: Call.Call, end: Call.Done<A, E>) =>
        step(inner, end, input, Admission.make())
      if (!Tracing.isTraced(context)) return own(call, done)
      const attributes = { "countersign.organization": input.organization }
      const request = Tracing.requestSpan(context)
      if (request !== undefined) {
        Tracing.annotate(request, "request", attributes)
        return own(call, (exit) => {
          if (Exit.isFailure(exit)) Tracing.noteError(request, exit.cause)
          done(exit)
        })
      }
      call.run(
        Call.direct<A, E>((context, ended) => {
          const span = Tracing.begin(context, "call", name)
          return Call.begin(Call.make<A, E>(own), Tracing.below(context, span), (exit) => {
            Tracing.annotate(span, "call", attributes)
            if (span !== undefined) Tracing.end(context, span, exit)
            ended(exit)
          })
        }),
        done,
      )
    })
