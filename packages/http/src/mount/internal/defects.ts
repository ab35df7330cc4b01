import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"

/** Omits the message of a defect, which may quote the caller's input. */
const describeDefect = (defect: unknown) => {
  if (!(defect instanceof Error)) return { defect: typeof defect, at: [] }
  const frames = (defect.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line))
  return { defect: defect.name, at: frames.map((line) => line.trim()).slice(0, 10) }
}

/** Logs a defect of a request. The client learns nothing of it. */
export const logDefect = (request: HttpServerRequest, defect: unknown): Effect.Effect<void> =>
  Effect.logError("A request ended in a defect", {
    method: request.method,
    ...describeDefect(defect),
  })
