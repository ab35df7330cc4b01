/**
 * Client of a Countersign over HTTP. Every call resolves with what the service said, or with what went
 * wrong; it needs `fetch`, and nothing else.
 */
export { type Client, createClient } from "./internal/createClient.ts"
export type * from "./internal/errors.ts"
export type { ClientOptions } from "./internal/options.ts"
export type * from "./internal/types.ts"
