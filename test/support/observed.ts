import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Tracer from "effect/Tracer"

/** What was logged since the layer was built, as a host's logger would write it. */
export const logged = () => {
  const lines: Array<string> = []
  const logger = Logger.map(Logger.formatJson, (line) => {
    lines.push(line)
  })
  const layer = Layer.unwrap(
    Effect.sync(() => {
      lines.length = 0
      return Logger.layer([logger])
    }),
  )
  return { lines, layer }
}

/** A tracer that keeps its spans, as an exporter would. @defaultValue `isSampled`: all are */
export const recording = (isSampled = () => true) => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan({ ...options, sampled: options.sampled && isSampled() })
      spans.push(span)
      return span
    },
  })
  return {
    spans,
    written: () => JSON.stringify(spans.map(({ attributes, name }) => [name, ...attributes])),
    layer: Layer.succeed(Tracer.Tracer, tracer),
  }
}
