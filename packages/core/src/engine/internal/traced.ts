import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"
import type { OrganizationId } from "../../domain/values/Ids.ts"
import * as Admission from "../Admission.ts"
import * as Call from "../Call.ts"

interface Input {
  readonly organization: OrganizationId
}

/** Whether spans are recorded. */
export const isTraced = (context: Context.Context<never>): boolean =>
  Context.get(context, References.TracerEnabled) &&
  Context.get(context, Tracer.Tracer) !== Tracer.nativeTracer

const inSpan = <A, E>(effect: Effect.Effect<A, E>, name: string, { organization }: Input) =>
  Effect.withSpan(effect, name, { attributes: { "countersign.organization": organization } })

/** Runs calls in a span if there is a tracer. `Effect.fn` would take a stack trace without one, too. */
export const traced =
  <I extends Input, A, E>(
    name: string,
    call: (input: I) => Effect.Effect<A, E>,
  ): ((input: I) => Effect.Effect<A, E>) =>
  (input) =>
    Effect.withFiber(({ context }) =>
      isTraced(context) ? inSpan(call(input), name, input) : call(input),
    )

/** As `traced`, for calls that are made of steps. */
export const tracedStep =
  <I extends Input, A, E>(
    name: string,
    step: Admission.Opening<I, A, E>,
  ): ((input: I) => Effect.Effect<A, E>) =>
  (input) =>
    Call.make((call, done) => {
      const admission = Admission.make()
      if (!isTraced(call.context)) return step(call, done, input, admission)
      const own = Call.make<A, E>((inner, end) => step(inner, end, input, admission))
      call.run(inSpan(own, name, input), done)
    })
