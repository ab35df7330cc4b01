/**
 * The settings of a mount: the options of the interface, and the context of each request. Has no type of Effect.
 */
import type { Duration } from "@countersign/core/domain/values/DurationText"

/** The endpoints that allow lists guard: all, or only `POST /messages`. */
export type AllowListScope = "all" | "messages"

/** Serves the metrics of the engine to Prometheus. */
export interface MetricsOptions {
  /** The token of `Authorization: Bearer`: at least 16 characters. */
  readonly token: string
}

export interface InterfaceOptions {
  /** The base path if the mount does not give one. @defaultValue `/api/v2` */
  readonly basePath?: string | undefined
  /** Addresses and CIDR blocks of your own proxies, whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies?: ReadonlyArray<string> | undefined
  /** The endpoints that allow lists of addresses guard: all, or only `POST /messages`. @defaultValue `"all"` */
  readonly allowListScope?: AllowListScope | undefined
  /** Maximum size of a body in bytes. @defaultValue 65,536 */
  readonly maxBodyBytes?: number | undefined
  /** Whether to serve `/openapi.json` and `/docs`. @defaultValue `true` */
  readonly documentation?: boolean | undefined
  /** Serves `/metrics` to callers with the token. @defaultValue no `/metrics` */
  readonly metrics?: MetricsOptions | undefined
}

export interface AdmissionOptions {
  /** Maximum number of requests under way. @defaultValue 4,096 */
  readonly maxRequests?: number | undefined
  /**
   * Maximum number of requests under way with one key. Requests without a key share one limit of the same size.
   *
   * @defaultValue 1,024
   */
  readonly maxRequestsPerKey?: number | undefined
  /** How long the end waits for calls under way. @defaultValue `"20 seconds"` */
  readonly shutdownTimeout?: Duration | undefined
}

/** Facts about a request that only the mount has. */
export interface RequestContext {
  /** The address of the peer of the connection, if the request's own source cannot provide it. */
  readonly clientAddress?: string | undefined
  /** The part of the URL's path before the paths of the interface. @defaultValue `basePath` of the options */
  readonly basePath?: string | undefined
  /** The body, if the host has read it: bytes, text, or the parsed JSON. */
  readonly body?: unknown
}
