/**
 * Makes spans without fibers. A span is one object: its attributes are set at its end, and no stack is captured. Without
 * a tracer there is no span, and `isTraced` is all that a call pays.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"
import { type Attributes, type SpanName, spanTable } from "./SpanTable.ts"

/** Work that no call has asked for. It begins a trace, which `Tracer.MinimumTraceLevel` can switch off. */
export const background = { root: true, level: "Debug" } as const

/** Whether a tracer collects spans. */
export const isTraced = (context: Context.Context<never>): boolean =>
  Context.get(context, Tracer.Tracer) !== Tracer.nativeTracer &&
  Context.get(context, References.TracerEnabled)

/** Runs the start of something while a span is the active one of the host's own instrumentation. */
export type Activate = <A>(span: Tracer.AnySpan, start: () => A) => A

/**
 * For tracers that keep the active span themselves. The context then carries spans under a key that fibers do not
 * cache. With Effect's own key, each fiber of a call reads all that it caches again.
 * @defaultValue spans are in Effect's context
 */
export const Activation = Context.Reference<Activate | undefined>(
  "@countersign/core/engine/Tracing/Activation",
  { defaultValue: () => undefined },
)

const Carried = Context.Reference<Tracer.AnySpan | undefined>(
  "@countersign/core/engine/Tracing/Carried",
  { defaultValue: () => undefined },
)

/** The span that effects with this context are below. */
export const current = (context: Context.Context<never>): Tracer.AnySpan | undefined =>
  Context.get(context, Carried) ?? Context.getOrUndefined(context, Tracer.ParentSpan)

/** Effects with the returned context are below the span. */
export const below = <R>(
  context: Context.Context<R>,
  span: Tracer.AnySpan | undefined,
): Context.Context<R> => {
  if (span === undefined) return context
  return Context.get(context, Activation) === undefined
    ? Context.add(context, Tracer.ParentSpan, span)
    : Context.add(context, Carried, span)
}

export const activate = <A>(context: Context.Context<never>, start: () => A): A => {
  const activation = Context.get(context, Activation)
  const span = activation && current(context)
  return activation === undefined || span === undefined ? start() : activation(span, start)
}

export interface Options {
  /** @defaultValue the current span */
  readonly parent?: Tracer.AnySpan | undefined
  readonly links?: ReadonlyArray<Tracer.AnySpan> | undefined
  /** By `Clock.currentTimeNanos`. @defaultValue now */
  readonly startTime?: bigint | undefined
}

/** Begins a span; `undefined` without a tracer. */
export const begin = (
  context: Context.Context<never>,
  row: SpanName,
  name: string,
  { links = [], parent = current(context), startTime }: Options = {},
): Tracer.Span | undefined =>
  isTraced(context)
    ? Context.get(context, Tracer.Tracer).span({
        name,
        parent: Option.fromUndefinedOr(parent),
        annotations: row === "request" ? ofRequest : Context.empty(),
        links: links.map((span) => ({ span, attributes: {} })),
        startTime: startTime ?? Context.get(context, Clock.Clock).currentTimeNanosUnsafe(),
        kind: spanTable[row].kind,
        root: false,
        sampled: parent?.sampled !== false,
      })
    : undefined

/** Marks the span of a request, which is also the span of its call. */
const ofRequest = Context.make(
  Context.Reference<boolean>("@countersign/core/engine/Tracing/IsRequest", {
    defaultValue: () => false,
  }),
  true,
)

/** The span of the request whose call this is, if the mount has made one. */
export const requestSpan = (context: Context.Context<never>): Tracer.Span | undefined => {
  const span = current(context)
  return span?._tag === "Span" && span.annotations === ofRequest ? span : undefined
}

/** Runs an effect below the span that a message has stored. */
export const resume = <A, E>(
  effect: Effect.Effect<A, E>,
  traceparent: string | null,
): Effect.Effect<A, E> => {
  const span = spanOf(traceparent)
  return span === undefined ? effect : Effect.provideService(effect, Tracer.ParentSpan, span)
}

/** Sets attributes of a span that is recorded. */
export const annotate = <Name extends SpanName>(
  span: Tracer.Span | undefined,
  _row: Name,
  attributes: Attributes<Name>,
): void => {
  if (span?.sampled !== true) return
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) span.attribute(name, value)
  }
}

/** Ends a span. */
export const end = (
  context: Context.Context<never>,
  span: Tracer.Span,
  exit: Exit.Exit<unknown, unknown>,
): void => {
  if (Exit.isFailure(exit)) noteError(span, exit.cause)
  span.end(Context.get(context, Clock.Clock).currentTimeNanosUnsafe(), exit)
}

/** Sets the type of an error. The error itself may contain what the caller has given. */
export const noteError = (span: Tracer.Span, cause: Cause.Cause<unknown>): void =>
  annotate(span, "call", { "error.type": errorType(cause) })

const errorType = (cause: Cause.Cause<unknown>): string => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (Predicate.hasProperty(error, "_tag")) return String(error._tag)
  return Cause.hasInterruptsOnly(cause) ? "interrupted" : "defect"
}

/** A span in the format of W3C. */
export const traceparentOf = ({ sampled, spanId, traceId }: Tracer.AnySpan): string =>
  `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`

/** The current span in the format of W3C; `null` if it is not recorded. */
export const recorded = (context: Context.Context<never>): string | null => {
  if (!isTraced(context)) return null
  const span = current(context)
  return span?.sampled === true ? traceparentOf(span) : null
}

const format = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/** The span of a `traceparent`; `undefined` for other text, as W3C requires. */
export const spanOf = (traceparent: string | null | undefined): Tracer.ExternalSpan | undefined => {
  const [, traceId, spanId, flags] = format.exec(traceparent ?? "") ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  const sampled = (Number.parseInt(flags, 16) & 1) === 1
  return Tracer.externalSpan({ traceId, spanId, sampled })
}
