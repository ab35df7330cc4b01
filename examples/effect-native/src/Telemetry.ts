/**
 * The application's logger and tracer. The engine has none of its own: its lines and its spans come out
 * here, below the spans of the requests that they belong to.
 */
import { Events } from "@countersign/core/engine/Events"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"

export const layerLogger = Logger.layer([Logger.consoleLogFmt])

/** Prints each span when it ends. An exporter for OpenTelemetry is in `effect/observability`. */
class PrintedSpan extends Tracer.NativeSpan {
  override end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
    super.end(endTime, exit)
    const parent = Option.getOrUndefined(this.parent)?.spanId ?? null
    const { name, spanId, traceId } = this
    const micros = Number((endTime - this.startTime) / 1_000n)
    Effect.runSync(
      Console.log(JSON.stringify({ span: name, traceId, spanId, parent, micros, exit: exit._tag })),
    )
  }
}

/** On where SPANS is true. Where no tracer is, the engine makes no spans at all. */
export const layerTracer = Layer.unwrap(
  Effect.map(Config.withDefault(Config.Boolean("SPANS"), false), (isOn) =>
    isOn
      ? Layer.succeed(Tracer.Tracer, Tracer.make({ span: (options) => new PrintedSpan(options) }))
      : Layer.empty,
  ),
)

/** Logs the events that the engine has committed. */
export const layerEvents = Layer.effectDiscard(
  Effect.gen(function* () {
    const events = yield* Events
    yield* events.stream.pipe(
      Stream.runForEach((event) =>
        Effect.annotateLogs(
          Effect.logInfo(event._tag),
          "organization" in event
            ? { organization: event.organization }
            : { gateway: event.gateway, state: event.state },
        ),
      ),
      Effect.forkScoped({ startImmediately: true }),
    )
  }),
)
