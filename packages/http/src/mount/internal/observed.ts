import type { Route } from "@countersign/core/engine/MetricTable"
import * as Telemetry from "@countersign/core/engine/Telemetry"
import * as Effect from "effect/Effect"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"

/** Returns the function that counts and times the answers of a route. */
export const observed = (route: Route) => {
  const record = Telemetry.requestRecorder(route)
  return <E, R>(
    answer: Effect.Effect<HttpServerResponse, E, R>,
  ): Effect.Effect<HttpServerResponse, E, R> =>
    Effect.withFiber(({ context }) => {
      const start = Telemetry.monotonicNanos(context)
      return Effect.map(answer, (response) => {
        record(response.status, start, context)
        return response
      })
    })
}
