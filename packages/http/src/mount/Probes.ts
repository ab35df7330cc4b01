/** The routes for balancers and for Prometheus. They answer while the admission gate is full. */
import * as Readiness from "@countersign/core/engine/Readiness"
import * as Metrics from "@countersign/core/services/Metrics"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { MetricsOptions } from "./MountOptions.ts"
import { bearerKey } from "./internal/bearerKey.ts"

type Answer = (request: HttpServerRequest) => Effect.Effect<HttpServerResponse.HttpServerResponse>

/** A route. */
export type Probe = readonly [path: string, answer: Answer]

/** The paths of the routes, below the base path. */
export const probePaths: ReadonlySet<string | undefined> = new Set([
  "/health",
  "/ready",
  "/metrics",
])

const noStore = { "cache-control": "no-store" }

const healthy = HttpServerResponse.jsonUnsafe({ status: "ok" }, { headers: noStore })

const ready = HttpServerResponse.jsonUnsafe({ status: "ready" }, { headers: noStore })

const unready = (reason: Readiness.UnreadyReason) =>
  HttpServerResponse.jsonUnsafe(
    { error: sentences[reason], reason },
    {
      status: 503,
      headers: { ...noStore, "countersign-error": "unavailable", "retry-after": "1" },
    },
  )

const sentences: Readonly<Record<Readiness.UnreadyReason, string>> = {
  draining: "This node stops",
  database: "The database does not answer",
  migrations: "The tables lack a migration of this build, or belong to another one",
}

const unauthorized = HttpServerResponse.jsonUnsafe(
  { error: "Missing or wrong token of the metrics" },
  {
    status: 401,
    headers: { ...noStore, "countersign-error": "unauthorized", "www-authenticate": "Bearer" },
  },
)

/** Fewest characters of a token. */
const fewest = 16

/** The problem of the options, as a sentence; `undefined` if the options are valid. */
export const metricsProblem = (options: MetricsOptions | undefined): string | undefined =>
  options === undefined || (options.token.length >= fewest && !/\s/.test(options.token))
    ? undefined
    : `metrics.token must have at least ${fewest} characters and no space, such as from: openssl rand -hex 32`

/** Takes as long for each text of a length, so that no answer tells how much of a guess is right. */
const isEqual = (given: string, token: string): boolean => {
  let difference = given.length ^ token.length
  for (let index = 0; index < token.length; index++) {
    difference |= given.charCodeAt(index % Math.max(1, given.length)) ^ token.charCodeAt(index)
  }
  return difference === 0
}

/** Makes the routes over the engine in the context. Dies if the options are invalid. */
export const make = Effect.fnUntraced(function* (
  metrics: MetricsOptions | undefined,
): Effect.fn.Return<ReadonlyArray<Probe>, never, Readiness.Readiness | Metrics.Metrics> {
  const readiness = yield* Readiness.Readiness
  const { text } = yield* Metrics.Metrics
  const problem = metricsProblem(metrics)
  if (problem !== undefined) return yield* Effect.die(new TypeError(problem))
  const probes: ReadonlyArray<Probe> = [
    ["/health", () => Effect.succeed(healthy)],
    [
      "/ready",
      () =>
        Effect.map(readiness.unready, (reason) => (reason === undefined ? ready : unready(reason))),
    ],
  ]
  if (metrics === undefined) return probes
  const { token } = metrics
  const shown = Effect.map(text, (body) =>
    HttpServerResponse.text(body, {
      headers: noStore,
      contentType: "text/plain; version=0.0.4; charset=utf-8",
    }),
  )
  const scrape: Answer = ({ headers }) =>
    isEqual(bearerKey(headers["authorization"]) ?? "", token) ? shown : Effect.succeed(unauthorized)
  return [...probes, ["/metrics", scrape]]
})
