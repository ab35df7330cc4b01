/**
 * Client of a Countersign service over HTTP. Every call resolves with the service's data or with an error. The
 * client requires only `fetch`.
 */
export { type Client, createClient } from "./internal/createClient.ts"
export type { Aborted, Network, Timeout, UnexpectedResponse } from "./internal/clientErrors.ts"
export type * from "./internal/errors.ts"
export type { Duration } from "./internal/durations.ts"
export type { ClientOptions } from "./internal/options.ts"
export type * from "./internal/calls.ts"
export type * from "./internal/types.ts"
export type * from "./internal/webhookEvents.ts"
export * from "./internal/verifyWebhook.ts"
