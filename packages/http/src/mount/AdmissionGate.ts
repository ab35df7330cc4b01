/**
 * Counts the requests under way, in total and for each API key, and refuses further ones before it reads a body
 * or looks anything up. A refusal must cost next to nothing, or refusals use up the CPU under load.
 *
 * A key has a limit of its own once it has authenticated on this node. All other requests share one limit of
 * the same size: requests without a key, with a malformed or wrong key, or with a new key. A key is new until it
 * has authenticated on this node. So wrong keys never use up the limit of a valid key, not even with its id. Many
 * different wrong keys get no more capacity than one.
 */
import * as ApiKey from "@countersign/core/domain/access/ApiKey"
import type { Route } from "@countersign/core/engine/MetricTable"
import * as Telemetry from "@countersign/core/engine/Telemetry"
import { bearerKey } from "./internal/bearerKey.ts"
import { observed } from "./internal/observed.ts"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { Handler } from "./WebHandler.ts"
import * as Duration from "@countersign/core/domain/values/Duration"
import * as Drain from "@countersign/core/engine/Drain"
import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type * as Scope from "effect/Scope"
import type { AdmissionOptions } from "./MountOptions.ts"

export interface Bounds {
  /** Maximum number of requests under way. */
  readonly max: number
  /** Maximum number of requests with one key, and with all unauthenticated keys together. */
  readonly maxPerKey: number
}

/** The response to refused requests. Its bytes are always the same. */
export const refusal = {
  status: 503,
  headers: {
    "cache-control": "no-store",
    "content-type": "application/json",
    "countersign-error": "unavailable",
    "retry-after": "1",
  },
  body: JSON.stringify({ error: "Temporarily unavailable", retry_after: 1 }),
} as const

/** Number of authenticated keys that a gate remembers. The least recently used key is forgotten first. */
export const maxKnownKeys = 20_000

/** The limit that all requests without an authenticated key share. No fingerprint is empty. */
const unknown = ""

interface Admission {
  readonly key: string | undefined
  bound: string
  /** 1, and 1 for each extension. */
  reasons: number
}

export class AdmissionGate {
  readonly #bounds: Bounds
  /** Fingerprints, least recently used first. */
  readonly #known = new Set<string>()
  readonly #underWay = new Map<string, number>()
  /** Weak because of its many entries that come and go (see "Short-lived objects" in docs/internals/batches.md). */
  readonly #visits = new WeakMap<object, Admission>()
  #size = 0
  readonly #waiting: Array<() => void> = []
  /** The last parsed header, because a mount looks each header up twice. */
  #last: { readonly authorization: string | undefined; readonly key: string | undefined } = {
    authorization: undefined,
    key: undefined,
  }

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  /** Number of requests under way. */
  get size(): number {
    return this.#size
  }

  /** Returns the limit that a request with this `Authorization` header counts towards. */
  boundOf(authorization: string | undefined): string {
    return this.#boundOfKey(this.#fingerprintOf(authorization))
  }

  /** Whether the key in this `Authorization` header has a limit of its own. */
  knows(authorization: string | undefined): boolean {
    return this.boundOf(authorization) !== unknown
  }

  /** Whether this limit leaves no room for another request. */
  isFull(bound: string): boolean {
    const own = this.#underWay.get(bound) ?? 0
    return this.#size >= this.#bounds.max || own >= this.#bounds.maxPerKey
  }

  /** Admits a request if there is room; the caller must call `leave` later. Returns whether it was admitted. */
  admit(request: object, authorization: string | undefined): boolean {
    const key = this.#fingerprintOf(authorization)
    const bound = this.#boundOfKey(key)
    if (this.isFull(bound)) return false
    const visit = this.#visits.get(request)
    if (visit !== undefined) {
      // Its handler runs once more, and counts together with the first run.
      visit.reasons += 1
      return true
    }
    this.#visits.set(request, { key, bound, reasons: 1 })
    this.#size += 1
    this.#add(bound, 1)
    return true
  }

  /**
   * Records that the key of a request has authenticated. From now on the key has a limit of its own, and this
   * request counts towards it. Returns `false` if that limit is reached.
   */
  authenticate(request: object): boolean {
    const visit = this.#visits.get(request)
    if (visit?.key === undefined) return true
    this.#remember(visit.key)
    if (visit.bound === visit.key) return true
    if ((this.#underWay.get(visit.key) ?? 0) >= this.#bounds.maxPerKey) return false
    this.#add(visit.bound, -1)
    this.#add(visit.key, 1)
    visit.bound = visit.key
    return true
  }

  /** Records that the key of a request is invalid. Later requests with it share the limit of unknown keys. */
  forget(request: object): void {
    const key = this.#visits.get(request)?.key
    if (key !== undefined) this.#known.delete(key)
  }

  /** Counts an admitted request until `release` was called once more. */
  extend(request: object): void {
    const visit = this.#visits.get(request)
    if (visit !== undefined) visit.reasons += 1
  }

  release(request: object): void {
    const visit = this.#visits.get(request)
    if (visit === undefined || --visit.reasons > 0) return
    this.#visits.delete(request)
    this.#size -= 1
    this.#add(visit.bound, -1)
    if (this.#size === 0) for (const tell of this.#waiting.splice(0)) tell()
  }

  /** Calls `tell` as soon as no request is under way, at once if none is now. */
  whenEmpty(tell: () => void): void {
    if (this.#size === 0) tell()
    else this.#waiting.push(tell)
  }

  #fingerprintOf(authorization: string | undefined): string | undefined {
    if (authorization !== this.#last.authorization) {
      const text = bearerKey(authorization)
      const key = text === undefined ? undefined : ApiKey.fingerprint(text)
      this.#last = { authorization, key }
    }
    return this.#last.key
  }

  #boundOfKey(key: string | undefined): string {
    return key !== undefined && this.#known.has(key) ? key : unknown
  }

  #add(bound: string, count: 1 | -1): void {
    const own = (this.#underWay.get(bound) ?? 0) + count
    if (own > 0) this.#underWay.set(bound, own)
    else this.#underWay.delete(bound)
  }

  #remember(key: string): void {
    // Skips the reordering while there is room, because it would cost more than it brings.
    if (this.#known.has(key) && this.#known.size < maxKnownKeys) return
    this.#known.delete(key)
    this.#known.add(key)
    if (this.#known.size <= maxKnownKeys) return
    for (const oldest of this.#known) {
      this.#known.delete(oldest)
      break
    }
  }
}

/** Created once, because a refusal at the gate must cost next to nothing. */
export const overloaded = HttpServerResponse.text(refusal.body, {
  status: refusal.status,
  headers: refusal.headers,
  contentType: refusal.headers["content-type"],
})

/** The limits and the end of an application. */
export interface DrainOptions extends AdmissionOptions {
  /** The gate itself, for a mount that also checks it before it passes a request on. */
  readonly gate?: AdmissionGate | undefined
  /** The answer to refused requests. @defaultValue `overloaded` */
  readonly refusal?: HttpServerResponse.HttpServerResponse | undefined
  /** The route that the metrics name. @defaultValue the handler counts its own */
  readonly route?: Route | undefined
  /** Whether the gate lets a request pass even if it is full, such as one of a balancer. @defaultValue no request */
  readonly isExempt?: ((request: HttpServerRequest) => boolean) | undefined
}

export const visitTo = (gate: AdmissionGate, request: HttpServerRequest) => {
  const end = () => gate.release(request)
  const visit: Drain.Visit = {
    extend: () => {
      gate.extend(request)
      return end
    },
  }
  return { end, visit }
}

/** Maximum number of requests under way with one key. */
export const defaultMaxRequestsPerKey = 1_024

/** Creates a gate with the limits in these options. */
export const makeAdmissionGate = ({
  maxRequests = 4_096,
  maxRequestsPerKey = defaultMaxRequestsPerKey,
}: DrainOptions): AdmissionGate =>
  new AdmissionGate({ max: maxRequests, maxPerKey: maxRequestsPerKey })

/** Longer than the default time limit of a gateway, so that a message that was sent is also settled. */
export const graceMillis = ({
  shutdownTimeout,
}: Pick<AdmissionOptions, "shutdownTimeout">): number =>
  shutdownTimeout === undefined
    ? Drain.defaultGraceMillis
    : Duration.millisOfOption("shutdownTimeout", shutdownTimeout)

/** Puts a gate before any application. At the end, the scope waits for the requests under way, for a bounded time. */
export const drain = Effect.fnUntraced(function* (
  handler: Handler,
  options: DrainOptions = {},
): Effect.fn.Return<Handler, never, Scope.Scope> {
  const { isExempt = () => false, route } = options
  const gate = options.gate ?? makeAdmissionGate(options)
  const counted = route === undefined ? handler : observed(route)(handler)
  const refused = Effect.withFiber(({ context }) => {
    Telemetry.countOverload(context)
    return Effect.succeed(options.refusal ?? overloaded)
  })
  yield* Effect.addFinalizer(() =>
    // Other mounts may have admitted requests through the same gate.
    Drain.wait((tell) => gate.whenEmpty(tell), graceMillis(options)),
  )
  return Effect.flatMap(HttpServerRequest, (request) => {
    if (isExempt(request)) return counted
    if (!gate.admit(request, request.headers["authorization"])) return refused
    const { end, visit } = visitTo(gate, request)
    return Effect.ensuring(Effect.provideService(counted, Drain.Visit, visit), Effect.sync(end))
  })
})
